// Handlers of the program for faults still run.
#include "conform.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf back;
static volatile sig_atomic_t seen;

static void handler(int number)
{
    seen = number;
    siglongjmp(back, 1);
}

static void *page;

static void opens(int number, siginfo_t *info, void *context)
{
    seen = number;
    if (info->si_addr == page)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void *in_a_thread(void *argument)
{
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)NULL = 1;
    NUM(seen == SIGSEGV);
    return argument;
}

static void program(void)
{
    struct sigaction action = {.sa_sigaction = opens, .sa_flags = SA_SIGINFO};
    volatile int zero = 0;

    signal(SIGSEGV, handler);
    signal(SIGFPE, handler);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)NULL = 1;
    NUM(seen == SIGSEGV);
    if (sigsetjmp(back, 1) == 0)
        NUM(1 / zero);
    NUM(seen == SIGFPE);
    seen = 0;
    in_thread(in_a_thread, NULL);
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &action, NULL);
    seen = 0;
    *(volatile int *)page = 5; /* again after the handler has made it possible */
    NUM(*(int *)page);
    NUM(seen == SIGSEGV);
}
