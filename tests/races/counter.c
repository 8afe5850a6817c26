// Two increments of a plain counter: with the lock in both threads they are ordered, with it in one they are not.
// EXPECT(all): data-race at=count
// EXPECT(all -DFIRST): data-race at=count
// EXPECT(all -DFIRST -DSECOND): safe executions=2
// EXPECT(all -DFIRST -DSECOND -O2): safe executions=2
#include "races.h"

#ifdef FIRST
#define FIRST_LOCKS 1
#else
#define FIRST_LOCKS 0
#endif
#ifdef SECOND
#define SECOND_LOCKS 1
#else
#define SECOND_LOCKS 0
#endif

static int count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *locks)
{
    if (locks)
        pthread_mutex_lock(&m);
    count++; /* count */
    if (locks)
        pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, add, FIRST_LOCKS ? &m : NULL);
    pthread_create(&b, NULL, add, SECOND_LOCKS ? &m : NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
