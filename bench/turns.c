/* A bug of known depth, for bench/sampling.sh: two of THREADS threads must take turns, the first one first, until DEPTH + 1 turns were
 * taken, each in its place among STEPS steps of no interest. DEPTH orders between two threads are needed for that, and are enough.
 * With -DAPART the first thread takes its turns at its end and the second at its beginning, so that one has to run far ahead of the other;
 * else both take them all along. With -DSHARED all threads take those other steps at the same place, so that their orders are many; else each at its own. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TURNS ((DEPTH + 2) / 2) /* of one thread, at most */

static atomic_int turn, noise[THREADS];

static void other_steps(long thread, int count)
{
    for (int i = 0; i < count; i++)
#ifdef SHARED
        atomic_fetch_add(&noise[i % 2], 1);
#else
        atomic_fetch_add(&noise[thread], 1);
#endif
}

/* Other steps before turn number i of a thread, or behind the last one. */
static int steps_before(long thread, int i)
{
#ifdef APART
    return i == (thread == 1 ? TURNS : 0) ? STEPS : 0;
#else
    (void)thread, (void)i;
    return STEPS / (TURNS + 1);
#endif
}

static void *run(void *argument)
{
    long thread = (long)argument;
    int next = (int)thread;

    for (int i = 0; i < TURNS; i++, next += 2) {
        int expected = next;

        other_steps(thread, steps_before(thread, i));
        if (thread < 2 && next <= DEPTH)
            assert(!atomic_compare_exchange_strong(&turn, &expected, next + 1) || next < DEPTH);
    }
    other_steps(thread, steps_before(thread, TURNS));
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (long i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
