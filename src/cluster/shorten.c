#include "cluster/twig.h"

/* Sequences that are about to become part of the tree are shortened: as sequence_shorten, on what a message tells. */

static void way_begin(struct twigs *twigs)
{
    twigs->stamp++;
    while (twigs->touched.count < twigs->glossary.locations.count)
        vec_push(twigs->arena, &twigs->touched, (struct twig_touch){0});
    while (twigs->stepped.count < twigs->glossary.agents.count)
        vec_push(twigs->arena, &twigs->stepped, 0);
}

static void way_add(struct twigs *twigs, const struct branch *step)
{
    twigs->stepped.at[step->choice.agent] = twigs->stamp;
    for (uint32_t i = 0; i < step->access_count; i++) {
        struct twig_touch *touch = &twigs->touched.at[step->accesses[i].loc];

        if (touch->stamp != twigs->stamp)
            *touch = (struct twig_touch){.stamp = twigs->stamp};
        touch->bytes[step->accesses[i].mode] |= step->accesses[i].bytes;
    }
}

/* Whether the branch is independent of all steps on the way. */
static bool way_lets_sleep(const struct twigs *twigs, const struct branch *branch)
{
    if (twigs->stepped.at[branch->choice.agent] == twigs->stamp)
        return false;
    for (uint32_t i = 0; i < branch->access_count; i++) {
        const struct access *access = &branch->accesses[i];
        const struct twig_touch *touch = &twigs->touched.at[access->loc];

        if (touch->stamp != twigs->stamp)
            continue;
        for (uint8_t mode = ACCESS_READ; mode < ACCESS_MODE_COUNT; mode++)
            if (touch->bytes[mode] & access->bytes && modes_conflict(mode, access->mode))
                return false;
    }
    return true;
}

/* What is asleep behind all branches of `state`: those, and what comes before the way to it and is independent of it. False if it is not known. */
static bool asleep_collect(struct twigs *twigs, const struct twig *state)
{
    const struct twig *end = NULL;

    twigs->asleep.count = 0;
    if (twigs->inexact)
        return false;
    way_begin(twigs);
    for (;; end = state, state = state->parent) {
        if (end)
            way_add(twigs, &end->branch);
        for (const struct twig *twig = state->first; twig != end; twig = twig->sibling)
            if (!twig->in_vain && way_lets_sleep(twigs, &twig->branch))
                vec_push(twigs->arena, &twigs->asleep, &twig->branch);
        if (!state->parent)
            return true;
    }
}

/* The first step that keeps the branch from being a weak initial, or UINT32_MAX. */
static uint32_t step_against(const struct reversal *v, const struct branch *branch)
{
    for (uint32_t i = 0; i < v->steps.count; i++) {
        const struct branch *step = &v->steps.at[i].branch;

        if (!v->steps.at[i].removed &&
            (step->choice.agent == branch->choice.agent || step->inexact ||
             accesses_conflict(step->accesses, step->access_count, branch->accesses,
                               branch->access_count)))
            return i;
    }
    return UINT32_MAX;
}

static void reversal_shorten(struct reversal *v, const struct branch *const *asleep, uint32_t count)
{
    struct reversal_step *steps = v->steps.at;

    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = step_against(v, asleep[k]);

        if (i == UINT32_MAX)
            return;
        steps[i].needed = true;
    }
    for (uint32_t i = v->steps.count; i-- > 0;)
        for (uint32_t j = 0; steps[i].needed && j < i; j++)
            if (!steps[j].removed && steps[i].clock[steps[j].agent] >= steps[j].number)
                steps[j].needed = true;
    for (uint32_t i = 0; i < v->steps.count; i++)
        steps[i].removed |= !steps[i].needed;
}

void twigs_shorten(struct twigs *twigs, const struct twig *state, struct reversal *v)
{
    if (asleep_collect(twigs, state))
        reversal_shorten(v, twigs->asleep.at, twigs->asleep.count);
}
