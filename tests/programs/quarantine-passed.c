// A block that another thread frees is handed out again once its own thread comes after that: the lock says so. Of 400 blocks that are passed on, as few as
// can be take memory of their own, whatever the order; and who still uses one that was passed on is caught.
// EXPECT(all): safe executions=2
// EXPECT(sc -DSTALE): memory at=stale says=use after free
// EXPECT(tso -DSTALE): memory at=stale says=use after free
#include "common.h"

enum { SIZE = 100000, BLOCKS = 400 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *mailbox[BLOCKS];

static void *consumer(void *_)
{
    pthread_mutex_lock(&m);
    for (int i = 0; i < BLOCKS && mailbox[i]; i++) {
        free(mailbox[i]);
        mailbox[i] = NULL;
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    static char *seen[2 * BLOCKS];
    int again = 0, freed;
    pthread_t thread;

    for (int i = 0; i < BLOCKS; i++)
        seen[i] = mailbox[i] = malloc(SIZE);
    pthread_create(&thread, NULL, consumer, NULL);
    pthread_mutex_lock(&m);
    freed = !mailbox[0];
    pthread_mutex_unlock(&m);
    for (int i = 0; i < BLOCKS / 2; i++) {
        seen[BLOCKS + i] = malloc(SIZE);
        for (int j = 0; j < BLOCKS; j++)
            again += seen[BLOCKS + i] == seen[j];
    }
    assert(freed ? again == BLOCKS / 2 : again == 0);
#ifdef STALE
    if (freed)
        seen[BLOCKS - 1][5]++; /* stale */
#endif
    pthread_join(thread, NULL);
    return 0;
}
