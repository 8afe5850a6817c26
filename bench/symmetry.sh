#!/usr/bin/env bash
# What symmetry saves, and what it costs where there is none. Usage: bench/symmetry.sh BUILD_DIRECTORY [SECONDS for each search, default 20]
# First a table: executions, transitions and seconds of each search (a dash: the time was up). Then seconds an execution with --symmetry as a ratio to those without, on programs whose
# threads all differ; each is the least of five, in turn.
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
seconds=${2:-20}
source=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$dir"' EXIT
cd "$dir"

field() { sed -n "s/^  \"$1\": \"\{0,1\}\([0-9a-z.e+-]*\).*/\1/p" report.json; }

search() { # NAME, options of check, "--", the program and its arguments
    local name=$1
    shift
    rm -f report.json
    "$build/raddle" check --timeout "$seconds" --json report.json "$@" >/dev/null 2>&1 || true
    if [ "$(field verdict)" = incomplete ]; then
        printf '%-34s %12s\n' "$name" –
    else
        printf '%-34s %12s %12s %9.2f  %s\n' "$name" "$(field executions)" "$(field transitions)" "$(field seconds)" "$(field verdict)"
    fi
}

searches() { # NAME PROGRAM ARGS…
    local name=$1
    shift
    for reduction in dpor optimal; do
        search "$name, $reduction" --reduction $reduction "$@"
        search "$name, $reduction, symmetry" --reduction $reduction --symmetry "$@"
    done
}

compile() { "$build/raddle" cc -O1 -w -I"$source/tests/programs" "$@"; }

printf '%-34s %12s %12s %9s\n' search executions transitions seconds
for program in "locks 8" "ainc 8" "readers 16"; do
    set -- $program
    compile -DN="$2" "$source/tests/programs/$1.c" -o "$1"
    searches "$1($2)" "./$1"
done

mkdir in srv
echo 'a needle' >in/a
echo no >in/b
printf 0123456789abcdef >srv/file
for queue in queue queue-buggy; do
    compile "$source/examples/scanner/scanner.c" "$source/examples/scanner/$queue.c" -o "$queue"
    for threads in 3 4 5 6; do
        searches "scanner, $queue, $threads threads" "./$queue" -- -j "$threads" needle in/a in/b
    done
done
cc -O1 "$source/examples/downloader/serve.c" -o serve
port=$((20000 + RANDOM % 20000))
./serve srv $port >/dev/null 2>&1 &
server=$!
sleep 0.3
for segments in segments segments-buggy; do
    compile "$source"/examples/downloader/{downloader,http}.c "$source/examples/downloader/$segments.c" -o "$segments"
    for threads in 3 4 5 6; do
        searches "downloader, $segments, $threads" "./$segments" -- -n "$threads" -f -s 8 "http://127.0.0.1:$port/file" out
    done
done

each() { # seconds an execution, in billionths
    rm -f report.json
    "$build/raddle" check --json report.json "$@" >/dev/null 2>&1 || true
    awk -v s="$(field seconds)" -v e="$(field executions)" 'BEGIN { printf "%.0f\n", s * 1e9 / e }'
}

printf '\n%-16s %14s %14s\n' 'no symmetry in' new/off all/off
for program in "lastzero 11" "indexer 14" "filesystem 24"; do
    set -- $program
    compile -DN="$2" "$source/tests/programs/$1.c" -o "$1"
    for kind in off new all; do : >$kind; done
    for _ in 1 2 3 4 5; do
        for kind in off new all; do each --symmetry=$kind "./$1" >>$kind; done
    done
    for kind in off new all; do eval "$kind=\$(sort -n $kind | head -n 1)"; done
    # shellcheck disable=SC2154
    awk -v n="$1($2)" -v off="$off" -v new="$new" -v all="$all" 'BEGIN { printf "%-16s %14.2f %14.2f\n", n, new / off, all / off }'
done
