// Serves two connections that come from another process, each in a thread of its own.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_int served;

static void *serve(void *argument)
{
    int fd = (int)(intptr_t)argument;
    char line[16];

    assert(recv(fd, line, 6, MSG_WAITALL) == 6 && memcmp(line, "hello\n", 6) == 0);
    assert(write(fd, "welcome\n", 8) == 8);
    close(fd);
    atomic_fetch_add(&served, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t threads[2];

    address.sin_port = htons((uint16_t)atoi(argv[argc - 1]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    assert(listen(listener, 8) == 0);
    for (int i = 0; i < 2; i++) {
        int fd = accept(listener, NULL, NULL);

        assert(fd >= 0);
        pthread_create(&threads[i], NULL, serve, (void *)(intptr_t)fd);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(served == 2);
    return 0;
}
