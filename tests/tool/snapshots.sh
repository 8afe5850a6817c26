#!/bin/bash
# Snapshots: in place, or processes that wait. They save computing, not results; whoever kills them costs time; none is left, however a check ends. That the search is
# the same as without is what snapshots_same.sh looks at.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

# Each thread computes, and then looks at what the others do. With -DBUG somebody notices, with -DCRASH dies of it, with -DENDLESS there are too many
# runs to make them all.
cat >work.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifdef ENDLESS
#define ROUNDS 6
#else
#define ROUNDS 2
#endif
static atomic_int x, y;
static volatile unsigned sink;
static void compute(void)
{
    for (unsigned i = 0; i < 50000; i++)
        sink = sink * 33 + i;
}
static void *work(void *arg)
{
    static atomic_int turn;
    for (int i = 0; i < ROUNDS; i++) {
        int before = atomic_load(&x);
        atomic_store(&x, before + 1);
        if (atomic_fetch_add(&turn, 1) == 1000)
            atomic_store(&y, 1);
    }
    return arg;
}
int main(void)
{
    pthread_t threads[2];
    compute();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
#ifdef BUG
    assert(x > 2);
#endif
#ifdef CRASH
    if (x < 3)
        *(volatile int *)0 = 1;
#endif
    return 0;
}
END
for flag in SAFE BUG CRASH ENDLESS; do
    run "$RADDLE" cc -g -D$flag -o $flag work.c
    expect "$flag is built" test $status -eq 0
done

# ---- processes

here() { # the numbers of processes of programs in this directory
    find /proc/[0-9]*/exe -maxdepth 0 -lname "$dir/*" 2>/dev/null | cut -d/ -f3
}

nobody_left() { # NAME
    local i
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -z "$(here)" ] && break
        sleep 0.2
    done
    expect "$1: no process is left" test -z "$(here)"
}

await_some() { # until there are snapshots
    local i
    for i in $(seq 300); do
        [ "$(here | wc -l)" -ge 3 ] && break
        sleep 0.05
    done
}

counts() { jq -c '[.verdict, .executions, .blocked, .transitions, (.bugs | length)]' "$1"; }

# ---- each way of ending leaves nobody, and the result is that of a search without

for flag in SAFE BUG CRASH; do
    for more in "" --keep-going; do
        # shellcheck disable=SC2086
        run "$RADDLE" check --snapshots=off --minimise 0 --json off.json $more ./$flag
        for kind in each each:fork; do
            # shellcheck disable=SC2086
            run "$RADDLE" check --snapshots=$kind --minimise 0 --json on.json $more ./$flag
            nobody_left "$flag $kind $more"
            expect "$flag $kind $more: the same counts" test "$(counts off.json)" = "$(counts on.json)"
            expect "$flag $kind $more: snapshots were made" jq -e '.snapshots.made > 0' on.json >"$dir/out"
        done
    done
done
expect "they were forks" jq -e '.snapshots.way == "fork"' on.json >"$dir/out"
run "$RADDLE" check --snapshots=each --json on.json ./SAFE
expect "snapshots were come back to" jq -e '.snapshots.used > 0' on.json >"$dir/out"
way=$(jq -r .snapshots.way on.json)
echo "$way: the way of this kernel"
run "$RADDLE" check --snapshots=each:fork --json on.json ./SAFE
expect "forks were come back to" jq -e '.snapshots.used > 0 and .snapshots.lost == 0' on.json >"$dir/out"
expect "off: none" jq -e '.snapshots == {"way": null, "made": 0, "used": 0, "lost": 0, "refused": null}' off.json >"$dir/out"

for kind in each each:fork; do
    run "$RADDLE" check --snapshots=$kind --timeout 1 ./ENDLESS
    expect "timeout: says" grep -q 'the time was up' out
    nobody_left "timeout, $kind"
done
for signal in INT TERM; do
    set -m
    "$RADDLE" check --snapshots=each:fork ./ENDLESS >out 2>err </dev/null &
    set +m
    await_some
    kill -$signal $!
    wait $!
    status=$?
    expect "$signal: status" test $status -eq 3
    expect "$signal: says" grep -q interrupted out
    nobody_left $signal
done
"$RADDLE" check --snapshots=each:fork ./ENDLESS >out 2>err </dev/null &
await_some
expect "there are processes that wait" test "$(here | wc -l)" -ge 2
kill -KILL $!
{ wait $!; } 2>/dev/null
nobody_left "the driver is killed"

