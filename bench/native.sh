#!/usr/bin/env bash
# Speed of native programs: executions a second of processor time, and nanoseconds a transition as a ratio to a bare fiber switch that is measured in
# the same run. A step is a transition, explored or done again to get back to a state; the JSON counts the explored ones.
# With OLD=DIRECTORY, a build of an older state, both are measured in turn, and the last column says how many times as fast an execution is now.
# Older states may count other transitions, and take steps that are none now; the executions must be the same.
# Usage: [OLD=BUILD_DIRECTORY] [ROUNDS=3] bench/native.sh BUILD_DIRECTORY [PROGRAM…]
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
shift
old=${OLD:+$(cd "$OLD" && pwd)}
rounds=${ROUNDS:-3}
source=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
wanted=" $* "

switch=$("$build/bench/bench_restart" | awk '/^fiber switch/ { print $3 }')
printf 'a bare fiber switch takes %s ns\n\n' "$switch"
printf '%-16s %10s %12s %10s %12s %14s %8s%s\n' program executions transitions seconds 'per second' 'ns/transition' ratio \
    "${old:+ $(printf '%12s %8s' 'old: per s' times)}"

field() { # of the JSON report
    sed -n "s/^  \"$1\": \([0-9.e+-]*\),\$/\1/p" report.json
}

# BUILD NAME OPTIONS…: processor time of one search, the least of what was measured so far, into NAME.BUILD.seconds
measure() {
    local build=$1 name=$2 to=$2.$3.seconds
    shift 3
    TIMEFORMAT='%U %S'
    { time "$build/raddle" check --json report.json "$@" "./$name" >/dev/null 2>&1 || [ $? -eq 3 ]; } 2>time
    awk 'FNR == NR { s = $1 + $2; next } $1 < s { s = $1 } END { print s }' time "$([ -e "$to" ] && echo "$to" || echo time)" >"$to.new"
    mv "$to.new" "$to"
}

# LABEL FILE N EXECUTIONS OPTIONS…; EXECUTIONS are all that there are, or as many as the options let it make
run() {
    local label=$1 file=$2 n=$3 wants=$4 name
    shift 4
    name=$(basename "$file" .c)
    case $wanted in "  " | *" $label "*) ;; *) return 0 ;; esac
    rm -f ./*.seconds
    for round in $(seq "$rounds"); do
        for which in ${old:+old} new; do
            [ $which = old ] && from=$old || from=$build
            [ "$round" -gt 1 ] || "$from/raddle" cc -O1 -w -I"$source/tests/programs" -DN="$n" "$source/$file" -o "$name.$which"
            cp "$name.$which" "$name"
            measure "$from" "$name" $which "$@"
            [ "$(field executions)" = "$wants" ] ||
                { echo "$label, $which: $(field executions) executions, not $wants" >&2; exit 1; }
        done
    done
    awk -v label="$label" -v e="$wants" -v t="$(field transitions)" -v s="$(cat "$name.new.seconds")" -v f="$switch" \
        -v o="$(cat "$name.old.seconds" 2>/dev/null || true)" 'BEGIN {
        ns = s * 1e9 / t
        printf "%-16s %10d %12d %10.2f %12.0f %14.0f %8.1f", label, e, t, s, e / s, ns, ns / f
        if (o != "") printf " %12.0f %8.2f", e / o, o / s
        printf "\n" }'
}

run 'forget' bench/native/forget.c 0 200000 --max-executions 200000
run 'fib(5)' bench/native/fib.c 5 100000 --max-executions 100000
run 'casw(5)' bench/native/casw.c 5 32880
run 'locks(8)' tests/programs/locks.c 8 40320
run 'readers(16)' tests/programs/readers.c 16 65536
run 'lastzero(12)' tests/programs/lastzero.c 12 15360
run 'indexer(15)' tests/programs/indexer.c 15 4096
run 'filesystem(26)' tests/programs/filesystem.c 26 8192
run 'lamport(3)-tso' bench/native/lamport.c 3 20000 --model tso --max-executions 20000
run 'lamport(3)-pso' bench/native/lamport.c 3 20000 --model pso --max-executions 20000

# A step of a long run must not cost more than one of a short run.
printf '\n%-16s %10s %12s %10s %16s %14s\n' 'long runs' steps executions seconds 'ns/step and run' 'MiB'
for kind in locks turns words; do
    for n in 1000 10000 100000; do
        "$build/raddle" cc -O1 -w -I"$source/tests/programs" -DN=$n -D"$kind" "$source/bench/native/long.c" -o long
        rm -f ./*.seconds
        for round in $(seq "$rounds"); do
            measure "$build" long new --max-steps 10000000 --max-executions 20
        done
        awk -v kind="$kind" -v n=$n -v s="$(cat long.new.seconds)" -v b="$(field peak_rss_bytes)" 'BEGIN {
            printf "%-16s %10d %12d %10.2f %16.0f %14.0f\n", kind, n, 20, s, s * 1e9 / n / 20, b / 1048576 }'
    done
done
