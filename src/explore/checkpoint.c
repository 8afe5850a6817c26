#include "explore/checkpoint.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "explore/nodes.h"

static const char checkpoint_magic[8] = {'r', 'a', 'd', 'd', 'l', 'e', 'c', 'p'};

/* Of what the file belongs to and of all that it holds. */
static uint64_t checkpoint_sum(const struct checkpoint_identity *identity, const void *at,
                               size_t size)
{
    return XXH3_64bits_withSeed(at, size,
                                identity->raddle * 5 ^ identity->program ^ identity->options * 3);
}

void checkpoint_seal(const struct checkpoint_identity *identity, const struct bytes *inner,
                     struct bytes *out)
{
    bytes_add(out, checkpoint_magic, sizeof checkpoint_magic);
    bytes_word(out, CHECKPOINT_VERSION);
    bytes_word(out, identity->raddle);
    bytes_word(out, identity->program);
    bytes_word(out, identity->options);
    bytes_word(out, inner->data.count);
    bytes_word(out, checkpoint_sum(identity, inner->data.at, inner->data.count));
    bytes_add(out, inner->data.at, inner->data.count);
}

static bool checkpoint_refuse(struct work_error *error, const char *text)
{
    snprintf(error->text, sizeof error->text, "%s", text);
    return false;
}

bool checkpoint_unseal(const void *at, size_t size, const struct checkpoint_identity *wanted,
                       struct bytes_reader *inner, struct work_error *error)
{
    struct bytes_reader in = {.at = at, .end = (const uint8_t *)at + size};
    const void *magic = bytes_read_raw(&in, sizeof checkpoint_magic);
    struct checkpoint_identity of;
    uint64_t version, length, sum;

    if (!magic || memcmp(magic, checkpoint_magic, sizeof checkpoint_magic) != 0)
        return checkpoint_refuse(error, "is not a checkpoint");
    version = bytes_read_word(&in);
    of.raddle = bytes_read_word(&in);
    of.program = bytes_read_word(&in);
    of.options = bytes_read_word(&in);
    length = bytes_read_word(&in);
    sum = bytes_read_word(&in);
    if (!in.failed && (version != CHECKPOINT_VERSION || of.raddle != wanted->raddle))
        return checkpoint_refuse(error, "was written by another version of raddle");
    if (in.failed || length > (size_t)(in.end - in.at))
        return checkpoint_refuse(error, "is truncated");
    if (length < (size_t)(in.end - in.at))
        return checkpoint_refuse(error, "has something behind its end");
    if (sum != checkpoint_sum(&of, in.at, length))
        return checkpoint_refuse(error, "is damaged: its checksum is wrong");
    if (of.program != wanted->program)
        return checkpoint_refuse(
            error, "is of another program, another build of it, or other arguments of it");
    if (of.options != wanted->options)
        return checkpoint_refuse(error, "is of a search with other options");
    *inner = in;
    return true;
}

/* ---- the search */

bool checkpoint_is_due(const struct explorer *explorer)
{
    return explorer->stats.cut & CUT_LIMITS && !(explorer->stats.cut & CUT_STOPPED) &&
           explorer->path.count > 0 && explorer->diverged == EVENT_NONE;
}

void checkpoint_write(struct explorer *explorer, struct arena *scratch, struct bytes *out)
{
    struct work work;

    if (explorer->comparing)
        states_hand_over(&explorer->states);
    work_open(&work, scratch);
    work_take(&work, explorer);
    work.stats.replayed = explorer->execution.replayed;
    work.stats.cut &= ~(uint32_t)CUT_LIMITS;
    bytes_number(out, CHECKPOINT_STACK);
    bytes_number(out, explorer->options.preemption_bound);
    bytes_number(out, explorer->stats.bounds);
    bytes_number(out, explorer->execution.events.count);
    for (event_id id = 0; id < explorer->execution.events.count; id++)
        bytes_word(out, execution_op_sum(&explorer->world, &explorer->execution.events.at[id].op));
    if (explorer->reduction->ops == &reduction_sharing)
        sharing_write(explorer->reduction, out);
    else
        bytes_number(out, 0);
    work_write_inner(&work, out);
}

bool checkpoint_read(struct checkpoint_search *search, struct arena *arena, struct bytes_reader *in)
{
    uint32_t count;

    bytes_read_below(in, CHECKPOINT_STACK + 1);
    search->bound = bytes_read_below(in, (uint64_t)NO_BOUND + 1);
    search->bounds = bytes_read_below(in, UINT32_MAX);
    count = bytes_read_count(in, 8);
    memset(&search->steps, 0, sizeof search->steps);
    for (uint32_t i = 0; i < count && !in->failed; i++)
        vec_push(arena, &search->steps, bytes_read_word(in));
    count = bytes_read_count(in, 3);
    memset(&search->owners, 0, sizeof search->owners);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct sharing_owner owner = {.kind = (uint8_t)bytes_read_below(in, OBJECT_KIND_COUNT)};

        owner.addr = bytes_read_number(in);
        owner.agent = bytes_read_below(in, (uint64_t)AGENT_NONE + 1);
        vec_push(arena, &search->owners, owner);
    }
    /* the whole of a search, and all its steps have been taken */
    return work_read_inner(&search->work, arena, in) && in->at == in->end &&
           search->work.root == 0 && !search->work.fresh &&
           search->work.schedule.count == search->steps.count &&
           search->work.seen == search->work.schedule.count &&
           (search->work.schedule.count == 0 ||
            vec_last(&search->work.schedule).choice.outcome != OUTCOME_ANY);
}

/* A replay would have noticed if one was not. */
static bool steps_are_same(struct explorer *explorer, const struct checkpoint_search *search)
{
    for (uint32_t i = 0; i < search->steps.count; i++)
        if (execution_op_sum(&explorer->world, &explorer->execution.events.at[i].op) !=
            search->steps.at[i]) {
            explorer->diverged = i;
            return false;
        }
    return true;
}

bool checkpoint_go_on(struct explorer *explorer, struct arena *arena, struct target *target,
                      const struct explorer_options *options,
                      const struct checkpoint_search *search)
{
    const struct work *work = &search->work;
    struct explorer_options on = *options;

    on.preemption_bound = search->bound;
    if (on.max_executions < NO_LIMIT - work->stats.executions)
        on.max_executions += work->stats.executions;
    explorer_open(explorer, arena, target, &on);
    explorer->adopting = !explorer_adopt(explorer, work) || !steps_are_same(explorer, search);
    if (explorer->adopting)
        return false;
    explorer_restore(explorer, work);
    if (explorer->reduction->ops == &reduction_sharing)
        sharing_read(explorer->reduction, &search->owners);
    explorer->stats.bounds = search->bounds;
    explorer->execution.replayed = work->stats.replayed;
    return explorer_go_on(explorer);
}

/* ---- texts */

void bytes_text(struct bytes *out, const char *text)
{
    size_t length = text ? strlen(text) : 0;

    bytes_number(out, text ? length + 1 : 0);
    bytes_add(out, text, length);
}

const char *bytes_read_text(struct bytes_reader *in, struct arena *arena)
{
    uint64_t size = bytes_read_number(in);
    const void *from = size > 0 ? bytes_read_raw(in, size - 1) : NULL;
    char *text;

    if (size == 0 || in->failed)
        return NULL;
    text = arena_alloc(arena, size);
    memcpy(text, from, size - 1);
    text[size - 1] = '\0';
    return text;
}
