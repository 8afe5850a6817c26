#!/bin/bash
# Code that raddle does not see: named in the report, with its effect on the verdict; --trust.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

check() { # NAME, exit status, pattern in the report; then the arguments of raddle check
    local name=$1 want=$2 pattern=$3
    shift 3
    timeout 60 "$RADDLE" check --json json "$@" >out 2>err </dev/null
    status=$?
    expect "$name: status" test "$status" -eq "$want"
    expect "$name: says $pattern" grep -qE -- "$pattern" out
}

json() { # a Python expression over the report
    python3 -c "import json; r = json.load(open('json')); u = {x['function']: x for x in r['unseen']}; assert $1, r"
}

# ---- a shared library, a static one, and a program that calls both from its threads

cat >far.c <<'END'
static int kept;
int far_add(int *cell) { return ++*cell; }
int far_pure(int x) { return x + 1; }
int far_count(void) { return ++kept; }
int far_call(int (*f)(int), int x) { return f(x) + 1; }
END
cat >near.c <<'END'
int near_add(int *cell) { return ++*cell; }
END
cat >program.c <<'END'
#include <assert.h>
#include <pthread.h>

int far_add(int *), far_pure(int), far_count(void), far_call(int (*)(int), int), near_add(int *);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared, other;

static int back(int x)
{
    pthread_mutex_lock(&m);
    other += x;
    pthread_mutex_unlock(&m);
    return x;
}

static void *thread(void *argument)
{
#ifdef FAR
    far_add(&shared);
#endif
#ifdef NEAR
    near_add(&shared);
#endif
#ifdef BACK
    assert(far_call(back, 2) == 3);
#endif
#ifdef POINTER
    int (*volatile f)(int *) = far_add;
    f(&shared);
#endif
    return argument;
}

int main(void)
{
    pthread_t a, b;

#ifdef ALONE
    assert(far_count() == 1); /* in each execution */
#endif
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef BACK
    assert(other == 4);
#endif
    return 0;
}
END
for compiler in gcc clang-19; do
    command -v $compiler >/dev/null || continue
    $compiler -shared -fPIC -O1 -o libfar.so far.c && $compiler -c -O1 near.c && break
done
link=(program.c near.o -L. -lfar -Wl,-rpath,"$dir")

cat >libc.c <<'END'
#include <search.h>
#include <pthread.h>
static int x;
static void *thread(void *a) { size_t n = 1; lfind(&x, &x, &n, 4, (int (*)(const void *, const void *))a); return a; }
static int same(const void *a, const void *b) { return a != b; }
int main(void) { pthread_t t; pthread_create(&t, 0, thread, (void *)same); pthread_join(t, 0); return 0; }
END
check "of libc" 3 'not seen: lfind' libc.c
expect "of libc: the function is to be trusted, not all of libc" grep -q -- '`--trust lfind`' out
check "nothing called" 0 ': safe: ' "${link[@]}"
expect "nothing called: nothing listed" json 'u == {}'
check "in a shared library" 3 'incomplete \(not seen: far_add\)' -DFAR "${link[@]}"
expect "with its place" grep -qE '^program\.c:20: note: .*far_add \(libfar\.so\): its accesses to memory, if it makes any, are not checked' out
expect "listed once" test "$(grep -c 'does not see into' out)" -eq 1
expect "in JSON" json "u['far_add'] == dict(function='far_add', library='libfar.so', file='program.c', line=20, effect='unchecked')"
check "in an object of the program" 3 'incomplete \(not seen: near_add\)' -DNEAR "${link[@]}"
expect "without a library" json "u['near_add']['library'] is None"
check "through a pointer" 3 'incomplete \(not seen: far_add\)' -DPOINTER "${link[@]}"
check "at a fixed address" 3 'incomplete \(not seen: far_add\)' -DPOINTER -DFAR -no-pie -fno-pie "${link[@]}"
check "while alone" 0 ': safe: ' -DALONE "${link[@]}"
expect "while alone: noted" grep -q 'far_count (libfar.so): called only while there was no other thread' out
expect "while alone: in JSON" json "u['far_count']['effect'] == 'alone'"
check "calls back" 0 ': safe: ' --trust far_call -DBACK "${link[@]}"
expect "calls back: both orders" json "r['executions'] == 2"

# ---- --trust

check "trusted by name" 0 ': safe: ' --trust far_add -DFAR "${link[@]}"
expect "trusted: in JSON" json "u['far_add']['effect'] == 'trusted'"
check "trusted by library" 0 ': safe: ' --trust 'libfar.so*' -DFAR "${link[@]}"
check "a list" 0 ': safe: ' --trust=other,near_add,far_* -DFAR -DNEAR "${link[@]}"
check "given twice" 0 ': safe: ' --trust near_add --trust far_add -DFAR -DNEAR "${link[@]}"
check "one of two" 3 'not seen: near_add\)' --trust far_add -DFAR -DNEAR "${link[@]}"
check "another name" 3 'not seen: far_add\)' --trust far -DFAR "${link[@]}"
"$RADDLE" cc -DFAR -o program "${link[@]}"
RADDLE_OPTIONS="--trust libfar.so" ./program >out 2>err
status=$?
expect "in RADDLE_OPTIONS" test $status -eq 0
for value in '' , 'a,,b' 'a b' 'a,'; do
    "$RADDLE" check --trust "$value" ./program >out 2>err
    status=$?
    expect "bad value '$value'" test $status -eq 2
    expect "bad value '$value': says so" grep -q -- "option '--trust' takes " err
done

# ---- the same function instrumented: in another file, in a library of ours

check "in another instrumented file" 0 ": safe: " -DALONE program.c near.o far.c
"$RADDLE" cc -shared -fPIC -o libfar.so far.c
check "in an instrumented library" 0 ": safe: " -DALONE "${link[@]}"

# ---- the page

expect "docs/library.md is up to date" "$SOURCE_DIR/tools/library.sh" --check
finish
