#!/bin/bash
# `raddle replay --gdb`, with gdb in batch mode: the recorded run, with an OS thread for each thread of the program.
# shellcheck disable=SC2016  # what is in single quotes is gdb's
. "$(dirname "$0")/common.bash"

# The output of gdb, and that of raddle before and in it.
says() { expect "$1" grep -qE -- "$2" "$dir/out"; }
tells() { expect "$1" grep -qE -- "$2" "$dir/err"; }

cd "$dir" || exit 1

# ---- without gdb it says what to install, and other words after -- make no sense

cat >places.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char large[1 << 20]; /* pages that a search would watch */
static int order;

static void *worker(void *argument)
{
    char *name = argument, *block = malloc(40);

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof large; i += 4096)
        large[i]++;
    printf("worker %s: stack %p heap %p\n", name, (void *)&name, (void *)block);
    order = order * 10 + (name[0] - '0');
    pthread_mutex_unlock(&lock);
    free(block);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    int here = argc;

    printf("main %s %s: stack %p heap %p\n", argv[0], argc > 1 ? argv[1] : "-", (void *)&here, malloc(10));
    pthread_create(&a, NULL, worker, "1");
    pthread_create(&b, NULL, worker, "2");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(order == 12);
    return 0;
}
END
run "$RADDLE" check places.c
expect "checked" test $status -eq 1
expect "a trace" test -s places.raddle
mkdir nothing
run env PATH="$dir/nothing" "$RADDLE" replay --gdb places.raddle
expect "no gdb: status" test $status -eq 4
tells "no gdb: what to do" 'install it \(Debian: apt-get install gdb\)'
run "$RADDLE" replay places.raddle -- -batch
expect "arguments without --gdb" test $status -eq 2

if ! command -v gdb >/dev/null; then
    echo "SKIP: no gdb, so nothing was debugged (Debian: apt-get install gdb)" >&2
    [ "$failed" -eq 0 ]
    exit
fi
if ! gdb -q -batch -ex run -ex 'print $_exitcode' /bin/true </dev/null 2>&1 | grep -q '= 0'; then
    echo "SKIP: gdb may not trace processes here, so nothing was debugged" >&2
    [ "$failed" -eq 0 ]
    exit
fi

# TRACE, then commands of gdb.
debug() {
    local trace=$1 command
    local words=(-batch)
    shift
    for command in "$@"; do
        words+=(-ex "$command")
    done
    run "$RADDLE" replay --gdb "$trace" -- "${words[@]}"
}

# ---- the same run, at the same addresses

run "$RADDLE" replay places.raddle
grep -E '^(main|worker) ' "$dir/out" >plain
debug places.raddle run bt 'info threads' continue
expect "gdb" test $status -eq 0
tells "the place is told" 'assertion at places\.c:34, thread T0'
tells "how to stop there" '`break places\.c:34`'
grep -E '^(main|worker) ' "$dir/out" >debugged
expect "stacks, heap and output are those of a replay" cmp -s plain debugged
expect "there was output" test "$(wc -l <debugged)" -eq 3
says "stops at the bug" 'hit Breakpoint 1, __raddle_bug .*order == 12'
says "bt shows the program" '^#[0-9]+ .* in main \(argc=1, .*\) at places\.c:34'
says "info threads: main" '^\* [0-9]+ .*"T0 \(main\)"'
says "info threads: the others" '^  [0-9]+ .*"T1( \(worker\))?"'
says "info threads: all of them" '^  [0-9]+ .*"T2( \(worker\))?"'
expect "no fault of ours" sh -c "! grep -q SIGSEGV '$dir/out'"
says "the end" 'exited with code 01'
tells "what it was" '^raddle: assertion: .*order == 12'

# ---- no frames of the runtime on top, the program's frame selected, threads by their numbers in the report

sed -n '/hit Breakpoint 1/,$p' "$dir/out" >after
expect "bt begins in the program" sh -c "grep -E '^#' after | sed -n 1,2p | grep -qE 'in main .*places\.c:34'"
expect "bt has nothing of the runtime" sh -c "! grep -E '^#' after | grep -qE 'src/runtime/(job|core|program)|fiber_start|bug_show'"
debug places.raddle run 'print here' threads T2 'info locals' 'disable frame-filter global raddle' 'bt'
says "its locals are there at once" '^\$1 = 1'
says "threads: the one with the bug" '^\* T0 \(main\) +main at places\.c:34'
says "threads: one that has ended" '^  T1 .*has ended'
says "with the filter off, all frames" '^#0 .*__raddle_bug'
debug places.raddle 'break 18' run threads T1 'print name' T0 'bt'
says "threads: T2 is at the breakpoint" '^\* T2 \(worker\) +worker at places\.c:18'
says "threads: T1 waits for the lock" '^  T1 \(worker\) +worker at places\.c:14'
says "T1 selects thread 1" '^\$1 = .*"1"'
says "a call that waits is on top" '^#[0-9]+ .*pthread_join .*'

