#include "trace/matter.h"

#include <string.h>

#include "base/map.h"
#include "trace/story.h"
#include "trace/words.h"

/* Rows that somebody reads. If there are more, what matters less is left out, and of what matters equally what came first. */
#define ROWS_MAX 24

/* How much a step matters. */
enum level { LEVEL_NONE, LEVEL_SYNC, LEVEL_VALUE, LEVEL_FAILURE, LEVEL_COUNT };

#define SEVERAL UINT32_MAX

/* Something that steps are about. */
struct thing {
    uint32_t user;  /* the one thread that does, or SEVERAL */
    uint32_t start; /* 1 + the last step about it before other threads run, or 0 */
    bool stuck;     /* a thread that cannot go on uses it while others run */
};

struct judging {
    const struct trace *trace;
    struct arena *arena;
    const struct story_link *links;
    const uint32_t *stores; /* words_link_flushes */
    uint8_t *levels;        /* enum level, by step */
    uint32_t start;         /* matter.start */
    struct map numbers;     /* key_of -> index into things */
    VEC(struct thing) things;
    const struct trace_side *race; /* its two sides, or NULL */
    bool *stuck;                   /* by thread: it cannot go on at the end */
    uint32_t *groups;              /* by thread: see group_of */
};

/* ---- what steps are about */

/* The object or the memory; 0: not known. */
static uint64_t key_of(const struct trace_step *step)
{
    uint64_t key = step->cell;

    if (!key && step->object)
        for (const char *at = step->object; *at; at++)
            key = mix64(key + (unsigned char)*at);
    return key ? mix64(key ^ (uint64_t)op_infos[step->op].object << 56) : 0;
}

static void things_find(struct judging *j)
{
    map_open(&j->numbers, j->arena);
    for (uint32_t i = 0; i < j->trace->steps.count; i++) {
        const struct trace_step *step = &j->trace->steps.at[i];
        uint64_t key = key_of(step);
        uint32_t number = map_get(&j->numbers, key);

        if (number == MAP_ABSENT) {
            number = j->things.count;
            map_add(&j->numbers, key, number);
            vec_push(j->arena, &j->things, (struct thing){.user = step->thread});
        }
        if (j->things.at[number].user != step->thread)
            j->things.at[number].user = SEVERAL;
        if (i < j->start)
            j->things.at[number].start = i + 1;
        j->things.at[number].stuck |= i >= j->start && j->stuck[step->thread];
    }
}

static const struct thing *thing_of(const struct judging *j, const struct trace_step *step)
{
    return &j->things.at[map_get(&j->numbers, key_of(step))];
}

static bool is_shared(const struct judging *j, const struct trace_step *step)
{
    return key_of(step) == 0 || thing_of(j, step)->user == SEVERAL;
}

/* ---- who has to do with whom */

/* Threads that have to do with each other, at once or through others, are of one group: it is called like one of them. */
static uint32_t group_of(struct judging *j, uint32_t thread)
{
    while (j->groups[thread] != thread)
        thread = j->groups[thread] = j->groups[j->groups[thread]];
    return thread;
}

/* Whoever joins a thread may get its result. */
static void group_join(struct judging *j, const struct trace_step *step)
{
    static const char words[] = "join T";
    uint32_t joined = 0;

    if (step->op != OP_THREAD_JOIN || !step->text ||
        strncmp(step->text, words, sizeof words - 1) != 0)
        return;
    for (const char *at = step->text + sizeof words - 1; *at >= '0' && *at <= '9'; at++)
        joined = joined < j->trace->threads.count ? joined * 10 + (uint32_t)(*at - '0') : joined;
    if (joined < j->trace->threads.count)
        j->groups[group_of(j, step->thread)] = group_of(j, joined);
}

/* What the first thread prepared for all does not count, nor does creating a thread. */
static bool is_common(const struct judging *j, uint32_t i)
{
    const struct trace_step *step = &j->trace->steps.at[i];
    uint8_t object = op_infos[step->op].object;

    if (i < j->start || object == OBJECT_THREAD || step->op == OP_FENCE)
        return false;
    return object != OBJECT_CELL || !step->cell || step->order || j->links[i].matters;
}

