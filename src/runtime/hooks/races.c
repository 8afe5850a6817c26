#include "runtime/hooks/races.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "runtime/core/heap.h"
#include "runtime/hooks/plain.h"
#include "runtime/program/debug.h"
#include "runtime/report/races_report.h"

#define NOTES_MAX 64 /* in one run; the others will show in a later one */

static struct {
    bool explaining;  /* a run is done again */
    const char *call; /* that takes or gives the memory of the access under way, or NULL */
    struct race_note notes[NOTES_MAX];
    uint32_t count;
    bool late;             /* a race was found when its thread was elsewhere (detect/late.h) */
    bool in_time;          /* that has happened: from then on nothing waits */
    struct race_side seen; /* the access under way, without its stack */
} races;

/* ---- while a run goes on */

static const struct raddle_frame *frames_of(uint32_t thread)
{
    if (native.current && native.current->number == thread)
        return __raddle_frames;
    return native.threads.at[thread]->frames;
}

static uint64_t race_key(const struct detect_race *race)
{
    const struct raddle_frame *frame = frames_of(race->now.thread);
    uint64_t site = frame ? (uint64_t)(uintptr_t)frame->site : 0;
    uint64_t kinds = (uint64_t)race->now.writes | (uint64_t)race->now.atomic << 1 |
                     (uint64_t)race->before.writes << 2 | (uint64_t)race->before.atomic << 3 |
                     (uint64_t)race->before.thread << 4;

    return mix64(mix64(site) ^ mix64(race->addr & ~(uint64_t)7) * 3 ^ mix64(kinds) * 5);
}

static bool is_same(const struct detect_race *a, const struct detect_race *b)
{
    return a->addr == b->addr && a->now.when == b->now.when && a->before.when == b->before.when &&
           a->now.writes == b->now.writes && a->before.writes == b->before.writes;
}

static void race_explain(const struct detect_race *race)
{
    int error = errno;

    for (uint32_t i = 0; i < races.count; i++) {
        struct race_note *note = &races.notes[i];

        if (note->complete || !is_same(&note->race, race))
            continue;
        note->complete = true;
        note->now = races.seen;
        stack_keep(&note->now.stack, frames_of(race->now.thread));
        locks_keep(&note->now);
        race_name(note);
        errno = error; /* which may be what is accessed */
    }
}

static void race_found(const struct detect_race *race)
{
    uint64_t key;

    if (races.explaining) {
        race_explain(race);
        return;
    }
    if (detector.late.settling) {
        races.late = true;
        return;
    }
    key = race_key(race);
    if (races.count == NOTES_MAX || map_get(&native.session->races_known, key) != MAP_ABSENT)
        return;
    for (uint32_t i = 0; i < races.count; i++)
        if (races.notes[i].key == key)
            return;
    races.notes[races.count++] = (struct race_note){
        .race = *race, .key = key, .events = native.world->now + 1}; /* 0 if it is EVENT_NONE */
    if (native.session->for_debugger)
        native_debug_race(race->now.thread);
}

static bool is_earlier_side(const struct race_note *note, const struct race_side *side)
{
    const struct detect_access *before = &note->race.before;

    return !note->complete && before->when == side->when && before->writes == side->writes &&
           before->atomic == side->atomic && side->addr < note->race.addr + note->race.size &&
           note->race.addr < side->addr + side->size;
}

/* Only while a run is done again. */
static void access_seen(const struct detect_access *access, uint64_t addr, size_t size)
{
    int error = errno;

    races.seen = (struct race_side){.when = access->when,
                                    .thread = access->thread,
                                    .writes = access->writes,
                                    .atomic = access->atomic,
                                    .call = races.call,
                                    .use = access->use,
                                    .addr = addr,
                                    .size = size};
    for (uint32_t i = 0; i < races.count; i++)
        if (is_earlier_side(&races.notes[i], &races.seen)) {
            races.notes[i].before = races.seen;
            stack_keep(&races.notes[i].before.stack, frames_of(access->thread));
            locks_keep(&races.notes[i].before);
        }
    errno = error; /* which may be what is accessed */
}

/* To the race, that the block was allocated is a write like any other. */
static void allocation_seen(const void *block, size_t size)
{
    struct detect_access access = {detector.thread, detector.now, true, false, DETECT_MEMORY};

    races.call = "allocation";
    access_seen(&access, (uint64_t)(uintptr_t)block, size);
    races.call = NULL;
}

static epoch block_born(uint64_t addr)
{
    const struct heap_block *block = heap_find((const void *)(uintptr_t)addr);

    return block && block->thread != HEAP_INITIAL ? block->born : 0;
}

void races_note_block(const void *block, size_t size)
{
    if (races.explaining && native.current && block)
        allocation_seen(block, size);
    for (uint32_t i = 0; races.explaining && i < races.count; i++)
        if (races.notes[i].race.addr - (uint64_t)(uintptr_t)block < size)
            stack_keep(&races.notes[i].allocated, __raddle_frames);
}

