#include "explore/work.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "model/object.h"

/* How work looks as bytes. The header: */
static const char work_magic[8] = {'r', 'a', 'd', 'd', 'l', 'e', 'w', 'k'};
#define HEADER_SIZE (sizeof work_magic + 5 * 8) /* version, program, options, length, checksum */

void work_open(struct work *work, struct arena *arena)
{
    memset(work, 0, sizeof *work);
    work->arena = arena;
}

bool location_has_agent(uint8_t kind, uint64_t addr, unsigned *shift)
{
    *shift = kind == OBJECT_SLOT ? 32 : 0;
    return kind == OBJECT_SLOT || (kind == OBJECT_THREAD && addr != THREAD_ANY_REQUEST);
}

/* ---- branches */

/* Whether an outcome is given, and what it is: 0 any, 1 lost, 2 number, 3 an agent. */
enum { CHOICE_ANY, CHOICE_LOST, CHOICE_NUMBER, CHOICE_AGENT, CHOICE_KINDS };

void choice_write(struct choice choice, struct bytes *out)
{
    uint64_t kind = choice.outcome == OUTCOME_ANY    ? CHOICE_ANY
                    : choice.outcome == OUTCOME_LOST ? CHOICE_LOST
                    : choice.wakes                   ? CHOICE_AGENT
                                                     : CHOICE_NUMBER;

    bytes_number(out, (uint64_t)choice.agent * CHOICE_KINDS + kind);
    if (kind >= CHOICE_NUMBER)
        bytes_number(out, choice.outcome);
}

struct choice choice_read(struct bytes_reader *in, uint32_t agents)
{
    uint64_t word = bytes_read_below(in, (uint64_t)agents * CHOICE_KINDS);
    struct choice choice = {.agent = (agent_id)(word / CHOICE_KINDS), .outcome = OUTCOME_ANY};

    switch (word % CHOICE_KINDS) {
    case CHOICE_LOST:
        choice.outcome = OUTCOME_LOST;
        break;
    case CHOICE_NUMBER:
        choice.outcome = bytes_read_below(in, OUTCOME_ANY);
        break;
    case CHOICE_AGENT:
        choice.outcome = bytes_read_below(in, agents);
        choice.wakes = 1;
        break;
    }
    return choice;
}

void accesses_write(const struct access *accesses, uint32_t count, struct bytes *out)
{
    bytes_number(out, count);
    for (uint32_t i = 0; i < count; i++) {
        bytes_number(out, (uint64_t)accesses[i].loc * ACCESS_MODE_COUNT + accesses[i].mode);
        bytes_number(out, accesses[i].bytes);
    }
}

struct access *accesses_read(struct arena *arena, struct bytes_reader *in, uint32_t locations,
                             uint32_t *count)
{
    struct access *accesses = NULL;

    *count = bytes_read_count(in, 2);
    if (*count)
        accesses = arena_alloc(arena, *count * sizeof *accesses);
    for (uint32_t i = 0; i < *count; i++) {
        uint64_t word = bytes_read_below(in, (uint64_t)locations * ACCESS_MODE_COUNT);

        accesses[i] = (struct access){.loc = (loc_id)(word / ACCESS_MODE_COUNT),
                                      .mode = (uint8_t)(word % ACCESS_MODE_COUNT),
                                      .bytes = (uint8_t)bytes_read_below(in, 256)};
        if (accesses[i].mode == ACCESS_NONE)
            in->failed = true;
    }
    return accesses;
}

static void branch_write(const struct branch *branch, uint32_t level, struct bytes *out)
{
    bytes_number(out, (uint64_t)level << 2 | (uint64_t)branch->rests << 1 | branch->inexact);
    choice_write(branch->choice, out);
    accesses_write(branch->accesses, branch->access_count, out);
}

/* A branch comes before all behind it, and that before its siblings; its level tells where it belongs. */
void branches_write(const struct branch *list, struct bytes *out)
{
    VEC(const struct branch *) path = {0};
    uint32_t count_at = out->data.count, count = 0;

    bytes_word(out, 0);
    for (const struct branch *at = list; at;) {
        branch_write(at, path.count, out);
        count++;
        if (at->child) {
            vec_push(out->arena, &path, at);
            at = at->child;
            continue;
        }
        while (!at->sibling && path.count > 0)
            at = path.at[--path.count];
        at = at->sibling;
    }
    for (unsigned i = 0; i < 8; i++)
        out->data.at[count_at + i] = (uint8_t)((uint64_t)count >> (8 * i));
    vec_free(out->arena, &path);
}

static struct branch *branch_read(struct arena *arena, struct bytes_reader *in, uint32_t agents,
                                  uint32_t locations, uint32_t *level)
{
    uint64_t word = bytes_read_number(in);
    struct branch *branch = arena_alloc(arena, sizeof *branch);
    struct access *accesses;
    struct choice choice;
    uint32_t count;

    *level = (uint32_t)(word >> 2);
    if (word >> 2 > UINT32_MAX)
        in->failed = true;
    choice = choice_read(in, agents);
    accesses = accesses_read(arena, in, locations, &count);
    branch_init(arena, branch, choice, accesses, count);
    arena_free(arena, accesses, count * sizeof *accesses);
    branch->inexact = word & 1;
    branch->rests = word >> 1 & 1;
    return branch;
}

