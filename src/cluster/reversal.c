#include "base/check.h"
#include "cluster/twig.h"
#include "explore/sequence.h"

/* Sequences to be inserted, as bytes. */

/* The agents of the sequence, in the order in which they come: by agent_id, 1 + place. */
typedef VEC(uint32_t) place_vec;

static uint32_t places_of(const struct sequence *v, struct arena *arena, place_vec *places,
                          place_vec *agents)
{
    for (uint32_t i = 0; i < v->steps.count; i++) {
        agent_id agent = v->steps.at[i].choice.agent;

        while (places->count <= agent)
            vec_push(arena, places, 0);
        if (!places->at[agent]) {
            vec_push(arena, agents, agent);
            places->at[agent] = agents->count;
        }
    }
    return agents->count;
}

/* An access, with its location by name. */
static void access_write(const struct access *access, const struct world *world,
                         struct work_names *names, struct bytes *out)
{
    bytes_number(out, (uint64_t)names_location(names, world, access->loc) * ACCESS_MODE_COUNT +
                          access->mode);
    bytes_number(out, access->bytes);
}

/* What a race would touch, by names. */
static void race_write(const struct sequence *v, const struct execution *x,
                       struct work_names *names, struct bytes *out)
{
    const struct access *accesses = race_accesses(x, v->race);

    bytes_number(out, v->race->access_count);
    for (uint32_t i = 0; i < v->race->access_count; i++)
        access_write(&accesses[i], x->world, names, out);
}

/* How much of `agent` has to come before the operation of the race: what it needs, and what it conflicts with. */
static uint32_t race_needs(const struct sequence *v, const struct execution *x, agent_id agent)
{
    uint32_t needs = vclock_get(race_pre(x, v->race), agent);

    for (uint32_t i = 0; i + 1 < v->steps.count; i++) {
        const struct event *event = &x->events.at[v->steps.at[i].event];
        bool meets = v->race->inexact;

        if (event->agent != agent || event->step <= needs)
            continue;
        for (uint32_t k = 0; k < event->access_count && !meets; k++)
            meets = accesses_conflict(&x->accesses.at[event->accesses + k].access, 1,
                                      race_accesses(x, v->race), v->race->access_count);
        if (meets)
            needs = event->step;
    }
    return needs;
}

static void step_write(const struct sequence *v, const struct execution *x, uint32_t i,
                       struct work_names *names, const place_vec *agents, struct bytes *out)
{
    const struct sequence_step *step = &v->steps.at[i];
    const struct world *world = x->world;

    choice_write(names_choice_of(names, world, step->choice), out);
    if (step->event == EVENT_NONE) {
        race_write(v, x, names, out);
        for (uint32_t a = 0; a < agents->count; a++)
            bytes_number(out, race_needs(v, x, agents->at[a]));
        return;
    }
    {
        const struct event *event = &x->events.at[step->event];

        bytes_number(out, event->access_count);
        for (uint32_t k = 0; k < event->access_count; k++)
            access_write(&x->accesses.at[event->accesses + k].access, world, names, out);
        bytes_number(out, event->step);
        for (uint32_t a = 0; a < agents->count; a++)
            bytes_number(out, vclock_get(event_clock(x, step->event), agents->at[a]));
    }
}

void reversal_write(const struct sequence *v, const struct execution *x, uint32_t depth,
                    struct work_names *names, struct bytes *out)
{
    struct arena *arena = out->arena;
    place_vec places = {0}, agents = {0};

    places_of(v, arena, &places, &agents);
    bytes_number(out, depth);
    bytes_number(out, agents.count);
    for (uint32_t a = 0; a < agents.count; a++)
        bytes_number(out, names_agent(names, x->world, agents.at[a]));
    bytes_number(out, (uint64_t)v->steps.count << 1 | v->race->inexact);
    for (uint32_t i = 0; i < v->steps.count; i++)
        step_write(v, x, i, names, &agents, out);
    vec_free(arena, &places);
    vec_free(arena, &agents);
}

static bool step_read(struct reversal_step *step, struct arena *arena, struct bytes_reader *in,
                      const struct work_numbers *numbers, const place_vec *agents, bool is_race)
{
    struct branch *branch = &step->branch;
    struct choice choice = choice_read(in, numbers->agents.count);

    memset(step, 0, sizeof *step);
    if (in->failed)
        return false;
    branch->choice = numbers_choice(numbers, choice);
    branch->access_count = bytes_read_count(in, 2);
    branch->accesses = arena_alloc(arena, branch->access_count * sizeof *branch->accesses + 1);
    for (uint32_t i = 0; i < branch->access_count; i++) {
        uint64_t word =
            bytes_read_below(in, (uint64_t)numbers->locations.count * ACCESS_MODE_COUNT);

        if (in->failed)
            return false;
        branch->accesses[i] =
            (struct access){.loc = numbers->locations.at[word / ACCESS_MODE_COUNT],
                            .mode = (uint8_t)(word % ACCESS_MODE_COUNT),
                            .bytes = (uint8_t)bytes_read_below(in, 256)};
    }
    step->number = is_race ? UINT32_MAX : bytes_read_below(in, UINT32_MAX);
    step->clock = arena_alloc(arena, agents->count * sizeof *step->clock + 1);
    step->agent = agents->count;
    for (uint32_t a = 0; a < agents->count; a++) {
        step->clock[a] = bytes_read_below(in, UINT32_MAX);
        if (agents->at[a] == branch->choice.agent)
            step->agent = a;
    }
    return !in->failed && step->agent < agents->count;
}

bool reversal_read(struct reversal *reversal, struct arena *arena, struct bytes_reader *in,
                   const struct work_numbers *numbers)
{
    place_vec agents = {0};
    uint64_t word;

    memset(reversal, 0, sizeof *reversal);
    reversal->depth = bytes_read_below(in, UINT32_MAX);
    reversal->agents = bytes_read_count(in, 1);
    for (uint32_t a = 0; a < reversal->agents && !in->failed; a++) {
        uint32_t agent = bytes_read_below(in, numbers->agents.count);

        if (!in->failed)
            vec_push(arena, &agents, numbers->agents.at[agent]);
    }
    word = bytes_read_number(in);
    if (word >> 1 == 0 || word >> 1 > (size_t)(in->end - in->at))
        in->failed = true;
    for (uint64_t i = 0; i < word >> 1 && !in->failed; i++) {
        struct reversal_step step;
        bool is_race = i + 1 == word >> 1;

        if (!step_read(&step, arena, in, numbers, &agents, is_race)) {
            in->failed = true;
            break;
        }
        step.branch.inexact = is_race && word & 1;
        vec_push(arena, &reversal->steps, step);
    }
    vec_free(arena, &agents);
    return !in->failed;
}
