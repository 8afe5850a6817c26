#include "explore/explorer.h"

#include <time.h>

#include "base/check.h"
#include "explore/comparing.h"
#include "explore/nodes.h"
#include "model/touch.h"

/* Runs from one estimate of the progress to the next: it costs as much as the stack is deep. */
#define PROGRESS_RUNS 256

/* Steps in a row after which it is somebody else's turn, in states where nothing has to come first: a loop that only another thread can end
 * would keep that one from running. In long runs half of all steps, so that a few runs are enough to reach any limit. */
#define ROW_MAX 64

/* Steps that runs may take at least, however many were given up. */
#define STEPS_MIN 100

struct reduction *reduction_open(struct explorer *explorer, const struct reduction_ops *ops,
                                 bool bounded)
{
    struct reduction *reduction = ops->open(explorer->arena);

    CHECK(!bounded || ops->takes_bound, "reduction %s under a preemption bound", ops->name);
    reduction->ops = ops;
    reduction->execution = &explorer->execution;
    reduction->bounded = bounded;
    ((struct nodes *)reduction)->shortens = explorer->options.shares;
    return reduction;
}

void explorer_open(struct explorer *explorer, struct arena *arena, struct target *target,
                   const struct explorer_options *options)
{
    memset(explorer, 0, sizeof *explorer);
    explorer->options = *options;
    explorer->arena = arena;
    explorer->diverged = EVENT_NONE;
    explorer->random = options->seed;
    explorer->max_steps = options->max_steps;
    world_open(&explorer->world, arena, target, options->memory, options->buffer_bound);
    explorer->world.spurious_bound = options->spurious_bound;
    execution_open(&explorer->execution, arena, &explorer->world);
    estimate_open(&explorer->estimate, arena);
    contended_open(&explorer->contended, arena);
    explorer->reduction =
        reduction_open(explorer, options->reduction, options->preemption_bound != NO_BOUND);
    explorer->execution.bounded = explorer->reduction->bounded;
    explorer->execution.all_races = explorer->reduction->bounded || options->all_races;
    /* of two orders that nobody can tell apart, one may cost more preemptions */
    explorer->world.commutes = explorer->reduction->bounded ? 0 : options->commutes;
    /* who compares states or threads looks at the one that took the step */
    if (options->states != STATES_OFF || options->symmetry != SYMMETRY_OFF)
        explorer->world.commutes &= (uint8_t)~COMMUTE_JOINS;
    if (options->symmetry) {
        CHECK(!explorer->reduction->bounded, "symmetry under a preemption bound");
        symmetry_open(&explorer->symmetry, &explorer->execution);
        explorer->symmetry.past = options->symmetry == SYMMETRY_ALL;
        ((struct nodes *)explorer->reduction)->symmetry = &explorer->symmetry;
    }
    comparing_open(explorer);
}

static uint32_t depth_of(const struct explorer *explorer)
{
    return explorer->execution.events.count;
}

static bool is_thread(const struct explorer *explorer, agent_id agent)
{
    return !explorer->world.agents.at[agent].is_buffer;
}

/* A preemption: another thread is scheduled although the one that ran last could go on and does not
 * yield. Buffers flush for free. */
static uint32_t preemption_cost(struct explorer *explorer, agent_id running, agent_id agent)
{
    return is_thread(explorer, agent) && running != AGENT_NONE && running != agent &&
           world_enabled(&explorer->world, running) &&
           explorer->world.threads.at[running].pending.kind != OP_YIELD;
}

/* Not where runs do not come any more. */
static void races_reverse(struct explorer *explorer)
{
    struct execution *x = &explorer->execution;

    for (uint32_t i = 0; i < x->races.count; i++)
        if (x->races.at[i].first < explorer->max_steps)
            explorer->reduction->ops->reverse(explorer->reduction, &x->races.at[i]);
    x->fresh = depth_of(explorer);
}

void explorer_reverse(struct explorer *explorer)
{
    races_reverse(explorer);
    races_keep_changed(&explorer->execution);
}

/* A step that only lets time pass: a thread that took nothing else would keep a run from ending. */
static bool passes_time(const struct explorer *explorer, agent_id agent)
{
    const struct world *world = &explorer->world;

    return is_thread(explorer, agent) && (world->threads.at[agent].pending.kind == OP_YIELD ||
                                          world->threads.at[agent].pending.kind == OP_COND_TIMEOUT);
}

