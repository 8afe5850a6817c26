#!/bin/bash
# What several processes gain and cost on this machine: bench/jobs.sh [BUILD] [ROUNDS]. One search of half a minute or so, by one process, by -j 1, by -j 2, and with checkpoints, in turn.
# Of each the best of ROUNDS (3) counts: elapsed time tells how much sooner two are through, and only on a machine with nothing else to do; processor time tells what -j 1 and checkpoints cost.
set -eu
build=$(realpath "${1:-build}")
rounds=${2:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >counters.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *count(void *more)
{
    long sum = 0;

    for (int i = 0; i < K + (more != NULL); i++) {
        sum += atomic_fetch_add(&x, 1);
        sum += atomic_fetch_add(&y, 1);
    }
    return (void *)sum; /* so that the order of the additions matters */
}
int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, count, i == 2 ? &x : 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
END
"$build/raddle" cc -O1 -DK="${K:-3}" -o counters counters.c

search() { # NAME OPTIONS…: the least of all rounds so far, and how many executions there were
    local name=$1 elapsed user system
    local TIMEFORMAT='%R %U %S'
    shift
    { time "$build/raddle" check "$@" --json "$name.json" ./counters >/dev/null 2>&1; } 2>time
    read -r elapsed user system <time
    awk -v e="$elapsed" -v u="$user" -v s="$system" 'BEGIN { print e, u + s }' >>"$name.times"
    sed -n 's/^ *"executions": \([0-9]*\),/\1/p' "$name.json" >>"$name.executions"
}

least() { # NAME COLUMN
    sort -n -k "$2,$2" "$1.times" | awk -v c="$2" 'NR == 1 { print $c }'
}

for _ in $(seq "$rounds"); do
    search one
    search j1 -j 1
    search j2 -j 2
    search kept --checkpoint kept --checkpoint-interval 5
done
printf '%-24s %12s %10s %10s\n' search executions elapsed processor
for name in one j1 j2 kept; do
    printf '%-24s %12s %10s %10s\n' $name "$(sort -u $name.executions | tr '\n' ' ')" "$(least $name 1)" "$(least $name 2)"
done
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a / b }'; }
echo "-j 1 against one process, processor time (at most 1.03):  $(ratio "$(least j1 2)" "$(least one 2)")"
echo "checkpoints every 5 s, processor time (at most 1.01):     $(ratio "$(least kept 2)" "$(least one 2)")"
echo "-j 2 against -j 1, times as fast (at least 1.9, quiet):   $(ratio "$(least j1 1)" "$(least j2 1)")"
[ "$(cat ./*.executions | sort -u | wc -l)" -eq 1 ] || { echo "the numbers of executions differ"; exit 1; }
