#include "explore/notdep.h"

#include "base/check.h"

/* Events for each agent, after the first one of a race, up to which all are looked at: that costs less than to go from row to row. */
#define NOTDEP_NEAR 64

/* In longer runs that is not compared with what looking at all of them finds. */
#define NOTDEP_CHECKED 4096

/* The first event of a row with that number or a greater one, as an index; its length if there is none. */
static uint32_t row_find(const event_vec *row, event_id least)
{
    uint32_t low = 0, high = row->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (row->at[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The row of an agent from that event on, unless it ends there or that one is left out. */
static void row_add(struct notdep *n, agent_id agent, uint32_t index)
{
    struct execution *x = n->x;
    const event_vec *row = &x->rows.at[agent];

    if (index < row->count && !race_leaves_out(x, n->race, row->at[index]))
        vec_push(x->arena, &x->rest, (struct rest){agent, index});
    x->looked++;
}

void notdep_open(struct notdep *n, struct execution *x, const struct race *race)
{
    *n = (struct notdep){.x = x,
                         .race = race,
                         .agent = x->events.at[race->first].agent,
                         .step = x->events.at[race->first].step,
                         .at = race->first + 1};
    n->all = x->events.count - n->at <= NOTDEP_NEAR * x->rows.count;
    x->rest.count = 0;
    for (agent_id agent = 0; !n->all && agent < x->rows.count; agent++)
        row_add(n, agent, row_find(&x->rows.at[agent], race->first + 1));
}

static event_id next_of_rows(struct notdep *n)
{
    struct execution *x = n->x;
    event_id first = EVENT_NONE;
    uint32_t found = 0;
    struct rest rest;

    for (uint32_t i = 0; i < x->rest.count; i++) {
        event_id id = x->rows.at[x->rest.at[i].agent].at[x->rest.at[i].index];

        if (id < first) {
            first = id;
            found = i;
        }
    }
    if (first == EVENT_NONE)
        return first;
    rest = x->rest.at[found];
    x->rest.at[found] = vec_last(&x->rest);
    x->rest.count--;
    row_add(n, rest.agent, rest.index + 1);
    return first;
}

event_id notdep_next_of_rows(struct notdep *n)
{
    event_id id = next_of_rows(n);

    SLOW_CHECK(n->x->events.count > NOTDEP_CHECKED || id == notdep_next_of_all(n),
               "an event is left out that need not be");
    return id;
}