/* The next one, in turn, that can do something better than to let time pass; else the next one that can do anything. */
static agent_id agent_in_turn(struct explorer *explorer, agent_id running)
{
    struct world *world = &explorer->world;
    agent_id found = AGENT_NONE;
    uint32_t start = 0;

    while (start < world->active.count && world->active.at[start] != running)
        start++;
    for (uint32_t i = 1; i <= world->active.count; i++) {
        agent_id agent = world->active.at[(start + i) % world->active.count];

        if (!world_enabled(world, agent))
            continue;
        if (!passes_time(explorer, agent))
            return agent;
        if (found == AGENT_NONE)
            found = agent;
    }
    return found;
}

static bool row_is_long(const struct explorer *explorer, uint32_t row)
{
    return row >= ROW_MAX && row >= depth_of(explorer) / 2;
}

/* Whom to try first in a new state: who ran last, so that runs have few switches, unless it only lets time pass or has run for long. */
static agent_id preferred_agent(struct explorer *explorer, const struct explorer_state *state)
{
    const struct world *world = &explorer->world;
    agent_id running = state->running;

    if (explorer->reduction->bounded || world->active.count == 0)
        return running;
    if (!explorer->options.seed)
        return running != AGENT_NONE &&
                       (passes_time(explorer, running) || row_is_long(explorer, state->row))
                   ? agent_in_turn(explorer, running)
                   : running;
    explorer->random = mix64(explorer->random + 0x9e3779b97f4a7c15u);
    return world->active.at[explorer->random % world->active.count];
}

/* Who goes on all the same, after it was somebody else's turn, begins a new row. */
static void state_enter(struct explorer *explorer, struct explorer_state state)
{
    agent_id preferred = preferred_agent(explorer, &state);

    if (row_is_long(explorer, state.row))
        state.row = 0;
    vec_push(explorer->arena, &explorer->path, state);
    explorer->reduction->ops->enter(explorer->reduction, depth_of(explorer), preferred);
    if (explorer->adopting) {
        estimate_adopt(&explorer->estimate, depth_of(explorer));
        return; /* somebody has reversed its races, or they follow */
    }
    if (!explorer->reduction->ops->races_at_end)
        explorer_reverse(explorer);
    explorer->known = explorer->comparing && states_enter(&explorer->states, depth_of(explorer));
}

struct explorer_state explorer_state_after(struct explorer *explorer, struct explorer_state state,
                                           agent_id agent)
{
    state.preemptions += preemption_cost(explorer, state.running, agent);
    if (is_thread(explorer, agent)) {
        state.row = state.running == agent ? state.row + 1 : 1;
        state.running = agent;
    } else if (state.running != AGENT_NONE && !world_enabled(&explorer->world, state.running)) {
        state.running = AGENT_NONE; /* it has to wait for a buffer: off the processor */
    }
    return state;
}

/* How the run comes to the state after that choice. */
static struct explorer_state state_after(struct explorer *explorer, struct choice choice)
{
    return explorer_state_after(explorer, explorer->path.at[depth_of(explorer)], choice.agent);
}

static void choice_take(struct explorer *explorer, struct choice choice)
{
    struct explorer_state state = state_after(explorer, choice);

    if (explorer->options.takes)
        explorer->options.takes(explorer->options.context, explorer, choice.agent, choice.outcome);
    if (explorer->comparing)
        states_step(&explorer->states, choice.agent);
    execution_append(&explorer->execution, choice.agent, choice.outcome);
    explorer->stats.transitions++;
    if (explorer->options.symmetry)
        symmetry_event(&explorer->symmetry);
    state_enter(explorer, state);
}

void explorer_begin(struct explorer *explorer)
{
    agent_id running;

    snapshots_drop(explorer->options.snapshots);
    world_restart(&explorer->world);
    /* what comes before its first step must not matter to what a switch costs: that hangs on what counts as a step */
    running = explorer->reduction->bounded ? explorer->world.ran : AGENT_NONE;
    state_enter(explorer, (struct explorer_state){.running = running});
}

