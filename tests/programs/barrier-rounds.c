// N threads at a barrier, ROUNDS times: one order, as long as nobody asks who was last and no more threads come than it takes. What the rounds
// keep apart is apart; what only one order of arrivals would keep apart is not.
// EXPECT(all -DN=4): safe executions=1
// EXPECT(all -DN=6 -DROUNDS=3): safe executions=1
// EXPECT(sc -DN=8 -DROUNDS=4 -O2): safe executions=1
// EXPECT(sc -DN=3 -DASKS): safe executions=6
// EXPECT(sc -DN=3 -DONE_ASKS): safe executions=4
// EXPECT(sc -DN=2 -DMORE=1): deadlock
// EXPECT(sc -DN=2 -DMORE=2): safe executions=24
// EXPECT(sc -DN=3 -DPLAIN): safe executions=1
// EXPECT(sc -DN=3 -DPLAIN -DEARLY): data-race
// EXPECT(all -DN=2 -DPLAIN -DLATE): data-race
// EXPECT(sc -DN=3 -DAGAIN): safe executions=1
// EXPECT(sc -DN=3 -DCOUNTED): safe executions=1
#include "common.h"

#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef MORE
#define MORE 0
#endif

static pthread_barrier_t barrier;
static int cells[N + MORE], sum;
static atomic_int last, count;

static void arrive(void)
{
    pthread_barrier_wait(&barrier);
}

static void *thread(void *number)
{
    int self = (int)(intptr_t)number;

    for (int round = 0; round < (MORE ? 1 : ROUNDS); round++) {
#ifdef PLAIN
        cells[self]++;
#ifdef EARLY /* one reads what others write before they arrive */
        if (self == 0)
            sum += cells[1];
#endif
#endif
#if defined ASKS
        if (round == 0 && pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            assert(last++ == 0);
#elif defined ONE_ASKS
        if (self != 0)
            arrive();
        else if (pthread_barrier_wait(&barrier) && round == 0)
            last++;
        if (round == 0)
            break;
#else
        arrive();
#endif
#ifdef COUNTED
        count++;
        arrive();
        assert(count == N * (round + 1));
        arrive();
#endif
#if defined PLAIN && !defined EARLY
#ifndef LATE /* it goes on writing while others read */
        arrive();
#endif
        if (self == 0)
            for (int i = 0; i < N; i++)
                sum += cells[i];
#ifndef LATE
        arrive();
#endif
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, N);
    run(N + MORE, thread);
#ifdef AGAIN /* others come when the first ones have gone */
    run(N, thread);
#endif
    pthread_barrier_destroy(&barrier);
    return 0;
}
