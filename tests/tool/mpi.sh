#!/bin/bash
# The ranks of an MPI job search together (--mpi): the same verdicts, bugs and numbers as one process; what is lost costs time, and an end before its time is told.
. "$(dirname "$0")/common.bash"

command -v mpirun >/dev/null || { echo "no mpirun here"; exit 77; }
[ -x "$(dirname "$RADDLE")/raddle_relay" ] || { echo "raddle was built without MPI"; exit 77; }
# also as root, on few processors, in a container
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
cd "$dir" || exit 1

cat >counts.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *count(void *arg)
{
    long sum = 0;
    for (int i = 0; i < K; i++) {
        sum += atomic_fetch_add(&x, 1);
        sum += atomic_fetch_add(&y, 1);
    }
    assert(!FAILS || sum != 11);
    return (void *)sum; /* so that the order of the additions matters */
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, count, 0);
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
thread B
 r = add y, 1
 r = add x, 1
 r = add y, 1
 assert r != 2
thread C
 r = add x, 1
 r = add y, 1
END
run "$RADDLE" cc -g -DK=2 -DFAILS=0 -o safe counts.c
run "$RADDLE" cc -g -DK=2 -DFAILS=1 -o fails counts.c
run "$RADDLE" cc -g -DK=3 -DFAILS=0 -o longer counts.c

figures() { # FILE
    grep -E '^ *"(verdict|executions|kind|file|line)":' "$1" | sort
}

# ---- the same as one process
for subject in ./safe ./fails counts.script; do
    run "$RADDLE" check --keep-going --minimise 0 --json once.json $subject
    want=$status
    figures once.json >once
    for n in 2 4; do
        rm -f found.json
        RADDLE_PILOT=1 run mpirun -n $n "$RADDLE" check --mpi --keep-going --minimise 0 --json found.json $subject
        expect "$subject, $n ranks: status" test "$status" -eq "$want"
        figures found.json >found
        expect "$subject, $n ranks: the same" cmp -s once found
    done
done

# ---- a source is compiled once, a bug ends the search, its trace needs no MPI
RADDLE_PILOT=1 verdict "a bug" 1 'assertion' mpirun -n 3 "$RADDLE" check --mpi -DK=2 -DFAILS=1 counts.c
expect "its trace" test -s counts.raddle
verdict "replays" 1 'assertion' "$RADDLE" replay counts.raddle

# ---- a worker is killed, and then the search interrupted: a verdict, a checkpoint, and nothing left
cleanup() {
    local pid
    for pid in $(pgrep -f -- "$dir/"); do
        kill -KILL "$pid"
    done
}
mpirun -n 3 "$RADDLE" check --mpi --checkpoint kept "$dir/longer" >out 2>err </dev/null &
search=$!
for _ in $(seq 100); do # until there are workers
    [ "$(pgrep -f -c -- "^$dir/longer")" -lt 2 ] || break
    sleep 0.1
done
sleep 0.3
worker=$(ps -o ppid= -p "$(pgrep -f -- "^$dir/longer" | tail -n 1)" | tr -d ' ')
kill -KILL "$worker" # another one takes its place
sleep 0.3
kill -INT $search
wait $search
expect "interrupted: says so" grep -q 'incomplete (interrupted' out
expect "interrupted: there is a checkpoint" test -s kept
verdict "one process goes on" 3 'longer: incomplete .*: [0-9]{4,} executions' "$RADDLE" check --resume kept --max-executions 1000 "$dir/longer"
for _ in $(seq 50); do
    pgrep -f -- "$dir/longer" >/dev/null || break
    sleep 0.1
done
expect "nothing is left" sh -c "! pgrep -f -- '$dir/[l]onger' >/dev/null"

# ---- what does not go together
verdict "alone" 2 'takes at least two processes' "$RADDLE" check --mpi ./safe
verdict "with -j" 2 "option '--mpi' goes with" "$RADDLE" check --mpi -j 2 ./safe
verdict "states, later" 2 "option '--mpi' goes with" "$RADDLE" check --mpi --stateful=auto ./safe
RADDLE_PILOT=1 verdict "states" 0 'known state' mpirun -n 3 "$RADDLE" check --mpi --stateful=exact ./safe
RADDLE_PILOT=1 verdict "other options" 4 'rank 1: .*has other options' mpirun -n 1 "$RADDLE" check --mpi ./safe : -n 1 "$RADDLE" check --mpi --exit-ok ./safe
mkdir -p bare/checking
here=$(dirname "$RADDLE")
cp "$RADDLE" "$here"/*.so bare/
cp "$here/checking/libraddle.so" bare/checking/
verdict "without MPI" 4 'was built without MPI' bare/raddle check --mpi ./safe

finish