# ---- breakpoints, variables, stepping along the schedule: the second worker goes first

debug places.raddle 'break 18' run 'print name' next 'print order' 'bt 1' continue 'print name' 'print order' \
    'thread apply all -q bt'
says "the first at the breakpoint" 'Thread [0-9]+ "T2( \(worker\))?" hit Breakpoint 2, worker .*places\.c:18'
says "its variable" '\$1 = .*"2"'
says "a step" '^19'
says "a global" '\$2 = 2'
says "bt in a worker" '^#0  worker \(.*\) at places\.c:19'
says "then the other" 'Thread [0-9]+ "T1( \(worker\))?" hit Breakpoint 2'
says "its variable, then" '\$3 = .*"1"'
says "main waits in join" 'in main .*places\.c:3[23]'
debug places.raddle 'break worker' run step step step
expect "step stays in the program" sh -c "! grep -qE 'src/runtime|native_' '$dir/out'"

# ---- as often as wanted

debug places.raddle run run bt
expect "twice" test "$(grep -c 'hit Breakpoint 1, __raddle_bug' "$dir/out")" -eq 2
expect "the same twice" test "$(grep -cxF "$(head -n 1 plain)" "$dir/out")" -eq 2

# ---- other arguments, another place, another model

run "$RADDLE" cc -g -O1 -o prog places.c
run "$RADDLE" check ./prog "two words" '$HOME'
run "$RADDLE" replay prog.raddle
grep -E '^(main|worker) ' "$dir/out" >plain
expect "arguments: argv[0]" grep -q '^main \./prog two words' plain
debug prog.raddle run
grep -E '^(main|worker) ' "$dir/out" >debugged
expect "arguments with blanks" cmp -s plain debugged
mv prog moved
debug prog.raddle run
expect "a program that is gone" test $status -eq 2
run "$RADDLE" replay --gdb prog.raddle ./moved -- -batch -ex run
says "a program that has moved" 'hit Breakpoint 1, __raddle_bug'

# ---- other bugs: each stops in the thread that has it, in the program's code

cat >stuck.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(thread, NULL);
    return 0;
}
END
run "$RADDLE" check stuck.c
debug stuck.raddle run 'thread apply all -q bt'
says "deadlock: stops" 'hit Breakpoint 1, __raddle_bug .*deadlock'
says "deadlock: where one is" 'in other .*stuck\.c:6'
says "deadlock: where the other is" 'in main .*stuck\.c:16'
tells "deadlock: who waits" 'raddle: deadlock: '

cat >crash.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static int value = 1;
static _Atomic(int *) pointer = &value;
static void *clear(void *arg)
{
    atomic_store(&pointer, (int *)0);
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, clear, NULL);
    int *now = atomic_load(&pointer);
    int seen = *now;
    pthread_join(thread, NULL);
    return seen - 1;
}
END
run "$RADDLE" check crash.c
expect "crash: found" test $status -eq 1
debug crash.raddle run bt continue bt
says "crash: gdb stops at the signal" 'received signal SIGSEGV'
says "crash: in the line" '^#[0-9]+ .*main \(\) at crash\.c:15'
says "crash: then at the bug" 'hit Breakpoint 1, __raddle_bug .*crash'

cat >race.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static char large[1 << 20];
static atomic_int go;
static int shared, seen;
static void *writer(void *arg)
{
    large[70000]++;
    shared = 1;
    atomic_store_explicit(&go, 1, memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (atomic_load_explicit(&go, memory_order_relaxed))
        seen = shared;
    pthread_join(thread, NULL);
    return large[70000] - 1;
}
END
run "$RADDLE" check race.c
expect "race: found" grep -q 'race.c:18: data-race: ' "$dir/out"
debug race.raddle run bt 'print large[70000]' continue
says "race: stops" 'Thread [0-9]+ "T0 \(main\)" hit Breakpoint 1, __raddle_bug .*data-race'
says "race: at the access" '^#[0-9]+ .*main \(\) at race\.c:18'
says "race: one run" '= 1 '
says "race: the end" 'exited with code 01'
expect "race: told once" test "$(grep -c '^raddle: data-race: read of shared' "$dir/err")" -eq 1

cat >buffers.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, r1, r2;
static void *first(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&r1, atomic_load_explicit(&y, memory_order_relaxed), memory_order_relaxed);
    return arg;
}
static void *second(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_store_explicit(&r2, atomic_load_explicit(&x, memory_order_relaxed), memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r1 || r2);
    return 0;
}
END
run "$RADDLE" check --model tso buffers.c
expect "tso: found" test $status -eq 1
debug buffers.raddle run bt
says "tso: the same bug" 'hit Breakpoint 1, __raddle_bug .*r1 \|\| r2'

finish
