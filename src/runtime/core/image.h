#ifndef RADDLE_RUNTIME_CORE_IMAGE_H
#define RADDLE_RUNTIME_CORE_IMAGE_H

/* Writable memory of the program and its libraries, brought back to how it was at image_save.
 *
 * A range of up to IMAGE_WHOLE bytes is copied at each restart. A larger one is read-only at first:
 * the first write ever to a page faults, image_fault saves the page and makes it writable for good,
 * and restarts copy it from then on. So a restart costs what the executions so far have dirtied,
 * and memory that nobody writes is not kept twice.
 *
 * Measured (bench_restart, 2.4 GHz Zen 3, virtual machine): copying 64 KiB costs 1.3 us, 16 KiB 0.2
 * us, a page 40 to 70 ns; a first write about 12 us, once in a search. So tracking pages pays
 * almost at once, and ranges of up to IMAGE_WHOLE are copied only because a system call can then
 * write to them. Finding what changed within a page by comparing would cost as much as the copy.
 *
 * The kernel does not fault for us: a system call that writes to a read-only page fails with
 * EFAULT. Whoever lets the program make one calls image_touch first. The handler of SIGSEGV must
 * not write to the ranges itself, or be installed with SA_NODEFER; the program must be bound
 * (LD_BIND_NOW), as lazy binding writes to it. */

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_WHOLE ((size_t)8 << 10)

/* Whether a module belongs to the image; `name` is its path, "" for the program itself. */
typedef bool image_filter(void *context, const char *name, const struct dl_phdr_info *info);

/* Adds data and bss of the modules that `filter` wants (less what the dynamic linker has made
 * read-only), and their thread-local variables in the calling thread. Never asks for the module
 * that holds this function, the dynamic linker, or the vdso. Returns 0, or -1 with errno set. */
int image_add_modules(image_filter *filter, void *context);

/* Whether `name` is a library whose state belongs to any program's: libc, libm, libstdc++, libgcc_s
 * and the like. */
bool image_is_system(const char *name);

/* Whether `name` is the library of a sanitizer, whose state is about the process. */
bool image_is_sanitizer(const char *name);

/* Whether the module was compiled by `raddle cc`: it calls functions named __raddle_*. The program
 * itself is the module with the name "". */
bool image_is_instrumented(const struct dl_phdr_info *info);

/* Whether the function is instrumented code. Looks at the bytes in front of it. */
bool image_is_instrumented_code(const void *function);

/* The same, and it has a frame (hooks.h) if anything visible can be reached from it. */
bool image_is_framed_code(const void *function);

/* Whether the address is in a segment of that module. */
bool image_holds(const struct dl_phdr_info *info, uintptr_t addr);

/* Whether instrumented code of any module refers to that function of another one. */
bool image_calls(const char *name);
/* The same of any code but ours. */
bool image_refers(const char *name);

/* The same of a variable, which the linker may have given a place in the program. */
bool image_names(const char *name);

/* Adds a range; it must be readable and writable, and overlap no other. Its pages must be nobody's
 * but the program's, except for the two at the ends if they are only partly in it. Before
 * image_save. */
int image_add_range(void *start, size_t size);

/* The same for a range that must never be read-only (the kernel writes to its pages, or the stack
 * is near): copied at each restart whatever its size. */
int image_add_copied(void *start, size_t size);

/* Saves the present state and makes the large ranges read-only: from now on SIGSEGV must reach
 * image_fault. Nothing can be added later. Returns 0, or -1 with errno set. */
int image_save(void);

/* The same after image_save, for whole pages: the present state is what each restart brings back. */
int image_add_late(void *start, size_t size);

/* Lets image_save leave the large ranges writable: what is written to them is never brought back. For a
 * single run, in which each fault shall be the program's own. */
void image_untracked(void);

/* A write to `addr` has faulted: true if that was the first to one of our pages, which is now
 * writable: return from the handler. Safe in a signal handler; keeps errno. */
bool image_fault(void *addr);

/* Announces that the kernel may write to [start, start + size): makes our pages in it writable.
 * Cheap when they are, or are not ours. */
void image_touch(void *start, size_t size);

/* Brings everything back. No system call. */
void image_restart(void);

/* Calls `visit` for each piece of the image's memory. */
void image_each(void (*visit)(const void *start, size_t size));

/* The contiguous memory of the image that the address is in: the same at all times, but for what image_add_late adds. False: it is in none. Slow. */
bool image_extent(uintptr_t addr, uintptr_t *low, uintptr_t *high);

struct image_stats {
    size_t bytes;    /* in all ranges */
    size_t restored; /* copied or cleared by each restart */
    size_t saved;    /* of memory kept for that */
    unsigned faults; /* taken so far, touches included */
    unsigned runs;   /* pieces that a restart copies */
};

struct image_stats image_stats(void);

#endif