static void groups_find(struct judging *j)
{
    const struct trace *trace = j->trace;
    uint32_t *users = arena_alloc(j->arena, j->things.count * sizeof *users);

    for (uint32_t i = 0; i < trace->threads.count; i++)
        j->groups[i] = i;
    for (uint32_t i = 0; i < j->things.count; i++)
        users[i] = SEVERAL;
    for (uint32_t i = 0; i < trace->steps.count; i++) {
        const struct trace_step *step = &trace->steps.at[i];
        uint64_t key = key_of(step);
        uint32_t *user = &users[map_get(&j->numbers, key)];

        group_join(j, step);
        if (!is_common(j, i))
            continue;
        if (!key)
            *user = trace->bug.thread; /* nobody knows with whom */
        else if (*user == SEVERAL)
            *user = step->thread;
        j->groups[group_of(j, step->thread)] = group_of(j, *user);
    }
}

/* A lock that another thread waits for at the end is shared, too, though that thread has never had it. */
static bool is_awaited(const struct judging *j, const struct trace_step *step)
{
    for (uint32_t i = 0; step->object && i < j->trace->waits.count; i++)
        if (strstr(j->trace->waits.at[i].text, step->object))
            return true;
    return false;
}

/* A lock that one side of the race holds and the other one does not is nobody else's, maybe; and just that is the bug. */
static bool is_held(const struct judging *j, const struct trace_step *step)
{
    for (int i = 0; j->race && step->object && i < 2; i++)
        for (uint32_t k = 0; k < j->race[i].locks.count; k++)
            if (strcmp(j->race[i].locks.at[k], step->object) == 0)
                return true;
    return false;
}

/* In a deadlock, what those who are stuck have had nothing to do with has not led there. */
static bool is_elsewhere(const struct judging *j, const struct trace_step *step)
{
    return j->trace->waits.count && key_of(step) && !thing_of(j, step)->stuck;
}

/* ---- how much they matter */

static void raise_to(struct judging *j, uint32_t i, enum level level)
{
    if (j->levels[i] < level)
        j->levels[i] = (uint8_t)level;
}

static bool is_of_race(const struct judging *j, const struct trace_step *step)
{
    return step->thread == j->race[0].thread || step->thread == j->race[1].thread;
}

/* Whether it touches what the accesses of the race touch. */
static bool is_raced(const struct judging *j, const struct trace_step *step)
{
    for (int i = 0; i < 2; i++) {
        const struct trace_step *side =
            j->race[i].step ? &j->trace->steps.at[j->race[i].step - 1] : NULL;

        if (side && (step->cell == side->cell || step->cell - side->cell < side->size ||
                     side->cell - step->cell < step->size))
            return true;
    }
    return false;
}

/* A member of the library's own, such as "threads._M_impl": C++ keeps such names for it. What is behind it is nobody else's business. */
static bool is_of_library(const struct trace_step *step)
{
    const char *name = step->object && !step->order ? strstr(step->object, "_M_") : NULL;

    return name && name > step->object && strchr(".>:", name[-1]);
}

static enum level memory_level(const struct judging *j, uint32_t i)
{
    const struct trace_step *step = &j->trace->steps.at[i];

    if (!step->cell)
        return LEVEL_VALUE; /* nobody knows */
    if (is_elsewhere(j, step))
        return LEVEL_NONE;
    if (j->race && is_raced(j, step))
        return LEVEL_VALUE;
    if (is_of_library(step))
        return LEVEL_NONE;
    if (j->links[i].matters && (!j->race || step->order || step->is_buffer))
        return LEVEL_VALUE;
    return step->order && step->writes && is_shared(j, step) ? LEVEL_SYNC : LEVEL_NONE;
}

/* What comes before other threads run orders nothing; but a lock that is still held then may be missed, and a signal is lost. */
static enum level start_level(const struct judging *j, uint32_t i)
{
    const struct trace_step *step = &j->trace->steps.at[i];
    const struct op_info *info = &op_infos[step->op];
    bool lock = info->object == OBJECT_MUTEX || info->object == OBJECT_SPIN ||
                info->object == OBJECT_RWLOCK;

    if (j->race || info->object <= OBJECT_CELL || info->object == OBJECT_THREAD ||
        info->sync == SYNC_MAKE || !(is_shared(j, step) || is_awaited(j, step)))
        return LEVEL_NONE;
    if (!lock)
        return LEVEL_SYNC;
    return thing_of(j, step)->start == i + 1 && info->sync != SYNC_RELEASE ? LEVEL_FAILURE
                                                                           : LEVEL_NONE;
}

static enum level step_level(struct judging *j, uint32_t i)
{
    const struct trace_step *step = &j->trace->steps.at[i];
    uint8_t object = op_infos[step->op].object;

