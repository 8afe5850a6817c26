#!/bin/bash
# What leaving out rounds that change nothing is worth: bench/rounds.sh BUILD [SECONDS for each search]. A table for docs/reductions.md.
set -u
build=${1:-build}
seconds=${2:-20}
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

field() { sed -n "s/^  \"$1\": \"\{0,1\}\([a-z0-9]*\).*/\1/p" "$dir/json" | head -n 1; }

count() { # ROUNDS FLAGS FILE: executions, and blocked ones if there are any
    (cd "$dir" && "$build/raddle" check --rounds "$1" --timeout "$seconds" --json json "$2" ${4:+"$4"} "$3" >out 2>&1)
    [ "$(field verdict)" = safe ] || { printf -- '–'; return; }
    printf "%'d" "$(field executions)"
    [ "$(field blocked)" = 0 ] || printf " + %'d" "$(field blocked)"
}

row() { # NAME FILE FLAGS [FLAGS]
    printf '| %s | %s | %s |\n' "$1" "$(count all "$3" "$here/rounds/$2.c" "${4:-}")" "$(count changing "$3" "$here/rounds/$2.c" "${4:-}")"
}

build=$(cd "$build" && pwd)
echo "| program | all rounds | changing only: complete + blocked |"
echo "| --- | --- | --- |"
for p in 2 3 4; do row "Vyukov's queue, $p producers" vyukov -DP=$p; done
for p in 1 2 3; do row "the same with its consumer, $p producers" vyukov -DP=$p -DCONSUMER; done
for n in 2 3 5; do row "test-and-set lock, $n threads" tas -DN=$n; done
for name in ticket mcs treiber msqueue seqlock; do
    for n in 2 3; do row "$name, $n threads" $name -DN=$n; done
done
