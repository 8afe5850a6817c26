// Readers of a lock do not notice each other: each comes before or after the writer, two to the power of three ways; a try fails in between, too.
// EXPECT: safe executions=8
// EXPECT(sc -DTRY): safe executions=27
// EXPECT(sc -DTIMED): safe executions=27
// EXPECT(sc -DMEET): safe executions=2
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#ifdef MEET // they go only together: the writer comes before both of them, or after
#define READERS 2
static pthread_barrier_t met;
#else
#define READERS 3
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int data;

static void *reads(void *argument)
{
    int *seen = argument;
#if defined TRY
    if (pthread_rwlock_tryrdlock(&lock) != 0)
        return NULL;
#elif defined TIMED
    struct timespec until = {1, 0};
    if (pthread_rwlock_timedrdlock(&lock, &until) != 0)
        return NULL;
#else
    pthread_rwlock_rdlock(&lock);
#endif
    *seen = data;
#ifdef MEET
    pthread_barrier_wait(&met);
#endif
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *writes(void *argument)
{
    (void)argument;
    pthread_rwlock_wrlock(&lock);
    data = 1;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t readers[READERS], writer;
    int seen[READERS];

#ifdef MEET
    pthread_barrier_init(&met, NULL, READERS);
#endif
    pthread_create(&writer, NULL, writes, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, reads, &seen[i]);
    pthread_join(writer, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    return 0;
}
