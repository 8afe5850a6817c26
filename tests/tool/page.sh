#!/bin/bash
# The page of `raddle show --html` in headless Chromium, driven by playwright-core. RADDLE is the program, SOURCE_DIR the root
# of the repository; PICTURES, if set, a directory for screenshots, to be looked at.
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"
version=1.49.1
skip() { echo "SKIP: $*"; exit 77; }
browser=$(command -v chromium) || skip "no chromium (tools/setup.sh test installs it)"
command -v node >/dev/null && command -v npm >/dev/null || skip "no node and npm"
modules=${XDG_CACHE_HOME:-/tmp}/raddle-browser
if [ ! -d "$modules/node_modules/playwright-core" ]; then
    mkdir -p "$modules"
    # nothing of it is built or run while it is installed, and no browser is fetched
    timeout 120 npm install --prefix "$modules" --no-save --ignore-scripts --no-audit --no-fund "playwright-core@$version" >"$modules/npm.log" 2>&1 ||
        skip "playwright-core $version cannot be had: $(tail -1 "$modules/npm.log")"
    [ -f "$modules/package.json" ] || echo '{}' >"$modules/package.json"
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export XDG_CACHE_HOME=$dir/cache HOME=$dir
failed=0

# ARGUMENTS of check; every one of these has a bug
trace() {
    timeout 100 "$RADDLE" check "$@" >out 2>&1
    [ $? -eq 1 ] || { echo "FAIL no bug: $*: $(tail -2 out)"; failed=1; }
}
trace "$SOURCE_DIR/examples/counter.c"
trace "$SOURCE_DIR/tests/programs/abba.c"
trace --model tso "$SOURCE_DIR/tests/programs/sb.c"
cat >'x%y.c' <<'END'
#include <assert.h>
#include <pthread.h>
static int x; // </script><script>window.hacked = true</script> <img src=x onerror="window.hacked = true">
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    pthread_mutex_lock(&m); int seen = x; pthread_mutex_unlock(&m); // </script>
    assert(seen == 0 && "</failure><script>window.hacked = true</script>");
}
END
trace 'x%y.c'
cat >long.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int noise[4], balance;
static void *work(void *number)
{
    for (int i = 0; i < 250; i++) {
        atomic_fetch_add(&noise[i % 4], 1);
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
    assert(balance == 500);
}
END
trace --seed 1 --minimise 0 long.c
cat >pool.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct stats { int done; int failed; pthread_mutex_t lock; };
struct job { int id; struct job *next; };
struct pool {
    pthread_mutex_t lock;
    struct job *head;
    struct stats stats;
    atomic_int running;
    int slots[8];
};
static struct pool *pool;
static atomic_long counter;
static void *worker_thread(void *arg)
{
    long me = (long)arg;
    atomic_fetch_add(&pool->running, 1);
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&pool->lock);
        struct job *j = pool->head;
        if (j) pool->head = j->next;
        pool->slots[me] = j ? j->id : -1;
        pthread_mutex_unlock(&pool->lock);
        long c = atomic_load_explicit(&counter, memory_order_relaxed);
        atomic_store_explicit(&counter, c + 1, memory_order_relaxed);
        pthread_mutex_lock(&pool->stats.lock);
        pool->stats.done++;
        pthread_mutex_unlock(&pool->stats.lock);
    }
    atomic_fetch_sub(&pool->running, 1);
    return NULL;
}
int main(void)
{
    pthread_t t[7];
    pool = calloc(1, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->stats.lock, NULL);
    for (int i = 0; i < 10; i++) {
        struct job *j = malloc(sizeof *j);
        j->id = i; j->next = pool->head; pool->head = j;
    }
    for (long i = 0; i < 7; i++) pthread_create(&t[i], NULL, worker_thread, (void *)i);
    for (int i = 0; i < 7; i++) pthread_join(t[i], NULL);
    assert(counter == 28);
}
END
trace --seed 1 --minimise 0 pool.c
cat >many.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int value_of_the_last_thread;
static void *set(void *number)
{
    assert(atomic_exchange(&value_of_the_last_thread, (int)(long)number) != 23);
    return NULL;
}
int main(void)
{
    pthread_t thread;
    for (long i = 1; i <= 24; i++) {
        pthread_create(&thread, NULL, set, (void *)i);
        pthread_join(thread, NULL);
    }
}
END
trace --minimise 0 many.c
for file in *.raddle; do
    "$RADDLE" show --html "${file%.raddle}.html" "$file" || failed=1
done
mkdir pages && mv ./*.html pages
[ -z "${PICTURES:-}" ] || mkdir -p "$PICTURES"
timeout 250 node "$SOURCE_DIR/tests/browser/page.mjs" "$modules" "$browser" "$dir/pages" "${PICTURES:-}" || failed=1
exit $failed
