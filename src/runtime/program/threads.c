#include <string.h>

#include "base/check.h"
#include "base/fingerprint.h"
#include "runtime/core/heap.h"
#include "runtime/core/symbols.h"
#include "runtime/program/native.h"

/* The threads of the program: which there are, and what a new one begins with. */

struct native native = {.alone = true, .way = native_hand_over};

/* Handles look like pointers, but to nowhere. */
#define HANDLE_BASE 0x640000000000u
#define HANDLE_STEP 64u

unsigned long native_handle(const struct native_thread *thread)
{
    return HANDLE_BASE + (thread ? (unsigned long)thread->number : 0) * HANDLE_STEP;
}

struct native_thread *native_thread_of(unsigned long handle)
{
    unsigned long number = (handle - HANDLE_BASE) / HANDLE_STEP;

    if (handle < HANDLE_BASE || (handle - HANDLE_BASE) % HANDLE_STEP ||
        number >= native.threads.count || native.threads.at[number]->agent == AGENT_NONE)
        return NULL;
    return native.threads.at[number];
}

/* ---- numbers */

static uint64_t thread_name(uint32_t parent, uint32_t rank)
{
    return ((uint64_t)parent + 1) << 32 | rank;
}

/* The number of a thread does not depend on the interleaving, once it has been seen in this search. */
static uint32_t thread_number(uint32_t parent, uint32_t rank)
{
    struct session *session = native.session;
    uint64_t name = thread_name(parent, rank);
    uint32_t number = map_get(&native.thread_numbers, name);

    if (number == MAP_ABSENT) {
        number = session->threads.count;
        vec_push(&session->arena, &session->threads,
                 (struct session_thread){.parent = parent, .rank = rank});
        map_add(&native.thread_numbers, name, number);
    }
    return number;
}

uint32_t native_child(uint32_t parent, uint32_t rank)
{
    return rank <= native.threads.at[parent]->children ? thread_number(parent, rank)
                                                       : NATIVE_NO_THREAD;
}

/* ---- what a thread begins with */

static struct native_thread *thread_new(uint32_t number)
{
    struct arena *arena = &native.session->arena;
    struct native_thread *thread = arena_alloc(arena, sizeof *thread);

    memset(thread, 0, sizeof *thread);
    thread->number = number;
    thread->agent = AGENT_NONE;
    for (unsigned i = 0; i < PART_COUNT; i++)
        if (parts[i]->thread_size)
            thread->own[i] =
                memset(arena_alloc(arena, parts[i]->thread_size), 0, parts[i]->thread_size);
    return thread;
}

static struct native_thread *thread_slot(uint32_t number)
{
    while (native.threads.count <= number)
        vec_push(&native.session->arena, &native.threads, thread_new(native.threads.count));
    return native.threads.at[number];
}

/* As it is before it runs; the parts see to their own. */
static struct native_thread *thread_begin(uint32_t number, void *(*start)(void *), void *argument)
{
    struct native_thread *thread = thread_slot(number);

    thread->agent = world_thread(native.world, number);
    thread->way = native.way;
    thread->result = 0;
    thread->frames = NULL;
    thread->floats = start ? fiber_floats() : native.floats;
    thread->stack_shared =
        number < native.session->shared_stacks.count && native.session->shared_stacks.at[number];
    thread->start = start;
    thread->argument = argument;
    thread->returned = NULL;
    thread->children = 0;
    thread->joined = false;
    thread->sections = thread->handlers = 0;
    thread->crash = NULL;
    thread->leaves = false;
    parts_thread_begins(thread);
    return thread;
}

struct native_thread *native_main_thread(void)
{
    return thread_begin(thread_number(0, 0), NULL, NULL);
}

static void site_copy(struct session_site *to, const struct raddle_site *site)
{
    if (!site || to->file)
        return;
    to->file = native_text(site->file);
    to->function = native_text(site->function);
    to->line = site->line;
    to->column = site->column;
}

struct native_thread *native_new_thread(void *(*start)(void *), void *argument)
{
    uint32_t number = thread_number(native.current->number, ++native.current->children);
    struct native_thread *thread = thread_begin(number, start, argument);

    native.phase += native.alone;
    native.alone = false;
    native.unjoined++;
    site_copy(&native.session->threads.at[number].created, native_site());
    if (native.session->job == SESSION_REPLAY && start) {
        uint64_t offset;

        native.session->threads.at[number].name =
            native_text(symbols_find((uint64_t)(uintptr_t)start, &offset));
    }
    return thread;
}

/* ---- what is a thread's own */

/* The main thread's variables are where they were before it had a stack of ours. */
enum stack_place native_owner(const void *addr, uint32_t *thread)
{
    uintptr_t low = (uintptr_t)tls.main - tls.below;

    if ((uintptr_t)addr - low >= tls.below + tls.above)
        return stack_find(addr, thread);
    *thread = 0;
    return STACK_INSIDE;
}

bool native_has_ended(uint32_t number)
{
    const struct native_thread *thread =
        number < native.threads.count ? native.threads.at[number] : NULL;

    return thread && thread->agent != AGENT_NONE &&
           native.world->threads.at[thread->agent].status == THREAD_EXITED;
}

void native_share_stack(uint32_t number)
{
    struct session *session = native.session;

    while (session->shared_stacks.count <= number)
        vec_push(&session->arena, &session->shared_stacks, false);
    if (session->shared_stacks.at[number])
        return;
    session->shared_stacks.at[number] = true;
    session->begin_anew = true;
    native.threads.at[number]->stack_shared = true;
}

/* ---- the part */

static void open_numbers(void)
{
    const struct session *session = native.session;

    map_open(&native.thread_numbers, &native.session->arena);
    for (uint32_t i = 0; i < session->threads.count; i++)
        map_add(&native.thread_numbers,
                thread_name(session->threads.at[i].parent, session->threads.at[i].rank), i);
}

static void restart(void)
{
    for (uint32_t i = 0; i < native.threads.count; i++)
        native.threads.at[i]->agent = AGENT_NONE;
    native.alone = true;
    native.phase = 0;
    native.unjoined = 0;
    native.refused = NULL;
    native.unseen = NULL;
    __raddle_frames = NULL;
}

/* Threads that have ended count by what they have left to be joined. */
static bool fingerprint(struct fingerprint *into)
{
    if (native.unseen)
        return false;
    fingerprint_word(into, (uint64_t)native.phase << 32 | native.unjoined << 1 | native.alone);
    for (uint32_t i = 0; i < native.threads.count; i++) {
        const struct native_thread *thread = native.threads.at[i];

        if (thread->agent == AGENT_NONE)
            continue;
        fingerprint_word(into, (uint64_t)i << 32 | thread->children << 1 | thread->joined);
        if (!thread->joined && native_has_ended(i))
            fingerprint_word(into, (uint64_t)(uintptr_t)thread->returned);
    }
    return true;
}

static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    if (thread->sections || thread->handlers || thread->way != native.way)
        fingerprint_word(into, (uint64_t)thread->sections << 32 | thread->handlers << 1 |
                                   (uint64_t)(thread->way == native.way));
    return true;
}

const struct part program_part = {.name = "program",
                                  .state = &native,
                                  .size = sizeof native,
                                  .open = open_numbers,
                                  .restart = restart,
                                  .fingerprint = fingerprint,
                                  .fingerprint_thread = fingerprint_thread};