bool explorer_follow(struct explorer *explorer, struct choice choice, bool fatal)
{
    struct nodes *nodes = (struct nodes *)explorer->reduction;
    struct explorer_state state;

    if (choice.agent >= explorer->world.agents.count ||
        !world_enabled(&explorer->world, choice.agent))
        return false;
    if (choice.outcome == OUTCOME_ANY && !nodes_settle(nodes, depth_of(explorer), &choice))
        return false;
    state = state_after(explorer, choice);
    nodes_set_current(nodes, depth_of(explorer), choice);
    if (fatal)
        execution_append_fatal(&explorer->execution, choice.agent, choice.outcome);
    else
        execution_append(&explorer->execution, choice.agent, choice.outcome);
    if (explorer->options.symmetry)
        symmetry_event(&explorer->symmetry);
    state_enter(explorer, state);
    return true;
}

void explorer_reset(struct explorer *explorer)
{
    if (explorer->comparing)
        states_abandon(&explorer->states);
    while (explorer->path.count > 0)
        explorer->reduction->ops->leave(explorer->reduction, --explorer->path.count);
    execution_cut(&explorer->execution, 0);
}

/* A plan that was made in another run may want a step of a thread that now has none: then the target is not deterministic. */
static bool choice_exists(struct explorer *explorer, struct choice choice)
{
    struct op space;

    return choice.agent < explorer->world.agents.count &&
           world_pending(&explorer->world, choice.agent, &space);
}

/* Where what threads do to each other unseen is let pass, a plan may also want what cannot be done now. */
static bool choice_is_possible(struct explorer *explorer, struct choice choice)
{
    outcome_vec *outcomes = &explorer->execution.outcomes;
    bool possible = false;

    if (!choice_exists(explorer, choice) || !world_enabled(&explorer->world, choice.agent))
        return false;
    world_outcomes(&explorer->world, choice.agent, outcomes);
    for (uint32_t i = 0; i < outcomes->count; i++)
        possible |= outcomes->at[i] == choice.outcome;
    return possible;
}

/* Another way on, if none is planned, so that the run is not lost. */
static void plan_replace(struct explorer *explorer, uint32_t depth)
{
    struct nodes *nodes = (struct nodes *)explorer->reduction;
    const struct world *world = &explorer->world;

    for (uint32_t i = 0; i < world->active.count && !nodes_more(explorer->reduction, depth); i++)
        if (world_enabled(&explorer->world, world->active.at[i]) &&
            !nodes_have(nodes, depth, world->active.at[i]))
            nodes_plan(nodes, depth, (struct choice){world->active.at[i], OUTCOME_ANY, 0}, false);
}

/* The next thing to try from the present state that no bound forbids. */
static bool choice_next(struct explorer *explorer, struct choice *choice)
{
    uint32_t depth = depth_of(explorer);
    uint32_t bound = explorer->options.preemption_bound;

    while (explorer->reduction->ops->next(explorer->reduction, depth, choice)) {
        if (bound == NO_BOUND || state_after(explorer, *choice).preemptions <= bound)
            return true;
        explorer->stats.cut |= CUT_PREEMPTION_BOUND;
    }
    return false;
}

/* Who still wants to do something in the present state. */
static bool anyone_enabled(struct explorer *explorer)
{
    struct world *world = &explorer->world;

    for (uint32_t i = 0; i < world->active.count; i++)
        if (world_enabled(world, world->active.at[i]))
            return true;
    return false;
}

/* Threads that wait when another has failed are no deadlock: the program would have stopped there. */
static bool anyone_stuck(const struct explorer *explorer)
{
    const struct world *world = &explorer->world;
    bool stuck = false;

    for (uint32_t i = 0; i < world->active.count; i++) {
        uint8_t status = world->threads.at[world->active.at[i]].status;

        if (status == THREAD_HALTED)
            return false;
        stuck |= status == THREAD_RUNNING;
    }
    return stuck;
}

/* Whether a thread has gone round in vain that could go on: what would follow is explored in the run in which it did not. If none could, they
 * go round for ever. */
static bool anyone_went_round(struct explorer *explorer)
{
    struct world *world = &explorer->world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];

        if (is_thread(explorer, agent) && world->threads.at[agent].status == THREAD_RUNNING &&
            op_round_is_over(world, agent, &world->threads.at[agent].pending))
            return true;
    }
    return false;
}

