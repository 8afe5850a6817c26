#!/bin/bash
# A check that is asked to end says what it found, in time, with its reports, and leaves no process behind.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

# Too many runs to make them all, with -DSTATES too many states as well; with -DSLOW one step takes for ever,
# with -DASLEEP in the kernel.
cat >many.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int x;
static void *adds(void *arg)
{
#ifdef STATES
    const int rounds = 80;
#else
    const int rounds = 8;
#endif
    for (int i = 0; i < rounds; i++)
        if (atomic_fetch_add(&x, 1) > 1000) /* what nobody looks at may come in any order */
            _exit(1);
#ifdef SLOW
    for (volatile unsigned long i = 0; i < 1000000000000; i++)
        continue;
#endif
#ifdef ASLEEP
    asm volatile("syscall" : : "a"(SYS_ppoll), "D"(0), "S"(0), "d"(0) : "rcx", "r11", "memory");
#endif
    return arg;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
for flag in MANY STATES SLOW ASLEEP; do
    run "$RADDLE" cc -g -D$flag -o "$flag" many.c
    expect "$flag is built" test $status -eq 0
done
{
    echo 'cell x'
    for thread in A B C D; do printf 'thread %s\n' $thread && yes '    r = add x, 1' | head -n 8; done
} >many.script
{
    printf 'X86 many\n{ }\n P0 | P1 | P2 | P3 ;\n'
    yes ' MOV [x],$1 | MOV [x],$2 | MOV [x],$3 | MOV [x],$4 ;' | head -n 8
    echo 'exists (x=1)'
} >many.litmus

# The first run fails, and it takes long to make it short.
cat >fails.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int noise[4], balance;
static void *work(void *number)
{
    for (int i = 0; i < 400; i++) {
        pthread_mutex_lock(&m);
        atomic_fetch_add(&noise[i % 4], 1);
        pthread_mutex_unlock(&m);
        if ((long)number < 2) {
            int before = atomic_load(&balance);
            atomic_store(&balance, before + 1);
        }
    }
    return NULL;
}
int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(balance == 800);
}
END
run "$RADDLE" cc -g -o fails fails.c