struct branch *branches_read(struct arena *arena, struct bytes_reader *in, uint32_t agents,
                             uint32_t locations)
{
    VEC(struct branch *) last = {0}; /* by level */
    struct branch *list = NULL;
    uint64_t count = bytes_read_word(in);
    uint32_t level;

    if (count > (size_t)(in->end - in->at) / 3)
        in->failed = true;
    for (uint64_t i = 0; i < count && !in->failed; i++) {
        struct branch *branch = branch_read(arena, in, agents, locations, &level);

        if (in->failed || level > last.count) {
            in->failed = true;
            break;
        }
        if (level < last.count)
            last.at[level]->sibling = branch;
        else if (level > 0)
            last.at[level - 1]->child = branch;
        else
            list = branch;
        last.count = level;
        vec_push(arena, &last, branch);
    }
    vec_free(arena, &last);
    return in->failed ? NULL : list;
}

/* ---- the rest of it */

/* The numbers of a search so far, in a fixed order. */
#define STATS_COUNT 18
static void stats_list(struct work *work, uint64_t *at[STATS_COUNT])
{
    uint64_t *list[STATS_COUNT] = {&work->stats.executions,
                                   &work->stats.asleep,
                                   &work->stats.assumes,
                                   &work->stats.transitions,
                                   &work->stats.replayed,
                                   &work->stats.max_depth,
                                   &work->runs,
                                   &work->max_steps,
                                   &work->first_done,
                                   &work->random,
                                   &work->stats.max_bytes,
                                   &work->stats.states.states,
                                   &work->stats.states.revisited,
                                   &work->stats.states.cycles,
                                   &work->stats.states.untold,
                                   &work->stats.symmetry.checks,
                                   &work->stats.symmetry.found,
                                   &work->stats.symmetry.saved};

    memcpy(at, list, sizeof list);
}

void work_write_names(const struct work *work, struct bytes *out)
{
    bytes_number(out, work->agents.count);
    for (uint32_t i = 0; i < work->agents.count; i++) {
        bytes_number(out, work->agents.at[i].key << 1 | work->agents.at[i].is_buffer);
        if (work->agents.at[i].is_buffer)
            bytes_number(out, work->agents.at[i].addr);
    }
    bytes_number(out, work->locations.count);
    for (uint32_t i = 0; i < work->locations.count; i++) {
        bytes_number(out, work->locations.at[i].kind);
        bytes_number(out, work->locations.at[i].addr);
    }
    bytes_number(out, work->threads.count);
    for (uint32_t i = 0; i < work->threads.count; i++) {
        bytes_number(out, work->threads.at[i].parent);
        bytes_number(out, work->threads.at[i].rank);
    }
}

void work_write_inner(const struct work *work, struct bytes *out)
{
    uint64_t *numbers[STATS_COUNT];

    work_write_names(work, out);
    bytes_number(out, work->schedule.count);
    for (uint32_t i = 0; i < work->schedule.count; i++) {
        const struct work_step *step = &work->schedule.at[i];

        bytes_number(out, (uint64_t)step->fatal | (uint64_t)step->inexact << 1);
        choice_write(step->choice, out);
        accesses_write(step->accesses, step->access_count, out);
    }
    bytes_number(out, work->root);
    bytes_number(out, work->seen);
    bytes_number(out, (uint64_t)work->fresh | (uint64_t)work->under_way << 1);
    for (uint32_t i = 0; i < work->nodes.count; i++) {
        branches_write(work->nodes.at[i].done, out);
        branches_write(work->nodes.at[i].planned, out);
    }
    stats_list((struct work *)work, numbers);
    for (unsigned i = 0; i < STATS_COUNT; i++)
        bytes_number(out, *numbers[i]);
    bytes_number(out, work->stats.cut);
}

void work_read_names(struct work *work, struct bytes_reader *in)
{
    uint32_t count = bytes_read_count(in, 1);
    unsigned shift;

    for (uint32_t i = 0; i < count && !in->failed; i++) {
        uint64_t key = bytes_read_number(in);
        bool is_buffer = key & 1;

        vec_push(work->arena, &work->agents,
                 (struct work_agent){.key = key >> 1,
                                     .is_buffer = is_buffer,
                                     .addr = is_buffer ? bytes_read_number(in) : 0});
    }
    count = bytes_read_count(in, 2);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct work_location location = {.kind = (uint8_t)bytes_read_below(in, OBJECT_KIND_COUNT)};

        location.addr = bytes_read_number(in);
        if (location_has_agent(location.kind, location.addr, &shift) &&
            location_agent(location.addr, shift) >= work->agents.count)
            in->failed = true;
        vec_push(work->arena, &work->locations, location);
    }
    count = bytes_read_count(in, 2);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct work_thread thread = {.parent = bytes_read_below(in, count)};

        thread.rank = bytes_read_below(in, UINT32_MAX);
        vec_push(work->arena, &work->threads, thread);
    }
}

