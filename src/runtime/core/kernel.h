#ifndef RADDLE_RUNTIME_CORE_KERNEL_H
#define RADDLE_RUNTIME_CORE_KERNEL_H

/* System calls of the runtime itself. libraddle.so interposes many functions of libc, so that a
 * plain close() written here would reach our own interceptor and be taken for the program's: the
 * runtime asks the kernel directly. All return what syscall() returns: -1 with errno set on
 * failure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* How often memory was mapped, unmapped, moved or protected by the runtime, or through it by the program. Whoever does it without the functions below
 * counts it here. */
extern uint64_t kernel_changes;

/* Told of memory that is given back below, if anybody wants to know. True: it has made it zeros, and that is enough. */
extern bool (*kernel_discards)(void *at, size_t size);

/* A number that is another one when mappings have changed since, whoever did it. A few system calls. */
uint64_t kernel_mappings(void);

/* Calls `visit` for each line of /proc/self/maps, or its first 127 bytes, until that says false. False then, too, and if they cannot be read. */
bool kernel_maps(bool (*visit)(const char *line, void *context), void *context);

/* Anonymous private memory; `at` NULL lets the kernel choose. NULL with errno set on failure. Where
 * the address is taken it fails with EEXIST; a kernel before 4.17, which takes the address as a
 * wish, looks the same. */
static inline void *kernel_map(void *at, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    void *got = (void *)syscall(SYS_mmap, at, size, PROT_READ | PROT_WRITE, flags, -1, 0L);

    kernel_changes++;
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
    kernel_changes++;
    return (int)syscall(SYS_mprotect, at, size, how);
}

/* Reads all pages. False if one cannot be read: it is behind the end of its file, say. */
static inline bool kernel_populate(void *at, size_t size)
{
    return syscall(SYS_madvise, at, size, MADV_POPULATE_READ) == 0;
}

/* Makes all pages be there, without changing them. */
static inline void kernel_populate_written(void *at, size_t size)
{
    syscall(SYS_madvise, at, size, MADV_POPULATE_WRITE);
}

/* Gives the pages back; they read as zeros when touched again. */
static inline int kernel_discard(void *at, size_t size)
{
    if (kernel_discards && kernel_discards(at, size))
        return 0;
    return (int)syscall(SYS_madvise, at, size, MADV_DONTNEED);
}

#endif
