#include "runtime/report/races_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "detect/suppression.h"
#include "runtime/core/heap.h"
#include "runtime/core/symbols.h"
#include "runtime/report/names.h"
#include "runtime/report/source.h"

#define DETAIL_MAX ((size_t)16 << 10)

/* By thread. Outlives a run: filled while a run is done again, and told after it. */
static VEC(struct race_stack) thread_stacks;

void stack_keep(struct race_stack *stack, const struct raddle_frame *frames)
{
    stack->count = 0;
    for (; frames && stack->count < RACE_FRAMES; frames = frames->up)
        if (frames->site)
            stack->sites[stack->count++] = frames->site;
}

struct race_stack *races_thread_stack(uint32_t number)
{
    while (thread_stacks.count <= number)
        vec_push(&native.session->arena, &thread_stacks, (struct race_stack){0});
    return &thread_stacks.at[number];
}

/* ---- words */

/* What is being said. Outlives a run: only in its place in memory. */
static char detail_buffer[DETAIL_MAX];
static struct text detail; /* outlives a run: the same */

static void say_stack(const struct race_stack *stack)
{
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct raddle_site *site = stack->sites[i];

        text_add(&detail, "    #%" PRIu32 " %s %s:%" PRIu32, i,
                 site->function ? site->function : "?", site->file ? site->file : "?", site->line);
        if (site->column)
            text_add(&detail, ":%" PRIu32, site->column);
        text_add(&detail, "\n");
    }
    if (stack->count == 0)
        text_add(&detail, "    (no instrumented code on the stack)\n");
}

static const char *side_verb(const struct race_side *side)
{
    static const char *const uses[] = {
        [DETECT_USE] = "use", [DETECT_MAKE] = "initialisation", [DETECT_END] = "destruction"};

    if (side->use)
        return uses[side->use];
    if (side->call)
        return side->call;
    if (side->atomic)
        return side->writes ? "atomic write" : "atomic read";
    return side->writes ? "write" : "read";
}

static void say_side(const char *when, const struct race_side *side)
{
    text_add(&detail, "  %s%s of ", when, side_verb(side));
    if (side->use)
        text_add(&detail, "the object");
    else
        text_add(&detail, "size %zu", side->size);
    text_add(&detail, " at %#" PRIx64 " by thread %" PRIu32 ":\n", side->addr, side->thread);
    say_stack(&side->stack);
}

static bool is_thread_local(uint64_t addr, uint32_t thread)
{
    const struct native_thread *owner = native.threads.at[thread];
    uintptr_t low = (uintptr_t)owner->stack.low;

    return addr - low >= (uintptr_t)native_stack_end(owner) - low;
}

void race_name(struct race_note *note)
{
    const struct race_side *side = note->now.use || !note->now.call ? &note->now : &note->before;
    const struct raddle_site *site = side->stack.count ? side->stack.sites[0] : NULL;
    char text[300];

    if (side->use || side->size > sizeof(cell_value))
        names_address(note->race.addr, 1, site, text, sizeof text);
    else
        names_address(side->addr, (unsigned)side->size, site, text, sizeof text);
    note->object = native_text(text);
}

static void say_memory(const struct race_note *note)
{
    uint64_t addr = note->race.addr, offset;
    const struct heap_block *block = heap_find((const void *)(uintptr_t)addr);
    char words[200];
    struct text block_text = text_open(words, sizeof words);
    const char *name;
    uint32_t thread;

    if (block) {
        text_add(&detail, "  the memory is byte %" PRIu64 " of a heap block of %zu bytes",
                 addr - (uint64_t)(uintptr_t)block->start, block->size);
        if (source_block(&block_text, addr))
            text_add(&detail, " (%s)", words);
        text_add(&detail, ", allocated by thread %" PRIu32 ":\n",
                 block->thread == HEAP_INITIAL ? 0 : block->thread);
        say_stack(&note->allocated);
    } else if ((name = symbols_find(addr, &offset))) {
        text_add(&detail, "  the memory is byte %" PRIu64 " of the global variable '%s'\n", offset,
                 source_variable(addr) ? source_variable(addr) : name);
    } else if (native_owner((const void *)(uintptr_t)addr, &thread) == STACK_INSIDE) {
        text_add(&detail, "  the memory is %s of thread %" PRIu32 "\n",
                 is_thread_local(addr, thread) ? "a thread-local variable" : "on the stack",
                 thread);
    }
}

