// Threads in the same code with the same values, but one of them has left an address of its own behind, and knows itself by that.
// OPTIONS: --symmetry
// EXPECT(all): assertion
// EXPECT(all -DBY_STACK): assertion
// EXPECT(all -DBY_BLOCK): assertion
// EXPECT(sc -O2): assertion
#include "common.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread char here;
static void *claimed;
static int arrived, passed, wrong;

static void *worker(void *unused)
{
#if defined BY_STACK
    char room, *me = &room;
#elif defined BY_BLOCK
    char *me = malloc(1);
#else
    char *me = &here;
#endif

    pthread_mutex_lock(&mutex);
    passed++;
    if (!claimed)
        claimed = me;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    if (arrived++ == 0 && passed == 2 && claimed == me)
        wrong = 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    run2(worker, worker);
    assert(!wrong);
    return 0;
}
