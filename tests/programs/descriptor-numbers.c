// A descriptor gets the lowest free number: one that a thread has closed is the next that another one gets, and both orders are tried.
// EXPECT(all -DLOWEST): safe
// EXPECT(sc -DSELECT): safe executions=1
// EXPECT(all -DREUSE): assertion at=reuse
// EXPECT(sc -DTAKEN): assertion at=taken
// EXPECT(sc -DFIRST): assertion at=first
// EXPECT(sc -DEITHER): safe executions=2
// EXPECT(sc -DTWICE): assertion at=twice
// EXPECT(sc -DPIPES): assertion at=pipes
// EXPECT(sc -DSOCKETS): assertion at=sockets
// EXPECT(sc -DSTREAMS): assertion at=streams
// EXPECT(sc -DDUP): assertion at=dup
// EXPECT(sc -DDUP2): assertion at=dup2
// EXPECT(sc -DFROM): safe
// EXPECT(sc -DOWN): safe
// EXPECT(sc -DJOINED): safe
// EXPECT(sc -DMANY): incomplete says=so many descriptors opened by several threads
#define _GNU_SOURCE
#include "common.h"
#include <fcntl.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int fd, other, ends[2], more[2], opened[2];
static struct stat status;

static int make(const char *name)
{
    int made = open(name, O_CREAT | O_RDWR, 0600);

    assert(made >= 0);
    return made;
}

static void *nothing(void *arg)
{
    return arg;
}

static void *first(void *arg)
{
#if defined SELECT
    for (int i = 0; i < 60; i++) {
        struct timeval now = {0};
        fd_set set;

        assert(pipe(ends) == 0 && ends[1] < FD_SETSIZE);
        FD_ZERO(&set);
        FD_SET(ends[0], &set);
        assert(select(ends[0] + 1, &set, NULL, NULL, &now) == 0);
        close(ends[0]);
        close(ends[1]);
    }
#elif defined REUSE
    (void)!write(fd, "a", 1);
#elif defined TAKEN || defined FROM || defined TWICE
    close(fd);
#ifdef TWICE
    close(fd);
#endif
#elif defined FIRST || defined EITHER
    opened[0] = make("one");
#elif defined PIPES || defined SOCKETS
    (void)!write(ends[1], "a", 1);
#elif defined STREAMS
    FILE *stream = fdopen(fd, "w");

    fputs("a", stream);
    fclose(stream);
    close(fd); /* once too often */
#elif defined DUP || defined DUP2
    (void)!write(fd, "a", 1);
#elif defined OWN || defined JOINED
    int own = make("one");

    assert(write(own, "a", 1) == 1 && close(own) == 0);
#elif defined MANY
    for (int i = 0; i < 20; i++)
        close(make("one"));
#endif
    return arg;
}

static void *second(void *arg)
{
#if defined REUSE
    close(fd);
    other = make("second");
#elif defined TAKEN
    other = make("second");
#elif defined FROM
    other = fcntl(0, F_DUPFD, 50);
    assert(other == 50);
#elif defined FIRST || defined EITHER
    opened[1] = make("second");
#elif defined TWICE || defined STREAMS
    other = make("second");
    opened[1] = (int)write(other, "b", 1);
#elif defined PIPES
    close(ends[1]);
    assert(pipe(more) == 0);
#elif defined SOCKETS
    close(ends[1]);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, more) == 0);
#elif defined DUP
    close(fd);
    other = dup(more[0]);
#elif defined DUP2
    dup2(more[0], fd);
#elif defined OWN
    int own = make("second");

    assert(write(own, "a", 1) == 1 && close(own) == 0);
#elif defined MANY
    for (int i = 0; i < 20; i++)
        close(make("second"));
#endif
    return arg;
}

static void check(void)
{
    char text[4];

#if defined REUSE
    assert(fstat(other, &status) == 0 && status.st_size == 0); /* reuse */
#elif defined TAKEN
    assert(other != fd); /* taken */
#elif defined FIRST
    assert(opened[0] < opened[1]); /* first */
#elif defined EITHER
    assert(opened[0] + opened[1] == 2 * fd + 3 && opened[0] != opened[1]);
#elif defined TWICE
    assert(opened[1] == 1); /* twice */
#elif defined STREAMS
    assert(opened[1] == 1); /* streams */
#elif defined PIPES || defined SOCKETS
    int from = more[0] == ends[1] ? more[1] : more[0];

    fcntl(from, F_SETFL, O_NONBLOCK);
#ifdef SOCKETS
    assert(read(from, text, 1) == -1); /* sockets */
#else
    assert(more[1] != ends[1] || read(more[0], text, 1) == -1); /* pipes */
#endif
#elif defined DUP
    assert(fstat(more[0], &status) == 0 && status.st_size == 0); /* dup */
#elif defined DUP2
    assert(fstat(more[0], &status) == 0 && status.st_size == 0); /* dup2 */
#endif
    (void)text;
}

int main(void)
{
#ifdef LOWEST
    pthread_t t;

    pthread_create(&t, NULL, nothing, NULL);
    close(0);
    assert(open("/dev/null", O_RDONLY) == 0);
    pthread_join(t, NULL);
    return 0;
#endif
    fd = make("zero");
#if defined PIPES
    other = make("filler"); /* so that the write end of the next pipe may get the number */
    assert(pipe(ends) == 0 && close(other) == 0);
#elif defined SOCKETS
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
#elif defined DUP || defined DUP2
    more[0] = make("three");
#endif
#ifdef JOINED
    pthread_t t;

    for (int i = 0; i < 12; i++) {
        pthread_create(&t, NULL, first, NULL);
        pthread_join(t, NULL);
        assert(make("second") == fd + 1 && close(fd + 1) == 0);
    }
#elif defined SELECT
    run2(first, nothing);
#else
    run2(first, second);
#endif
    check();
    return 0;
}
