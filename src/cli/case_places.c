#include "base/place.h"
#include "cli/native.h"

/* Where things happen, as the user sees it: what a header of the system does is done by who called it. */

static bool is_of_system(const struct session_site *site)
{
    return place_is_of_system(site->file, site->function, site->line);
}

/* Goes out to the first caller that is the user's own, if there is one. */
static void place_lift(const struct native_case *run, struct session_site *site, uint32_t *stack)
{
    uint32_t at = is_of_system(site) ? *stack : 0;

    while (at && at <= run->frames.count && is_of_system(&run->frames.at[at - 1].site))
        at = run->frames.at[at - 1].up;
    if (!at || at > run->frames.count)
        return;
    *site = run->frames.at[at - 1].site;
    *stack = run->frames.at[at - 1].up;
}

/* Of a deadlock, only those who wait have stacks. */
static void bug_lift(struct native_case *run)
{
    struct session_bug *bug = &run->bug;

    place_lift(run, &bug->site, &bug->stack);
    for (uint32_t i = 0; i < run->waits.count && is_of_system(&bug->site); i++)
        if (run->waits.at[i].thread == bug->thread)
            bug->site = run->waits.at[i].site;
    for (int i = 0; i < 2; i++)
        place_lift(run, &bug->sides[i].site, &bug->sides[i].stack);
}

void native_case_places(struct native_case *run)
{
    for (uint32_t i = 0; i < run->steps.count; i++)
        place_lift(run, &run->steps.at[i].site, &run->steps.at[i].stack);
    for (uint32_t i = 0; i < run->waits.count; i++)
        place_lift(run, &run->waits.at[i].site, &run->waits.at[i].stack);
    bug_lift(run);
}
