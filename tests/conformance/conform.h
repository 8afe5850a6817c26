/* Conformance programs say what each call gave, a line for each. Run bare, such a program leaves its lines in the file that
 * CONFORM_WRITE names. Run under raddle, with that file in CONFORM_EXPECT, each execution must say the same lines:
 * the first other one is a failed assertion. So a program must force the order of what it says, by joins or
 * semaphores, but nothing else.
 *
 * A program defines `static void program(void)`. It may be run from the start as often as wanted: it starts from what it
 * finds, and leaves no file behind. */
#ifndef CONFORM_H
#define CONFORM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CONFORM_TEXT  (64 << 10)
#define CONFORM_LINES 2048

static char conform_text[CONFORM_TEXT]; /* bare: what was said; under raddle: what should be */
static size_t conform_size;
static const char *conform_line[CONFORM_LINES]; /* under raddle: each line, */
static uint64_t conform_hash[CONFORM_LINES];    /* and its hash: one access compares it */
static int conform_lines, conform_said;
static int conform_checks;
static const char *conform_output;
static uint32_t *conform_ends; /* in a file, which raddle does not know of: executions that came to their end */

static void program(void);

static uint64_t conform_hash_of(const char *text, size_t n)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

/* Before main, and so outside of what raddle explores. */
__attribute__((constructor)) static void conform_open(void)
{
    const char *path = getenv("CONFORM_EXPECT");
    ssize_t got;
    int fd;

    conform_output = getenv("CONFORM_WRITE");
    if (!path)
        return;
    fd = open(getenv("CONFORM_ENDED"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (ftruncate(fd, sizeof *conform_ends) == 0)
        conform_ends = mmap(NULL, sizeof *conform_ends, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    while ((got = read(fd, conform_text + conform_size, CONFORM_TEXT - 1 - conform_size)) > 0)
        conform_size += (size_t)got;
    close(fd);
    for (char *at = conform_text, *end; (end = strchr(at, '\n')); at = end + 1) {
        conform_line[conform_lines] = at;
        conform_hash[conform_lines++] = conform_hash_of(at, (size_t)(end - at));
    }
    conform_checks = 1;
}

/* raddle's, if it is there: its message goes to the report. */
__attribute__((weak)) extern void raddle_fail(const char *expression, const char *file, unsigned line);

static void conform_other(int number, const char *got)
{
    const char *expected = number < conform_lines ? conform_line[number] : "(the end)\n";
    char text[400];

    snprintf(text, sizeof text, "line %d, bare: %.*s | raddle: %s", number + 1,
             (int)strcspn(expected, "\n"), expected, got);
    if (raddle_fail)
        raddle_fail(text, "conform.h", 0);
    abort();
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char text[512];
    va_list arguments;
    size_t n;
    int saved = errno, number = conform_said++;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (n = 0; text[n]; n++)
        if (text[n] == '\n')
            text[n] = '~';
    if (conform_checks) {
        if (number >= conform_lines || conform_hash[number] != conform_hash_of(text, n))
            conform_other(number, text);
    } else if (conform_size + n + 1 < CONFORM_TEXT) {
        memcpy(conform_text + conform_size, text, n);
        conform_text[conform_size + n] = '\n';
        conform_size += n + 1;
    }
    errno = saved;
}

/* Nothing more will be said. A program that does not come back from program() calls it. Under raddle each execution is
 * counted, so that one that ends too early is missed. */
static void conform_done(void)
{
    const char *path = conform_output;
    int fd;

    if (conform_checks) {
        if (conform_said != conform_lines)
            conform_other(conform_said, "(the end)");
        ++*conform_ends;
        return;
    }
    if (!path)
        path = "/dev/stdout";
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, conform_text, conform_size) != (ssize_t)conform_size)
        _exit(3);
    close(fd);
}

#ifdef CONFORM_IN_THREAD /* so that nothing is done without the hooks, as it is while main is alone */
static void *conform_thread(void *argument)
{
    program();
    return argument;
}
#endif

int main(void)
{
#ifdef CONFORM_IN_THREAD
    pthread_t thread;

    pthread_create(&thread, NULL, conform_thread, NULL);
    pthread_join(thread, NULL);
#else
    program();
#endif
    conform_done();
    return 0;
}

/* ---- names of errors */

static const char *error_name(int error)
{
    static const struct {
        int error;
        const char *name;
    } names[] = {
#define NAME(e) {e, #e}
        {0, "0"},         NAME(EPERM),     NAME(ENOENT),     NAME(ESRCH),     NAME(EINTR),
        NAME(EIO),        NAME(EBADF),     NAME(ECHILD),     NAME(EAGAIN),    NAME(ENOMEM),
        NAME(EACCES),     NAME(EFAULT),    NAME(EBUSY),      NAME(EEXIST),    NAME(ENOTDIR),
        NAME(EISDIR),     NAME(EINVAL),    NAME(EMFILE),     NAME(ENFILE),    NAME(ENOTTY),
        NAME(ESPIPE),     NAME(EROFS),     NAME(EPIPE),      NAME(EDOM),      NAME(ERANGE),
        NAME(EDEADLK),    NAME(ENOSYS),    NAME(EOVERFLOW),  NAME(ENOTSUP),   NAME(EOWNERDEAD),
        NAME(ETIMEDOUT),  NAME(ECANCELED), NAME(ENODATA),    NAME(ENOTCONN),  NAME(ENOTRECOVERABLE),
        NAME(EISCONN),    NAME(ENOTSOCK),  NAME(EADDRINUSE), NAME(ENXIO),     NAME(ECONNREFUSED),
        NAME(ECONNRESET), NAME(EALREADY),  NAME(ENOPROTOOPT), NAME(EDESTADDRREQ), NAME(EINPROGRESS),
        NAME(EAFNOSUPPORT), NAME(EPROTONOSUPPORT), NAME(EOPNOTSUPP), NAME(ELOOP), NAME(ENAMETOOLONG),
        NAME(EPROTOTYPE), NAME(EFBIG), NAME(EXDEV), NAME(EMSGSIZE), NAME(ENOTEMPTY), NAME(EILSEQ),
#undef NAME
    };
    static char other[16];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error)
            return names[i].name;
    snprintf(other, sizeof other, "%d", error);
    return other;
}

