// Locks of files between threads that opened the file themselves: a mutex, readers and a writer, ranges, deadlocks.
// EXPECT: safe executions=12
// EXPECT(sc -DTRY): safe
// EXPECT(sc -DSHARED): safe
// EXPECT(sc -DSHARED -DWRITES): data-race
// EXPECT(sc -DRANGES): safe executions=6
// EXPECT(sc -DCLOSES): safe executions=20
// EXPECT(sc -DOFD): safe executions=12
// EXPECT(sc -DTWO): deadlock says=waits for the lock of the file \(fd [0-9]+\)
// EXPECT(sc -DTWO -DOFD): deadlock
// EXPECT(sc -DAGAIN): deadlock
// EXPECT(sc -DUPGRADE): safe
// EXPECT(sc -DONE): incomplete says=not modelled: a lock of one open file that several threads use
// EXPECT(sc -DOVERLAP): incomplete says=not modelled: locks of parts of a file that overlap
// EXPECT(sc -DMIXED): incomplete says=not modelled: locks of the process and of open files on one file
// EXPECT(sc -DPROCESS): data-race
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static const char *const names[] = {"raddle-file-lock-a", "raddle-file-lock-b"};
static int counter, inside, one;

static int ask(int fd, int command, int type, long start, long size)
{
    struct flock range = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = start, .l_len = size};

    return fcntl(fd, command, &range);
}

static void take(int fd, int shared)
{
#if defined OFD
    assert(ask(fd, F_OFD_SETLKW, shared ? F_RDLCK : F_WRLCK, 0, 0) == 0);
#elif defined PROCESS
    assert(ask(fd, F_SETLKW, shared ? F_RDLCK : F_WRLCK, 0, 0) == 0);
#else
    assert(flock(fd, shared ? LOCK_SH : LOCK_EX) == 0);
#endif
}

static void give(int fd)
{
#if defined OFD
    assert(ask(fd, F_OFD_SETLK, F_UNLCK, 0, 0) == 0);
#elif defined PROCESS
    assert(ask(fd, F_SETLK, F_UNLCK, 0, 0) == 0);
#elif defined CLOSES
    assert(close(fd) == 0);
#else
    assert(flock(fd, LOCK_UN) == 0);
#endif
}

static void *worker(void *argument)
{
    int number = *(int *)argument, fd = open(names[0], O_RDWR), other = open(names[1], O_RDWR);

#if defined TRY
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        assert(counter++ >= 0);
        give(fd);
    } else {
        assert(errno == EWOULDBLOCK);
    }
#elif defined SHARED
    take(fd, number == 0);
    if (number == 0)
        assert(counter >= 0);
#ifdef WRITES
    give(fd);
#endif
    if (number == 1)
        counter++;
#ifndef WRITES
    give(fd);
#endif
#elif defined RANGES
    assert(ask(fd, F_OFD_SETLKW, F_WRLCK, number * 10, 10) == 0);
    assert(ask(fd, F_OFD_SETLK, F_UNLCK, 0, 0) == 0);
#elif defined TWO
    take(number ? fd : other, 0);
    take(number ? other : fd, 0);
    give(fd);
    give(other);
#elif defined AGAIN
    if (number == 0) {
        take(fd, 0);
        take(open(names[0], O_RDWR), 0);
    }
#elif defined UPGRADE
    if (flock(fd, LOCK_SH | LOCK_NB) == 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        counter++;
    give(fd);
#elif defined ONE
    take(one, 0);
    give(one);
#elif defined OVERLAP
    assert(ask(fd, F_OFD_SETLK, F_RDLCK, number * 5, 10) == 0);
#elif defined MIXED
    ask(fd, number ? F_OFD_SETLK : F_SETLK, F_RDLCK, 0, 0);
#else
    take(fd, 0);
    assert(inside++ == 0);
    counter++;
    inside--;
    give(fd);
#endif
    (void)other;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};

    for (int i = 0; i < 2; i++)
        close(open(names[i], O_RDWR | O_CREAT, 0600));
    one = open(names[0], O_RDWR);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        unlink(names[i]);
}