enum ending explorer_ending(struct explorer *explorer)
{
    if (anyone_enabled(explorer) || anyone_went_round(explorer))
        return ENDING_ASLEEP;
    return anyone_stuck(explorer) ? ENDING_DEADLOCK : ENDING_DONE;
}

/* As many of all runs will be executions as were so far. */
static void estimate_set(struct explorer *explorer)
{
    const struct nodes *nodes = (const struct nodes *)explorer->reduction;
    struct explorer_stats *stats = &explorer->stats;

    if (explorer->turns && explorer->reduction->bounded) {
        stats->bounds_progress = nodes_progress(explorer->reduction);
        return;
    }
    stats->explored = stats->executions - explorer->elsewhere;
    stats->progress = nodes_progress(explorer->reduction);
    stats->reach = estimate_reach(&explorer->estimate, nodes);
    if (explorer->runs)
        stats->estimated = estimate_runs(&explorer->estimate, nodes, explorer->runs) *
                           (double)stats->explored / (double)explorer->runs;
}

static bool run_ended(struct explorer *explorer, bool cut)
{
    struct explorer_stats *stats = &explorer->stats;
    enum ending ending = cut               ? ENDING_CUT
                         : explorer->known ? ENDING_KNOWN
                                           : explorer_ending(explorer);
    bool given_up = ending == ENDING_ASLEEP || ending == ENDING_KNOWN || ending == ENDING_CUT;

    stats->asleep += ending == ENDING_ASLEEP;
    if (given_up)
        ; /* it is no run to its end */
    else if (explorer->execution.failed_assumes.count && !explorer_run_failed(explorer, ending))
        stats->assumes++;
    else
        stats->executions++;
    if (!given_up && explorer->first_done == 0)
        explorer->first_done = depth_of(explorer);
    if (depth_of(explorer) > stats->max_depth)
        stats->max_depth = depth_of(explorer);
    stats->max_bytes = explorer->arena->used;
    stats->states = explorer->states.stats;
    stats->symmetry = explorer->symmetry.stats;
    if (++explorer->runs % PROGRESS_RUNS == 0)
        estimate_set(explorer);
    if (explorer->world.buffer_bound_met)
        stats->cut |= CUT_BUFFER_BOUND;
    if (explorer->options.ended &&
        !explorer->options.ended(explorer->options.context, explorer, ending)) {
        stats->cut |= CUT_STOPPED;
        return false;
    }
    if (ending != ENDING_KNOWN)
        execution_end(&explorer->execution);
    if (explorer->options.symmetry && !given_up)
        symmetry_end(&explorer->symmetry);
    races_reverse(explorer);
    comparing_run_done(explorer);
    return true;
}

/* Something else is tried before that event. */
static void reversal_note(struct explorer *explorer, const struct event *event)
{
    struct contended_place *place = contended_note(&explorer->contended, &event->op);

    if (place)
        explorer->options.names(explorer->options.context, event->agent, &event->op, place->name,
                                sizeof place->name);
}

/* Gives up finished states, the deepest one even if it is not (`cut`), and all where runs do not come any more, and goes back to the deepest
 * one that has something left to try: from a snapshot, maybe in another process, if there is one and this one need not `stay`. False if there is none, or if the target does not repeat what it did. */
static bool go_back(struct explorer *explorer, bool cut, bool stay)
{
    struct execution *x = &explorer->execution;
    const struct reduction_ops *ops = explorer->reduction->ops;
    const struct nodes *nodes = (const struct nodes *)explorer->reduction;
    uint32_t depth = depth_of(explorer);
    bool repeated;

    while (cut || depth >= explorer->max_steps || !ops->more(explorer->reduction, depth)) {
        if (explorer->comparing)
            states_leave(&explorer->states, depth, cut || depth >= explorer->max_steps);
        cut = false;
        estimate_leave(&explorer->estimate, nodes, depth, explorer->runs);
        ops->leave(explorer->reduction, depth);
        explorer->path.count--;
        if (depth-- == explorer->root)
            return false;
    }
    estimate_next(&explorer->estimate, nodes, depth, explorer->runs);
    if (explorer->options.names && depth < x->events.count)
        reversal_note(explorer, &x->events.at[depth]);
    execution_cut(x, depth);
    explorer->replaying = true;
    explorer->known = explorer->world.sums = false;
    repeated =
        comparing_is_due(explorer) ? comparing_begin(explorer) : snapshots_replay(explorer, stay);
    explorer->replaying = false;
    if (repeated && explorer->comparing)
        states_return(&explorer->states, depth);
    return repeated;
}

