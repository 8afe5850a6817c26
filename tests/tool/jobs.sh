#!/bin/bash
# Several processes search together: the same verdicts, bugs and numbers as one; workers that are killed cost nothing but time.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

cat >counters.script <<'END'
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
thread C
 r = add x, 1
 r = add y, 1
END
sed 's/^thread C/thread C\n r = load x\n assert r != 3/' counters.script >fails.script
cat >counters.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
static void *count(void *unused)
{
    long sum = 0;

    (void)unused;
    for (int i = 0; i < K; i++) {
        sum += atomic_fetch_add(&x, 1);
        sum += atomic_fetch_add(&y, 1);
    }
    return (void *)sum; /* so that the order of the additions matters */
}
int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return x == 3 * K ? STATUS : 1;
}
END

executions() {
    sed -n 's/.* \([0-9]*\) executions.*/\1/p' "$dir/out" | tail -n 1
}

# ---- scripts
for model in sc tso; do
    run "$RADDLE" check --model $model counters.script
    one=$(executions)
    for n in 1 2 3 8; do
        verdict "script, $model, -j $n" 0 ": safe: $one executions" "$RADDLE" check -j $n --model $model counters.script
    done
done
verdict "all processors" 0 ': safe: ' "$RADDLE" check -j0 counters.script
verdict "a bug" 1 'assertion' "$RADDLE" check -j 3 fails.script
verdict "a bug, and on" 1 ': bug: ' "$RADDLE" check -j 3 --keep-going fails.script

cat >stuck.script <<'END'
mutex a
mutex b
thread A
 lock a
 lock b
thread B
 lock b
 lock a
END
run "$RADDLE" check --keep-going stuck.script
one=$(grep -c ': deadlock: ' "$dir/out")
run "$RADDLE" check -j 2 --keep-going stuck.script
expect "several deadlocks" test "$one" -gt 1
expect "each is told" test "$(grep -c ': deadlock: ' "$dir/out")" -eq "$one"

# ---- native programs
run "$RADDLE" cc -g -DK=2 -DSTATUS=0 -o counters counters.c
expect "compiles" test "$status" -eq 0
run "$RADDLE" check ./counters
one=$(executions)
for n in 1 2 4; do
    verdict "program, -j $n" 0 ": safe: $one executions" "$RADDLE" check -j $n ./counters
    RADDLE_PILOT=1 verdict "program, -j $n, at once" 0 ": safe: $one executions" "$RADDLE" check -j $n ./counters
done
RADDLE_PILOT=1 verdict "its bug" 1 'exit' "$RADDLE" check -j 3 -DK=1 -DSTATUS=3 counters.c
expect "its trace" test -s counters.raddle
verdict "replays" 1 'exit' "$RADDLE" replay counters.raddle

