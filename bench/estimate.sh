#!/usr/bin/env bash
# What a search that is cut short says of its size, against the truth. Usage: bench/estimate.sh BUILD_DIRECTORY [few]
# Each program is explored to its end, and then stopped after some shares of its executions. A star: the truth is not within the stated factor. Everything here is the same in every run on
# every machine. "few": small programs and one share only, for the tests. Ends with status 1 if more than one in ten is out.
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

programs=(locks:6 readers:10 lastzero:9 indexer:14 filesystem:22 0:3:3 1:3:3 3:3:3 4:3:2 5:2:8)
shares="20"
if [ "${2-}" != few ]; then
    programs+=(locks:7 locks:8 readers:13 lastzero:11 indexer:15 0:2:6 0:4:2 2:2:4 2:3:2 5:3:4 5:4:3)
    shares="50 20 8 3"
fi

field() { sed -n "s/^  \"$1\": \"\{0,1\}\([0-9a-z.e+-]*\).*/\1/p" report.json; }

check() { # options
    "$build/raddle" check --json report.json "$@" ./program >/dev/null 2>&1 || true
}

asked=0 out=0
for program in "${programs[@]}"; do
    IFS=: read -r kind first second <<<"$program"
    if [ -n "$second" ]; then
        "$build/raddle" cc -O1 -DKIND="$kind" -DT="$first" -DK="$second" "$source/bench/estimate.c" -o program
    else
        "$build/raddle" cc -O1 -w -DN="$first" "$source/tests/programs/$kind.c" -o program
    fi
    check
    [ "$(field verdict)" = safe ]
    truth=$(field executions)
    printf '%-14s %8d ' "$program" "$truth"
    for share in $shares; do
        check --max-executions $((truth / share))
        guess=$(sed -n 's/^    "total": \([0-9.e+]*\).*/\1/p' report.json)
        factor=$(sed -n 's/^    "factor": \([0-9.e+]*\).*/\1/p' report.json)
        mark=$(awk -v t="$truth" -v g="$guess" -v f="$factor" 'BEGIN { print (g / t > f || t / g > f) ? "*" : " " }')
        printf '  %10.0f ± %-7.1f%s' "$guess" "$factor" "$mark"
        asked=$((asked + 1))
        [ "$mark" = " " ] || out=$((out + 1))
    done
    echo
done
echo "$((asked - out)) of $asked within the factor that was stated"
[ $((out * 10)) -le "$asked" ]