    if (i < j->start)
        return start_level(j, i);
    if (j->race && (!is_of_race(j, step) || (j->race[1].step && i >= j->race[1].step)))
        return LEVEL_NONE;
    if (!j->race && !j->trace->waits.count &&
        group_of(j, step->thread) != group_of(j, j->trace->bug.thread))
        return LEVEL_NONE;
    if (object == OBJECT_CELL)
        return memory_level(j, i);
    if (object == OBJECT_THREAD) /* told by who they are, and by who waits */
        return step->op == OP_THREAD_EXIT || j->race || j->trace->waits.count ? LEVEL_NONE
                                                                              : LEVEL_SYNC;
    if (object == OBJECT_NONE)
        return step->op == OP_FENCE ? LEVEL_SYNC : j->race ? LEVEL_NONE : LEVEL_VALUE;
    return is_awaited(j, step) || is_held(j, step) || (is_shared(j, step) && !is_elsewhere(j, step))
               ? LEVEL_SYNC
               : LEVEL_NONE;
}

/* What is in a buffer counts from where it came. */
static void buffers_judge(struct judging *j)
{
    uint32_t count = j->trace->steps.count;
    bool *flushed = arena_alloc(j->arena, count + 1);

    memset(flushed, 0, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        flushed[j->stores[i]] = true;
        if (j->stores[i])
            raise_to(j, j->stores[i] - 1, (enum level)j->levels[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        if (j->trace->steps.at[i].buffered && !flushed[i + 1])
            raise_to(j, i, LEVEL_FAILURE);
}

/* The last step of each thread that is stuck, or of the one that fails. */
static void ends_judge(struct judging *j)
{
    const struct trace *trace = j->trace;
    bool *wanted = j->stuck;

    if (j->race)
        return;
    wanted[trace->bug.thread] = true;
    for (uint32_t i = trace->steps.count; i-- > j->start;) {
        const struct trace_step *step = &trace->steps.at[i];

        if (!wanted[step->thread] || step->plain || step->is_buffer)
            continue;
        if (op_infos[step->op].object != OBJECT_THREAD || !trace->waits.count)
            raise_to(j, i, LEVEL_FAILURE);
        wanted[step->thread] = false;
    }
}

/* Steps in which only the first thread runs; 0 if it is alone to the end. */
static uint32_t start_of(const struct trace *trace)
{
    uint32_t i = 0;

    while (i < trace->steps.count && trace->steps.at[i].thread == 0)
        i++;
    return i < trace->steps.count ? i : 0;
}

/* All of the higher levels; of the first one that there is no room for, the latest. */
static void rows_choose(const struct judging *j, struct matter *matter)
{
    uint32_t counts[LEVEL_COUNT] = {0}, room = ROWS_MAX;
    int level = LEVEL_COUNT - 1;

    for (uint32_t i = 0; i < j->trace->steps.count; i++)
        counts[j->levels[i]]++;
    for (; level > LEVEL_NONE && counts[level] <= room; level--)
        room -= counts[level];
    for (uint32_t i = j->trace->steps.count; i-- > 0;) {
        bool fits = j->levels[i] == level && level > LEVEL_NONE && room > 0;

        room -= fits;
        matter->shown[i] = j->levels[i] > level || fits;
        matter->count += matter->shown[i];
    }
}

struct matter matter_find(const struct trace *trace, struct arena *arena)
{
    uint32_t count = trace->steps.count;
    struct judging j = {.trace = trace,
                        .arena = arena,
                        .links = story_links(trace, arena),
                        .stores = words_link_flushes(trace, arena),
                        .levels = arena_alloc(arena, count + 1),
                        .start = start_of(trace),
                        .race = trace->sides.count == 2 ? trace->sides.at : NULL,
                        .stuck = arena_alloc(arena, trace->threads.count),
                        .groups = arena_alloc(arena, trace->threads.count * sizeof(uint32_t))};
    struct matter matter = {.shown = arena_alloc(arena, count + 1), .start = j.start};

    memset(j.stuck, 0, trace->threads.count);
    for (uint32_t i = 0; i < trace->waits.count; i++)
        j.stuck[trace->waits.at[i].thread] = true;
    things_find(&j);
    groups_find(&j);
    for (uint32_t i = 0; i < count; i++)
        j.levels[i] = (uint8_t)step_level(&j, i);
    for (uint32_t i = 0; j.race && i < 2; i++)
        if (j.race[i].step)
            raise_to(&j, j.race[i].step - 1, LEVEL_FAILURE);
    buffers_judge(&j);
    ends_judge(&j);
    rows_choose(&j, &matter);
    return matter;
}
