// errno is each thread's own, although all threads find it at one address.
// EXPECT(all): safe
// EXPECT(all -O2): safe
#include "races.h"

#include <errno.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *number)
{
    errno = (int)(intptr_t)number;
    pthread_mutex_lock(&m);
    assert(errno == (int)(intptr_t)number);
    pthread_mutex_unlock(&m);
    assert(errno == (int)(intptr_t)number);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, work, (void *)42);
    pthread_create(&b, NULL, work, (void *)43);
    errno = 44;
    pthread_join(a, NULL);
    assert(errno == 44);
    pthread_join(b, NULL);
    return 0;
}
