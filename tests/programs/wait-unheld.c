// A condition is waited for without holding the mutex.
// EXPECT: misuse at=wrong
#include "common.h"

int main(void)
{
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

    pthread_cond_wait(&c, &m); /* wrong */
    return 0;
}
