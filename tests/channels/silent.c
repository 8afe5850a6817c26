// Waits for an answer that never comes.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char c;

    address.sin_port = htons((uint16_t)atoi(argv[argc - 1]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    assert(write(fd, "silence\n", 8) == 8);
    return (int)read(fd, &c, 1);
}