# Processes whose program or words are in this directory, apart from those that look.
left() {
    local process exe count=0
    for process in /proc/[0-9]*; do
        exe=$(readlink "$process/exe") 2>/dev/null || continue
        case $exe in "$dir"/*) count=$((count + 1)) ;; esac
    done
    echo $count
}

nobody_left() { # NAME
    local i
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(left)" -eq 0 ] && break
        sleep 0.2
    done
    expect "$1: no process is left" test "$(left)" -eq 0
}

# SIGNAL, seconds until it is sent, command: $took is how long it then took, in hundredths of a second.
ask() {
    local signal=$1 after=$2 started
    shift 2
    set -m # a job of its own: the shell would have it ignore SIGINT
    "$@" >out 2>err </dev/null &
    set +m
    sleep "$after"
    started=$(date +%s%N)
    kill -"$signal" $!
    wait $!
    status=$?
    took=$((($(date +%s%N) - started) / 10000000))
}

ended() { # NAME, status, pattern, hundredths of a second
    expect "$1: status" test "$status" -eq "$2"
    expect "$1: says" grep -qE -- "$3" out err
    expect "$1: in time ($took)" test "$took" -lt "$4"
    nobody_left "$1"
}

soon=${SOON:-300} # a busy machine
interrupted='incomplete \(([^;]*; )?interrupted[^:]*\): [1-9][0-9]* executions, [0-9]+ transitions'

# ---- each signal, with the reports that were asked for

for signal in INT TERM HUP; do
    ask $signal 0.5 "$RADDLE" check --json json --sarif sarif --junit junit ./MANY
    ended "native, $signal" 3 "$interrupted" "$soon"
    expect "native, $signal: JSON" grep -q '"interrupted"' json
    expect "native, $signal: SARIF" grep -q 'interrupted' sarif
    expect "native, $signal: JUnit" grep -q 'interrupted' junit
    rm -f json sarif junit
done
ask INT 0.5 "$RADDLE" check --json json --tree tree many.script
ended "script" 3 "$interrupted" "$soon"
expect "script: JSON" grep -q '"interrupted"' json
expect "script: tree" grep -q '^}' tree
ask TERM 0.5 env RADDLE_OPTIONS= ./MANY
ended "RADDLE_OPTIONS" 3 "$interrupted" "$soon"
ask INT 0.5 "$RADDLE" check --search pct --runs 100000000 ./MANY
ended "samples" 3 'runs sampled by pct.*; interrupted\)' "$soon"
ask INT 0.5 "$RADDLE" check --preemption-bound auto many.script
ended "growing bound" 3 'interrupted; all runs with at most [0-9]+ preemption' "$soon"
ask INT 0.5 "$RADDLE" check --stateful=exact --reduction source --model pso ./STATES
ended "states" 3 'incomplete \(interrupted\): .* ended at a known state' "$soon"
ask INT 0.5 "$RADDLE" litmus --model pso many.litmus many.litmus
ended "litmus" 3 'interrupted' "$soon"
expect "litmus: the next one is not begun" grep -q 'many\.litmus: was not run: interrupted' err

for program in ./MANY many.script; do
    ask INT 0.5 "$RADDLE" check -j 2 $program
    ended "several processes, $program" 3 "$interrupted" "$soon"
done

# ignored by whoever started it, as nohup does
ask HUP 0.3 nohup "$RADDLE" check --timeout 1 ./MANY
ended "nohup" 3 'the time was up' "$((soon + 100))"

# ---- a process that does not look up

for flag in SLOW ASLEEP; do
    ask INT 0.5 "$RADDLE" check ./$flag
    ended "$flag, interrupted" 3 'incomplete \(interrupted' "$soon"
    started=$(date +%s%N)
    run "$RADDLE" check --timeout 0.5 ./$flag
    took=$((($(date +%s%N) - started) / 10000000))
    cp out err . 2>/dev/null
    ended "$flag, timeout" 3 'incomplete \(the time was up' "$((50 + soon))"
done

# ---- twice: at once

set -m
"$RADDLE" check ./SLOW >out 2>err &
set +m
sleep 0.4
kill -INT $!
sleep 0.2
kill -INT $!
wait $!
status=$?
took=0
expect "twice: ends by the signal" test $status -eq 130
nobody_left twice

# timeout(1) sends it to the process and to its group: that is once
ended_once() {
    expect "timeout(1): has a verdict" grep -qE "$interrupted" out
}
timeout 0.5 "$RADDLE" check ./MANY >out 2>err
ended_once
nobody_left "timeout(1)"

# ---- a bug that was found is told, however little time there is to make it short

ask INT 1 "$RADDLE" check --seed 1 --minimise 60 ./fails
ended "minimising, interrupted" 1 'assertion' "$soon"
run "$RADDLE" show fails.raddle
expect "minimising, interrupted: traced" test $status -eq 0
started=$(date +%s%N)
timeout 60 "$RADDLE" check --seed 1 --timeout 1 --minimise 60 ./fails >out 2>err </dev/null
status=$?
took=$((($(date +%s%N) - started) / 10000000))
ended "minimising, timeout" 1 'assertion' "$((100 + soon))"

# ---- the compiler

ask TERM 0.05 "$RADDLE" check many.c
ended "compiling" 3 'many\.c: incomplete \(interrupted\): [0-9]+ executions' "$soon"
expect "compiling: nothing stays in the cache" test -z "$(find "$XDG_CACHE_HOME" -type f 2>/dev/null)"

# ---- killed, or without anybody to write to

ask KILL 0.5 "$RADDLE" check ./MANY
status=0
nobody_left "killed"
ask KILL 0.5 "$RADDLE" check ./SLOW
nobody_left "killed in a step"

"$RADDLE" check --max-executions 10 --json json ./MANY 2>err | true
status=${PIPESTATUS[0]}
expect "broken pipe: JSON all the same" grep -q 'maximum number' json
expect "broken pipe: ends as others do" test "$status" -eq 141
expect "broken pipe: without a word" test ! -s err

# ---- a terminal: the status line goes away; a terminal that goes away ends all

if command -v script >/dev/null; then
    { sleep 1; printf '\003'; sleep 1; } | SHELL=/bin/sh script -qefc "trap : INT; $RADDLE check ./MANY; echo status \$?" typed >out 2>err
    expect "Ctrl-C: verdict" grep -q 'incomplete (interrupted)' out
    expect "Ctrl-C: status" grep -q 'status 3' out
    expect "Ctrl-C: there was a status line" grep -q 'a second, depth' out
    expect "Ctrl-C: it is gone" grep -q "$(printf '\033\\[K')note: the whole search" out
    { sleep 3; } | SHELL=/bin/sh script -qefc "exec $RADDLE check --json gone ./MANY" typed >out 2>err &
    sleep 1
    kill -KILL $!
    wait
    nobody_left "terminal gone"
fi

# ---- stopped and continued: the time in between does not count

set -m
"$RADDLE" check --timeout 1.5 ./MANY >out 2>err &
set +m
sleep 0.5
kill -TSTP $!
sleep 0.3
before=$(ps -o time= -C MANY)
sleep 1.5
expect "stopped: so is the program" test "$before" = "$(ps -o time= -C MANY)"
kill -CONT $!
sleep 0.4
expect "continued: there is time left" kill -0 $!
wait $!
status=$?
expect "continued: status" test $status -eq 3
expect "continued: time that counts" grep -qE 'the time was up.*, 1\.[5-9][0-9] s' out
nobody_left "continued"

finish
