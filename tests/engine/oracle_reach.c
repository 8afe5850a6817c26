#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "oracle_state.h"

/* All states of a program, each once, however often it goes round: plain enumeration for programs whose runs have no end. Only without store
 * buffers: what the oracle keeps of those tells how many stores there were. */

struct reach {
    struct o_machine machine;
    struct oracle_set seen;
    struct o_state *todo;
    uint32_t count, room;
    struct oracle_result *result;
};

/* What decides what can follow. Events that caused something do not. */
static struct oracle_hash whole_hash(const struct o_machine *m, const struct o_state *s)
{
    struct oracle_hash hash = o_state_hash(m, s);

    for (uint32_t i = 0; i < m->object_count; i++) {
        const struct o_object *o = &s->objects[i];

        hash = o_hash_word(hash, (uint64_t)(uint16_t)o->owner << 32 | (uint32_t)o->value);
        hash = o_hash_word(hash, (uint64_t)o->dead << 1 | o->made);
        for (uint32_t t = 0; t < m->thread_count; t++)
            hash = o_hash_word(hash, (uint64_t)o->wants[t] << 8 | o->reads[t]);
    }
    for (uint32_t t = 0; t < m->thread_count; t++) {
        const struct o_thread *thread = &s->threads[t];

        hash = o_hash_word(hash, (uint64_t)thread->pc << 32 | (uint64_t)thread->phase << 24 |
                                     (uint64_t)thread->wait_result << 16 |
                                     (uint64_t)thread->spurious << 8 | thread->cancelled);
        hash = o_hash_word(hash, (uint64_t)(uint16_t)thread->cond << 16 | (uint16_t)thread->mutex);
    }
    return hash;
}

static void reach_add(struct reach *reach, const struct o_state *state)
{
    if (!oracle_set_add(&reach->seen, whole_hash(&reach->machine, state)))
        return;
    if (reach->count == reach->room) {
        reach->room = reach->room ? 2 * reach->room : 64;
        reach->todo = realloc(reach->todo, reach->room * sizeof *reach->todo);
    }
    reach->todo[reach->count++] = *state;
}

static void reach_end(struct reach *reach, const struct o_state *state)
{
    struct oracle_end end;

    oracle_set_add(&reach->result->finals, o_state_hash(&reach->machine, state));
    o_state_end(&reach->machine, state, &end);
    reach->result->deadlocks += end.deadlock;
    reach->result->asserts += end.asserted;
    reach->result->misuses += end.misused;
    reach->result->assumes += end.assumed;
}

static void reach_from(struct reach *reach, const struct o_state *state)
{
    struct o_choice choices[O_CHOICES];
    struct o_event event[2];
    struct o_state *next = calloc(1, sizeof *next);
    unsigned n = o_choices(&reach->machine, state, choices);

    if (n == 0)
        reach_end(reach, state);
    for (unsigned i = 0; i < n; i++) {
        memset(event, 0, sizeof event);
        o_state_copy(&reach->machine, next, state);
        o_step(&reach->machine, next, choices[i], &event[0], 0);
        reach->result->steps++;
        if (next->too_big) { /* a loop without a visible operation, say: it stands anywhere */
            reach->result->too_big = next->too_big;
            break;
        }
        reach_add(reach, next);
    }
    free(next);
}

void oracle_reach(const struct oracle_config *config, uint64_t limit, struct oracle_result *result)
{
    struct reach reach = {.result = result};
    struct o_state *state = malloc(sizeof *state);

    memset(result, 0, sizeof *result);
    memset(state, 0, sizeof *state);
    o_machine_init(&reach.machine, config);
    result->too_big = reach.machine.too_big;
    if (!result->too_big) {
        o_state_init(&reach.machine, state);
        result->too_big = state->too_big;
        reach_add(&reach, state);
    }
    while (reach.count > 0 && !result->too_big) {
        *state = reach.todo[--reach.count];
        reach_from(&reach, state);
        if (reach.seen.count > limit)
            result->too_big = "too many states";
    }
    o_machine_free(&reach.machine);
    oracle_set_free(&reach.seen);
    free(reach.todo);
    free(state);
}
