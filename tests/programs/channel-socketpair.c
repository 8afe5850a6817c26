// Both directions of a pair; messages stay apart; peeking takes nothing; shutting one direction ends it.
// EXPECT(all): safe
#include "common.h"
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int stream[2], packets[2];

static void *other(void *_)
{
    char got[16];
    int count;
    struct iovec two[2] = {{got, 2}, {got + 8, 3}};

    assert(recv(stream[1], got, 5, MSG_WAITALL) == 5 && memcmp(got, "hello", 5) == 0);
    assert(send(stream[1], "abcde", 5, 0) == 5);
    assert(readv(packets[1], two, 2) == 4 && memcmp(got, "pa", 2) == 0 && memcmp(got + 8, "ck", 2) == 0);
    assert(recv(packets[1], got, 16, MSG_PEEK) == 3);
    assert(ioctl(packets[1], FIONREAD, &count) == 0 && count == 3);
    assert(recv(packets[1], got, 2, MSG_TRUNC) == 3 && memcmp(got, "et", 2) == 0);
    assert(recv(packets[1], got, 16, 0) == 0);
    assert(send(packets[1], "bye", 3, 0) == 3);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char got[16];

    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, stream) == 0);
    assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, packets) == 0);
    assert(pthread_create(&thread, NULL, other, NULL) == 0);
    assert(write(stream[0], "hello", 5) == 5);
    assert(recv(stream[0], got, 16, 0) == 5 && memcmp(got, "abcde", 5) == 0);
    assert(recv(stream[0], got, 16, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    assert(send(packets[0], "pack", 4, 0) == 4);
    assert(send(packets[0], "et.", 3, 0) == 3);
    assert(shutdown(packets[0], SHUT_WR) == 0);
    assert(send(packets[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    assert(recv(packets[0], got, 16, 0) == 3);
    pthread_join(thread, NULL);
    assert(lseek(stream[0], 0, SEEK_SET) == -1 && errno == ESPIPE);
    assert(close(stream[0]) == 0 && close(stream[0]) == -1 && errno == EBADF);
    assert(read(stream[0], got, 1) == -1 && errno == EBADF);
    return 0;
}