static void read_stats(struct work *work, struct bytes_reader *in)
{
    uint64_t *numbers[STATS_COUNT];

    stats_list(work, numbers);
    for (unsigned i = 0; i < STATS_COUNT; i++)
        *numbers[i] = bytes_read_number(in);
    work->stats.cut = bytes_read_below(in, UINT32_MAX);
}

bool work_read_inner(struct work *work, struct arena *arena, struct bytes_reader *in)
{
    uint32_t count, flags;

    work_open(work, arena);
    work_read_names(work, in);
    count = bytes_read_count(in, 3);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct work_step step = {0};

        flags = bytes_read_below(in, 4);
        step.fatal = flags & 1;
        step.inexact = flags >> 1;
        step.choice = choice_read(in, work->agents.count);
        step.accesses = accesses_read(arena, in, work->locations.count, &step.access_count);
        if (step.choice.outcome == OUTCOME_ANY && i + 1 < count)
            in->failed = true; /* only the last one may still be open */
        vec_push(arena, &work->schedule, step);
    }
    work->root = bytes_read_below(in, (uint64_t)count + 1);
    work->seen = bytes_read_below(in, (uint64_t)count + 1);
    flags = bytes_read_below(in, 4);
    work->fresh = flags & 1;
    work->under_way = flags >> 1;
    for (uint32_t i = 0; i <= count && !in->failed; i++) {
        struct work_node node = {0};

        node.done = branches_read(arena, in, work->agents.count, work->locations.count);
        node.planned = branches_read(arena, in, work->agents.count, work->locations.count);
        vec_push(arena, &work->nodes, node);
    }
    read_stats(work, in);
    return !in->failed;
}

void work_write(const struct work *work, const struct work_identity *identity, struct bytes *out)
{
    struct bytes inner;

    bytes_open(&inner, out->arena);
    work_write_inner(work, &inner);
    bytes_add(out, work_magic, sizeof work_magic);
    bytes_word(out, WORK_VERSION);
    bytes_word(out, identity->program);
    bytes_word(out, identity->options);
    bytes_word(out, inner.data.count);
    /* of the program, the options and all that follows */
    bytes_word(out, XXH3_64bits_withSeed(inner.data.at, inner.data.count,
                                         identity->program ^ identity->options * 3));
    bytes_add(out, inner.data.at, inner.data.count);
    vec_free(inner.arena, &inner.data);
}

static bool refuse(struct work_error *error, const char *text)
{
    snprintf(error->text, sizeof error->text, "%s", text);
    return false;
}

bool work_read(struct work *work, struct arena *arena, const void *at, size_t size,
               const struct work_identity *wanted, struct work_identity *identity,
               struct work_error *error)
{
    struct bytes_reader in = {.at = at, .end = (const uint8_t *)at + size};
    const void *magic = bytes_read_raw(&in, sizeof work_magic);
    uint64_t version, length, checksum;
    struct work_identity of;

    work_open(work, arena);
    if (!magic || memcmp(magic, work_magic, sizeof work_magic) != 0)
        return refuse(error, "is not a piece of a search");
    version = bytes_read_word(&in);
    if (!in.failed && version != WORK_VERSION) {
        snprintf(error->text, sizeof error->text,
                 "is of version %llu of the format, and this raddle reads version %d",
                 (unsigned long long)version, WORK_VERSION);
        return false;
    }
    of.program = bytes_read_word(&in);
    of.options = bytes_read_word(&in);
    length = bytes_read_word(&in);
    checksum = bytes_read_word(&in);
    if (in.failed || length > (size_t)(in.end - in.at))
        return refuse(error, "is truncated");
    if (length < (size_t)(in.end - in.at))
        return refuse(error, "has something behind its end");
    if (checksum != XXH3_64bits_withSeed(in.at, length, of.program ^ of.options * 3))
        return refuse(error, "is damaged: its checksum is wrong");
    if (identity)
        *identity = of;
    if (wanted && wanted->program != of.program)
        return refuse(error, "is of another program, or of another build of it");
    if (wanted && wanted->options != of.options)
        return refuse(error, "is of a search with other options");
    if (!work_read_inner(work, arena, &in) || in.at != in.end)
        return refuse(error, "is damaged: it does not hold together");
    return true;
}

uint64_t work_options_hash(const struct explorer_options *options)
{
    uint64_t words[] = {
        XXH3_64bits(options->reduction->name, strlen(options->reduction->name)),
        XXH3_64bits(options->memory->name, strlen(options->memory->name)),
        options->buffer_bound,
        options->preemption_bound,
        options->bound_grows,
        options->spurious_bound,
        options->max_steps,
        options->states,
        options->forgets,
        options->seed,
        options->lenient,
        options->all_races,
        options->symmetry,
    };

    return XXH3_64bits(words, sizeof words);
}
