/* raddle_relay FD PID: one rank of an MPI job, for a raddle that it is the parent of. It carries bytes between a socket and the other ranks, and knows nothing
 * else. A program of its own, so that raddle is not linked with MPI, and so that no process that uses MPI forks or is killed by what it checks.
 *
 * On the socket each piece has two words before it: its length, and the rank that it is for or from. The first one that raddle gets has its own rank, and the number of ranks. An
 * empty piece says that the raddle of that rank is gone. When ours is, we still take what others send, until they all know. */

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TAG  1
#define HEAD 8 /* bytes before a piece */
#define FULL                                                                                       \
    16384 /* bytes for raddle that wait: then no more are taken from MPI, unless one piece is larger */

/* Looks in vain before we sleep between them, and for how long then: at first, and when nothing has come for long. */
#define LOOKS      50
#define LOOKS_LONG 2000
#define SLEEP      100000 /* ns */
#define SLEEP_LONG 1000000

#define PATIENCE 5.0 /* seconds for other ranks to end when the first one has */

struct buffer {
    char *at;
    size_t count, room;
};

/* A piece on its way to another rank. */
struct parcel {
    struct parcel *next;
    MPI_Request request;
    char bytes[];
};

static struct {
    int fd;
    int rank, size;
    struct buffer in, out; /* from and to raddle */
    struct parcel *first, *last;
    bool ended; /* our raddle has */
    bool *gone; /* by rank: theirs has */
} relay;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "raddle: --mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 4);
    exit(4);
}

static char *buffer_room(struct buffer *buffer, size_t size)
{
    if (buffer->room - buffer->count < size) {
        buffer->room = 2 * (buffer->count + size);
        buffer->at = realloc(buffer->at, buffer->room);
        if (!buffer->at)
            fail("out of memory");
    }
    return buffer->at + buffer->count;
}

static void buffer_drop(struct buffer *buffer, size_t size)
{
    memmove(buffer->at, buffer->at + size, buffer->count - size);
    buffer->count -= size;
}

/* ---- to other ranks */

static void parcel_send(uint32_t rank, const char *at, uint32_t size)
{
    struct parcel *parcel = malloc(sizeof *parcel + size);

    if (!parcel || size > INT32_MAX)
        fail("out of memory");
    if (rank >= (uint32_t)relay.size || (int)rank == relay.rank)
        fail("a piece for a rank that is not there");
    parcel->next = NULL;
    if (size)
        memcpy(parcel->bytes, at, size);
    MPI_Isend(parcel->bytes, (int)size, MPI_BYTE, (int)rank, TAG, MPI_COMM_WORLD, &parcel->request);
    if (relay.last)
        relay.last->next = parcel;
    else
        relay.first = parcel;
    relay.last = parcel;
}

/* Those that have arrived need no memory any more. */
static bool parcels_settle(void)
{
    bool any = false;

    while (relay.first) {
        struct parcel *parcel = relay.first;
        int done;

        MPI_Test(&parcel->request, &done, MPI_STATUS_IGNORE);
        if (!done)
            return any;
        relay.first = parcel->next;
        if (!relay.first)
            relay.last = NULL;
        free(parcel);
        any = true;
    }
    return any;
}

/* Only the first rank talks to all others. */
static bool talks_to(int rank)
{
    return rank != relay.rank && (rank == 0 || relay.rank == 0);
}

static void raddle_ended(void)
{
    relay.ended = true;
    for (int i = 0; i < relay.size; i++)
        if (talks_to(i))
            parcel_send((uint32_t)i, NULL, 0);
}

/* ---- from and to raddle */

static bool raddle_read(void)
{
    uint32_t head[2];
    ssize_t n;

    if (relay.ended)
        return false;
    buffer_room(&relay.in, 1 << 16);
    n = read(relay.fd, relay.in.at + relay.in.count, relay.in.room - relay.in.count);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        raddle_ended();
        return true;
    }
    relay.in.count += (size_t)n;
    size_t at = 0;
    while (relay.in.count - at >= HEAD) {
        memcpy(head, relay.in.at + at, HEAD);
        if (relay.in.count - at - HEAD < head[0])
            break;
        parcel_send(head[1], relay.in.at + at + HEAD, head[0]);
        at += HEAD + head[0];
    }
    buffer_drop(&relay.in, at);
    return true;
}

