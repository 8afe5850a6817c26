#include "runtime/report/races_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mangled.h"
#include "base/place.h"
#include "base/text.h"
#include "detect/suppression.h"
#include "model/object.h"
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

/* ---- locks */

static bool is_reader(uint64_t state, agent_id agent)
{
    uint32_t count;
    const agent_id *readers =
        waiters_members(&native.world->waiters, rwlock_readers(state), &count);

    for (uint32_t i = 0; i < count; i++)
        if (readers[i] == agent)
            return true;
    return false;
}

/* Whether `agent` holds it; *reads: only to read. */
static bool lock_is_held(enum object_kind kind, uint64_t addr, agent_id agent, bool *reads)
{
    struct world *world = native.world;
    uint64_t state = world_state(world, world_location(world, kind, addr)) & OBJECT_USE;

    *reads = false;
    if (kind != OBJECT_RWLOCK)
        return (uint32_t)(state & LOCK_USE) == agent + 1;
    if (rwlock_writer(state))
        return (uint32_t)(state >> 32) == agent + 1;
    return *reads = is_reader(state, agent);
}

/* The lock that an operation is about; OBJECT_NONE: none. */
static enum object_kind lock_of(const struct op *op, uint64_t *addr)
{
    uint8_t kind = op_infos[op->kind].object;

    *addr = kind == OBJECT_COND ? op->mutex : op->addr;
    if (kind == OBJECT_COND && op->mutex)
        return OBJECT_MUTEX;
    return kind == OBJECT_MUTEX || kind == OBJECT_SPIN || kind == OBJECT_RWLOCK ? kind
                                                                                : OBJECT_NONE;
}

void locks_keep(struct race_side *side)
{
    const struct execution *x = &native.session->explorer.execution;
    agent_id agent = native.threads.at[side->thread]->agent;
    uint64_t known[SESSION_LOCKS], addr;
    uint32_t count = 0, k;

    for (event_id id = 0; id < x->events.count && count < SESSION_LOCKS; id++) {
        const struct op *op = &x->events.at[id].op;
        enum object_kind kind = lock_of(op, &addr);
        char name[300];
        bool reads;

        if (id > native.world->now && native.world->now != EVENT_NONE)
            break; /* what the run that is done again has not come to */
        if (x->events.at[id].agent != agent || kind == OBJECT_NONE ||
            !lock_is_held(kind, addr, agent, &reads))
            continue;
        for (k = 0; k < count && known[k] != addr; k++)
            ;
        if (k < count)
            continue;
        known[count] = addr;
        k = (uint32_t)names_address(addr, 1, (const void *)(uintptr_t)op->site, name, sizeof name);
        if (reads)
            snprintf(name + k, sizeof name - k, " (to read)");
        side->locks[count++] = native_text(name);
    }
}

struct race_stack *races_thread_stack(uint32_t number)
{
    while (thread_stacks.count <= number)
        vec_push(&native.memory, &thread_stacks, (struct race_stack){0});
    return &thread_stacks.at[number];
}

/* ---- words */

/* What is being said. Outlives a run: only in its place in memory. */
static char detail_buffer[DETAIL_MAX];
static struct text detail; /* outlives a run: the same */

static bool is_of_system(const struct raddle_site *site)
{
    return place_is_of_system(site->file, site->function, site->line);
}

/* " in f at q.c:12", as far as it is known. */
static void add_where(struct text *t, const char *before, const struct raddle_site *site)
{
    const char *file = site && site->file ? site->file : "?";

    text_add(t, "%s%s at %s", before, site && site->function ? site->function : "?", file);
    if (site && site->line)
        text_add(t, ":%" PRIu32, site->line);
}

