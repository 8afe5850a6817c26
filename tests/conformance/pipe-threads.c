// A pipe between threads: reading waits for bytes or the end, writing for room.
#include "conform.h"
#include <semaphore.h>
#include <signal.h>

static int ends[2], back[2];
static char large[1 << 17];

static void *reads(void *argument)
{
    char text[16] = "";

    SYS(read(ends[0], text, 5));
    TEXT(text);
    write(back[1], "x", 1);
    SYS(read(ends[0], text, sizeof text)); /* the end */
    return argument;
}

static void *drains(void *argument)
{
    size_t got = 0;
    ssize_t n;

    while ((n = read(ends[0], large, sizeof large)) > 0)
        got += (size_t)n;
    NUM(got);
    return argument;
}

static void program(void)
{
    static char filling[100000];
    pthread_t thread;
    char byte;
    int nonblocking[2];

    SYS(pipe(ends));
    SYS(pipe(back));
    pthread_create(&thread, NULL, reads, NULL);
    write(ends[1], "hello", 5);
    read(back[0], &byte, 1);
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
    SYS(pipe(ends));
    pthread_create(&thread, NULL, drains, NULL);
    NUM(write(ends[1], filling, sizeof filling)); /* more than a pipe holds */
    close(ends[1]);
    pthread_join(thread, NULL);
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    SYS(pipe(ends));
    close(ends[0]);
    SYS(write(ends[1], "x", 1));
    SYS(pipe2(nonblocking, O_NONBLOCK));
    SYS(read(nonblocking[0], &byte, 1));
    NUM(write(nonblocking[1], filling, sizeof filling));
    SYS(write(nonblocking[1], filling, sizeof filling));
    SYS(lseek(nonblocking[0], 0, SEEK_SET));
}
