#!/bin/bash
# --keep-going goes past memory errors where the memory is there: each place is told once, what lies behind is found, and every trace replays.
. "$(dirname "$0")/common.bash"
cd "$dir" || exit 1

# WHAT PATTERN: the last output has such a line
told() {
    if cat out err | grep -qE -- "$2"; then ok; else fail "$1: does not say $2"; fi
}
untold() {
    if cat out err | grep -qE -- "$2"; then fail "$1: says $2"; else ok; fi
}
# WHAT NUMBER PATTERN: as many lines
times() {
    local n
    n=$(cat out err | grep -cE -- "$3")
    if [ "$n" -eq "$2" ]; then ok; else fail "$1: $n times $3, not $2"; fi
}

cat >past.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct { int a[4]; atomic_int n; } *block;
static int freed;
static void *frees(void *_)
{
    pthread_mutex_lock(&m);
    free(block);
    freed = 1;
    pthread_mutex_unlock(&m);
    return _;
}
static void *uses(void *_)
{
    int got, copy[4];
    pthread_mutex_lock(&m);
    got = block->a[1];
    block->a[2] = 5;
    atomic_fetch_add(&block->n, 1);
    memcpy(copy, block, sizeof copy);
    assert(got == 7 && copy[2] == 5 && block->n == 1);
    assert(!freed);
    pthread_mutex_unlock(&m);
    return _;
}
int main(void)
{
    pthread_t a, b;
    block = calloc(1, sizeof *block);
    block->a[1] = 7;
    pthread_create(&a, 0, frees, 0);
    pthread_create(&b, 0, uses, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
"$RADDLE" cc -g -o past past.c -pthread || fail "past.c does not compile"
run "$RADDLE" check ./past
times "the first one only" 1 ': memory: |: assertion: '
for options in "" "--model tso" "--model pso" "--reduction dpor" "--preemption-bound auto" "--search pct --runs 300" "--races ignore" "--snapshots=each"; do
    rm -f ./*.raddle
    run "$RADDLE" check --keep-going $options ./past
    expect "past $options: status" test $status -eq 1
    for line in 21 22 23 24 25; do
        times "past $options: line $line" 1 "past.c:$line: memory: use after free"
    done
    untold "past $options: what was there is there" 'past.c:25: assertion'
    times "past $options: behind them" 1 "past.c:26: assertion"
    for trace in past*.raddle; do
        run "$RADDLE" replay "$trace"
        expect "past $options: $trace replays" test $status -eq 1
    done
done
# states and several workers: as without, the thread stops
for options in "--stateful=exact" "--symmetry=new"; do
    run "$RADDLE" check --keep-going $options ./past
    told "past $options" "past.c:21: memory: use after free"
    untold "past $options: the thread stops" "past.c:2[2-6]: "
done

cat >zone.c <<'END'
#include <assert.h>
#include <stdlib.h>
int main(void)
{
    char *low = malloc(24), *high = malloc(24);
    low[24] = 1;                 /* the red zone behind it */
    low[-1] = 2;                 /* and before it */
    assert(high[0] == 0 && low[24] == 1 && low[-1] == 2);
#ifdef FAR
    low[FAR] = 3;
    assert(!"behind far");
#endif
    assert(!"behind");
    return 0;
}
END
run "$RADDLE" check --keep-going zone.c
told "red zone: behind a block" 'zone.c:6: memory: a heap overflow'
told "red zone: before it" 'zone.c:7: memory: a heap overflow'
told "red zone: it reads the same" 'zone.c:8: memory: a heap overflow'
untold "red zone: it belongs to nobody" 'zone.c:8: assertion'
told "red zone: what is behind" "zone.c:13: assertion"
for far in 4096 100000000; do
    run "$RADDLE" check --keep-going zone.c -DFAR=$far
    told "far away: $far" 'zone.c:10: memory: '
    untold "far away: the thread stops at $far" 'zone.c:1[13]: assertion'
done

cat >objects.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int main(void)
{
    pthread_mutex_t *m = malloc(sizeof *m);
    pthread_mutex_init(m, NULL);
#ifdef TWICE
    free(m);
    free(m);
#else
    free(m);
    pthread_mutex_lock(m);
#endif
    assert(!"behind");
    return 0;
}
END
for options in "" "-DTWICE"; do
    run "$RADDLE" check --keep-going objects.c $options
    told "objects $options" 'objects.c:1[03]: memory: '
    untold "objects $options: the thread stops" 'objects.c:15: assertion'
done

# two errors of one kind in one run: each has its own trace
cat >two.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static void *one(void *_) { char *p = malloc(8); free(p); free(p); return _; }
static void *two(void *_) { char *q = malloc(9); free(q); free(q); return _; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
rm -f ./*.raddle
run "$RADDLE" check --keep-going two.c
told "two errors: the first" 'two.c:3: memory: .*block of 8 bytes'
told "two errors: the second" 'two.c:4: memory: .*block of 9 bytes'
run "$RADDLE" replay two-2.raddle
told "two errors: the trace of the second" 'block of 9 bytes'
finish
