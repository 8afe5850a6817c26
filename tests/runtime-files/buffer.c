// EXPECT: incomplete .*720 executions
// System calls that write to static memory which nobody has touched before.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "many.h"

#define MIB (1 << 20)
#define FAR __attribute__((aligned(4096))) static

FAR char large[MIB];
FAR char other[MIB];
FAR struct utsname machine;
FAR struct rusage usage;
FAR struct stat status;
FAR struct pollfd polled[1000];
FAR char link_text[8192];
FAR struct sockaddr_un address;
FAR socklen_t address_size;
FAR fd_set set;
FAR struct iovec vector;
FAR struct sigaction action;

static void all_calls(void)
{
    int fds[2];

    assert(uname(&machine) == 0 && machine.sysname[0] == 'L');
    assert(getrusage(RUSAGE_SELF, &usage) == 0);
    assert(fstatat(AT_FDCWD, "/", &status, 0) == 0 && S_ISDIR(status.st_mode));
    assert(readlink("/proc/self/exe", link_text, sizeof link_text) > 0);
    assert(pipe(fds) == 0 && write(fds[1], "12345678", 8) == 8);
    polled[500] = (struct pollfd){.fd = fds[0], .events = POLLIN};
    assert(poll(&polled[500], 1, 0) == 1 && polled[500].revents == POLLIN);
    FD_SET(fds[0], &set);
    assert(select(fds[0] + 1, &set, NULL, NULL, NULL) == 1);
    vector = (struct iovec){other + MIB / 2, 4};
    assert(readv(fds[0], &vector, 1) == 4 && other[MIB / 2 + 3] == '4');
    fds[0] = socket(AF_UNIX, SOCK_STREAM, 0);
    address_size = sizeof address;
    assert(getsockname(fds[0], (struct sockaddr *)&address, &address_size) == 0);
    assert(sigaction(SIGUSR1, NULL, &action) == 0);
}

int main(int argc, char **argv)
{
    int fd = open("/dev/zero", O_RDONLY);
    FILE *f = fopen(argv[argc - 1], "r");

    for (int i = 0; i < MIB; i += 4096)
        assert(large[i] == 0 && other[i] == 0);
    assert(f && fread(other, 1, MIB, f) > 1000 && other[1] == 'E');
    large[7] = 1;
    assert(read(fd, large, MIB) == MIB && large[7] == 0);
    large[MIB - 1] = 1;
    all_calls();
    many(6);
    return 0;
}
