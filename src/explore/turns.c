#include "explore/turns.h"

#include <time.h>

#include "explore/explorer.h"

/* Processor time of such a turn, in seconds: for programs that compute for long between two steps. All others make the same runs on every machine. */
#define TURN_SECONDS 1.0

enum turn { TURN_EXPLORE, TURN_SAMPLE, TURN_BOUNDS, TURN_COUNT };

struct turns {
    enum turn now;
    uint32_t round;
    uint64_t steps;                  /* of the search whose turn it is, when that began */
    double wall, busy;               /* the time then */
    bool begun[TURN_COUNT];          /* has made its first run */
    struct explorer out[TURN_COUNT]; /* as they were when their turn was over; not that of `now` */
};

/* ---- how long a turn is */

static double clock_read(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static uint64_t steps_of(const struct explorer *explorer)
{
    return explorer->stats.transitions + explorer->execution.replayed;
}

static void turn_measure(struct explorer *explorer)
{
    struct turns *turns = explorer->turns;

    turns->steps = steps_of(explorer);
    turns->wall = clock_read(CLOCK_MONOTONIC);
    turns->busy = clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* The processor's clock costs a system call: it is read only when so much time can have passed. */
static bool turn_is_over(const struct explorer *explorer)
{
    const struct turns *turns = explorer->turns;
    double seconds = TURN_SECONDS * (double)((uint64_t)1 << turns->round);

    return steps_of(explorer) - turns->steps >= explorer->options.turn_steps << turns->round ||
           (clock_read(CLOCK_MONOTONIC) - turns->wall >= seconds &&
            clock_read(CLOCK_PROCESS_CPUTIME_ID) - turns->busy >= seconds);
}

/* ---- the three */

/* True: there is more to do. */
static bool turn_search(struct explorer *explorer)
{
    do
        while (explorer_advance(explorer))
            if (turn_is_over(explorer))
                return true;
    while (explorer->diverged == EVENT_NONE && explorer_bound_grow(explorer));
    return false;
}

static bool turn_sample(struct explorer *explorer)
{
    while (sampling_next(explorer))
        if (turn_is_over(explorer))
            return true;
    return false;
}

static bool turn_take(struct explorer *explorer)
{
    return explorer->turns->now == TURN_SAMPLE ? turn_sample(explorer) : turn_search(explorer);
}

/* To the state in which it was. The process may die on the way: then it is the same again. */
static bool turn_return(struct explorer *explorer)
{
    bool repeated;

    explorer->replaying = true;
    repeated = execution_replay(&explorer->execution, &explorer->diverged);
    explorer->replaying = false;
    return repeated;
}

/* Its first state, or the one in which it was. False if the target does not get there. */
static bool turn_begin(struct explorer *explorer)
{
    struct turns *turns = explorer->turns;
    bool begun = turns->begun[turns->now], good = true;

    turns->begun[turns->now] = true;
    explorer->world.commutes = explorer->reduction->bounded ? 0 : explorer->options.commutes;
    explorer->world.every_round = turns->now != TURN_EXPLORE;
    if (turns->now == TURN_SAMPLE && !begun)
        sampling_open(explorer);
    else if (turns->now != TURN_SAMPLE && begun)
        good = turn_return(explorer);
    else if (turns->now != TURN_SAMPLE)
        explorer_begin(explorer);
    turn_measure(explorer);
    return good;
}

/* The next one comes, with all that they have in common. */
static void turn_pass(struct explorer *explorer)
{
    struct turns *turns = explorer->turns;
    const struct explorer *last = &turns->out[turns->now];
    uint64_t executions;

    if (turns->now != TURN_SAMPLE)
        explorer_settle(explorer);
    turns->out[turns->now] = *explorer;
    turns->now = (turns->now + 1) % TURN_COUNT;
    turns->round += turns->now == TURN_EXPLORE;
    *explorer = turns->out[turns->now];
    executions = explorer->stats.executions;
    explorer->stats = last->stats;
    explorer->stats.cut = turns->out[turns->now].stats.cut;
    explorer->elsewhere += last->stats.executions - executions;
    explorer->world = last->world;
    explorer->contended = last->contended;
}

/* ---- all of it */

static void turns_open(struct explorer *explorer)
{
    struct turns *turns = arena_alloc(explorer->arena, sizeof *turns);
    const struct reduction_ops *bounded =
        explorer->options.reduction->takes_bound ? explorer->options.reduction : &reduction_source;
    struct explorer *samples = &turns->out[TURN_SAMPLE], *bounds = &turns->out[TURN_BOUNDS];

    turns->now = TURN_EXPLORE;
    turns->round = 0;
    explorer->turns = turns;
    if (!explorer->options.turn_steps)
        explorer->options.turn_steps = TURN_STEPS;
    for (int i = 0; i < TURN_COUNT; i++) {
        turns->begun[i] = false;
        turns->out[i] = *explorer;
    }
    samples->options.search = &search_mixed;
    samples->options.runs = NO_LIMIT;
    samples->options.commutes &= (uint8_t)~COMMUTE_INCREMENTS;
    if (!samples->options.seed)
        samples->options.seed = SEARCH_SEED;
    bounds->options.preemption_bound = 0;
    bounds->options.bound_grows = true;
    bounds->options.reduction = bounded;
    bounds->reduction = reduction_open(explorer, bounded, true);
    bounds->execution.all_races = bounds->execution.bounded = true;
}

/* What kept any of them from something keeps all from it, unless one has seen everything. */
static void turns_end(struct explorer *explorer)
{
    struct turns *turns = explorer->turns;
    bool complete = turns->now != TURN_SAMPLE && explorer->path.count == 0 &&
                    explorer->diverged == EVENT_NONE &&
                    !(explorer->stats.cut & (CUT_LIMITS | CUT_STOPPED));

    if (turns->now != TURN_SAMPLE)
        explorer_settle(explorer);
    explorer->stats.replayed = 0;
    turns->out[turns->now].execution.replayed = explorer->execution.replayed;
    for (int i = 0; i < TURN_COUNT; i++) {
        explorer->stats.replayed += turns->out[i].execution.replayed;
        if (!complete && i != (int)turns->now)
            explorer->stats.cut |= turns->out[i].stats.cut;
    }
    explorer->stats.cut &= ~(uint32_t)CUT_PREEMPTION_BOUND; /* stats.bounds tells it */
}

static bool turns_go_on(struct explorer *explorer)
{
    bool good = true;

    while (good && turn_take(explorer)) {
        turn_pass(explorer);
        good = turn_begin(explorer);
    }
    turns_end(explorer);
    return explorer->diverged == EVENT_NONE;
}

bool turns_run(struct explorer *explorer)
{
    turns_open(explorer);
    return turn_begin(explorer) && turns_go_on(explorer);
}

bool turns_resume(struct explorer *explorer)
{
    turn_measure(explorer); /* another process has another clock */
    if (explorer->turns->now == TURN_SAMPLE)
        sampling_bury(explorer);
    else if (!explorer_recover(explorer))
        return false;
    return turns_go_on(explorer);
}
