#include "explore/snapshots.h"

#include "base/ticks.h"
#include "explore/explorer.h"

/* While replays are short, the first few are measured, and then one in so many. */
#define MEASURE_FIRST 4
#define MEASURE_RUNS  64

/* The clock is looked at when this part of what it takes to make one may have passed. */
#define LOOK_PART 4

/* Returns after which older ones count half. */
#define RETURNS_HALF 256

/* Tries in vain after which there are no others. */
#define REFUSED_MAX 64

static uint64_t computed(const struct snapshots *snapshots)
{
    return snapshots->ops->computed(snapshots->context);
}

static void since_set(struct snapshots *snapshots, uint64_t now)
{
    snapshots->since = now;
    snapshots->looked = ticks_now();
}

void snapshots_open(struct snapshots *snapshots, const struct snapshot_ops *ops, void *context,
                    uint8_t kind, uint32_t max)
{
    snapshots->ops = ops;
    snapshots->context = context;
    snapshots->kind = kind;
    snapshots->max = max < SNAPSHOTS_MAX ? max : SNAPSHOTS_MAX;
    snapshots->making = ops->guess;
    snapshots->copying = 0;
    snapshots->replay = 0;
    snapshots->refused = 0;
    snapshots->watching = kind == SNAPSHOTS_EACH;
    since_set(snapshots, computed(snapshots));
}

static void time_average(uint64_t *of, uint64_t value)
{
    *of = *of ? *of - *of / 8 + value / 8 : value;
}

static uint64_t going(const struct snapshots *snapshots)
{
    return snapshots->ops->going(snapshots->context, snapshots->making);
}

/* ---- which are kept */

static struct snapshot *snapshot_at(struct snapshots *snapshots, uint32_t i)
{
    return &snapshots->at[snapshots->path[i]];
}

/* How often the search came back to states from `depth` on, before `end`. */
static uint64_t returns_between(const struct snapshots *snapshots, uint32_t depth, uint32_t end)
{
    uint64_t sum = 1;

    for (uint32_t i = depth; i < end && i < snapshots->returns.count; i++)
        sum += snapshots->returns.at[i];
    return sum;
}

static void return_note(struct explorer *explorer, uint32_t depth)
{
    struct snapshots *snapshots = explorer->options.snapshots;

    while (snapshots->returns.count <= depth)
        vec_push(explorer->arena, &snapshots->returns, 0u);
    snapshots->returns.at[depth]++;
    if (++snapshots->returns_total < RETURNS_HALF)
        return;
    snapshots->returns_total = 0;
    for (uint32_t i = 0; i < snapshots->returns.count; i++) {
        snapshots->returns.at[i] /= 2;
        snapshots->returns_total += snapshots->returns.at[i];
    }
}

/* Of the state at `depth`, which the search has just come back to. What was counted for states behind it, which are given up now, was counted for it, too. */
static void uses_note(struct explorer *explorer, uint32_t depth)
{
    struct snapshots *snapshots = explorer->options.snapshots;

    while (snapshots->uses.count <= depth)
        vec_push(explorer->arena, &snapshots->uses, 0u);
    for (uint32_t i = depth + 1; i < snapshots->uses.count; i++)
        snapshots->uses.at[depth] += snapshots->uses.at[i];
    snapshots->uses.at[depth]++;
    snapshots->uses.count = depth + 1;
}

/* How often the search came back to this state or states behind it, since it was first there. */
static uint64_t uses_of(const struct snapshots *snapshots, uint32_t depth)
{
    return depth < snapshots->uses.count ? snapshots->uses.at[depth] : 0;
}

/* The work that number `i` of the path saves: from the one before it to itself, as often as the search comes back to where it is the nearest. */
static uint64_t work_saved(struct snapshots *snapshots, uint32_t i)
{
    uint32_t end = i + 1 < snapshots->count ? snapshot_at(snapshots, i + 1)->depth : UINT32_MAX;
    const struct snapshot *snapshot = snapshot_at(snapshots, i);

    return returns_between(snapshots, snapshot->depth, end) * (snapshot->span / 1024 + 1);
}

