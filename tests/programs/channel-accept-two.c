// Two threads accept, two connect: who serves whom is open, but each connection is served once.
// (Eight orders of connecting and accepting; in each connection three of closing it and reading from it; and all orders of opening and closing, on which the numbers of descriptors depend.)
// EXPECT: safe executions=3948
// EXPECT(sc -DFIXED): assertion at=fixed
// EXPECT(sc -DUNIX): safe executions=3948
#include "common.h"
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listener;
static socklen_t size;
#ifdef UNIX
static struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0raddle-channel-accept-two"};
#define FAMILY AF_UNIX
#else
static struct sockaddr_in address = {.sin_family = AF_INET};
#define FAMILY AF_INET
#endif

static void *thread(void *argument)
{
    intptr_t id = (intptr_t)argument;
    int fd = id < 2 ? accept(listener, NULL, NULL) : socket(FAMILY, SOCK_STREAM, 0);
    char c = 'a' + (char)id;

    if (id < 2) {
        assert(read(fd, &c, 1) == 1);
        assert(c == 'c' || c == 'd');
#ifdef FIXED
        assert(c == 'c' + id); /* fixed */
#endif
        close(fd);
        return NULL;
    }
    assert(connect(fd, (struct sockaddr *)&address, size) == 0);
    assert(write(fd, &c, 1) == 1);
    close(fd);
    return NULL;
}

int main(void)
{
    listener = socket(FAMILY, SOCK_STREAM, 0);
    size = sizeof address;
    assert(bind(listener, (struct sockaddr *)&address, size) == 0);
    assert(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    assert(listen(listener, 8) == 0);
    run(4, thread);
    return 0;
}
