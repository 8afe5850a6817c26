// N philosophers, each takes the left fork first: only all N together block. Given a way out of the circle, none.
// EXPECT(sc -DN=3): deadlock
// EXPECT(sc -DN=5): deadlock
// EXPECT(sc -DN=3 -DLAST_RIGHT): safe
#include "common.h"

static pthread_mutex_t fork_[N];

static void *philosopher(void *id)
{
    int left = (int)(intptr_t)id, right = (left + 1) % N;

#ifdef LAST_RIGHT
    if (right == 0) {
        right = left;
        left = 0;
    }
#endif
    pthread_mutex_lock(&fork_[left]);
    pthread_mutex_lock(&fork_[right]);
    pthread_mutex_unlock(&fork_[right]);
    pthread_mutex_unlock(&fork_[left]);
    return NULL;
}

int main(void)
{
    run(N, philosopher);
    return 0;
}