# ---- who kills processes that wait costs time, not results

# They wait for a futex without a time limit; the one that runs never does.
kill_waiting() {
    local pid call word rest
    for pid in $(here); do
        { read -r call _ _ _ word rest </proc/"$pid"/syscall; } 2>/dev/null || continue
        [ "$call" = 202 ] && [ "$word" = 0x0 ] && kill -KILL "$pid" 2>/dev/null && killed=$((killed + 1))
    done
}

run "$RADDLE" check --snapshots=off --max-executions 80 --json off.json ./ENDLESS
killed=0
for try in 1 2 3 4 5 6; do # until some were killed that were needed
    "$RADDLE" check --snapshots=each:fork --max-executions 80 --json on.json ./ENDLESS >out 2>err </dev/null &
    while kill -0 $! 2>/dev/null; do kill_waiting; done
    wait $!
    expect "killed snapshots ($try): the same counts" test "$(counts off.json)" = "$(counts on.json)"
    nobody_left "killed snapshots"
    [ "$killed" -gt 0 ] && jq -e '.snapshots.lost > 0' on.json >/dev/null && break
done
expect "some were killed" test "$killed" -gt 0

# ---- what a fork shares, and what is put back in place

seq 1 2000 >numbers
cat >reads.c <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int fd, got[2];
static atomic_int order;
static void *reads(void *arg)
{
    char text[3] = "";
    int n = (int)(long)arg;
    if (atomic_fetch_add(&order, 1) == 1)
        atomic_store(&order, 7);
    pthread_mutex_lock(&m);
    assert(read(fd, text, 2) == 2);
    sscanf(text, "%d", &got[n]);
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    fd = open("numbers", O_RDONLY);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reads, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(got[0] + got[1] == 3); /* the first two lines */
#ifdef WRITES
    FILE *out = fopen("written", "w");
    fprintf(out, "%d", got[0]);
    fclose(out);
#endif
    return 0;
}
END
cat >writes.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int x;
static void *adds(void *arg) { return atomic_fetch_add(&x, 1) == 7 ? arg : NULL; }
int main(void)
{
    pthread_t threads[2];
    int fd = open("written", O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return write(fd, "x", 1) != 1;
}
END
# What a run changes besides memory that it had: descriptors, what signals do, mappings, large blocks, arguments, the environment, thread-local variables.
cat >changes.c <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define LARGE (600 * 1024)
static atomic_int order;
static __thread int own = 3;
static char far[64 * 4096];
static char *argument;
static void *changes(void *arg)
{
    int mine = atomic_fetch_add(&order, 1), fd, ends[2];
    struct sigaction action = {.sa_handler = SIG_IGN}, old;
    struct stat status;
    char *large = malloc(LARGE), *map, text[3] = "";
    assert(own == 3);
    own = mine;
    for (int i = 0; i < LARGE; i += 512)
        assert(large[i] == 0 || mine >= 0), large[i] = (char)(i + mine);
    fd = open("numbers", O_RDONLY);
    assert(fd >= 0 && read(fd, text, 2) == 2 && text[0] == '1');
    far[(unsigned)mine * 8 * 4096] = 1;
    if (atomic_fetch_add(&order, 1) == 2) {
        map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert(map != MAP_FAILED && map[4096] == 0);
        map[4096] = 1;
        munmap(map, 8192);
    }
    sigaction(SIGPIPE, &action, &old);
    atomic_fetch_add(&order, 1);
    for (int i = 0; i < LARGE; i += 512)
        assert(large[i] == (char)(i + mine));
    free(large);
    close(fd);
    assert(fstat(fd, &status) != 0 || mine >= 0);
    assert(pipe(ends) == 0 && write(ends[1], "x", 1) == 1 && read(ends[0], text, 1) == 1);
    close(ends[0]);
    close(ends[1]);
    atomic_fetch_add(&order, 1);
    assert(own == mine);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    struct sigaction old;
    assert(argc == 2 && strcmp(argv[1], "word") == 0 && strcmp(getenv("WORD"), "env") == 0);
    assert(sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
    argument = argv[1];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, changes, NULL);
    pthread_join(threads[0], NULL);
    argument[0] = 'x';
    getenv("WORD")[0] = 'x';
    close(0);
    pthread_join(threads[1], NULL);
    return far[63 * 4096];
}
END
run "$RADDLE" cc -g -o changes changes.c
expect "changes is built" test $status -eq 0
WORD=env run "$RADDLE" check --snapshots=off --max-executions 200 --json off.json ./changes word
for kind in each each:fork; do
    WORD=env run "$RADDLE" check --max-executions 200 --snapshots=$kind --json on.json ./changes word
    expect "changes, $kind: the same counts" test "$(counts off.json)" = "$(counts on.json)"
    expect "changes, $kind: snapshots were come back to" jq -e '.snapshots.used > 0' on.json >"$dir/out"
done
for kind in each each:fork; do
    for name in reads writes; do
        run "$RADDLE" cc -g -o $name $name.c
        run "$RADDLE" check --snapshots=off --json off.json ./$name
        run "$RADDLE" check --snapshots=$kind --json on.json ./$name
        expect "$name, $kind: the same counts" test "$(counts off.json)" = "$(counts on.json)"
        expect "$name, $kind: safe" jq -e '.verdict == "safe"' on.json >"$dir/out"
    done
    expect "a file that is written keeps states from being kept" jq -e '.snapshots.made == 0 and (.snapshots.refused | test("file"))' on.json >"$dir/out"
    run "$RADDLE" cc -g -DWRITES -o reads reads.c
    run "$RADDLE" check --snapshots=$kind --json on.json ./reads
    expect "offsets are put back, files that were written after a snapshot, too" jq -e '.verdict == "safe" and .snapshots.used > 0' on.json >"$dir/out"
    expect "and nothing is left behind" test ! -e written
done

# ---- the default: where they save time, and not where something else is asked for

run "$RADDLE" check --snapshots=off --json off.json ./SAFE
run "$RADDLE" check --json on.json ./SAFE
expect "by default: the same counts" test "$(counts off.json)" = "$(counts on.json)"
expect "by default: snapshots were made" jq -e '.snapshots.made > 0 and .snapshots.used > 0' on.json >"$dir/out"
for more in --stateful=exact --symmetry "-j 2" "--search pct --runs 5"; do
    # shellcheck disable=SC2086
    run "$RADDLE" check $more --json on.json ./SAFE
    expect "$more: is not refused" test $status -ne 2
    expect "$more: there are none" jq -e '.snapshots.made == 0' on.json >"$dir/out"
done

# ---- what does not go together is refused

refused() { # PATTERN OPTION…
    local pattern=$1
    shift
    run "$RADDLE" check "$@" ./SAFE
    expect "$*: is refused" test $status -eq 2
    expect "$*: says why" grep -q -- "$pattern" err
}
refused "goes with --stateful=off" --snapshots=auto --stateful=exact
refused "goes with --stateful=off" --snapshots=4 --symmetry
refused "goes with --search explore" --snapshots=auto --search pct
refused "without --jobs and --mpi" --snapshots=each -j 2
refused "takes off; or auto, each or a number from 1 to 64, and :fork behind it for forks, not '0'" --snapshots=0
refused "takes off; or auto, each or a number from 1 to 64, and :fork behind it for forks, not '65'" --snapshots=65
refused "takes off; or auto, each or a number from 1 to 64, and :fork behind it for forks, not '3x'" --snapshots=3x
refused "takes off; or auto, each or a number from 1 to 64, and :fork behind it for forks, not '3:x'" --snapshots=3:x
refused "takes off; or auto, each or a number from 1 to 64, and :fork behind it for forks, not 'each:forks'" --snapshots=each:forks
refused "takes off; or auto, each or a number from 1 to 64, and :fork behind it for forks, not 'off:fork'" --snapshots=off:fork

# ---- with others

run "$RADDLE" check --snapshots=each --checkpoint kept --max-executions 20 --json on.json ./ENDLESS
expect "with a checkpoint" test -s kept
run "$RADDLE" check --snapshots=each --resume kept --max-executions 20 --json on.json ./ENDLESS
run "$RADDLE" check --snapshots=off --max-executions 40 --json off.json ./ENDLESS
expect "resumed: the same counts" test "$(counts off.json)" = "$(counts on.json)"
run "$RADDLE" check --snapshots=off --preemption-bound auto --max-executions 300 --json off.json ./SAFE
run "$RADDLE" check --preemption-bound auto --max-executions 300 --snapshots=each --json on.json ./SAFE
expect "growing bounds: the same counts" test "$(counts off.json)" = "$(counts on.json)"
nobody_left "at the end"
finish
