#!/usr/bin/env bash
# Cost of the search for data races: programs with ten million plain accesses in a run, beside the same programs compiled by plain clang
# with the same options. Both times are those of the process (user time, best of five), less that of a run without accesses.
# Usage: bench/races.sh BUILD_DIRECTORY
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
clang=$(command -v clang-19 || command -v clang)

cat >accesses.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define N 4096

struct node {
    struct node *next;
    long value;
};

static int numbers[N], slices[2][N];
static unsigned char bytes[2][N];
static struct node *lists[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long total;
static int kind, rounds;

/* Two accesses an element: a[i] is read and written. */
static void update(int me)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < N; i++)
            slices[me][i] += i;
}

/* Two, too, by bytes. */
static void update_bytes(int me)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < N; i++)
            bytes[me][i]++;
}

/* Both read what main wrote: one an element and one for the sum. */
static void sum_shared(int me)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < N; i += 2)
            slices[me][0] += numbers[i] + numbers[i + 1];
}

static void walk(int me)
{
    for (int r = 0; r < rounds; r++)
        for (struct node *n = lists[me]; n; n = n->next)
            n->value++;
}

static void (*const kinds[])(int) = {update, update_bytes, sum_shared, walk};

static void *work(void *me)
{
    pthread_barrier_wait(&barrier);
    kinds[kind]((int)(intptr_t)me);
    pthread_mutex_lock(&m);
    total += slices[(intptr_t)me][1];
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    kind = argc > 1 ? atoi(argv[1]) : 0;
    rounds = argc > 2 ? atoi(argv[2]) : 0;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < N; i++) {
            struct node *n = malloc(sizeof *n);

            n->next = lists[t];
            n->value = 0;
            lists[t] = n;
        }
    pthread_barrier_init(&barrier, NULL, 2);
    for (intptr_t t = 0; t < 2; t++)
        pthread_create(&threads[t], NULL, work, (void *)t);
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
END

user() { # user time of a command, best of five, in microseconds
    local best=
    for _ in 1 2 3 4 5; do
        local before after
        before=$(awk '{ print $1 }' <(bash -c 'TIMEFORMAT=%U; { time "$@" >/dev/null 2>&1; } 2>&1' _ "$@"))
        after=$(awk -v s="$before" 'BEGIN { printf "%d", s * 1e6 }')
        [ -n "$best" ] && [ "$after" -ge "$best" ] || best=$after
    done
    echo "$best"
}

names=("int array" "byte array" "shared, read" "linked list")
rounds=(610 610 813 305) # ten million accesses each, both threads together
times=100                # the bare run is short
printf '%-14s %5s %12s %12s %8s\n' program '' 'bare ms' 'raddle ms' ratio
for level in -O0 -O1 -O2; do
    "$clang" $level -w accesses.c -o bare -lpthread
    "$build/raddle" cc $level -w accesses.c -o checked
    for kind in 0 1 2 3; do
        bare=$(user ./bare $kind $((rounds[kind] * times)))
        bare0=$(user ./bare $kind 0)
        checked=$(user "$build/raddle" check --max-executions 1 ./checked $kind "${rounds[kind]}")
        checked0=$(user "$build/raddle" check --max-executions 1 ./checked $kind 0)
        awk -v n="${names[kind]}" -v l=$level -v b="$bare" -v b0="$bare0" -v c="$checked" -v c0="$checked0" -v k=$times 'BEGIN {
            bare = (b - b0) / k / 1000; checked = (c - c0) / 1000
            ratio = bare < 0.05 ? "-" : sprintf("%.1f", checked / bare) # the compiler has removed the accesses
            printf "%-14s %5s %12.1f %12.1f %8s\n", n, l, bare, checked, ratio }'
    done
done
