#include <stdio.h>
#include <string.h>

#include "runtime/core/heap.h"
#include "runtime/core/image.h"
#include "runtime/ending/ending.h"

/* Blocks that nothing points to any more. Any eight aligned bytes with an address in a block count as a pointer to it: in the
 * program's variables, on the stacks of its threads, and in blocks that are reached in that way. */

static struct {
    uint32_t search;                        /* its number, for heap_block.reached */
    VEC(const struct heap_block *) waiting; /* reached, and not looked through yet */
    struct {
        const struct heap_block *first;
        uint32_t blocks;
        size_t bytes;
    } lost;
} leaks; /* outlives a run: the number; the rest is begun anew by each search */

static void word_look(uintptr_t word)
{
    struct heap_block *block = (struct heap_block *)heap_find((const void *)word);

    if (!block || block->state != HEAP_LIVE || block->reached == leaks.search ||
        word < (uintptr_t)block->start || word > (uintptr_t)block->start + block->size)
        return;
    block->reached = leaks.search;
    vec_push(&native.memory, &leaks.waiting, block);
}

static void memory_look(const void *start, size_t size)
{
    uintptr_t from = ((uintptr_t)start + 7) & ~(uintptr_t)7;
    uintptr_t end = (uintptr_t)start + size;

    for (; from + 8 <= end; from += 8) {
        uintptr_t word;

        memcpy(&word, (const void *)from, sizeof word);
        word_look(word);
    }
}

void native_each_variable(void (*look)(const void *start, size_t size))
{
    image_each(look);
}

void native_each_of_thread(const struct native_thread *thread, const void *here,
                           void (*look)(const void *start, size_t size))
{
    const char *top = thread->stack.low + thread->stack.size;
    const struct thread *state;

    if (thread->agent == AGENT_NONE)
        return;
    state = &native.world->threads.at[thread->agent];
    look(&thread->argument, sizeof thread->argument);
    look(&thread->returned, sizeof thread->returned);
    look(keys_of(thread)->values, sizeof keys_of(thread)->values);
    if (thread->fiber.pointer) /* libc gives back what it keeps there when the thread ends */
        look(thread->fiber.pointer, tls.above);
    if (state->status == THREAD_EXITED)
        return;
    if (thread != native.current)
        here = thread->fiber.sp;
    if ((const char *)here > thread->stack.low && (const char *)here < top)
        look(here, (size_t)(top - (const char *)here));
}

static void block_judge(void *context, const struct heap_block *block)
{
    (void)context;
    if (block->reached == leaks.search || block->thread == HEAP_INITIAL)
        return;
    if (leaks.lost.blocks++ == 0)
        leaks.lost.first = block;
    leaks.lost.bytes += block->size;
}

void memory_bug_leaks(void)
{
    char text[800];
    struct text t = text_open(text, sizeof text);
    const struct raddle_site *site;

    leaks.search++;
    native_each_variable(memory_look);
    for (uint32_t i = 0; i < native.threads.count; i++)
        native_each_of_thread(native.threads.at[i], __builtin_frame_address(0), memory_look);
    while (leaks.waiting.count > 0) {
        const struct heap_block *block = leaks.waiting.at[--leaks.waiting.count];

        memory_look(block->start, block->size);
    }
    memset(&leaks.lost, 0, sizeof leaks.lost);
    heap_each_live(block_judge, NULL);
    if (leaks.lost.blocks == 0)
        return;
    site = leaks.lost.first->alloc_site;
    text_add(&t, "%zu byte%s in %u block%s leaked; the first, of %zu bytes, was allocated by ",
             leaks.lost.bytes, leaks.lost.bytes == 1 ? "" : "s", leaks.lost.blocks,
             leaks.lost.blocks == 1 ? " is" : "s are", leaks.lost.first->size);
    native_thread_words(&t, leaks.lost.first->thread);
    text_add(&t, " at %s:%u in %s", site && site->file ? site->file : "?", site ? site->line : 0,
             site && site->function ? site->function : "?");
    native_crash(BUG_LEAK, native_text(text));
}
