// Two threads fetch one half each from a server that is another process, and put the halves together.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address = {.sin_family = AF_INET};
static char whole[64];
static size_t total; /* of what both have got */
#ifndef UNLOCKED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void count(size_t n)
{
#ifndef UNLOCKED
    pthread_mutex_lock(&lock);
#endif
    total += n; /* race */
#ifndef UNLOCKED
    pthread_mutex_unlock(&lock);
#endif
}

static void *fetch(void *argument)
{
    const char *half = argument;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char *to = whole + (strcmp(half, "first\n") ? 20 : 0);
    ssize_t n;
    size_t got = 0;

    assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    assert(write(fd, half, strlen(half)) == (ssize_t)strlen(half));
    while ((n = read(fd, to + got, 20 - got)) > 0)
        got += (size_t)n;
    assert(n == 0 && got == 20);
    close(fd);
    count(got);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    if (argc != 2)
        return 2;
    address.sin_port = htons((uint16_t)atoi(argv[1]));
    assert(inet_pton(AF_INET, "127.0.0.1", &address.sin_addr) == 1);
    pthread_create(&threads[0], NULL, fetch, "first\n");
    pthread_create(&threads[1], NULL, fetch, "second\n");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(total == 40);
    assert(memcmp(whole, "0123456789012345678901234567890123456789", 40) == 0);
    return 0;
}
