#!/usr/bin/env bash
# How many runs each search needs to find bugs of known depth (bench/turns.c): the median of SEEDS=20 seeds, as a table in Markdown. A search
# has LIMIT=1 seconds each time; "-": it did not find the bug in half of them.
# Usage: bench/sampling.sh BUILD_DIRECTORY
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
source=$(cd "$(dirname "$0")" && pwd)
seeds=${SEEDS:-20}
limit=${LIMIT:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

runs() { # SEARCH SEED: how many were made up to the bug, or nothing
    # shellcheck disable=SC2086
    "$build/raddle" check --search $1 --seed "$2" --timeout "$limit" --minimise 0 --max-steps 1000000 --json json ./program \
        >/dev/null 2>&1 || true
    grep -q '"verdict": "bug"' json || return 0
    if [ "$1" = explore ]; then
        awk -F'[:,]' '/^  "(executions|blocked)"/ { n += $2 } END { print n }' json
    else
        awk -F'[:,]' '/^    "runs"/ { print $2 + 0 }' json
    fi
}

median() { # SEARCH
    local seed got missed=0

    : >found
    for ((seed = 1; seed <= seeds; seed++)); do
        got=$(runs "$1" "$seed")
        if [ -n "$got" ]; then echo "$got" >>found; else missed=$((missed + 1)); fi
        if [ $((2 * missed)) -gt "$seeds" ]; then echo -; return; fi
    done
    sort -n found | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'
}

printf '| threads | steps each | other steps | turns | depth | explore | random | pct, depth 3 | pct, the depth | pos |\n'
printf '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n'
while read -r threads steps where turns; do
    for depth in 1 2 3 4 5; do
        "$build/raddle" cc -O1 -w -DTHREADS="$threads" -DSTEPS="$steps" -DDEPTH="$depth" -D${where^^} -D${turns^^} "$source/turns.c" -o program
        printf '| %s | %s | %s | %s | %s |' "$threads" "$steps" "$where" "$turns" "$depth"
        for search in explore random pct "pct --depth $depth" pos; do
            printf ' %s |' "$(median "$search")"
        done
        printf '\n'
    done
done <<END
3 10 own along
3 10 shared apart
3 100 shared along
4 1000 own apart
5 100 shared apart
8 10 shared along
8 1000 shared apart
8 10000 own along
END
