#include "runtime/job/endless.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/program/native.h"

/* How many of the last events tell who goes round and where. */
#define ENDLESS_EVENTS 1024u

static uint32_t first_looked_at(const struct execution *x)
{
    return x->events.count > ENDLESS_EVENTS ? x->events.count - ENDLESS_EVENTS : 0;
}

/* The thread that has taken more of the last steps than all others together, if there is one (Boyer and Moore's vote); else one of them.
 * What a buffer does counts for its thread. */
static agent_id busiest(const struct execution *x)
{
    agent_id winner = AGENT_NONE;
    uint32_t votes = 0;

    for (event_id id = first_looked_at(x); id < x->events.count; id++) {
        agent_id thread = native.world->agents.at[x->events.at[id].agent].thread;

        if (votes == 0)
            winner = thread;
        if (winner == thread)
            votes++;
        else
            votes--;
    }
    return winner;
}

static const struct raddle_site *site_of(const struct event *event)
{
    return (const struct raddle_site *)(uintptr_t)event->op.site;
}

/* How often the thread came by where it was last. */
static uint32_t times_round(const struct execution *x, agent_id thread)
{
    const struct raddle_site *last = NULL;
    uint32_t times = 0;

    for (event_id id = x->events.count; id-- > 0;) {
        if (x->events.at[id].agent != thread)
            continue;
        if (!last)
            last = site_of(&x->events.at[id]);
        times += site_of(&x->events.at[id]) == last;
    }
    return times;
}

/* The lines of the function where the thread was last, as far as it came by there again and again. */
static void say_lines(const struct execution *x, agent_id thread, char *text, size_t size)
{
    const struct raddle_site *last = NULL;
    uint32_t low = UINT32_MAX, high = 0;
    size_t used;

    for (event_id id = x->events.count; id-- > first_looked_at(x);) {
        const struct raddle_site *site = site_of(&x->events.at[id]);

        if (x->events.at[id].agent != thread || !site || !site->file || !site->function)
            continue;
        if (!last)
            last = site;
        if (strcmp(site->function, last->function) != 0 || strcmp(site->file, last->file) != 0)
            continue;
        low = site->line < low ? site->line : low;
        high = site->line > high ? site->line : high;
    }
    if (!last)
        return;
    used = (size_t)snprintf(text, size, " in %s at %s:%" PRIu32, last->function, last->file, low);
    if (high > low && used < size)
        snprintf(text + used, size - used, "-%" PRIu32, high);
}

void endless_note(void)
{
    struct session *session = native.session;
    const struct execution *x = &session->explorer.execution;
    agent_id thread = busiest(x);
    char text[800], place[500] = "";
    struct text t = text_open(text, sizeof text);

    if (session->endless || thread == AGENT_NONE)
        return;
    say_lines(x, thread, place, sizeof place);
    native_thread_words(&t, (uint32_t)native.world->agents.at[thread].key);
    text_add(&t, " still goes round%s, %" PRIu32 " times so far", place, times_round(x, thread));
    session->endless = native_text(text);
}
