#!/bin/bash
# A failing run is made short, quickly, and fails in the same way afterwards.
. "$(dirname "$0")/common.bash"
cd "$dir" || exit 1

cat >long.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int noise[4], balance;

static void *work(void *number)
{
    for (int i = 0; i < 130; i++) {
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
    assert(balance == 260);
}
END
"$RADDLE" cc -o long long.c || fail "does not compile"

# raw steps and switches of the trace
figures() {
    "$RADDLE" show long.raddle | sed -n 's/^run: *\([0-9,]*\) steps.*, \([0-9,]*\) context switches.*/\1 \2/p' | tr -d ,
}

timeout 60 "$RADDLE" check --seed 1 --minimise 0 ./long >out 2>&1
[ $? -eq 1 ] || fail "no bug without --minimise: $(cat out)"
read -r steps switches < <(figures)
[ "${steps:-0}" -ge 2000 ] && [ "$switches" -ge 500 ] || fail "not long: ${steps:-?} steps, ${switches:-?} switches"

# What remains: four threads and main, four switches to run them all one after the other, and one in the midst of it. Where the
# machine is busy, the usual five seconds may not suffice for that: then there are more.
TIMEFORMAT='%U %S'
for seconds in 5 15 60; do
    { time timeout 200 "$RADDLE" check --seed 1 --minimise $seconds ./long >out 2>&1; } 2>times
    grep -q "assertion 'balance == 260' fails" out || fail "no bug: $(cat out)"
    took=$(awk '{ print int(($1 + $2) * 1000) }' times)
    read -r steps switches < <(figures)
    [ "$switches" -gt 5 ] || break
done
[ "$switches" -le 5 ] || fail "still $switches switches"
[ "$took" -lt 10000 ] || fail "took $took ms of the processor"
for time in first second; do
    "$RADDLE" replay long.raddle >out 2>&1
    [ $? -eq 1 ] && grep -q "assertion 'balance == 260' fails" out || fail "$time replay: $(cat out)"
done

for bad in "" x -1 5x nan; do
    "$RADDLE" check --minimise "$bad" ./long >out 2>&1
    [ $? -eq 2 ] && grep -q "option '--minimise' takes" out || fail "--minimise '$bad': $(cat out)"
done

ok
echo "$took ms"
finish
