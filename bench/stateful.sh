#!/usr/bin/env bash
# Searches that compare states beside those that do not: complete runs, runs that ended at a known state, transitions, seconds, for programs whose
# interleavings explode although their states do not. "-" stands for a search that the time limit ended.
# Usage: bench/stateful.sh BUILD_DIRECTORY [SECONDS]
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
limit=${2:-60}
source=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

field() { # of the JSON report
    sed -n "s/^  \"$1\": \([0-9.e+-]*\),\$/\1/p" report.json
}

row() { # NAME SETTING OPTION… -- PROGRAM ARGUMENT…
    local name=$1 setting=$2
    shift 2
    rm -f report.json
    "$build/raddle" check --exit-ok --timeout "$limit" --json report.json "$@" >/dev/null 2>&1 || true
    if [ "$(sed -n 's/^  "verdict": "\([a-z]*\)",$/\1/p' report.json)" = incomplete ]; then
        printf '%-22s %-10s %12s\n' "$name" "$setting" -
    else
        printf '%-22s %-10s %12d %12d %12d %10d %9.2f\n' "$name" "$setting" "$(field executions)" "$(field revisited)" \
            "$(field transitions)" "$(field states)" "$(field seconds)"
    fi
}

rows() { # NAME PROGRAM ARGUMENT…
    local name=$1
    shift
    row "$name" dpor --reduction dpor -- "$@"
    row "$name" optimal -- "$@"
    row "$name" delta --stateful=delta --reduction dpor -- "$@"
    row "$name" exact --stateful=exact -- "$@"
}

program() { # NAME FILE FLAG…
    local name=$1 file=$2
    shift 2
    "$build/raddle" cc -O1 -w -I"$source/include" "$@" "$source/bench/states/$file.c" -o "$file"
    rows "$name" "./$file"
}

printf '%-22s %-10s %12s %12s %12s %10s %9s\n' program search executions revisited transitions states seconds
program example1 example1
program 'example1, checked' example1 -DCHECKED
program sharedArray shared_array
program 'bbuf(2)' bbuf
program 'fib(5) and reader' fib
program forget forget
program 'readers(16)' readers
program 'counted(8)' counted

"$build/raddle" cc -O1 -w "$source"/examples/scanner/{scanner,queue}.c -o scanner
mkdir in
echo 'a needle' >in/a
echo 'no' >in/b
for threads in 3 4; do
    rows "scanner, $threads threads" ./scanner -j "$threads" needle in/a in/b
done
