#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/fingerprint.h"
#include "base/place.h"
#include "base/text.h"
#include "runtime/core/heap.h"
#include "runtime/core/kernel.h"
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

struct native_thread *native_thread_to_join(unsigned long handle)
{
    unsigned long number = (handle - HANDLE_BASE) / HANDLE_STEP;

    if (handle < HANDLE_BASE || (handle - HANDLE_BASE) % HANDLE_STEP ||
        number >= native.threads.count || native.threads.at[number]->agent == AGENT_NONE)
        return NULL;
    return native.threads.at[number];
}

struct native_thread *native_thread_of(unsigned long handle)
{
    struct native_thread *thread = native_thread_to_join(handle);

    if (thread)
        native_single_out(thread->number);
    return thread;
}

/* ---- numbers */

static uint64_t thread_name(uint32_t parent, uint32_t rank)
{
    return ((uint64_t)parent + 1) << 32 | rank;
}

static uint32_t number_add(uint64_t name)
{
    struct session *session = native.session;
    uint32_t number = session->threads.count;

    vec_push(&session->arena, &session->threads,
             (struct session_thread){.parent = (uint32_t)(name >> 32) - 1, .rank = (uint32_t)name});
    map_add(&native.thread_numbers, name, number);
    return number;
}

void native_number_add(uint32_t parent, uint32_t rank)
{
    number_add(thread_name(parent, rank));
}

/* With several processes, who sees a thread first decides its number for all; others may have seen some that this one has not. */
static uint32_t number_agree(uint64_t name)
{
    uint32_t number;

    native.agree((uint32_t)(name >> 32) - 1, (uint32_t)name);
    number = map_get(&native.thread_numbers, name);
    CHECK(number != MAP_ABSENT && number < RUNTIME_THREADS, "too many threads");
    return number;
}

/* Others that search, and what goes on from a snapshot, may not have seen all threads by themselves. */
static void numbers_learn(void)
{
    const struct session *session = native.session;

    for (uint32_t i = native.thread_numbers.count; i < session->threads.count; i++)
        map_add(&native.thread_numbers,
                thread_name(session->threads.at[i].parent, session->threads.at[i].rank), i);
}

/* The number of a thread does not depend on the interleaving, once it has been seen in this search. */
static uint32_t thread_number(uint32_t parent, uint32_t rank)
{
    uint64_t name = thread_name(parent, rank);
    uint32_t number;

    numbers_learn();
    number = map_get(&native.thread_numbers, name);
    if (number == MAP_ABSENT)
        number = native.agree ? number_agree(name) : number_add(name);
    return number;
}

/* The same for the next child of a thread, which has been found before in most runs. */
static uint32_t child_number(struct native_thread *parent)
{
    uint32_t rank = ++parent->children;

    while (parent->numbers.count < rank) {
        uint32_t number = thread_number(parent->number, parent->numbers.count + 1);

        vec_push(&native.memory, &parent->numbers, number);
    }
    return parent->numbers.at[rank - 1];
}

uint32_t native_child(uint32_t parent, uint32_t rank)
{
    return rank <= native.threads.at[parent]->children ? thread_number(parent, rank)
                                                       : NATIVE_NO_THREAD;
}

/* ---- what a thread begins with */

static struct native_thread *thread_new(uint32_t number)
{
    struct arena *arena = &native.memory;
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
        vec_push(&native.memory, &native.threads, thread_new(native.threads.count));
    return native.threads.at[number];
}

/* It is always the same one, but for searches that begin anew. */
static agent_id agent_of(struct native_thread *thread)
{
    const struct world *world = native.world;

    if (thread->known >= world->agents.count || world->agents.at[thread->known].is_buffer ||
        world->agents.at[thread->known].key != thread->number)
        thread->known = world_thread(native.world, thread->number);
    return thread->known;
}

/* As it is before it runs; the parts see to their own. */
static struct native_thread *thread_begin(uint32_t number, void *(*start)(void *), void *argument)
{
    struct native_thread *thread = thread_slot(number);

    thread->agent = agent_of(thread);
    thread->way = native.way;
    thread->result = 0;
    thread->frames = NULL;
    thread->floats = start ? fiber_floats() : native.floats;
    thread->stack_shared =
        number < native.session->shared_stacks.count && native.session->shared_stacks.at[number];
    thread->start = start;
    thread->argument = argument;
    thread->returned = NULL;
    thread->asked_others = false;
    thread->came_from = NULL;
    thread->children = 0;
    thread->joined = thread->wanted = false;
    thread->sections = thread->handlers = 0;
    thread->crash = NULL;
    thread->passes = 0;
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
    if (!site)
        return;
    to->file = native_text(site->file);
    to->function = native_text(site->function);
    to->line = site->line;
    to->column = site->column;
}

/* What a std::thread runs is known as long as it has not begun: it takes that apart. */
static const char *name_of(uint32_t number, char *buffer, size_t size)
{
    const char *name;

    if (number == 0)
        return "main";
    if (number >= native.threads.count)
        return NULL;
    name = native_start_name(native.threads.at[number]->start, NULL, buffer, size);
    return name ? name : native.session->threads.at[number].name;
}

void native_thread_words(struct text *t, uint32_t number)
{
    char buffer[200];
    const char *name = name_of(number, buffer, sizeof buffer);

    text_add(t, "T%" PRIu32, number);
    if (name)
        text_add(t, " (%s)", name);
}

/* What std::thread does is done by who made it. */
static const struct raddle_site *creation_site(void)
{
    const struct raddle_frame *frame = __raddle_frames;

    while (frame && frame->site &&
           place_is_of_system(frame->site->file, frame->site->function, frame->site->line))
        frame = frame->up;
    return frame && frame->site ? frame->site : native_site();
}

struct native_thread *native_new_thread(void *(*start)(void *), void *argument)
{
    uint32_t known = native.session->threads.count;
    uint32_t number = child_number(native.current);
    struct native_thread *thread = thread_begin(number, start, argument);

    native.phase += native.alone;
    native.alone = false;
    native.unjoined++;
    if (!native.session->threads.at[number].created.file)
        site_copy(&native.session->threads.at[number].created, creation_site());
    if (native.session->job == SESSION_REPLAY || number >= known) { /* not in each run */
        char buffer[200];
        int error = errno; /* the program's own, in its thread */

        native.session->threads.at[number].name =
            native_text(native_start_name(start, argument, buffer, sizeof buffer));
        errno = error;
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

void native_joins_matter(void)
{
    if (native.session->joins_matter || !(native.world->commutes & COMMUTE_JOINS))
        return;
    native.session->joins_matter = native.session->begin_anew = true;
}

void native_single_out(uint32_t number)
{
    struct session *session = native.session;

    while (session->singled_out.count <= number)
        vec_push(&session->arena, &session->singled_out, false);
    session->singled_out.at[number] = true;
}

bool native_is_singled_out(uint32_t number)
{
    const struct session *session = native.session;

    return number < session->singled_out.count && session->singled_out.at[number];
}

/* ---- the part */

static void open_numbers(void)
{
    map_open(&native.thread_numbers, &native.memory);
    numbers_learn();
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
