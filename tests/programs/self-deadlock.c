// A normal mutex taken twice by one thread; no other thread is needed.
// EXPECT(all): deadlock at=again
#include "common.h"

int main(void)
{
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m); /* again */
    return 0;
}