const char *races_call(void)
{
    return races.call;
}

void races_note_call(const char *call)
{
    races.call = call;
}

static void open_detector(void)
{
    struct session *session = native.session;

    if (!session->races)
        return;
    map_open(&session->races_known, &session->arena);
    if (!detect_open(race_found)) {
        native_unsupported("data races: no memory for what the search for them remembers");
        return;
    }
    native.detects = true;
    detector.blocks.base = HEAP_BASE;
    detector.blocks.size = HEAP_SPAN;
    detector.blocks.shift = HEAP_SHIFT;
    detector.blocks.born = block_born;
    heap_clock(detect_now);
    detector.published = &__raddle_quick.known;
    for (uint32_t i = 0; i < session->exposed.count; i++)
        detect_expose(session->exposed.at[i]);
}

/* ---- when it has ended */

/* A replay is there for one bug, and must not pass it by for the sake of another one. */
static bool is_search(void)
{
    return native.session->job == SESSION_EXPLORE || native.session->job == SESSION_RESUME;
}

/* The accesses that are to be visible from now on. */
static void race_expose(const struct detect_race *race)
{
    struct session *session = native.session;

    if (detect_is_exposed(race->addr, race->size))
        return;
    detect_expose(race->addr);
    vec_push(&session->arena, &session->exposed, race->addr & ~(uint64_t)7);
    session->begin_anew = true;
}

/* Does the run again, all of it: what follows expects the world in its last state. */
static bool run_again(void)
{
    struct explorer *explorer = &native.session->explorer;
    event_id at = EVENT_NONE;
    bool same;

    races.explaining = true;
    detector.seen = access_seen;
    plain_watch(true);
    same = execution_replay(&explorer->execution, &at);
    plain_watch(false);
    detector.seen = NULL;
    races.explaining = false;
    if (!same)
        explorer->diverged = at;
    return same;
}

/* One race, with both stacks. True: it counts as a bug. */
static bool race_settle(const struct race_note *note, uint32_t exposed)
{
    struct session *session = native.session;
    bool counts = false;

    if (!race_is_new(note)) {
        /* told before, or not to be told; but not of these bytes */
    } else if (race_is_suppressed(note)) {
        race_suppress(note);
    } else {
        race_add(note, exposed);
        counts = true;
    }
    if ((!counts || session->keep_going) && is_search() && !session->races_warn)
        race_expose(&note->race);
    return counts && !session->races_warn;
}

/* Whether the detector may put off what nobody asks for. */
static bool may_be_late(void)
{
    return is_search() && !races.explaining && !races.in_time && !native_compares() &&
           !native.session->for_debugger && late_pays(&detector.late);
}

static void restart(void)
{
    detector.late.on = may_be_late();
    races.late = false;
    detect_restart();
    if (!races.explaining)
        races.count = 0;
}

void races_forget(void)
{
    if (!native.detects)
        return;
    map_open(&native.session->races_known, &native.session->arena);
    native.session->race_pairs.count = 0;
}

/* Finds all races of the run, each while its thread is there. */
static bool run_settle(void)
{
    struct explorer *explorer = &native.session->explorer;
    event_id at = EVENT_NONE;

    late_end();
    if (!races.late)
        return true;
    races.in_time = true;
    if (execution_replay(&explorer->execution, &at))
        return true;
    explorer->diverged = at;
    races.count = 0;
    return false;
}

bool races_of_run(void)
{
    struct session *session = native.session;
    uint32_t exposed = session->exposed.count;
    bool stop = false;

    if (!run_settle())
        return false;
    if (detector.given_up)
        native_unsupported(detector.given_up);
    if (races.count == 0 || session->for_debugger) /* one run only: the debugger has shown them */
        return true;
    if (detector.forgot &&
        is_search()) { /* they may be none: what nobody uses counts from now on */
        session->remembers = session->begin_anew = true;
        races.count = 0;
        return false;
    }
    if (!run_again()) {
        races.count = 0;
        return false;
    }
    for (uint32_t i = 0; i < races.count && !stop; i++) {
        map_add(&session->races_known, races.notes[i].key, 0);
        stop = race_settle(&races.notes[i], exposed) && !session->keep_going && is_search();
    }
    races.count = 0;
    return !stop && !session->begin_anew;
}

/* ---- the part */

/* Where it is created, in a run that is done again. */
static void thread_begins(struct native_thread *thread)
{
    if (races.explaining && native.current)
        stack_keep(races_thread_stack(thread->number), __raddle_frames);
}

/* What is noted is looked into at the end of the run, once. */
static bool forks(const char **why)
{
    *why = "a data race";
    return races.count == 0;
}

const struct part races_part = {.name = "races",
                                .state = &races,
                                .size = sizeof races,
                                .open = open_detector,
                                .restart = restart,
                                .thread_begins = thread_begins,
                                .stateless = true,
                                .forks = forks};
