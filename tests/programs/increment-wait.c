// Increments commute unless a thread waits in a loop for what they change: then the search begins anew, with every order of them. Other
// counters are not touched by that.
// EXPECT(all -DCASE=1): safe
// EXPECT(all -DCASE=2): safe
// EXPECT(sc -DCASE=3): spin
// EXPECT(sc -DCASE=4): safe executions=1
// EXPECT(sc -DCASE=5): deadlock

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define THREADS 3

static atomic_int count, flags, done, other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *worker(void *unused)
{
#if CASE == 1 /* the main thread waits for the last one */
    other++;
    count++;
#elif CASE == 2 /* an addition that changes nothing is part of the loop */
    while (!atomic_load(&done))
        atomic_fetch_or(&flags, 1);
#elif CASE == 3 /* and nobody ends it */
    while (!atomic_load(&done))
        atomic_fetch_or(&flags, 1);
#elif CASE == 4 /* nobody looks before all have ended */
    other++;
    count++;
    atomic_fetch_or(&flags, 1);
#else /* the last one does not know that it is */
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
#if CASE == 1
    while (count < THREADS)
        sched_yield();
#elif CASE == 2
    atomic_fetch_add(&done, 1);
#elif CASE == 5
    pthread_mutex_lock(&mutex);
    while (count < THREADS)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