static void snapshot_remove(struct snapshots *snapshots, uint32_t i)
{
    snapshots->ops->drop(snapshots->context, snapshots->path[i]);
    if (i + 1 < snapshots->count)
        snapshot_at(snapshots, i + 1)->span += snapshot_at(snapshots, i)->span;
    snapshots->count--;
    for (; i < snapshots->count; i++)
        snapshots->path[i] = snapshots->path[i + 1];
}

/* Room for one of the state at `depth`, `span` behind the last one. False: the others are worth more. */
static bool room_make(struct snapshots *snapshots, uint32_t depth, uint64_t span)
{
    uint64_t behind = returns_between(snapshots, depth, UINT32_MAX);
    uint64_t uses = uses_of(snapshots, depth);
    uint64_t least = (behind > uses ? behind : uses) * (span / 1024 + 1);
    uint32_t victim = UINT32_MAX;

    if (snapshots->count < snapshots->max)
        return true;
    for (uint32_t i = 0; i < snapshots->count; i++) {
        uint64_t saved = work_saved(snapshots, i);

        if (saved < least) {
            least = saved;
            victim = i;
        }
    }
    if (victim == UINT32_MAX)
        return false;
    snapshot_remove(snapshots, victim);
    return true;
}

static uint32_t slot_free(const struct snapshots *snapshots)
{
    uint64_t used = 0;
    uint32_t slot = 0;

    for (uint32_t i = 0; i < snapshots->count; i++)
        used |= (uint64_t)1 << snapshots->path[i];
    while (used >> slot & 1)
        slot++;
    return slot;
}

/* ---- making */

/* Whether the search may have to come back to the present state. */
static bool is_branching(struct explorer *explorer)
{
    struct world *world = &explorer->world;
    uint32_t enabled = 0;

    for (uint32_t i = 0; i < world->active.count && enabled < 2; i++) {
        agent_id agent = world->active.at[i];

        if (!world_enabled(world, agent))
            continue;
        world_outcomes(world, agent, &explorer->execution.outcomes);
        enabled += explorer->execution.outcomes.count > 1 ? 2 : 1;
    }
    return enabled > 1;
}

/* Of `all` times that the search came back lately, `behind` times it was to states behind this one. If that goes on, it comes back so often before it gives this state up:
 * behind / (all - behind). But runs may become longer and longer, and then it has never been so deep before. So a state that it came back to n times is taken to be good for n
 * more: no more is ever spent on the way there again and again than a snapshot would have cost, and about as much again. What lies between must be worth more than what the
 * snapshot costs. */
static bool pays(const struct snapshots *snapshots, uint32_t depth, uint64_t span)
{
    uint64_t behind = returns_between(snapshots, depth, UINT32_MAX);
    uint64_t all = snapshots->returns_total + 2;
    uint64_t once = snapshots->making + snapshots->copying;
    uint64_t saved =
        snapshots->count > 0 ? span : span - (span > going(snapshots) ? going(snapshots) : span);

    return saved / 1024 * behind > once / 1024 * (all - behind) ||
           saved * uses_of(snapshots, depth) > once;
}

/* As ticks are no longer than nanoseconds, they can tell that it is too early: to ask for the time that was computed is a system call. */
static bool is_worth_it(struct snapshots *snapshots, uint32_t depth)
{
    uint64_t ticks = ticks_now();

    if (snapshots->kind == SNAPSHOTS_EACH)
        return true;
    if (ticks - snapshots->looked < snapshots->making / LOOK_PART)
        return false;
    snapshots->looked = ticks;
    return pays(snapshots, depth, computed(snapshots) - snapshots->since);
}

/* In the state that was kept, from where the process is now: on to where the search wanted to go. */
static void snapshot_arrive(struct explorer *explorer, uint32_t slot)
{
    struct snapshots *snapshots = explorer->options.snapshots;
    const struct snapshot *snapshot = &snapshots->at[slot];

    snapshots->used++;
    since_set(snapshots, computed(snapshots));
    world_copy_put(&snapshot->world, &explorer->world);
    execution_replay_from(&explorer->execution, snapshot->depth, &explorer->diverged);
    explorer->replaying = false;
}

static enum snapshot_role snapshot_make(struct explorer *explorer, uint64_t now)
{
    struct snapshots *snapshots = explorer->options.snapshots;
    uint32_t slot = slot_free(snapshots);
    struct snapshot *snapshot = &snapshots->at[slot];
    enum snapshot_role role;