static void say_stack(const struct race_stack *stack)
{
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct raddle_site *site = stack->sites[i];

        if (i && is_of_system(site))
            continue;
        text_add(&detail, "    #%" PRIu32 " %s %s", i, site->function ? site->function : "?",
                 site->file ? site->file : "?");
        if (site->line)
            text_add(&detail, ":%" PRIu32, site->line);
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

static const char *object_of(const struct race_note *note)
{
    return note->object ? note->object : "memory";
}

/* A call takes or gives more than what both touch. */
static void add_object(struct text *t, const struct race_note *note, const struct race_side *side)
{
    char name[300];

    if (side->call && !side->use) {
        names_address(side->addr, (unsigned)side->size, NULL, name, sizeof name);
        text_add(t, "%s", name);
    } else {
        text_add(t, "%s", object_of(note));
    }
}

static void say_side(const char *when, const struct race_note *note, const struct race_side *side)
{
    text_add(&detail, "  %s%s of ", when, side_verb(side));
    add_object(&detail, note, side);
    if (!side->use)
        text_add(&detail, " (%zu byte%s)", side->size, side->size == 1 ? "" : "s");
    text_add(&detail, " by ");
    native_thread_words(&detail, side->thread);
    text_add(&detail, ", holding %s", side->locks[0] ? "" : "no lock");
    for (uint32_t i = 0; i < SESSION_LOCKS && side->locks[i]; i++)
        text_add(&detail, "%s%s", i ? ", " : "", side->locks[i]);
    text_add(&detail, ":\n");
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
    char words[200], buffer[200];
    struct text block_text = text_open(words, sizeof words);
    const char *name;
    uint32_t thread;

    if (block) {
        text_add(&detail, "  the memory is byte %" PRIu64 " of a heap block of %zu bytes",
                 addr - (uint64_t)(uintptr_t)block->start, block->size);
        if (source_block(&block_text, addr))
            text_add(&detail, " (%s)", words);
        text_add(&detail, ", allocated by ");
        native_thread_words(&detail, block->thread == HEAP_INITIAL ? 0 : block->thread);
        text_add(&detail, ":\n");
        say_stack(&note->allocated);
    } else if (source_variable(addr)) {
        return; /* its name says it */
    } else if ((name = symbols_find(addr, &offset))) {
        text_add(&detail, "  the memory is byte %" PRIu64 " of the global variable '%s'\n", offset,
                 mangled_name(name, buffer, sizeof buffer));
    } else if (native_owner((const void *)(uintptr_t)addr, &thread) == STACK_INSIDE) {
        text_add(&detail, "  the memory is %s of ",
                 is_thread_local(addr, thread) ? "a thread-local variable" : "on the stack");
        native_thread_words(&detail, thread);
        text_add(&detail, "\n");
    }
}

static void say_thread(uint32_t number)
{
    const struct race_stack *stack;
    uint32_t told = 0;

    if (number == 0)
        return;
    stack = races_thread_stack(number);
    text_add(&detail, "  ");
    native_thread_words(&detail, number);
    text_add(&detail, " was created by ");
    native_thread_words(&detail, native.session->threads.at[number].parent);
    for (uint32_t i = 0; i < stack->count; i++) {
        const struct raddle_site *site = stack->sites[i];

        if (is_of_system(site))
            continue;
        add_where(&detail, told++ ? ", called by " : " in ", site);
    }
    text_add(&detail, "\n");
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
    say_side("", note, &note->now);
    say_side("earlier ", note, &note->before);
    say_memory(note);
    say_thread(note->now.thread);
    if (note->before.thread != note->now.thread)
        say_thread(note->before.thread);
    say_unseen();
    return native_text(detail.at);
}

/* Where it is, as the user sees it: in the innermost function that is not of the system. NULL: nobody knows. */
static const struct raddle_site *stack_place(const struct race_stack *stack)
{
    for (uint32_t i = 0; i < stack->count; i++)
        if (!is_of_system(stack->sites[i]))
            return stack->sites[i];
    return stack->count ? stack->sites[0] : NULL;
}

static session_text message_of(const struct race_note *note)
{
    char buffer[1024];
    struct text text = text_open(buffer, sizeof buffer);
    const struct raddle_site *before = stack_place(&note->before.stack);
    const char *slash = before && before->file ? strrchr(before->file, '/') : NULL;
    struct raddle_site place = before ? *before : (struct raddle_site){0};

    text_add(&text, "%s of %s by ", side_verb(&note->now), object_of(note));
    native_thread_words(&text, note->now.thread);
    text_add(&text, " races with the %s by ", side_verb(&note->before));
    native_thread_words(&text, note->before.thread);
    if (slash)
        place.file = slash + 1;
    add_where(&text, " in ", &place);
    return native_text(buffer);
}

/* ---- the two sides among the steps of a replay */

/* Whether the step does what that side does; a lock is used by more than reading. Without debug information, all of a file is one place. */
static bool step_does(const struct session_step *step, const struct race_side *side)
{
    return side->use || side->call || (side->writes ? step->writes : step->reads);
}

/* Whether the step is an access of that side. What it touches may be more, or less, than what both do. */
static bool step_is(const struct session_step *step, const struct race_side *side)
{
    const struct raddle_site *site = side->stack.count ? side->stack.sites[0] : NULL;

    return site && step->choice.thread == side->thread && !step->choice.is_buffer && step->cell &&
           step->site.line == site->line && step->site.column == site->column && step->site.file &&
           site->file && strcmp(step->site.file, site->file) == 0 && step_does(step, side) &&
           (step->cell == side->addr || step->cell - side->addr < side->size ||
            side->addr - step->cell < step->size);
}

/* The latest step of the earlier side that one of the other side follows, and the first such one: then the race has shown. */
static void sides_find(const struct race_note *note, struct session_side *before,
                       struct session_side *now)
{
    const struct session *session = native.session;

    for (uint32_t i = session->steps.count; i-- > 0 && !now->step;) {
        if (!step_is(&session->steps.at[i], &note->before))
            continue;
        for (uint32_t k = i + 1; k < session->steps.count && !now->step; k++)
            if (step_is(&session->steps.at[k], &note->now))
                now->step = k + 1;
        if (now->step)
            before->step = i + 1;
    }
    if (!now->step)
        return;
    before->stack = session->steps.at[before->step - 1].stack;
    now->stack = session->steps.at[now->step - 1].stack;
}

static struct session_side side_of(const struct race_note *note, const struct race_side *side)
{
    char what[500];
    struct text text = text_open(what, sizeof what);
    struct session_side out = {
        .thread = side->thread,
        .site = native_session_site(side->stack.count ? side->stack.sites[0] : NULL)};

    text_add(&text, "%s of ", side_verb(side));
    add_object(&text, note, side);
    out.what = native_text(what);
    memcpy(out.locks, side->locks, sizeof out.locks);
    return out;
}

/* ---- pairs of places */

/* By its text: `x++` is a read and a write, but one place; so is a line of a header that several files include. */
static uint64_t place_of(const struct race_side *side)
{
    const struct raddle_site *site = side->stack.count ? side->stack.sites[0] : NULL;
    uint64_t place = site ? mix64((uint64_t)site->line << 32 | site->column) : 0;

    for (const char *at = site && site->file ? site->file : ""; *at; at++)
        place = mix64(place + (unsigned char)*at);
    return site && !site->file ? (uint64_t)(uintptr_t)site : place;
}

/* Which access came first does not matter. */
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
                              .site = native_session_site(stack_place(&note->now.stack)),
                              .message = message_of(note),
                              .detail = detail_of(note)};

    if (session->job == SESSION_REPLAY) { /* else nobody looks at them */
        bug.sides[0] = side_of(note, &note->before);
        bug.sides[1] = side_of(note, &note->now);
        sides_find(note, &bug.sides[0], &bug.sides[1]);
    }
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
