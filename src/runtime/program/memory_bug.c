#include "runtime/program/memory_bug.h"

#include <inttypes.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/text.h"
#include "detect/detect.h"
#include "runtime/program/native.h"

#define TEXT_SIZE 1200

static void add_place(struct text *t, const void *place)
{
    const struct raddle_site *site = place;

    if (site && site->file)
        text_add(t, " at %s:%" PRIu32, site->file, site->line);
    if (site && site->function)
        text_add(t, " in %s", site->function);
}

/* Where it came from, and where it went. */
static void add_block(struct text *t, const struct heap_block *block)
{
    if (block->thread == HEAP_INITIAL)
        text_add(t, "; the block of %zu bytes was allocated before main", block->size);
    else {
        text_add(t, "; the block of %zu bytes was allocated by ", block->size);
        native_thread_words(t, block->thread);
    }
    add_place(t, block->alloc_site);
    if (block->state != HEAP_FREED)
        return;
    text_add(t, ", and freed by ");
    native_thread_words(t, block->free_thread);
    add_place(t, block->free_site);
}

memory_bug_teller *memory_bug_name; /* outlives a run: set once */

/* What the source calls it, if anybody knows. */
static void add_name(struct text *t, const void *p, size_t n)
{
    char name[200];

    if (memory_bug_name && n <= 16 &&
        memory_bug_name((uint64_t)(uintptr_t)p, (unsigned)n, native_site(), name, sizeof name))
        text_add(t, " of %s", name);
}

static void add_where(struct text *t, const struct heap_block *block, const void *p, size_t n)
{
    const char *at = p, *end = block->start + block->size;

    if (at >= end)
        text_add(t, ", %zu bytes behind the end of a block", (size_t)(at - end));
    else if (at < block->start)
        text_add(t, ", %zu bytes before the start of a block", (size_t)(block->start - at));
    else if (n > (size_t)(end - at))
        text_add(t, ", %zu bytes beyond the end of a block", n - (size_t)(end - at));
    else
        text_add(t, ", %zu bytes into a block that was freed", (size_t)(at - block->start));
}

static struct text *text_begin(void)
{
    static char buffer[TEXT_SIZE]; /* outlives a run: a thread that dies may be short of stack */
    static struct text text;       /* outlives a run: the same */

    text = text_open(buffer, sizeof buffer);
    return &text;
}

static _Noreturn void report(const struct text *t)
{
    native_crash(BUG_MEMORY, native_text(t->at));
}

/* ---- going on
 *
 * With --keep-going a place that was reported once does not stop its thread any more, if the memory is there and nobody else's: a freed block is handed out again late, and only where a use that nothing orders is a race, and a red
 * zone belongs to no block. What is there is what the program finds. The steps behind that place are new, so the search begins anew; that the thread passes is a fact that traces
 * of what is found later tell. Not if states or threads are compared, to whom freed memory is nothing, nor with several workers. */

/* Places at which threads go on. */
#define PASSES_MAX 100

static bool zone_has(const struct heap_block *block, const void *p, size_t n)
{
    size_t before = (size_t)((const char *)p - (block->start - HEAP_RED_ZONE));
    size_t zone = block->size + 2 * HEAP_RED_ZONE;

    return before <= zone && n <= zone - before;
}

/* A line of the source, however many accesses it comes to. */
static uint64_t pass_key(const struct raddle_site *site, bool outside, bool writes)
{
    struct fingerprint f = {(uint64_t)'m' << 56, site->line};

    fingerprint_word(&f, (uint64_t)outside << 1 | writes);
    fingerprint_bytes(&f, site->file, strlen(site->file));
    return f.low;
}

static bool may_learn(void)
{
    const struct session *session = native.session;

    return session->keep_going && !session->work_fd && !native_compares() &&
           !session->options.symmetry && session->facts.count < PASSES_MAX &&
           (session->job == SESSION_EXPLORE || session->job == SESSION_RESUME);
}

/* Whether the thread goes on at the place where it is; if not, it may the next time. */
static bool goes_on(bool outside, bool writes)
{
    const struct raddle_site *site = native_site();
    uint64_t key;

    if (!site || !site->file)
        return false;
    key = pass_key(site, outside, writes);
    if (session_knows(native.session, key))
        return true;
    native.current->passes = may_learn() ? key : 0;
    return false;
}

void memory_bug_pass(const struct native_thread *thread)
{
    struct session *session = native.session;

    if (!thread->passes || session_knows(session, thread->passes))
        return;
    vec_push(&session->arena, &session->facts, (struct session_fact){thread->passes, 1});
    session->begin_anew = true;
}

void memory_bug_access(const void *p, size_t n, bool writes, bool is_object)
{
    const struct heap_block *block = heap_find(p);
    struct text *t = text_begin();
    bool outside;

    if (!native.current)
        return;
    outside = !block || (const char *)p < block->start || n > block->size ||
              (size_t)((const char *)p - block->start) > block->size - n;
    if (block && !is_object && zone_has(block, p, n) && goes_on(outside, writes))
        return;
    if (!outside && native.detects && !native.alone) /* a race with free is the better story */
        (writes ? detect_write_range : detect_read_range)((uint64_t)(uintptr_t)p, n);
    text_add(t, "%s: a %s of %zu byte%s",
             !block    ? "an invalid access"
             : outside ? "a heap overflow"
                       : "use after free",
             writes ? "write" : "read", n, n == 1 ? "" : "s");
    if (block) {
        if (!outside)
            add_name(t, p, n);
        add_where(t, block, p, n);
        add_block(t, block);
    } else {
        text_add(t, " to %p, where there never was a block", p);
    }
    report(t);
}

void memory_bug_length(size_t n, bool writes)
{
    struct text *t = text_begin();

    text_add(t, "a %s of %zu bytes: no object is so large; as a signed number that is %td",
             writes ? "write" : "read", n, (ptrdiff_t)n);
    report(t);
}

void memory_bug_stack(uint32_t owner)
{
    struct text *t = text_begin();

    text_add(t, "use of the stack of ");
    native_thread_words(t, owner);
    text_add(t, ", which has ended");
    report(t);
}

/* As long as there are others, plain_foreign_stack judges: there may be a race to tell of. */
void memory_check_stack(const void *p)
{
    const struct native_thread *thread = native.current;
    uint32_t owner;

    if (!native.alone || !thread ||
        (uintptr_t)p - (uintptr_t)thread->stack.low < thread->stack.size)
        return;
    if (native_owner(p, &owner) == STACK_INSIDE && native_has_ended(owner))
        memory_bug_stack(owner);
}

void memory_bug_free(const void *p, enum heap_status status, const char *function)
{
    const struct heap_block *block = heap_find(p);
    struct text *t = text_begin();

    if (status == HEAP_DOUBLE_FREE)
        text_add(t, "%s gets a block that was freed before", function);
    else if (status == HEAP_INTERIOR && block)
        text_add(t, "%s gets a pointer that is not the start of a block", function);
    else
        text_add(t, "%s gets a pointer that malloc did not give", function);
    if (block)
        add_block(t, block);
    report(t);
}
