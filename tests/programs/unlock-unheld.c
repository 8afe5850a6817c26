// A mutex is unlocked that nobody holds.
// EXPECT(all): misuse at=wrong
#include "common.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *_)
{
    pthread_mutex_unlock(&m); /* wrong */
    return NULL;
}

int main(void)
{
    run(1, thread);
    return 0;
}
