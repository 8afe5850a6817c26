// Handlers of the program for faults run: they jump away, mend the fault, or end the program; SIG_DFL and SIG_IGN leave the crash a crash.
// OPTIONS: --no-commute=increments
// EXPECT(all -DJUMP): safe
// EXPECT(sc -DJUMP -O2): safe
// EXPECT(sc -DJUMP -DIN_LIBC): safe
// EXPECT(sc -DDIVISION): safe
// EXPECT(sc -DMEND): safe
// EXPECT(sc -DSTACK): safe
// EXPECT(sc -DTHREADS): safe executions=2
// EXPECT(sc -DEXIT): safe
// EXPECT(sc -DIGNORED): crash
// EXPECT(sc -DDEFAULT): crash
// EXPECT(sc -DBLOCKED): crash
// EXPECT(sc -DAGAIN): crash
// EXPECT(sc -DABORT): safe
#include "common.h"
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf places[2];
static volatile int count;
static char *volatile nowhere;
static char *page;
static atomic_int entered;

static void jumps(int number)
{
    count++;
    siglongjmp(places[0], number);
}

static void mends(int number, siginfo_t *info, void *context)
{
    assert(number == SIGSEGV && info->si_signo == SIGSEGV && (char *)info->si_addr == page);
    assert(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
    count++;
}

static void ends(int number)
{
    _exit(0);
}

static void nothing(int number)
{
}

static int deep(int n)
{
    volatile char space[4096];

    space[0] = (char)n;
    return deep(n + 1) + space[0];
}

static void *thread(void *argument)
{
    int i = (int)(intptr_t)argument;

    if (sigsetjmp(places[0], 1) == 0) {
        atomic_fetch_add(&entered, 1);
        *nowhere = 1;
    }
    assert(i == 0);
    return NULL;
}

static void *other(void *_)
{
    atomic_fetch_add(&entered, 1);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = jumps};
    volatile int zero = 0;
    static char stack[65536];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack}, old;

    assert(signal(SIGSEGV, jumps) == SIG_DFL && signal(SIGSEGV, SIG_DFL) == jumps);
#if defined JUMP
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(places[0], 1) == 0) {
#ifdef IN_LIBC
            printf("%zu\n", strlen(nowhere));
#else
            *nowhere = 1;
#endif
            assert(0);
        }
    assert(count == 3);
#elif defined DIVISION
    action.sa_flags = SA_NODEFER;
    sigaction(SIGFPE, &action, NULL);
    if (sigsetjmp(places[0], 0) == 0) {
        zero = 1 / zero;
        assert(0);
    }
    assert(count == 1);
#elif defined MEND
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = mends;
    sigaction(SIGSEGV, &action, NULL);
    {
        double x = 1.5, y = 2.25; /* must survive */
        for (volatile int i = 0; i < 2; i++) {
            x *= y;
            page[0] = (char)i;
        }
        assert(x == 1.5 * 2.25 * 2.25);
    }
    assert(count == 1 && page[0] == 1);
#elif defined STACK
    assert(sigaltstack(&alternative, &old) == 0 && old.ss_flags == SS_DISABLE);
    assert(sigaltstack(NULL, &old) == 0 && old.ss_sp == stack);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    if (sigsetjmp(places[0], 1) == 0)
        deep(0);
    assert(count == 1);
#elif defined THREADS
    pthread_t a, b;
    sigaction(SIGSEGV, &action, NULL);
    pthread_create(&a, NULL, thread, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 1 && entered == 2);
#elif defined EXIT
    signal(SIGSEGV, ends);
    *nowhere = 1;
#elif defined IGNORED
    signal(SIGSEGV, SIG_IGN);
    *nowhere = 1;
#elif defined DEFAULT
    signal(SIGSEGV, jumps);
    signal(SIGSEGV, SIG_DFL);
    *nowhere = 1;
#elif defined BLOCKED
    sigset_t set;
    signal(SIGSEGV, jumps);
    sigfillset(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (sigsetjmp(places[0], 1) == 0)
        *nowhere = 1;
#elif defined AGAIN
    signal(SIGSEGV, nothing);
    *nowhere = 1;
#elif defined ABORT
    signal(SIGABRT, jumps);
    if (sigsetjmp(places[0], 1) == 0)
        abort();
    assert(count == 1);
#endif
    (void)zero, (void)places, (void)alternative, (void)old;
    return 0;
}
