// EXPECT: safe: 5040 executions
// Directory, mask, limits, signals, environment.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "many.h"

static char name[] = "RADDLE_TEST_B=1";
static char place[4096];
static sigset_t old;

static void handler(int number)
{
    (void)number;
}

int main(void)
{
    struct rlimit limit;
    sigset_t set;

    assert(getcwd(place, sizeof place) && strcmp(place, "/") != 0 && chdir("/") == 0);
    assert(umask(0123) != 0123);
    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != 77);
    limit.rlim_cur = limit.rlim_max = 77;
    assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL && signal(SIGUSR1, handler) == SIG_DFL);
    assert(signal(SIGSEGV, SIG_IGN) == SIG_DFL && signal(SIGSEGV, SIG_DFL) == SIG_IGN);
    sigfillset(&set);
    assert(pthread_sigmask(SIG_BLOCK, &set, &old) == 0 && !sigismember(&old, SIGUSR2));
    assert(!getenv("RADDLE_TEST_A") && setenv("RADDLE_TEST_A", "1", 1) == 0);
    assert(!getenv("RADDLE_TEST_B") && putenv(name) == 0);
    assert(getenv("PATH") && strlen(getenv("PATH")) > 0);
    getenv("PATH")[0] = '\0';
    assert(unsetenv("HOME") == 0);
    many(7);
    return 0;
}
