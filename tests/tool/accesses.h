/* What the program that accesses.py makes is about: memory for arguments, descriptors, and the thread that conflicts. */
#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <langinfo.h>
#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wctype.h>

char *dirname(char *);

#undef fwrite_unlocked /* macros when optimizing */
#undef fread_unlocked

struct variant {
    const char *name;
    void (*begin)(void), (*call)(void), (*pointer)(void);
    void (*conflict)(const struct variant *);
    char *(*at)(void); /* the first byte of the memory that both access */
};

static _Alignas(4096) char A[10][8192]; /* one for each argument */
static char V[64];                      /* the data of a vector or message */
static va_list L;
static FILE *F;
static DIR *D;
static void *P; /* the function that is called */
static _Atomic(char *) R;
static int FD, IN, OUT, S[2], EVENT, SET, LISTENER, CLIENT;
static pthread_t OTHER;
static volatile char sink;

/* ---- how the other thread conflicts */

static void peek(const struct variant *v) { sink = *v->at(); }

static void poke(const struct variant *v)
{
    char *at = v->at();

    *at = *at;
}

static void again(const struct variant *v) { v->call(); }

static void published(const struct variant *v)
{
    char *at = atomic_load_explicit(&R, memory_order_relaxed);

    (void)v;
    if (at)
        sink = *at;
}

/* ---- what recipes use */

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *nothing(void *a) { return a; }

static void routine(void) {}

static void vector_make(char *at)
{
    struct iovec vector = {V, sizeof V};

    memcpy(at, &vector, sizeof vector);
}

static void message_make(char *at)
{
    struct iovec vector = {V, sizeof V};
    struct msghdr message = {.msg_iov = (void *)A[9], .msg_iovlen = 1};

    memcpy(A[9], &vector, sizeof vector);
    memcpy(at, &message, sizeof message);
}

static void number(char *at, int value) { memcpy(at, &value, sizeof value); }

static void word(char *at, const void *value) { memcpy(at, &value, sizeof value); }

static void ceiling_make(char *at)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&attributes, 1);
    pthread_mutex_init((void *)at, &attributes);
}

static pthread_t joinable(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, nothing, NULL);
    return thread;
}

/* ---- the run */

static void *thread(void *v)
{
    const struct variant *variant = v;

    variant->conflict(variant);
    return NULL;
}

static void setup(void)
{
    int ends[2];
    char data[32] = "7777777";
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;

    setvbuf(stdout, NULL, _IONBF, 0);
    FD = open("file", O_RDWR);
    F = fopen("file", "r+");
    D = opendir(".");
    if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, S))
        abort();
    IN = ends[0];
    OUT = ends[1];
    if (write(OUT, data, sizeof data) < 0 || write(S[1], data, sizeof data) < 0)
        abort();
    EVENT = eventfd(1, 0);
    SET = epoll_create1(0);
    epoll_ctl(SET, EPOLL_CTL_ADD, IN, &(struct epoll_event){.events = EPOLLIN});
    LISTENER = socket(AF_INET, SOCK_STREAM, 0);
    CLIENT = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(LISTENER, (void *)&address, sizeof address) || listen(LISTENER, 2) ||
        getsockname(LISTENER, (void *)&address, &size) || connect(CLIENT, (void *)&address, size))
        abort();
}

static int go(const struct variant *v, int through_pointer, ...)
{
    va_start(L, through_pointer);
    setup();
    v->begin();
    pthread_create(&OTHER, NULL, thread, (void *)v);
    (through_pointer ? v->pointer : v->call)();
    pthread_join(OTHER, NULL);
    va_end(L);
    return 0;
}

static int run(const struct variant *variants, int count, char **words)
{
    return go(&variants[atoi(words[1])], count > 2, "7", "7", "7");
}
