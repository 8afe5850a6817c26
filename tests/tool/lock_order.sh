#!/bin/bash
# --lock-order=warn: locks that are taken in orders that contradict each other, though no run ends in a deadlock. What keeps them apart for sure, a gate or
# the creation and joining of threads, makes no warning. The verdict stays.
. "$(dirname "$0")/common.bash"
cd "$dir" || exit 1
cat >orders.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static struct { pthread_mutex_t a, b, gate; } locks = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int turn;
static void *forward(void *_)
{
#ifdef GATE
    pthread_mutex_lock(&locks.gate);
#endif
#ifdef READERS
    pthread_rwlock_rdlock(&rw);
#endif
    pthread_mutex_lock(&locks.a);
    pthread_mutex_lock(&locks.b);
    pthread_mutex_unlock(&locks.b);
    pthread_mutex_unlock(&locks.a);
#ifdef READERS
    pthread_rwlock_unlock(&rw);
#endif
#ifdef GATE
    pthread_mutex_unlock(&locks.gate);
#endif
    turn = 1;
    return _;
}
static void *backward(void *_)
{
#ifdef GATE
    pthread_mutex_lock(&locks.gate);
#elif defined CLOSED
#else
    if (turn == 0)
        return _;
#endif
#ifdef READERS
    pthread_rwlock_rdlock(&rw);
#endif
    pthread_mutex_lock(&locks.b);
#ifdef TRY
    if (pthread_mutex_trylock(&locks.a) == 0)
        pthread_mutex_unlock(&locks.a);
#else
    pthread_mutex_lock(&locks.a);
    pthread_mutex_unlock(&locks.a);
#endif
    pthread_mutex_unlock(&locks.b);
#ifdef READERS
    pthread_rwlock_unlock(&rw);
#endif
#ifdef GATE
    pthread_mutex_unlock(&locks.gate);
#endif
    return _;
}
int main(void)
{
    pthread_t t[2];
#ifdef JOINED
    turn = 1;
    pthread_create(&t[0], 0, forward, 0);
    pthread_join(t[0], 0);
    pthread_create(&t[1], 0, backward, 0);
    pthread_join(t[1], 0);
#else
    pthread_create(&t[0], 0, forward, 0);
    pthread_create(&t[1], 0, backward, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
#endif
    return 0;
}
C

# WHAT, STATUS, arguments: nothing is said about orders
silent() {
    local what=$1 want=$2
    shift 2
    run "$RADDLE" check "$@"
    expect "$what: status" test $status -eq "$want"
    expect "$what: silent" sh -c "! grep -q lock-order '$dir/out' '$dir/err'"
}

silent "by default" 0 orders.c
silent "ignore" 0 --lock-order=ignore orders.c
verdict "warn" 0 '^orders\.c:[0-9]+: warning: lock-order: T1 \(forward\) takes locks\.a, then locks\.b; T2 \(backward\) takes locks\.b, then locks\.a$' \
    "$RADDLE" check --lock-order=warn --json json --sarif sarif orders.c
expect "warn: where" grep -qE '^  T2 \(backward\) takes locks\.a at orders\.c:[0-9]+, holding locks\.b since orders\.c:[0-9]+$' "$dir/out"
expect "warn: once" test "$(grep -c 'warning: lock-order' "$dir/out")" -eq 1
expect "warn: safe all the same" grep -q ': safe: ' "$dir/out"
expect "warn: JSON" python3 -c '
import json
r = json.load(open("json"))
assert r["verdict"] == "safe" and not r["bugs"] and not r["reasons"], r
assert [w["kind"] for w in r["warnings"]] == ["lock-order"] and r["warnings"][0]["file"] == "orders.c", r
s = json.load(open("sarif"))["runs"][0]
assert [(x["ruleId"], x["level"]) for x in s["results"]] == [("lock-order", "warning")], s["results"]'
verdict "readers are no gate" 0 'warning: lock-order' "$RADDLE" check --lock-order=warn -DREADERS orders.c
verdict "races are not looked for" 0 'warning: lock-order' "$RADDLE" check --lock-order=warn --races=ignore orders.c
verdict "samples" 3 'warning: lock-order' "$RADDLE" check --lock-order=warn --search random --runs 50 orders.c
silent "a gate" 0 --lock-order=warn -DGATE orders.c
silent "trylock does not wait" 0 --lock-order=warn -DTRY orders.c
silent "one thread ends before the other begins" 0 --lock-order=warn -DJOINED orders.c
silent "a deadlock says it better" 1 --lock-order=warn -DCLOSED --keep-going orders.c

# ---- three threads; a condition that takes its mutex again; C++

cat >three.cpp <<'C'
#include <atomic>
#include <mutex>
#include <thread>
static std::mutex forks[3];
static std::atomic<int> turn;
static void eat(int me)
{
    if (turn != me) return; // one after the other, or not at all
    std::lock_guard<std::mutex> left(forks[me]);
    std::lock_guard<std::mutex> right(forks[(me + 1) % 3]);
    turn = me + 1;
}
int main()
{
    std::thread a(eat, 0), b(eat, 1), c(eat, 2);
    a.join();
    b.join();
    c.join();
    return 0;
}
C
verdict "three" 0 'lock-order: T1 \(eat\) takes forks\[0\], then forks\[1\]; T2 \(eat\) takes forks\[1\], then forks\[2\]; T3 \(eat\) takes forks\[2\], then forks\[0\]$' \
    "$RADDLE" check --lock-order=warn three.cpp
expect "three: in the user's own code" grep -q 'T1 (eat) takes forks\[1\] at three\.cpp:10, holding forks\[0\] since three\.cpp:9' "$dir/out"

cat >relock.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int done;
static void *waits(void *_)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    done = 1;
    pthread_cond_wait(&c, &b); /* holds a, and takes b again */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return _;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    while (!done) ;
    pthread_mutex_lock(&b);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&b);
    pthread_join(t, 0);
    return 0;
}
C
silent "a mutex that is taken again by its only user" 0 --lock-order=warn relock.c

verdict "what is wrong" 2 "raddle: option '--lock-order' takes warn or ignore" "$RADDLE" check --lock-order=maybe orders.c
verdict "not with -j" 2 "goes with searches without --lock-order" "$RADDLE" check --lock-order=warn -j 2 orders.c
verdict "not with scripts" 2 'goes with programs' "$RADDLE" check --lock-order=warn "$SOURCE_DIR/examples/scripts/sb.script"

finish