    snapshot->depth = explorer->execution.events.count;
    snapshot->span = now - snapshots->since;
    world_copy_take(&snapshot->world, explorer->arena, &explorer->world);
    role = snapshots->ops->keep(snapshots->context, slot);
    if (role == SNAPSHOT_BACK) {
        snapshot_arrive(explorer, slot);
        return role;
    }
    since_set(snapshots, computed(snapshots));
    if (role == SNAPSHOT_NONE) {
        if (++snapshots->refused >= REFUSED_MAX)
            snapshots->watching = false;
        return role;
    }
    snapshots->refused = 0;
    snapshots->made++;
    snapshots->path[snapshots->count++] = slot;
    time_average(&snapshots->making, snapshots->since - now);
    return role;
}

bool snapshots_take(struct explorer *explorer)
{
    struct snapshots *snapshots = explorer->options.snapshots;
    uint32_t depth = explorer->execution.events.count;
    uint64_t now;

    if (!snapshots || !snapshots->watching ||
        (snapshots->count > 0 && snapshot_at(snapshots, snapshots->count - 1)->depth == depth))
        return false;
    if (!is_worth_it(snapshots, depth) || !is_branching(explorer))
        return false;
    now = computed(snapshots);
    if (!room_make(snapshots, depth, now - snapshots->since))
        return false;
    return snapshot_make(explorer, now) == SNAPSHOT_BACK;
}

/* ---- going back */

/* Goes to the nearest one, if there is any, and on to the state. Ends those that are behind it. False: there is none. */
static bool snapshot_return(struct explorer *explorer)
{
    struct snapshots *snapshots = explorer->options.snapshots;
    uint32_t depth = explorer->execution.events.count;

    if (!snapshots->watching && snapshots->count == 0)
        return false;
    return_note(explorer, depth);
    uses_note(explorer, depth);
    time_average(&snapshots->copying, snapshots->ops->copying(snapshots->context));
    while (snapshots->count > 0 && snapshot_at(snapshots, snapshots->count - 1)->depth > depth)
        snapshot_remove(snapshots, snapshots->count - 1);
    while (snapshots->count > 0) {
        uint32_t slot = snapshots->path[snapshots->count - 1];

        if (snapshots->ops->go(snapshots->context, slot)) {
            snapshot_arrive(explorer, slot);
            return true;
        }
        snapshots->lost++;
        snapshots->count--;
    }
    return false;
}

static bool replay_is_measured(const struct snapshots *snapshots)
{
    return snapshots->watching || snapshots->runs <= MEASURE_FIRST ||
           snapshots->runs % MEASURE_RUNS == 0;
}

/* A replay from the start begins, and is over. */
static void plain_replay_begins(struct snapshots *snapshots)
{
    snapshots->runs++;
    if (replay_is_measured(snapshots))
        since_set(snapshots, computed(snapshots));
}

static void plain_replay_ends(struct snapshots *snapshots)
{
    if (!replay_is_measured(snapshots))
        return;
    time_average(&snapshots->replay, computed(snapshots) - snapshots->since);
    if (snapshots->refused < REFUSED_MAX &&
        snapshots->replay > snapshots->making + snapshots->copying + going(snapshots))
        snapshots->watching = true; /* for good: what is short by itself is not kept anyway */
}

bool snapshots_replay(struct explorer *explorer, bool stay)
{
    struct snapshots *snapshots = explorer->options.snapshots;
    bool repeated;

    if (!snapshots)
        return execution_replay(&explorer->execution, &explorer->diverged);
    if (!stay && snapshot_return(explorer))
        return explorer->diverged == EVENT_NONE;
    plain_replay_begins(snapshots);
    repeated = execution_replay(&explorer->execution, &explorer->diverged);
    plain_replay_ends(snapshots);
    return repeated;
}

void snapshots_drop(struct snapshots *snapshots)
{
    while (snapshots && snapshots->count > 0)
        snapshot_remove(snapshots, snapshots->count - 1);
}

void snapshots_forget(struct snapshots *snapshots)
{
    snapshots->count = 0;
}