bool explorer_limit_reached(struct explorer *explorer)
{
    struct explorer_stats *stats = &explorer->stats;
    struct timespec now;

    if (stats->executions >= explorer->options.max_executions ||
        (explorer->options.max_runs && explorer->runs >= explorer->options.max_runs))
        stats->cut |= CUT_MAX_EXECUTIONS;
    if (explorer->options.max_memory && explorer->arena->used > explorer->options.max_memory)
        stats->cut |= CUT_MAX_MEMORY;
    if (explorer->options.timeout > 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((double)now.tv_sec + (double)now.tv_nsec / 1e9 > explorer->deadline)
            stats->cut |= CUT_TIMEOUT;
    }
    if (explorer_is_braked(explorer))
        stats->cut |= *explorer->options.brake;
    return stats->cut & CUT_LIMITS;
}

static double deadline(const struct explorer *explorer)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 + explorer->options.timeout;
}

/* A run was given up, so the verdict will not be that all was seen: what is left is to look for bugs, and most of them show early. As a loop
 * without an end gives ever more and longer runs, the others are given up sooner: after twice the steps that the first run took
 * that did come to its end. */
static void max_steps_lower(struct explorer *explorer)
{
    uint64_t least = 2 * explorer->first_done;

    explorer->stats.cut |= CUT_MAX_STEPS;
    if (least < explorer->options.max_steps / 1000)
        least = explorer->options.max_steps / 1000;
    if (least < STEPS_MIN)
        least = STEPS_MIN;
    if (!explorer->first_done && least < explorer->max_steps / 2)
        least = explorer->max_steps / 2; /* there may still be one */
    if (least < explorer->max_steps)
        explorer->max_steps = least;
}

/* How run_to_end ended. */
enum run {
    RUN_CUT, /* short */
    RUN_COMPLETE,
    RUN_BACK, /* it did, in another process, which went back to a state from where this one goes on */
};

/* One run from the present state to its end. */
static enum run run_to_end(struct explorer *explorer)
{
    struct choice choice;

    for (;;) {
        uint32_t depth = depth_of(explorer);

        if (explorer->options.snapshots && snapshots_take(explorer))
            return RUN_BACK;
        if (explorer_is_braked(explorer)) {
            explorer->braked = explorer_limit_reached(explorer);
            return RUN_CUT;
        }
        if (depth >= explorer->max_steps &&
            explorer->reduction->ops->more(explorer->reduction, depth)) {
            max_steps_lower(explorer);
            if (explorer->reduction->ops->give_up)
                explorer->reduction->ops->give_up(explorer->reduction, depth);
            return RUN_CUT;
        }
        if (explorer->options.states != STATES_OFF && comparing_is_due(explorer) &&
            !comparing_begin(explorer))
            return RUN_CUT;
        if (explorer->known || !choice_next(explorer, &choice))
            return RUN_COMPLETE;
        if (explorer->options.lenient && !choice_is_possible(explorer, choice)) {
            plan_replace(explorer, depth);
            continue;
        }
        if (!choice_exists(explorer, choice)) {
            explorer->diverged = depth;
            explorer->missing = choice.agent;
            return RUN_CUT;
        }
        choice_take(explorer, choice);
    }
}

/* For who wants to go on later: goes to the state where that would be, also to see that the target gets there. If there is none, nothing was left to do
 * when the limit was reached. */
static void limit_settle(struct explorer *explorer, bool cut)
{
    bool grows = explorer->options.bound_grows && explorer->stats.cut & CUT_PREEMPTION_BOUND;

    if (explorer->options.between && !go_back(explorer, cut, true) &&
        explorer->diverged == EVENT_NONE && !grows)
        explorer->stats.cut &= ~(uint32_t)CUT_LIMITS;
    if (explorer->comparing)
        states_hand_over(&explorer->states);
}

