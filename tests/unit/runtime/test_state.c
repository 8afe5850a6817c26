/* State that the kernel keeps for the process, and the environment. Each test runs in a child of
 * its own. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/core/image.h"
#include "runtime/core/state.h"

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            dprintf(STDERR_FILENO, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static int status_of(void (*test)(void))
{
    pid_t child = fork();
    int status;

    if (!child) {
        test();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CHILD_TEST(name)                                                                           \
    static void name##_child(void);                                                                \
    static void name(void **unused)                                                                \
    {                                                                                              \
        (void)unused;                                                                              \
        assert_int_equal(status_of(name##_child), 0);                                              \
    }                                                                                              \
    static void name##_child(void)

static void on_segv(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if (!image_fault(info->si_addr))
        _exit(2);
}

CHILD_TEST(restores_environment)
{
    struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
    static char big[40000] = "BIG=", own[] = "OWN=1";
    static char *array[] = {own, big, NULL};

    sigaction(SIGSEGV, &action, NULL);
    memset(big + 4, 'x', sizeof big - 5);
    environ = array;
    EXPECT(!state_save() && !image_save());
    for (int execution = 0; execution < 3; execution++) {
        EXPECT(environ == array && array[0] == own && array[1] == big && !array[2]);
        EXPECT(!strcmp(own, "OWN=1") && big[20000] == 'x');
        EXPECT(!getenv("NEW"));
        own[4] = '2';
        big[20000] = 'y';
        setenv("NEW", "1", 1);
        unsetenv("OWN");
        array[0] = NULL;
        image_restart();
        EXPECT(state_restart());
    }
}

CHILD_TEST(restores_directory_and_umask)
{
    char before[4096], after[4096];

    umask(027);
    EXPECT(!state_save() && getcwd(before, sizeof before));
    for (int execution = 0; execution < 3; execution++) {
        state_note(STATE_CWD | STATE_UMASK);
        EXPECT(!chdir("/") && umask(0) == 027);
        EXPECT(state_restart());
        EXPECT(getcwd(after, sizeof after) && !strcmp(before, after));
    }
    umask(0); /* not noted: not looked at */
    EXPECT(state_restart() && umask(0) == 0);
}

static void handler(int signal)
{
    (void)signal;
}

CHILD_TEST(restores_signals)
{
    struct itimerval timer = {.it_value = {1000, 0}};
    sigset_t set;

    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, handler);
    EXPECT(!state_save());
    signal(SIGUSR1, handler);
    signal(SIGUSR2, SIG_DFL);
    sigfillset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    state_note(STATE_SIGNALS | STATE_TIMERS);
    EXPECT(state_restart());
    sigprocmask(SIG_SETMASK, NULL, &set);
    EXPECT(!sigismember(&set, SIGUSR1) && alarm(0) == 0);
    EXPECT(signal(SIGUSR1, SIG_DFL) == SIG_IGN && signal(SIGUSR2, SIG_DFL) == handler);
}

CHILD_TEST(restores_limits)
{
    struct rlimit before, now;

    getrlimit(RLIMIT_NOFILE, &before);
    EXPECT(!state_save());
    now = before;
    now.rlim_cur = 50;
    EXPECT(!setrlimit(RLIMIT_NOFILE, &now));
    state_note(STATE_LIMITS);
    EXPECT(state_restart() && !getrlimit(RLIMIT_NOFILE, &now) && now.rlim_cur == before.rlim_cur);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

CHILD_TEST(closes_what_was_opened)
{
    int first = -1;

    EXPECT(!state_save());
    for (int execution = 0; execution < 3; execution++) {
        int fd = open("/dev/null", O_RDONLY), other = dup(fd);

        EXPECT(execution == 0 || fd == first);
        first = fd;
        state_fd_opened(fd);
        state_fd_duplicated(fd, other);
        EXPECT(!state_fd_closing(fd) && !close(fd));
        EXPECT(state_restart() && !is_open(fd) && !is_open(other));
    }
}

CHILD_TEST(reopens_what_was_closed)
{
    char name[] = "/tmp/raddle-test-XXXXXX";
    int fd = mkstemp(name), other;
    struct stat before, now;

    unlink(name);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    EXPECT(!state_save() && !fstat(fd, &before));
    for (int execution = 0; execution < 3; execution++) {
        EXPECT(!state_fd_closing(fd) && !close(fd));
        EXPECT(state_fd_closing(fd) == 0 || errno == EBADF);
        if (execution) { /* its number is taken by another file */
            other = open("/dev/null", O_RDONLY);
            EXPECT(other == fd);
            state_fd_opened(other);
        }
        EXPECT(state_restart() && !fstat(fd, &now) && now.st_ino == before.st_ino);
        EXPECT(fcntl(fd, F_GETFD) == FD_CLOEXEC);
    }
    EXPECT(state_fd_closing(500) == -1 && errno == EBADF);
}

CHILD_TEST(restores_offsets_and_flags)
{
    char name[] = "/tmp/raddle-test-XXXXXX", text[4];
    int fd = mkstemp(name), ends[2], flags = fcntl(fd, F_GETFL);

    unlink(name);
    EXPECT(!pipe(ends) && write(fd, "abcdef", 6) == 6 && lseek(fd, 2, SEEK_SET) == 2);
    EXPECT(!state_save());
    for (int execution = 0; execution < 3; execution++) {
        EXPECT(state_fd_moving(fd) && read(fd, text, 3) == 3 && !memcmp(text, "cde", 3));
        state_fd_flagging(fd);
        EXPECT(!fcntl(fd, F_SETFL, flags | O_APPEND));
        if (execution == 1)
            EXPECT(!state_fd_closing(fd) && !close(fd));
        EXPECT(state_restart() && lseek(fd, 0, SEEK_CUR) == 2 && fcntl(fd, F_GETFL) == flags);
    }
    EXPECT(!state_fd_moving(ends[0]) && state_fd_moving(700));
}

CHILD_TEST(hides_its_own)
{
    int ours = 0;

    EXPECT(!state_save());
    for (int fd = 3; fd < 4096; fd++) {
        if (state_fd_is_ours(fd)) {
            ours++;
            EXPECT(state_fd_closing(fd) == -1 && errno == EBADF);
        }
    }
    EXPECT(ours == 1); /* the working directory */
    state_fd_reserve(5);
    EXPECT(state_fd_is_ours(5) && !state_fd_is_ours(6) && !state_fd_is_ours(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restores_environment),
        cmocka_unit_test(restores_directory_and_umask),
        cmocka_unit_test(restores_signals),
        cmocka_unit_test(restores_limits),
        cmocka_unit_test(closes_what_was_opened),
        cmocka_unit_test(reopens_what_was_closed),
        cmocka_unit_test(restores_offsets_and_flags),
        cmocka_unit_test(hides_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
