#include "explore/sampling.h"

#include "base/check.h"
#include "explore/explorer.h"
#include "model/touch.h"

/* Traces that are kept apart: later runs are made, but not noted. */
#define TRACES_MAX (1u << 20)

/* Runs whose traces are noted, one after the other; later on it is one of NOTED_SHARE. */
#define NOTED_ALL   512
#define NOTED_SHARE 8

/* Steps that a run may take at least before chance takes over. */
#define PATIENCE_MIN 1000

/* Steps from one look at the clock to the next. */
#define CLOCK_STEPS 4096

void sampling_open(struct explorer *explorer)
{
    struct sampling *s = arena_alloc(explorer->arena, sizeof *s);
    const struct explorer_options *options = &explorer->options;

    memset(s, 0, sizeof *s);
    s->sampler = options->search->open(explorer->arena);
    s->sampler->ops = options->search;
    s->sampler->arena = explorer->arena;
    s->sampler->world = &explorer->world;
    s->sampler->depth = options->depth ? options->depth : SEARCH_DEPTH;
    s->sampler->agents = 0;
    s->sampler->steps = 0;
    s->sampler->watches = options->search->touches != NULL;
    s->max_steps = options->max_steps;
    s->patience = PATIENCE_MIN;
    trace_hash_open(&s->hash, explorer->arena);
    map_open(&s->traces, explorer->arena);
    explorer->sampling = s;
    explorer->stats.cut |= CUT_SAMPLED;
}

/* ---- one run */

/* The numbers of run i depend on the seed and on i alone, so that a run that ended its process costs the others nothing. */
static void sample_begin(struct explorer *explorer)
{
    struct sampling *s = explorer->sampling;

    execution_cut(&explorer->execution, 0);
    world_restart(&explorer->world);
    s->noting = explorer->stats.sampled.noted < NOTED_ALL ||
                explorer->stats.sampled.runs % NOTED_SHARE == 0;
    trace_hash_begin(&s->hash);
    s->sampler->random = mix64(explorer->options.seed + 0x51ed270b27f3b45bu) +
                         mix64(explorer->stats.sampled.runs + 1);
    s->sampler->run = explorer->stats.sampled.runs;
    s->sampler->ops->begin(s->sampler);
}

static outcome_id outcome_draw(struct explorer *explorer, agent_id agent)
{
    outcome_vec *outcomes = &explorer->execution.outcomes;

    world_outcomes(&explorer->world, agent, outcomes);
    if (outcomes->count == 1)
        return outcomes->at[0];
    explorer->stats.sampled.drawn = true;
    return outcomes->at[sampler_below(explorer->sampling->sampler, outcomes->count)];
}

static void sample_append(struct explorer *explorer, agent_id agent, outcome_id outcome)
{
    if (explorer->options.clocks) {
        execution_append(&explorer->execution, agent, outcome);
        races_cut(&explorer->execution, 0);
    } else {
        execution_append_bare(&explorer->execution, agent, outcome);
    }
    explorer->stats.transitions++;
}

/* What a section touches is known only when it is done. */
static void sample_section(struct explorer *explorer, agent_id agent, outcome_id outcome)
{
    struct execution *x = &explorer->execution;
    struct sampler *sampler = explorer->sampling->sampler;
    const struct step *step = &explorer->world.step;

    sample_append(explorer, agent, outcome);
    x->section.count = 0;
    for (uint32_t i = 0; i < step->section.count; i++)
        vec_push(x->arena, &x->section, step->section.at[i].access);
    if (sampler->watches)
        sampler->ops->touches(sampler, agent, x->section.at, x->section.count);
    if (explorer->sampling->noting)
        trace_hash_add(&explorer->sampling->hash, &vec_last(&x->events), x->section.at,
                       x->section.count);
}

/* With what it touches, if somebody wants to know. */
static void sample_watched(struct explorer *explorer, agent_id agent, outcome_id outcome,
                           const struct op *op)
{
    struct sampler *sampler = explorer->sampling->sampler;
    struct footprint footprint;

    op_touch(&explorer->world, &view_now, agent, op, &footprint, NULL);
    if (sampler->watches)
        sampler->ops->touches(sampler, agent, footprint.at, footprint.count);
    sample_append(explorer, agent, outcome);
    if (explorer->sampling->noting)
        trace_hash_add(&explorer->sampling->hash, &vec_last(&explorer->execution.events),
                       footprint.at, footprint.count);
}

