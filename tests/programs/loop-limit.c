// One thread waits in a loop with deadlines from the clock, and another one for a time, in a loop that comes to its end: that must not be taken for
// waiting for ever.
// EXPECT(sc -DLIMIT): safe
// EXPECT(sc -DLIMIT -O2): safe
// EXPECT(sc -DHOURLY): safe
// EXPECT(sc -DHOURLY -O2): safe
// EXPECT(sc -DCOUNTDOWN): safe
// EXPECT(sc -DCOUNTDOWN -O2): safe
// EXPECT(sc -DTRIES): safe
// EXPECT(sc -DTRIES -O2): safe
#include "common.h"
#include <poll.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static bool done;
static void *waiter(void *_)
{
    pthread_mutex_lock(&m);
    while (!done) {
        struct timespec ts;
        clock_gettime(CLOCK_REALTIME, &ts);
        ts.tv_sec += 2;
        pthread_cond_timedwait(&c, &m, &ts);
    }
    pthread_mutex_unlock(&m);
    return NULL;
}
static void *trigger(void *_)
{
#if defined LIMIT
    time_t t0 = time(NULL);
    for (;;) {
        if (time(NULL) - t0 >= 10)
            break;
        usleep(1000);
    }
#elif defined HOURLY /* acts every hour, three times */
    struct timespec now, last;
    int n = 0;
    clock_gettime(CLOCK_MONOTONIC, &last);
    while (n < 3) {
        poll(NULL, 0, 500);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - last.tv_sec > 3600) {
            last = now;
            n++;
        }
    }
#elif defined COUNTDOWN /* counts down */
    long left = 3000;
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    while (left > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        clock_gettime(CLOCK_MONOTONIC, &b);
        left -= (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
        a = b;
    }
#elif defined TRIES /* bit field counters in one byte */
    struct { unsigned char tries : 3, x : 5; } s = {0};
    while (s.tries < 7) {
        struct timespec ts;
        clock_gettime(CLOCK_REALTIME, &ts);
        ts.tv_nsec = 0;
        clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL);
        s.tries++;
    }
#endif
    pthread_mutex_lock(&m);
    done = true;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, trigger, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
