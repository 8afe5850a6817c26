#ifndef RADDLE_RUNTIME_CORE_KERNEL_H
#define RADDLE_RUNTIME_CORE_KERNEL_H

/* System calls of the runtime itself. libraddle.so interposes many functions of libc, so that a
 * plain close() written here would reach our own interceptor and be taken for the program's: the
 * runtime asks the kernel directly. All return what syscall() returns: -1 with errno set on
 * failure. */

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Anonymous private memory; `at` NULL lets the kernel choose. NULL with errno set on failure. Where
 * the address is taken it fails with EEXIST; a kernel before 4.17, which takes the address as a
 * wish, looks the same. */
static inline void *kernel_map(void *at, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    void *got = (void *)syscall(SYS_mmap, at, size, PROT_READ | PROT_WRITE, flags, -1, 0L);

    if (got == MAP_FAILED)
        return NULL;
    if (at && got != at) {
        syscall(SYS_munmap, got, size);
        return NULL;
    }
    /* One touched byte must cost one page, not a huge one. A kernel without huge pages says EINVAL:
     * fine. */
    syscall(SYS_madvise, got, size, MADV_NOHUGEPAGE);
    return got;
}

static inline _Noreturn void kernel_exit(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

static inline int kernel_close(int fd)
{
    return (int)syscall(SYS_close, fd);
}

static inline int kernel_protect(void *at, size_t size, int how)
{
    return (int)syscall(SYS_mprotect, at, size, how);
}

/* Gives the pages back; they read as zeros when touched again. */
static inline int kernel_discard(void *at, size_t size)
{
    return (int)syscall(SYS_madvise, at, size, MADV_DONTNEED);
}

#endif
