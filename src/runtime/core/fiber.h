#ifndef RADDLE_RUNTIME_CORE_FIBER_H
#define RADDLE_RUNTIME_CORE_FIBER_H

/* Fibers: several stacks in one OS thread, and stacks for them at addresses that never change. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of program threads that an execution may have; stacks and heap arenas are numbered
 * below it. */
#define RUNTIME_THREADS 1536u

/* A point where code stopped and can go on. The OS thread's own stack needs no preparing: a zeroed
 * fiber that is switched *from* first. */
struct fiber {
    void *sp; /* its saved registers, while it is not running; fiber_<machine>.S knows the offset */
    struct fiber_host *host; /* the OS thread that runs it, if it has one of its own */
    void *pointer; /* to its thread-local memory (tls.h), if that is not the OS thread's */
};

/* Makes the next switch to `fiber` call entry(arg) on the given stack. Whatever it was doing before
 * is forgotten. `entry` must not return. */
void fiber_prepare(struct fiber *fiber, void *stack_low, size_t size, void (*entry)(void *),
                   void *arg);

/* How a thread reckons with floating-point numbers: rounding, masks, flags of SSE. */
struct fiber_floats {
    uint32_t mxcsr;
    uint16_t control; /* of the x87 */
};

/* Those of whoever runs. */
struct fiber_floats fiber_floats(void);

/* A prepared fiber will begin with those, instead of what a new process has. */
void fiber_inherit(struct fiber *fiber, struct fiber_floats floats);

/* Stops here, as `from`, and goes on where `to` stopped; returns when someone switches back to
 * `from`. Each fiber keeps its own rounding mode, exception masks and SSE exception flags. Not
 * kept: the x87 exception flags and the registers that a call may destroy. What is thread-local stays
 * as it is: tls.h changes that. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* Calls that function on the stack of a fiber that is stopped, below all that it has there. Whoever calls stays on its own one otherwise. */
void *fiber_borrow(const struct fiber *fiber, void *(*call)(void));

/* ---- OS threads. For a debugger each fiber has one of its own: it runs on the same stack, at the same addresses, and
 * is handed the turn where it would be switched to. One of them runs at any time. */

/* Whether that is so; false unless fiber_threads_open was called. */
extern bool fiber_threads;

/* From now on fiber_hand_over takes the place of fiber_switch. The calling OS thread belongs to `fiber`. */
void fiber_threads_open(struct fiber *fiber, const char *name);

/* Gives a prepared fiber its OS thread, called `name` (15 characters count), which waits for its turn. libc allocates. */
void fiber_threads_start(struct fiber *fiber, const char *name);

/* As fiber_switch, between fibers with an OS thread each. errno does not survive it. */
void fiber_hand_over(struct fiber *from, struct fiber *to);

/* ---- stacks */

#define STACK_SIZE ((size_t)8 << 20) /* mapped for each thread; memory is taken only when touched */
#define STACK_MAX  ((size_t)192 << 20) /* the largest that stack_get_sized gives */

/* Where they all are: a slot for each thread. */
#define STACK_BASE 0x110000000000u
#define STACK_SLOT ((uintptr_t)256 << 20)
#define STACK_SPAN (RUNTIME_THREADS * STACK_SLOT)

struct stack {
    char *low; /* lowest address */
    size_t size;
};

/* The stack of thread `thread`: always the same addresses, never given back. It holds what the
 * previous execution left. `low` is NULL, with errno set, if there are no such addresses or they
 * are taken. Cheap after the first time. */
struct stack stack_get(uint32_t thread);

/* The same with at least `size` bytes (pthread_attr_setstacksize). The top does not depend on the
 * size, so a stack only ever grows; asking for less than it has gives what it has. */
struct stack stack_get_sized(uint32_t thread, size_t size);

enum stack_place {
    STACK_NOWHERE, /* not an address of a stack */
    STACK_INSIDE,
    STACK_BELOW, /* in the guard below: the stack has overflowed */
    STACK_ABOVE, /* in the guard above */
};

/* What `addr` has to do with a stack; *thread says whose, unless nowhere. The guard below reaches
 * down to the next thread's stack (64 MiB at least), so that a frame with a large array does not
 * jump over it. */
enum stack_place stack_find(const void *addr, uint32_t *thread);

#endif
