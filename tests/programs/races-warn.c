// --races=warn: races are told and let pass, and what lies behind them is found. What a thread does may hang on memory that races, so that
// what was planned for it may not be possible.
// OPTIONS: --races=warn
// EXPECT(all): deadlock says=warning: data-race: read of flag
// EXPECT(sc): deadlock says=let pass, so that other orders of these accesses were not explored
// EXPECT(sc -DORDERED): incomplete says=warning: data-race
// EXPECT(sc -DORDERED -DLOCKED): safe
// EXPECT(sc -DWAYS): assertion at=count
// EXPECT(sc -DWAYS -DORDERED): assertion at=count
// EXPECT(sc -DLOCKED): deadlock
#include "common.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int flag;
static atomic_int count;

static int look(int set)
{
    int before;

#ifdef LOCKED
    pthread_mutex_lock(&guard);
#endif
    before = flag;
    flag |= set;
#ifdef LOCKED
    pthread_mutex_unlock(&guard);
#endif
    return before;
}

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    atomic_fetch_add(&count, 1);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *thread(void *number)
{
#ifdef WAYS
    if (look(1))
        pthread_mutex_lock(&guard);
    atomic_fetch_add(&count, 1);
    if (look(0) > 1)
        return NULL;
    if (pthread_mutex_trylock(&guard) == 0)
        pthread_mutex_unlock(&guard);
#else
    look(1);
#endif
#ifdef ORDERED
    (void)number;
    both(&a, &b);
#else
    both(number ? &a : &b, number ? &b : &a);
#endif
    return NULL;
}

int main(void)
{
    run(2, thread);
#ifdef WAYS
    assert(atomic_load(&count) != 4); /* count */
#endif
    return 0;
}