/* ---- saying what calls give. Each is a statement; the text of the call comes first. */

/* A function that returns an error number. */
#define CODE(call) conform_code(#call, call)

static int conform_code(const char *call, int code)
{
    say("%s: %s", call, error_name(code));
    return code;
}

/* One that returns -1 and sets errno. Evaluates to what it returns. */
#define SYS(call) (errno = 0, conform_sys(#call, (long)(call)))

static long conform_sys(const char *call, long result)
{
    if (result == -1)
        say("%s: -1 %s", call, error_name(errno));
    else
        say("%s: %ld", call, result);
    return result;
}

/* One whose result is good or bad, but not always the same: a descriptor, a time. */
#define DONE(call) (errno = 0, conform_succeeds(#call, (long)(call)))

static long conform_succeeds(const char *call, long result)
{
    if (result == -1)
        say("%s: -1 %s", call, error_name(errno));
    else
        say("%s: %s", call, result >= 0 ? "done" : "negative");
    return result;
}

/* One that returns a pointer, or NULL and sets errno. */
#define PTR(call) (errno = 0, conform_pointer(#call, (const void *)(call)))

static void *conform_pointer(const char *call, const void *result)
{
    if (!result || result == (void *)-1)
        say("%s: %s %s", call, result ? "(void *)-1" : "NULL", error_name(errno));
    else
        say("%s: a pointer", call);
    return (void *)result;
}

#define NUM(expression)  say("%s = %lld", #expression, (long long)(expression))
#define TEXT(expression) conform_string(#expression, expression)

static void conform_string(const char *expression, const char *text)
{
    say("%s = %s%s%s", expression, text ? "\"" : "", text ? text : "NULL", text ? "\"" : "");
}

/* ---- threads and times */

/* Runs `routine` in a thread of its own, to its end, and gives what it returned. */
__attribute__((unused)) static void *in_thread(void *(*routine)(void *), void *argument)
{
    pthread_t thread;
    void *result = NULL;

    if (pthread_create(&thread, NULL, routine, argument) == 0)
        pthread_join(thread, &result);
    return result;
}

/* The time on a clock, `milliseconds` from now. */
__attribute__((unused)) static struct timespec from_now(clockid_t clock, long milliseconds)
{
    struct timespec time;

    clock_gettime(clock, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += milliseconds % 1000 * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    if (time.tv_nsec < 0) {
        time.tv_nsec += 1000000000;
        time.tv_sec--;
    }
    return time;
}

__attribute__((unused)) static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

#endif
