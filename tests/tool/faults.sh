#!/bin/bash
# Workers that are killed at any moment, and coordinators that are killed and gone on with by --resume: always the same counts and verdict, and no process
# is left behind. RUNS=100 SEED=n for more of it by hand ("make faults").
. "$(dirname "$0")/common.bash"

RUNS=${RUNS:-5}
SEED=${SEED:-1}
RANDOM=$SEED
cd "$dir" || exit 1

cat >counts.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *count(void *more)
{
    long sum = atomic_fetch_add(&x, 1);
    sum += atomic_fetch_add(&y, 1);
    sum += atomic_fetch_add(&x, 1);
    sum += atomic_fetch_add(&y, 1);
    if (more)
        sum += atomic_fetch_add(&y, 1);
    if (FAILS) {
        assert(sum != 15);
        assert(!more || sum != 12);
    }
    return (void *)sum; /* so that the order of the additions matters */
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, count, i >= LESS ? &x : 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
END
cat >counts.script <<'END'
cell x
cell y
thread A
 r = add x, 1
 r = add y, 1
 r = add x, 1
 r = add y, 1
 r = add x, 1
thread B
 r = add y, 1
 r = add x, 1
 r = add y, 1
 r = add x, 1
 assert r != 3
thread C
 r = add x, 1
 r = add y, 1
 r = add x, 1
 r = add y, 1
END
run "$RADDLE" cc -g -DLESS=1 -DFAILS=1 -o fails counts.c
run "$RADDLE" cc -g -DLESS=0 -DFAILS=0 -o safe counts.c
subjects=("$dir/fails" "$dir/safe" "$dir/counts.script" "--model tso $dir/fails" "--reduction source $dir/counts.script")

# What must be the same. How many transitions and runs in vain it takes may be others: some are made twice.
figures() { # FILE, reduction
    grep -E '^ *"(verdict|kind|file|line)":' "$1" | sort
    [ "$2" = source ] || grep -E '^ *"executions":' "$1"
}

# Raddle and all that it has started: the directory is in their command lines.
alive() { pgrep -f -- "$dir/" >/dev/null; }

cleanup() {
    local pid
    for pid in $(pgrep -f -- "$dir/"); do
        kill -KILL "$pid"
    done
}

pause() { # up to MILLISECONDS
    sleep "$(printf '0.%03d' $((RANDOM % $1 + 5)))"
}

workers_killed=0
coordinators_killed=0
resumed=0

# Starts it, or goes on with it.
begin() {
    local resume=()
    [ ! -s kept ] || {
        resume=(--resume kept)
        resumed=$((resumed + 1))
    }
    # shellcheck disable=SC2086  # $1: words
    "$RADDLE" check -j $((RANDOM % 4 + 1)) --keep-going --minimise 0 --checkpoint kept --checkpoint-interval 0.05 --json found.json \
        "${resume[@]}" $1 >out 2>err </dev/null &
    search=$!
}

worker_kill() {
    local workers
    mapfile -t workers < <(pgrep -P "$search" 2>/dev/null)
    [ ${#workers[@]} -gt 0 ] || return
    ! kill -KILL "${workers[RANDOM % ${#workers[@]}]}" 2>/dev/null || workers_killed=$((workers_killed + 1))
}

# With kills, at most so many that it comes to an end.
search_with_faults() { # words
    local kills=0
    rm -f kept found.json
    begin "$1"
    while kill -0 "$search" 2>/dev/null && [ $kills -lt 12 ]; do
        pause 200
        kills=$((kills + 1))
        if [ $((RANDOM % 3)) -gt 0 ]; then
            worker_kill
            continue
        fi
        kill -KILL "$search" 2>/dev/null || continue
        wait "$search" 2>/dev/null
        coordinators_killed=$((coordinators_killed + 1))
        begin "$1"
    done
    wait "$search"
    status=$?
}

for i in "${!subjects[@]}"; do
    # shellcheck disable=SC2086
    run "$RADDLE" check --keep-going --minimise 0 --json once.json ${subjects[i]}
    case ${subjects[i]} in *source*) reduction[i]=source ;; *) reduction[i]=optimal ;; esac
    figures once.json "${reduction[i]}" >"once.$i"
    wanted[i]=$status
done

for ((k = 0; k < RUNS; k++)); do
    i=$((k % ${#subjects[@]}))
    search_with_faults "${subjects[i]}"
    figures found.json "${reduction[i]}" >found 2>/dev/null
    cp -f out err "$dir" 2>/dev/null
    expect "run $k: ${subjects[i]}: status" test "$status" -eq "${wanted[i]}"
    expect "run $k: ${subjects[i]}: the same" cmp "once.$i" found
    for _ in $(seq 50); do # who has lost its parent is ended by the system, soon
        alive || break
        sleep 0.1
    done
    expect "run $k: nothing is left" sh -c "! pgrep -f -- '$dir/[a-z]' >/dev/null"
done
expect "some workers were killed" test $workers_killed -gt 0
echo "seed $SEED: $RUNS runs, $workers_killed workers and $coordinators_killed coordinators killed, $resumed times resumed"

finish
