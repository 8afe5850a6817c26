#include <string.h>

#include "runtime/program/native.h"

/* Thread-local variables of instrumented code. Each thread has its copies with its stack, or in its heap. */

static struct {
    struct map numbers; /* address of a raddle_tls -> number; grows in a search */
} variables;

/* Of each thread. */
struct variables_thread {
    VEC(void *) copies; /* by number; the copies themselves go with the stack and the heap */
};

static struct variables_thread *variables_of(const struct native_thread *thread)
{
    return thread->own[PART_VARIABLES];
}

INTERPOSE void *__raddle_tls_address(struct raddle_tls *variable)
{
    struct variables_thread *own;
    uint64_t key = (uint64_t)(uintptr_t)variable;
    uint32_t number;
    void *copy;

    if (!native.current) /* a constructor: its changes are part of the initial value */
        return (void *)variable->initial;
    own = variables_of(native.current);
    number = map_get(&variables.numbers, key);
    if (number == MAP_ABSENT) {
        number = variables.numbers.count;
        map_add(&variables.numbers, key, number);
    }
    while (own->copies.count <= number)
        vec_push(&native.session->arena, &own->copies, NULL);
    copy = own->copies.at[number];
    if (copy)
        return copy;
    copy = native_private_memory(variable->size, variable->align);
    if (variable->initial)
        memcpy(copy, variable->initial, variable->size);
    own->copies.at[number] = copy;
    return copy;
}

static void open_numbers(void)
{
    map_open(&variables.numbers, &native.session->arena);
}

static void thread_begins(struct native_thread *thread)
{
    variables_of(thread)->copies.count = 0;
}

const struct part variables_part = {.name = "thread-local variables",
                                    .state = &variables,
                                    .size = sizeof variables,
                                    .thread_size = sizeof(struct variables_thread),
                                    .open = open_numbers,
                                    .thread_begins = thread_begins};