# threads of threads, which workers meet in different orders, and additions that commute: all agree on their numbers
cat >nested.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *child(void *arg) { atomic_fetch_add(&y, 1); return arg; }
static void *parent(void *arg)
{
    pthread_t thread;
    long sum = atomic_fetch_add(&x, 1);
    if (!arg || sum != 1) /* who is a parent depends on the order */
        pthread_create(&thread, 0, child, 0), pthread_join(thread, 0);
    return (void *)(sum + x + y);
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, parent, i ? &x : 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
END
run "$RADDLE" cc -g -o nested nested.c
run "$RADDLE" check ./nested
one=$(executions)
for n in 1 2 3 4; do
    RADDLE_PILOT=1 verdict "nested threads, -j $n" 0 ": safe: $one executions" "$RADDLE" check -j $n ./nested
done

# ---- a limit of executions, of runs that are short: it is looked at more often when it is near
run "$RADDLE" cc -g -DK=3 -DSTATUS=0 -o longer counters.c
RADDLE_PILOT=1 run "$RADDLE" check -j 2 --max-executions 20000 ./longer
expect "a limit: reached" test "$status" -eq 3
expect "a limit: not fewer" test "$(executions)" -ge 20000
expect "a limit: not many more" test "$(executions)" -lt 60000

# ---- workers that are killed: children of raddle, by their numbers
timeout 60 "$RADDLE" check -j 3 --max-executions 60000 ./longer >"$dir/out" 2>"$dir/err" </dev/null &
search=$!
for _ in 1 2 3 4 5; do
    sleep 0.2
    raddle=$(pgrep -P $search | head -n 1)
    [ -z "$raddle" ] || kill -KILL "$(pgrep -P "$raddle" | head -n 1)" 2>/dev/null
done
wait $search
status=$?
expect "killed: the limit is reached all the same" test "$status" -eq 3
expect "killed: says" grep -q 'maximum number of executions' "$dir/out"
for _ in $(seq 20); do # who has lost its parent is ended by the system, soon
    pgrep -x longer >/dev/null || break
    sleep 0.1
done
expect "nothing is left" sh -c '! pgrep -x longer'

# ---- a program that cannot be started again: while it makes its first runs, it loses a library
echo 'int once(void) { return 0; }' >once.c
run cc -shared -fPIC -o libonce.so once.c
sed 's/STATUS : 1/once() : 1/; s/^atomic_int/int once(void);\n&/' counters.c >needs.c
run "$RADDLE" cc -g -DK=3 -o needs-once needs.c -L. -lonce -Wl,-rpath,"$dir"
expect "needs a library: compiles" test "$status" -eq 0
RADDLE_PILOT=20000 timeout 100 "$RADDLE" check -j 2 ./needs-once >"$dir/out" 2>"$dir/err" </dev/null &
search=$!
for _ in $(seq 400); do
    started=$(pgrep -x needs-once | head -n 1)
    [ -z "$started" ] || ! grep -qs libonce "/proc/$started/maps" || break
    sleep 0.02
done
rm libonce.so
wait $search
status=$?
expect "not started again: not safe" test "$status" -eq 3
expect "not started again: says" grep -q 'could be started once, but not again' "$dir/out"

# ---- each with the states that it has seen: they stop there, and find what one finds
run "$RADDLE" cc -DK=3 -DSTATUS=0 -o rounds counters.c
for subject in counters.script ./rounds; do
    for n in 1 2 4; do
        RADDLE_PILOT=1 run "$RADDLE" check -j $n --stateful=exact --json states.json $subject
        expect "$subject, -j $n, states: safe" test "$status" -eq 0
        expect "$subject, -j $n, states: some came again" test "$(sed -n 's/.*"revisited": \([0-9]*\),/\1/p' states.json)" -gt 0
    done
done
verdict "a bug, with states" 1 'assertion' "$RADDLE" check -j 3 --stateful=exact fails.script
cat >round.script <<'END'
cell x
thread A
again:
 r = load x
 xor x, 1
 goto again
thread B
 r = load x
 r = load x
 assert r != 1
END
verdict "one that goes round, with states" 1 'assertion' "$RADDLE" check -j 3 --stateful=exact --keep-going round.script

# ---- what does not go together
verdict "states, later" 2 "option '--jobs' goes with --stateful=exact or off" "$RADDLE" check -j 2 --stateful=auto counters.script
verdict "states by changes" 2 "option '--jobs' goes with --stateful=exact or off" "$RADDLE" check -j 2 --stateful=delta counters.script
verdict "symmetry" 2 "option '--jobs' goes with" "$RADDLE" check -j 2 --symmetry counters.script
verdict "samples" 2 "option '--jobs' goes with" "$RADDLE" check -j 2 --search pct counters.script
verdict "no number" 2 "takes a number of processes" "$RADDLE" check -j x counters.script

# ---- simulated
verdict "simulated" 0 'speed-up' "$RADDLE" simulate --workers 1,2,5 counters.script
verdict "simulated, states" 2 "simulate does not go with" "$RADDLE" simulate --stateful=exact counters.script
verdict "simulated, with losses" 0 'speed-up' "$RADDLE" simulate --workers 3 --loss 0.02 --jitter 100 counters.script
verdict "simulated, a classic" 0 '^indexer\(12\): 8 executions' "$RADDLE" simulate --workers 2 'indexer(12)'
verdict "simulated, no script" 2 'simulate takes scripts, and .*counter.c is none' "$RADDLE" simulate "$SOURCE_DIR/examples/counter.c"
verdict "simulated, the first executions" 0 'the first 50 executions' "$RADDLE" simulate --workers 3 --max-executions 50 "$SOURCE_DIR/examples/scripts/bbuf4.script"
verdict "simulated, dpor, all dependent states" 0 'speed-up' "$RADDLE" simulate --workers 3 --reduction dpor --backtrack all counters.script
verdict "simulated, nothing to draw with" 4 'needs gnuplot, which is not installed' env PATH=/nowhere "$RADDLE" simulate --plot plot.svg counters.script
if command -v gnuplot >/dev/null; then
    verdict "simulated, drawn" 0 'speed-up' "$RADDLE" simulate --workers 1,2,4 --plot "it's.svg" counters.script
    expect "the picture" grep -q '<svg' "it's.svg"
fi
verdict "simulated, wrong number" 2 'numbers from 1 to 4096' "$RADDLE" simulate --workers 0 counters.script

finish