static bool raddle_write(void)
{
    ssize_t n;

    if (relay.ended)
        relay.out.count = 0;
    if (relay.out.count == 0)
        return false;
    n = write(relay.fd, relay.out.at, relay.out.count);
    if (n > 0)
        buffer_drop(&relay.out, (size_t)n);
    return n > 0; /* if nobody reads any more, that is noticed when we do */
}

static void piece_add(uint32_t rank, uint32_t size)
{
    uint32_t head[2] = {size, rank};

    memcpy(buffer_room(&relay.out, HEAD + size), head, HEAD);
    relay.out.count += HEAD;
}

/* ---- from other ranks */

static bool parcels_take(void)
{
    bool any = false;

    while (relay.out.count < FULL) {
        MPI_Status status;
        int here, size;

        MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &here, &status);
        if (!here)
            return any;
        MPI_Get_count(&status, MPI_BYTE, &size);
        piece_add((uint32_t)status.MPI_SOURCE, (uint32_t)size);
        MPI_Recv(relay.out.at + relay.out.count, size, MPI_BYTE, status.MPI_SOURCE, TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        relay.out.count += (size_t)size;
        if (size == 0)
            relay.gone[status.MPI_SOURCE] = true;
        if (relay.ended)
            relay.out.count = 0;
        any = true;
    }
    return any;
}

static bool all_is_said(void)
{
    if (!relay.ended || relay.first)
        return false;
    for (int i = 0; i < relay.size; i++)
        if (talks_to(i) && !relay.gone[i])
            return false;
    return true;
}

static double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* False if some rank has not said that it ends: it is lost, and MPI could only wait for it. */
static bool carry(void)
{
    double end = 0;

    for (unsigned idle = 0; !all_is_said();) {
        struct pollfd fd = {.fd = relay.ended ? -1 : relay.fd,
                            .events = (short)(POLLIN | (relay.out.count ? POLLOUT : 0))};
        struct timespec pause = {.tv_nsec = idle < LOOKS        ? 0
                                            : idle < LOOKS_LONG ? SLEEP
                                                                : SLEEP_LONG};
        bool any;

        if (idle < LOOKS)
            sched_yield();
        ppoll(&fd, 1, &pause, NULL);
        any = raddle_read();
        any |= parcels_take();
        any |= raddle_write();
        any |= parcels_settle();
        idle = any ? 0 : idle + 1;
        if (relay.ended && end == 0)
            end = clock_now() + PATIENCE;
        if (relay.ended && relay.rank == 0 && clock_now() > end)
            return false;
    }
    return true;
}

static int raddle_status(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 4;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    uint32_t size;
    int status;

    if (argc != 3) {
        fprintf(stderr, "usage: raddle_relay FD PID, by `raddle check --mpi`\n");
        return 2;
    }
    /* for raddle, which gets them, too */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return 4;
    MPI_Comm_rank(MPI_COMM_WORLD, &relay.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &relay.size);
    relay.fd = atoi(argv[1]);
    fcntl(relay.fd, F_SETFL, O_NONBLOCK);
    relay.gone = calloc((size_t)relay.size, sizeof *relay.gone);
    if (!relay.gone)
        fail("out of memory");
    size = (uint32_t)relay.size;
    piece_add((uint32_t)relay.rank, sizeof size);
    memcpy(buffer_room(&relay.out, sizeof size), &size, sizeof size);
    relay.out.count += sizeof size;
    if (carry()) {
        status = raddle_status(atoi(argv[2]));
        MPI_Finalize();
        return relay.rank == 0 ? status : 0; /* the loss of another one is no result */
    }
    status = raddle_status(atoi(argv[2]));
    fprintf(stderr, "raddle: --mpi: a rank was lost\n");
    MPI_Abort(MPI_COMM_WORLD, status);
    return status;
}
