#include "explore/comparing.h"

#include "base/check.h"

/* STATES_AUTO: steps of one run after which states are compared; and how many runs there may be for each that stops at a known state. */
#define AUTO_DEPTH  4000
#define AUTO_REPEAT 100

/* STATES_SUMMARIES: a pause takes as many times the runs of the trial before it; each trial is longer than the last one. */
#define PAUSE_TIMES  127
#define TRIAL_GROWTH 2

/* … and a trial in which such threads were found goes on until the search is as many times as large, and longer if others are found until then. */
#define FOUND_TIMES 4

static void states_begin(struct explorer *explorer)
{
    const struct explorer_options *options = &explorer->options;

    states_open(&explorer->states, options->states == STATES_AUTO ? STATES_EXACT : options->states,
                &explorer->execution, explorer->reduction, options->futures);
    explorer->states.max_memory = options->max_memory;
}

static void switch_on(struct explorer *explorer)
{
    const struct explorer_options *options = &explorer->options;

    explorer->comparing = true;
    if (options->symmetry)
        explorer->symmetry.states = &explorer->states;
    if (options->states == STATES_SUMMARIES) {
        explorer->execution.states = &explorer->states;
        explorer->trial.until = explorer->runs + explorer->trial.length;
        explorer->trial.found = explorer->symmetry.stats.found;
    } else { /* another reduction may have to take over: what is planned and done stays as it is */
        explorer->reduction->ops = options->reduction->with_states;
    }
}

/* The reduction that has taken over stays: `optimal` would have to know all races of the present run. */
static void switch_off(struct explorer *explorer)
{
    states_hand_over(&explorer->states);
    explorer->comparing = explorer->known = false;
    explorer->world.sums = false;
    explorer->execution.states = NULL;
    explorer->symmetry.states = NULL;
}

void comparing_open(struct explorer *explorer)
{
    const struct explorer_options *options = &explorer->options;

    if (options->states == STATES_OFF)
        return;
    CHECK(!explorer->reduction->bounded && options->reduction->with_states,
          "states with reduction %s", options->reduction->name);
    if (options->states == STATES_AUTO)
        return;
    explorer->world.forgets = options->forgets && options->states != STATES_SUMMARIES;
    explorer->trial.length = options->symmetry_trial;
    states_begin(explorer);
    switch_on(explorer);
}

bool comparing_is_due(const struct explorer *explorer)
{
    if (explorer->comparing)
        return false;
    if (explorer->options.states == STATES_SUMMARIES)
        return explorer->runs >= explorer->trial.until;
    return explorer->options.states == STATES_AUTO && !explorer->states.stats.states &&
           (explorer->runs >= explorer->options.states_after ||
            explorer->execution.events.count >= AUTO_DEPTH);
}

bool comparing_begin(struct explorer *explorer)
{
    if (explorer->options.states == STATES_SUMMARIES)
        states_forget(&explorer->states);
    else
        states_begin(explorer);
    switch_on(explorer);
    return states_catch_up(&explorer->states, &explorer->diverged);
}

/* Hardly any run has stopped at a known state. */
static bool states_in_vain(const struct explorer *explorer)
{
    const struct states_stats *stats = &explorer->states.stats;

    return explorer->options.states == STATES_AUTO &&
           stats->states + stats->untold > explorer->options.states_trial &&
           stats->revisited < explorer->runs / AUTO_REPEAT;
}

/* A trial may be over: what was found decides between the next one and a pause. Where two threads were alike once, they will be again, sooner or later. */
static void trial_end(struct explorer *explorer)
{
    struct comparing_trial *trial = &explorer->trial;

    if (explorer->symmetry.stats.found > trial->found) {
        trial->until = FOUND_TIMES * explorer->runs;
        trial->found = explorer->symmetry.stats.found;
        return;
    }
    switch_off(explorer);
    trial->until = explorer->runs + PAUSE_TIMES * trial->length;
    trial->length *= TRIAL_GROWTH;
}

void comparing_run_done(struct explorer *explorer)
{
    if (!explorer->comparing)
        return;
    if (states_in_vain(explorer))
        switch_off(explorer);
    else if (explorer->options.states == STATES_SUMMARIES &&
             explorer->runs >= explorer->trial.until)
        trial_end(explorer);
}