static void sample_step(struct explorer *explorer, agent_id agent)
{
    const struct sampling *s = explorer->sampling;
    outcome_id outcome = outcome_draw(explorer, agent);
    struct op space;
    const struct op *op = world_pending(&explorer->world, agent, &space);

    if (op->kind == OP_SECTION_BEGIN)
        sample_section(explorer, agent, outcome);
    else if (s->noting || s->sampler->watches)
        sample_watched(explorer, agent, outcome, op);
    else
        sample_append(explorer, agent, outcome);
}

enum sample_end { SAMPLE_ENDED, SAMPLE_GIVEN_UP, SAMPLE_OUT_OF_TIME };

/* A run that goes on for longer than runs do may be kept from its end by one that the sampler prefers: then all get their turn. */
static enum sample_end sample_take(struct explorer *explorer)
{
    struct sampling *s = explorer->sampling;
    struct sampler *sampler = s->sampler;
    uint64_t patience = s->patience < s->max_steps / 2 ? s->patience : s->max_steps / 2;

    for (uint64_t step = 1;; step++) {
        agent_id agent =
            step > patience ? sampler_anyone(sampler) : sampler->ops->pick(sampler, step);

        if (agent == AGENT_NONE)
            return SAMPLE_ENDED;
        if (step > s->max_steps)
            return SAMPLE_GIVEN_UP;
        if ((step % CLOCK_STEPS == 0 || explorer_is_braked(explorer)) &&
            explorer_limit_reached(explorer))
            return SAMPLE_OUT_OF_TIME;
        sample_step(explorer, agent);
    }
}

/* ---- what a run tells about the next ones */

/* Without the steps at its end that one thread and its buffers took alone. */
static uint64_t steps_useful(const struct explorer *explorer)
{
    const struct execution *x = &explorer->execution;
    const struct agent *agents = explorer->world.agents.at;
    uint32_t end = x->events.count;

    while (end > 1 &&
           agents[x->events.at[end - 2].agent].thread == agents[x->events.at[end - 1].agent].thread)
        end--;
    return end;
}

/* A loop without an end: later runs go on for twice as long as something else happened in them. */
static void sample_steps_lower(struct explorer *explorer)
{
    struct sampling *s = explorer->sampling;
    uint64_t useful = steps_useful(explorer);
    uint64_t longest = explorer->stats.sampled.longest;
    uint64_t least = explorer->options.max_steps / 10;

    if (useful > s->useful)
        s->useful = useful;
    if (least < 2 * s->useful)
        least = 2 * s->useful;
    if (least < 2 * longest)
        least = 2 * longest;
    if (least < s->max_steps)
        s->max_steps = least;
    explorer->stats.cut |= CUT_MAX_STEPS;
}

/* An eighth more than was needed, so that it does not grow with each run: runs that were made with less count for nothing. */
static void lengths_learn(struct explorer *explorer, uint64_t steps)
{
    struct sampling *s = explorer->sampling;
    struct sampler *sampler = s->sampler;
    struct sample_stats *stats = &explorer->stats.sampled;
    uint32_t agents = explorer->world.active.count;
    bool kept = sampler->ops->keeps_word && sampler->ops->keeps_word(sampler, steps);

    if (steps > stats->longest)
        stats->longest = steps;
    if (2 * steps > s->patience)
        s->patience = 2 * steps;
    if (agents > sampler->agents || steps > sampler->steps) {
        if (steps > sampler->steps)
            sampler->steps = steps + steps / 8;
        if (agents > sampler->agents)
            sampler->agents = agents;
        stats->kept = 0;
        kept = false;
    }
    stats->kept += kept;
    stats->agents = sampler->agents;
    stats->steps = sampler->steps;
}

static void trace_note(struct explorer *explorer)
{
    struct sampling *s = explorer->sampling;
    struct sample_stats *stats = &explorer->stats.sampled;
    uint32_t at = map_get(&s->traces, s->hash.sum);

    if (!s->noting)
        return;
    stats->full |= at == MAP_ABSENT && s->seen.count == TRACES_MAX;
    if (stats->full)
        return;
    stats->noted++;
    if (at == MAP_ABSENT) {
        map_add(&s->traces, s->hash.sum, s->seen.count);
        vec_push(explorer->arena, &s->seen, 1);
        stats->traces++;
        stats->once++;
        return;
    }
    if (s->seen.at[at] == 1) {
        stats->once--;
        stats->twice++;
    } else if (s->seen.at[at] == 2) {
        stats->twice--;
    }
    s->seen.at[at] += s->seen.at[at] < UINT8_MAX;
}

