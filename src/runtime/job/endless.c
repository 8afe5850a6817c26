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

/* How often the thread came by there, from event `from` on. */
static uint32_t times_by(const struct execution *x, agent_id thread, const struct raddle_site *site,
                         event_id from)
{
    uint32_t times = 0;

    for (event_id id = from; id < x->events.count; id++)
        times += x->events.at[id].agent == thread && site_of(&x->events.at[id]) == site;
    return times;
}

/* Where the thread came by most often lately, the last of such places; NULL if that is not known. Where it is now may be behind the loop. */
static const struct raddle_site *place_of(const struct execution *x, agent_id thread)
{
    const struct raddle_site *place = NULL;
    uint32_t most = 0;

    for (event_id id = x->events.count; id-- > first_looked_at(x);) {
        const struct raddle_site *site = site_of(&x->events.at[id]);
        uint32_t times;

        if (x->events.at[id].agent != thread || !site || !site->file || !site->function)
            continue;
        times = times_by(x, thread, site, first_looked_at(x));
        if (times > most) {
            most = times;
            place = site;
        }
    }
    return place;
}

/* The lines of the function with that place, as far as the thread came by there again and again. */
static void say_lines(const struct execution *x, agent_id thread, const struct raddle_site *place,
                      char *text, size_t size)
{
    uint32_t low = UINT32_MAX, high = 0;
    size_t used;

    for (event_id id = x->events.count; id-- > first_looked_at(x);) {
        const struct raddle_site *site = site_of(&x->events.at[id]);

        if (x->events.at[id].agent != thread || !site || !site->file || !site->function ||
            strcmp(site->function, place->function) != 0 || strcmp(site->file, place->file) != 0)
            continue;
        low = site->line < low ? site->line : low;
        high = site->line > high ? site->line : high;
    }
    used = (size_t)snprintf(text, size, " in %s at %s:%" PRIu32, place->function, place->file, low);
    if (high > low && used < size)
        snprintf(text + used, size - used, "-%" PRIu32, high);
}

void endless_note(void)
{
    struct session *session = native.session;
    const struct execution *x = &session->explorer.execution;
    agent_id thread = busiest(x);
    const struct raddle_site *place;
    char text[800], lines[500] = "";
    struct text t = text_open(text, sizeof text);

    if (session->endless || thread == AGENT_NONE)
        return;
    place = place_of(x, thread);
    if (place)
        say_lines(x, thread, place, lines, sizeof lines);
    native_thread_words(&t, (uint32_t)native.world->agents.at[thread].key);
    text_add(&t, " still goes round%s, %" PRIu32 " times so far", lines,
             times_by(x, thread, place, 0));
    session->endless = native_text(text);
}
