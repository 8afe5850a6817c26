// Addresses and names of hosts.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <sys/socket.h>

static struct in_addr address;
static char text[64], service[32];

static void program(void)
{
    struct sockaddr_in full = {.sin_family = AF_INET};
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found = NULL;
    struct in6_addr six;
    int fd, on = 1;

    NUM(htons(1) == 256 && ntohs(256) == 1 && ntohl(htonl(77)) == 77);
    NUM(inet_addr("127.0.0.1") == htonl(INADDR_LOOPBACK));
    NUM(inet_aton("1.2.3.4", &address));
    TEXT(inet_ntoa(address));
    NUM(inet_pton(AF_INET, "10.0.0.1", &address));
    NUM(inet_pton(AF_INET, "10.0.0.", &address));
    NUM(inet_pton(AF_INET6, "::1", &six));
    TEXT(inet_ntop(AF_INET, &address, text, sizeof text));
    TEXT(inet_ntop(AF_INET6, &six, text, sizeof text));
    PTR(inet_ntop(AF_INET, &address, text, 3));
    TEXT(ether_ntoa_r(&(struct ether_addr){{1, 2, 3, 10, 11, 255}}, text));
    NUM(getaddrinfo("127.0.0.1", "80", &hints, &found));
    NUM(((struct sockaddr_in *)found->ai_addr)->sin_port == htons(80));
    NUM(getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, service, sizeof service,
                    NI_NUMERICHOST | NI_NUMERICSERV));
    TEXT(text);
    TEXT(service);
    freeaddrinfo(found);
    NUM(getaddrinfo("not a number", "80", &hints, &found) == EAI_NONAME);
    TEXT(gai_strerror(EAI_NONAME));
    TEXT(gethostbyname("127.0.0.1")->h_name);
    NUM(getservbyname("no such service", "tcp") == NULL);
    TEXT(hstrerror(HOST_NOT_FOUND));
    NUM(if_nametoindex("no such interface"));
    fd = socket(AF_INET, SOCK_STREAM, 0);
    SYS(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    SYS(setsockopt(fd, SOL_SOCKET, 9999, &on, sizeof on));
    SYS(bind(fd, (struct sockaddr *)&full, sizeof full));
    SYS(bind(fd, (struct sockaddr *)&full, sizeof full));
    SYS(shutdown(fd, SHUT_RDWR));
    SYS(listen(fd, 1));
    close(fd);
}