/* ---- its end */

static void sample_count(struct explorer *explorer, enum ending ending)
{
    struct explorer_stats *stats = &explorer->stats;
    uint32_t steps = explorer->execution.events.count;

    explorer->runs = ++stats->sampled.runs;
    if (ending == ENDING_CUT)
        stats->sampled.given_up++;
    else if (explorer->execution.failed_assumes.count && !explorer_run_failed(explorer, ending))
        stats->assumes++;
    else
        stats->executions++;
    if (steps > stats->max_depth)
        stats->max_depth = steps;
    stats->max_bytes = explorer->arena->used;
    if (explorer->world.buffer_bound_met)
        stats->cut |= CUT_BUFFER_BOUND;
}

/* False: the search is to stop. */
static bool sample_ended(struct explorer *explorer, enum sample_end end)
{
    enum ending ending = end == SAMPLE_GIVEN_UP ? ENDING_CUT : explorer_ending(explorer);

    if (end == SAMPLE_GIVEN_UP) {
        sample_steps_lower(explorer);
    } else {
        lengths_learn(explorer, explorer->execution.events.count);
        trace_note(explorer);
    }
    sample_count(explorer, ending);
    if (!explorer->options.ended ||
        explorer->options.ended(explorer->options.context, explorer, ending))
        return true;
    explorer->stats.cut |= CUT_STOPPED;
    return false;
}

bool sampling_retrace(struct explorer *explorer)
{
    struct execution *x = &explorer->execution;
    struct sampling *s = explorer->sampling;

    if (!s || explorer->options.clocks)
        return true;
    s->plan.count = 0;
    for (event_id id = 0; id < x->events.count; id++)
        vec_push(explorer->arena, &s->plan, x->events.at[id]);
    execution_cut(x, 0);
    world_restart(&explorer->world);
    for (uint32_t i = 0; i < s->plan.count; i++) {
        const struct event *event = &s->plan.at[i];
        struct op space;
        const struct op *op = world_pending(&explorer->world, event->agent, &space);

        if (!op || op->kind != event->op.kind || op->site != event->op.site ||
            !world_enabled(&explorer->world, event->agent)) {
            explorer->diverged = i;
            explorer->missing = event->agent;
            return false;
        }
        execution_append(x, event->agent, event->outcome);
        races_cut(x, 0);
    }
    return true;
}

static bool samples_enough(struct explorer *explorer)
{
    return explorer->stats.sampled.runs >= explorer->options.runs ||
           explorer_limit_reached(explorer);
}

bool sampling_next(struct explorer *explorer)
{
    enum sample_end end;

    if (samples_enough(explorer))
        return false;
    sample_begin(explorer);
    end = sample_take(explorer);
    return end != SAMPLE_OUT_OF_TIME && sample_ended(explorer, end);
}

static bool sample_all(struct explorer *explorer)
{
    while (sampling_next(explorer))
        ;
    return explorer->diverged == EVENT_NONE;
}

bool sampling_run(struct explorer *explorer)
{
    sampling_open(explorer);
    return sample_all(explorer);
}

void sampling_bury(struct explorer *explorer)
{
    sample_count(explorer, ENDING_DONE);
}

bool sampling_resume(struct explorer *explorer)
{
    sampling_bury(explorer);
    return sample_all(explorer);
}

/* ---- what it is worth */

double sample_unseen(const struct sample_stats *stats)
{
    return stats->noted ? (double)stats->once / (double)stats->noted : 1;
}

double sample_traces_least(const struct sample_stats *stats)
{
    double once = (double)stats->once, twice = (double)stats->twice;

    return (double)stats->traces + once * (once - 1) / (2 * (twice + 1));
}

static double sample_power(double base, uint64_t exponent)
{
    double result = 1;

    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1)
            result *= base;
    return result;
}

double sample_promise(const struct sample_stats *stats, uint32_t depth)
{
    double chance; /* of one run */

    if (stats->kept == 0 || stats->given_up > 0)
        return 0;
    chance = 1 / ((double)stats->agents * sample_power((double)stats->steps, depth - 1));
    return 1 - sample_power(1 - chance, stats->kept);
}
