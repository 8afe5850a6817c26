#!/bin/bash
# Memory that one thread frees for another is handed out again only where the free happens before the allocation. So where blocks lie is the same in all orders of a trace:
# searches that take one order of each trace find the same addresses as one that takes them all.
# RADDLE is the program, SOURCE_DIR the root of the repository.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1
cat >work.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { SIZE = 250000, BLOCKS = 90, GIVEN = 20 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *box[BLOCKS];
static atomic_int first, second;
static uint64_t hash;
static int r[4];

static void take(int n)
{
    while (n-- > 0)
        hash = (hash + ((uintptr_t)malloc(SIZE) & 0xffffffffff)) * 0x9e3779b97f4a7c15u;
}

static void give_back(int from)
{
    for (int i = 0; i < GIVEN; i++)
        free(box[from + i]);
}

static void *one(void *_)
{
#if HOW == LOCKED
    pthread_mutex_lock(&m);
    give_back(20);
    pthread_mutex_unlock(&m);
#elif HOW == BEHIND
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    give_back(20);
    atomic_store(&first, 1);
#else
    give_back(20);
    atomic_store_explicit(&first, 1, memory_order_release);
    pthread_mutex_lock(&m);
    r[1]++;
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}

static void *other(void *_)
{
#if HOW == LOCKED
    pthread_mutex_lock(&m);
    give_back(40);
    pthread_mutex_unlock(&m);
    atomic_store(&second, 1);
#elif HOW == BEHIND
    give_back(40);
    atomic_fetch_add(&first, 2);
#else
    r[2] = atomic_load_explicit(&first, memory_order_acquire);
    give_back(40);
    atomic_store_explicit(&second, 1, memory_order_release);
#endif
    return NULL;
}

static void synchronise(int round)
{
#if HOW == LOCKED
    pthread_mutex_lock(&m);
    r[0]++;
    pthread_mutex_unlock(&m);
    r[3] = r[3] * 2 + atomic_load(&second);
#elif HOW == BEHIND
    r[3] = r[3] * 4 + atomic_load(&first);
#else
    if (round == 1) {
        pthread_mutex_lock(&m);
        r[0]++;
        pthread_mutex_unlock(&m);
    } else {
        r[3] = r[3] * 4 + atomic_load_explicit(round ? &second : &first, memory_order_acquire);
    }
#endif
}

int main(void)
{
    pthread_t a, b;
    unsigned end;

    for (int i = 0; i < BLOCKS; i++)
        box[i] = malloc(SIZE);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    for (int round = 0; round < 3; round++) {
        synchronise(round);
        take(4);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    take(4);
    end = (unsigned)((hash ^ hash >> 32) * 31 + (unsigned)r[3]) % 64;
END
for i in $(seq 0 63); do # each end is a bug of its own
    echo "    assert(end != $i);"
done >>work.c
printf '    return 0;\n}\n' >>work.c

ends() { # REDUCTION MODEL PROGRAM
    "$RADDLE" check --keep-going --minimise 0 --trace t.raddle --reduction "$1" --model "$2" --json json "./$3" >out 2>err </dev/null
    jq -r '.bugs[] | select(.kind == "assertion") | .message' json | grep -oE 'end != [0-9]+' | sort -u
}

for how in LOCKED BEHIND RELEASED; do
    run "$RADDLE" cc -g -O1 -w -DLOCKED=1 -DBEHIND=2 -DRELEASED=3 -DHOW=$how -o $how work.c
    expect "$how is built" test $status -eq 0
    ends exhaustive sc $how >all
    expect "$how: orders show" test "$(wc -l <all)" -ge 5
    for model in sc tso pso; do
        for reduction in optimal source dpor; do
            ends $reduction $model $how >found
            expect "$how, $reduction under $model: the same ends" cmp -s all found
        done
    done
done
finish
