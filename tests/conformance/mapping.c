// Memory from mmap.
#include "conform.h"
#include <sys/mman.h>

static void program(void)
{
    char *a, *b;
    unsigned char in[4];
    int fd;

    a = PTR(mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    NUM((uintptr_t)a % 4096);
    NUM(a[0] + a[8191]);
    strcpy(a + 4090, "over the page");
    TEXT(a + 4090);
    SYS(mincore(a, 8192, in));
    NUM(in[0] & 1);
    a = PTR(mremap(a, 8192, 16384, MREMAP_MAYMOVE));
    TEXT(a + 4090);
    NUM(a[16383]);
    SYS(madvise(a, 4096, MADV_NORMAL));
    SYS(madvise(a, 4096, MADV_DONTNEED));
    NUM(a[4090]);
    SYS(madvise(a, 4096, 12345));
    SYS(mprotect(a, 4096, PROT_READ));
    NUM(a[0]);
    SYS(mprotect(a, 4096, PROT_READ | PROT_WRITE));
    a[0] = 'x';
    SYS(mprotect(a + 1, 4096, PROT_READ));
    SYS(munmap(a, 16384));
    PTR(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    PTR(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0));
    fd = memfd_create("mapped", 0);
    SYS(write(fd, "content", 8));
    b = PTR(mmap64(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    TEXT(b);
    b[0] = 'C';
    SYS(pread(fd, in, 4, 0));
    NUM(in[0] == 'C');
    SYS(munmap(b, 4096));
    close(fd);
}
