// A reader that wants to become a writer waits for itself.
// EXPECT: deadlock
#include "common.h"

int main(void)
{
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    return 0;
}
