#!/usr/bin/env bash
# Memory and descriptors over many executions: both must stay where they are. 10 readers of one cell written by ten others
# have more traces than will ever be explored; the search is stopped after EXECUTIONS of them.
# Usage: bench/soak.sh BUILD_DIRECTORY [EXECUTIONS]
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
executions=${2:-10000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >soak.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int x;
static void *thread(void *arg)
{
    char *block = malloc(100);
    FILE *null = fopen("/dev/null", "w"); /* left open */

    fprintf(null, "%p", arg);
    atomic_fetch_add(&x, 1);
    free(block);
    return NULL;
}
int main(void)
{
    pthread_t t[12];

    for (int i = 0; i < 12; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 12; i++)
        pthread_join(t[i], NULL);
    return 0;
}
C
"$build/raddle" cc -O1 soak.c -o soak
"$build/raddle" check --max-executions "$executions" ./soak >report 2>&1 &
driver=$!
first=
while sleep 5 && kill -0 $driver 2>/dev/null; do
    child=$(pgrep -P $driver || true)
    [ -n "$child" ] && [ -r "/proc/$child/status" ] || continue
    rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$child/status")
    fds=$(ls "/proc/$child/fd" | wc -l)
    first=${first:-$rss}
    echo "resident $rss KiB, descriptors $fds"
    if [ "$rss" -gt $((first * 3 / 2 + 4096)) ] || [ "$fds" -gt 64 ]; then
        echo "soak: it grows" >&2
        kill $driver
        exit 1
    fi
done
cat report
grep -q 'maximum number of executions' report