bool explorer_advance(struct explorer *explorer)
{
    uint64_t before = explorer->stats.transitions;
    enum run run = run_to_end(explorer);
    bool cut = run == RUN_CUT;

    if (run == RUN_BACK)
        return explorer->diverged == EVENT_NONE; /* as go_back does */
    explorer->resumed |= explorer->stats.transitions != before;
    if (explorer->diverged != EVENT_NONE || explorer->braked)
        return false;
    /* all that was left in a state may turn out to be asleep: that is not a run */
    if (explorer->resumed || (depth_of(explorer) == 0 && explorer->runs == 0)) {
        explorer->resumed = false;
        if (!run_ended(explorer, cut))
            return false;
        if (explorer_limit_reached(explorer)) {
            limit_settle(explorer, cut);
            return false;
        }
    }
    return go_back(explorer, cut, false);
}

/* The search from the present state on, until nothing is left or a limit is reached. */
static bool search(struct explorer *explorer)
{
    while (explorer_advance(explorer))
        if (explorer->options.between)
            explorer->options.between(explorer->options.context, explorer);
    explorer_settle(explorer);
    return explorer->diverged == EVENT_NONE;
}

void explorer_settle(struct explorer *explorer)
{
    explorer->stats.replayed = explorer->execution.replayed;
    if (explorer->comparing)
        explorer->states.stats.bytes = states_bytes(&explorer->states);
    explorer->stats.states = explorer->states.stats;
    explorer->stats.symmetry = explorer->symmetry.stats;
    if (explorer->path.count > 0) {
        estimate_set(explorer);
        return;
    }
    explorer->stats.explored = explorer->stats.executions - explorer->elsewhere;
    explorer->stats.estimated = (double)explorer->stats.explored;
}

bool explorer_bound_grow(struct explorer *explorer)
{
    if (!explorer->options.bound_grows || explorer->path.count > 0 ||
        !(explorer->stats.cut & CUT_PREEMPTION_BOUND))
        return false; /* it was stopped, or has seen everything */
    explorer->stats.cut &= ~(uint32_t)CUT_PREEMPTION_BOUND;
    explorer->stats.bounds = ++explorer->options.preemption_bound;
    if (explorer->turns)
        explorer->stats.bounds_progress = 0;
    else
        explorer->stats.progress = 0;
    execution_cut(&explorer->execution, 0);
    explorer_begin(explorer);
    return true;
}

/* As many searches as there is time for, each with one preemption more than the last one, until no run wanted more. */
static bool search_growing(struct explorer *explorer)
{
    while (search(explorer)) {
        if (!explorer_bound_grow(explorer))
            return true;
        if (explorer->options.between && explorer_limit_reached(explorer))
            return true;
    }
    return false;
}

bool explorer_run(struct explorer *explorer)
{
    explorer->deadline = deadline(explorer);
    if (search_samples(explorer->options.search))
        return sampling_run(explorer);
    if (explorer->options.search == &search_auto)
        return turns_run(explorer);
    explorer_begin(explorer);
    return search_growing(explorer);
}

bool explorer_go_on(struct explorer *explorer)
{
    explorer->deadline = deadline(explorer);
    return search_growing(explorer);
}

bool explorer_recover(struct explorer *explorer)
{
    struct execution *x = &explorer->execution;
    struct explorer_state state;

    if (explorer->comparing)
        states_resume(&explorer->states);
    if (explorer->replaying) {
        if (!execution_replay(x, &explorer->diverged))
            return false;
        if (explorer->comparing)
            states_return(&explorer->states, depth_of(explorer));
        return true;
    }
    CHECK(x->events.count > 0, "nothing to go on with");
    state = explorer->path.at[depth_of(explorer) - 1];
    execution_bury(x);
    if (!execution_replay(x, &explorer->diverged))
        return false;
    state.running = x->events.at[depth_of(explorer) - 1].agent;
    explorer->stats.transitions++;
    if (explorer->options.symmetry)
        symmetry_event(&explorer->symmetry);
    explorer->resumed = true;
    state_enter(explorer, state);
    return true;
}

bool explorer_resume(struct explorer *explorer)
{
    if (explorer->turns)
        return turns_resume(explorer);
    if (explorer->sampling)
        return sampling_resume(explorer);
    return explorer_recover(explorer) && search_growing(explorer);
}

bool explorer_run_failed(const struct explorer *explorer, enum ending ending)
{
    return ending == ENDING_DEADLOCK || explorer->execution.findings.count > 0;
}