static void say_thread(uint32_t number)
{
    if (number == 0)
        return;
    text_add(&detail, "  thread %" PRIu32 " was created by thread %" PRIu32 ":\n", number,
             native.session->threads.at[number].parent);
    say_stack(races_thread_stack(number));
}

/* Inline assembly may be a lock that nobody else knows of. */
static void say_unseen(void)
{
    const struct raddle_site *site = native.unseen;

    if (site)
        text_add(
            &detail,
            "  what the program does at %s:%" PRIu32
            " is not understood: if it keeps the two threads apart, the race is raddle's own\n",
            site->file ? site->file : "?", site->line);
    if (native.refused)
        text_add(&detail,
                 "  before that, %s failed, which raddle does not model: on the bare system it may "
                 "succeed, and the race may not be one\n",
                 native.refused);
}

static session_text detail_of(const struct race_note *note)
{
    detail = text_open(detail_buffer, sizeof detail_buffer);
    say_side("", &note->now);
    say_side("previous ", &note->before);
    say_memory(note);
    say_thread(note->now.thread);
    if (note->before.thread != note->now.thread)
        say_thread(note->before.thread);
    say_unseen();
    return native_text(detail.at);
}

static struct session_site site_copy(const struct race_stack *stack)
{
    return native_session_site(stack->count ? stack->sites[0] : NULL);
}

static session_text message_of(const struct race_note *note)
{
    char text[1024];
    const struct raddle_site *before =
        note->before.stack.count ? note->before.stack.sites[0] : NULL;
    const char *file = before && before->file ? before->file : "?";

    snprintf(
        text, sizeof text, "%s of %s races with the %s by thread %" PRIu32 " in %s at %s:%" PRIu32,
        side_verb(&note->now), note->object ? note->object : "memory", side_verb(&note->before),
        note->before.thread, before && before->function ? before->function : "?",
        strrchr(file, '/') ? strrchr(file, '/') + 1 : file, before ? before->line : 0);
    return native_text(text);
}

/* ---- pairs of places */

static uint64_t place_of(const struct race_side *side)
{
    return side->stack.count ? (uint64_t)(uintptr_t)side->stack.sites[0] : 0;
}

/* Which access came first does not matter. The sites are in the program, which is at the same place in all processes. */
static uint64_t pair_of(const struct race_note *note)
{
    uint64_t a = place_of(&note->now), b = place_of(&note->before);

    return mix64(a < b ? a : b) ^ mix64(a < b ? b : a) * 3;
}

bool race_is_new(const struct race_note *note)
{
    const struct session *session = native.session;

    for (uint32_t i = 0; i < session->race_pairs.count; i++)
        if (session->race_pairs.at[i] == pair_of(note))
            return false;
    return true;
}

void race_suppress(const struct race_note *note)
{
    struct session *session = native.session;

    vec_push(&session->arena, &session->race_pairs, pair_of(note));
    session->suppressed++;
}

void race_add(const struct race_note *note, uint32_t exposed)
{
    struct session *session = native.session;
    struct session_bug bug = {.kind = BUG_DATA_RACE,
                              .thread = note->now.thread,
                              .site = site_copy(&note->now.stack),
                              .message = message_of(note),
                              .detail = detail_of(note)};

    vec_push(&session->arena, &session->race_pairs, pair_of(note));
    session_schedule(session, &bug);
    bug.exposed = exposed;
    session->poor = source_is_poor();
    if (note->events < bug.schedule_count)
        bug.schedule_count = note->events; /* what comes later does not matter */
    vec_push(&session->arena, &session->bugs, bug);
}

/* ---- suppressions */

static bool site_matches(const char *pattern, const struct raddle_site *site)
{
    return (site->function && suppression_matches(pattern, site->function)) ||
           (site->file && suppression_matches(pattern, site->file));
}

static bool stack_matches(const struct session_suppression *s, const struct race_stack *stack)
{
    for (uint32_t i = 0; i < stack->count && (i == 0 || !s->top); i++)
        if (site_matches(s->pattern, stack->sites[i]))
            return true;
    return false;
}

bool race_is_suppressed(const struct race_note *note)
{
    const struct session *session = native.session;
    uint64_t offset;
    const char *name = session->suppressions.count ? symbols_find(note->race.addr, &offset) : NULL;

    for (uint32_t i = 0; i < session->suppressions.count; i++) {
        const struct session_suppression *s = &session->suppressions.at[i];

        if (stack_matches(s, &note->now.stack) || stack_matches(s, &note->before.stack) ||
            (name && !s->top && suppression_matches(s->pattern, name)))
            return true;
    }
    return false;
}
