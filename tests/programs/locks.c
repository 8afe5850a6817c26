// N threads take and release one mutex: N! orders.
// EXPECT(all -DN=2): safe executions=2 threads=3
// EXPECT(all -DN=3): safe executions=6
// EXPECT(all -DN=4 -O1): safe executions=24
// EXPECT(sc -DN=5 -O2): safe executions=120
// EXPECT(sc -DN=6): safe executions=720
#include "common.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *_)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    run(N, take);
    return 0;
}
