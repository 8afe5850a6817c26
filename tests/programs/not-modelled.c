// Calls that are rare. raddle either does them right, or names them in an incomplete verdict; they must neither pass
// silently nor be taken for a bug of the program.
// EXPECT(sc -DFORK): honest
// EXPECT(sc -DSEM_OPEN): honest
// EXPECT(sc -DTIMEDJOIN): honest
// EXPECT(sc -DTRYJOIN): honest
// EXPECT(sc -DSETNAME): honest
// EXPECT(sc -DKILL): honest
// EXPECT(sc -DCANCEL): honest
// EXPECT(sc -DRWTIMED): honest
// EXPECT(sc -DMUTEX_CLOCK): honest
// EXPECT(sc -DSEM_CLOCK): honest
// EXPECT(sc -DASSEMBLY): incomplete
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *thread(void *_)
{
    return NULL;
}

static struct timespec until = {.tv_sec = 2000000000};

static void call(pthread_t t)
{
#ifdef FORK
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    if (child > 0)
        waitpid(child, NULL, 0);
#elif defined SEM_OPEN
    sem_t *sem = sem_open("/raddle-test", O_CREAT, 0600, 1);

    sem_unlink("/raddle-test");
    if (sem != SEM_FAILED)
        assert(sem_wait(sem) == 0);
#elif defined SETNAME
    char name[16];

    if (pthread_setname_np(t, "name") == 0 && pthread_getname_np(t, name, sizeof name) == 0)
        assert(name[0] == 'n');
#elif defined RWTIMED
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

    assert(pthread_rwlock_timedrdlock(&lock, &until) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &until) == ETIMEDOUT);
#elif defined KILL
    pthread_kill(t, 0);
#elif defined CANCEL
    pthread_cancel(t);
#elif defined MUTEX_CLOCK
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &until) == 0);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    assert(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
#elif defined SEM_CLOCK
    sem_t s;

    sem_init(&s, 0, 1);
    assert(sem_clockwait(&s, CLOCK_MONOTONIC, &until) == 0);
    assert(sem_clockwait(&s, CLOCK_MONOTONIC, &until) == -1);
#elif defined ASSEMBLY
    static int x;

    __asm__ volatile("rdtsc; movl %%eax, %0" : "=m"(x)::"eax", "edx");
#endif
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, thread, NULL);
    call(t);
#ifdef TIMEDJOIN
    if (pthread_timedjoin_np(t, NULL, &until) == 0)
        return 0;
#elif defined TRYJOIN
    if (pthread_tryjoin_np(t, NULL) == 0)
        return 0;
#endif
    pthread_join(t, NULL);
    return 0;
}
