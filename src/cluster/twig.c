#include "cluster/twig.h"

#include "base/check.h"

#define ITEM_NONE UINT32_MAX

/* ---- the tree */

static struct twig *twig_new(struct twigs *twigs, struct twig *parent, const struct branch *branch)
{
    struct twig *twig = arena_alloc(twigs->arena, sizeof *twig);

    memset(twig, 0, sizeof *twig);
    twig->item = ITEM_NONE;
    if (branch) {
        branch_init(twigs->arena, &twig->branch, branch->choice, branch->accesses,
                    branch->access_count);
        twig->branch.inexact = branch->inexact;
        twigs->inexact += branch->inexact;
    }
    if (!parent)
        return twig;
    twig->parent = parent;
    twig->depth = parent->depth + 1;
    if (parent->last)
        parent->last->sibling = twig;
    else
        parent->first = twig;
    parent->last = twig;
    return twig;
}

static void twig_set_inexact(struct twigs *twigs, struct twig *twig)
{
    twigs->inexact += !twig->branch.inexact;
    twig->branch.inexact = true;
}

void twig_touch(struct twigs *twigs, struct twig *twig, const struct branch *branch)
{
    twigs->inexact -= twig->branch.inexact;
    twig->branch = *branch;
    twigs->inexact += branch->inexact;
}

/* Those above hear of it only if it is their first one, or was the last. */
static void open_add(struct twig *twig, int32_t n)
{
    for (; twig; twig = twig->parent) {
        bool was = twig->open > 0;

        twig->open += (uint32_t)n;
        if (was == (twig->open > 0))
            return;
    }
}

static void leaf_link(struct twigs *twigs, struct twig *twig)
{
    while (twigs->leaves.count <= twig->depth)
        vec_push(twigs->arena, &twigs->leaves, NULL);
    twig->leaf_before = NULL;
    twig->leaf_next = twigs->leaves.at[twig->depth];
    if (twig->leaf_next)
        twig->leaf_next->leaf_before = twig;
    twigs->leaves.at[twig->depth] = twig;
    twigs->leaf_count++;
}

static void leaf_unlink(struct twigs *twigs, struct twig *twig)
{
    if (twig->leaf_before)
        twig->leaf_before->leaf_next = twig->leaf_next;
    else
        twigs->leaves.at[twig->depth] = twig->leaf_next;
    if (twig->leaf_next)
        twig->leaf_next->leaf_before = twig->leaf_before;
    twigs->leaf_count--;
}

/* Those who look from above see something new there, unless they do not look so far. */
static void changed_mark(struct twigs *twigs, struct twig *twig)
{
    twig->changed = ++twigs->clock;
    for (twig = twig->parent; twig && !twig->shut; twig = twig->parent)
        twig->changed = twigs->clock;
}

static void leaf_make(struct twigs *twigs, struct twig *twig)
{
    twig->state = TWIG_LEAF;
    twig->shut = true;
    leaf_link(twigs, twig);
    open_add(twig, 1);
    changed_mark(twigs, twig);
}

void twigs_open(struct twigs *twigs, struct arena *arena, const struct reduction_ops *reduction,
                bool sleeps)
{
    memset(twigs, 0, sizeof *twigs);
    twigs->arena = arena;
    twigs->sleeps = sleeps;
    twigs->blind = sleeps && !reduction->races_at_end;
    glossary_open(&twigs->glossary, arena);
    twigs->root = twig_new(twigs, NULL, NULL);
    leaf_make(twigs, twigs->root);
}

struct twig *twigs_restore(struct twigs *twigs, struct twig *parent, const struct branch *branch,
                           enum twig_state state, struct work *rest)
{
    struct twig *twig = parent ? twig_new(twigs, parent, branch) : twigs->root;

    if (!parent) {
        leaf_unlink(twigs, twig);
        open_add(twig, -1);
    }
    if (state == TWIG_LEAF)
        leaf_make(twigs, twig);
    twig->state = (uint8_t)state;
    twig->changed = ++twigs->clock; /* whoever goes on with a rest may not know it */
    twig->rest = rest;
    return twig;
}

/* With all below it. Only siblings are many: chains are followed. */
static void twigs_free(struct twigs *twigs, struct twig *twig)
{
    VEC(struct twig *) left = {0};

    if (twig)
        vec_push(twigs->arena, &left, twig);
    while (left.count > 0) {
        twig = left.at[--left.count];
        if (twig->sibling)
            vec_push(twigs->arena, &left, twig->sibling);
        if (twig->first)
            vec_push(twigs->arena, &left, twig->first);
        twigs->inexact -= twig->branch.inexact;
        branch_end(twigs->arena, &twig->branch);
        arena_free(twigs->arena, twig, sizeof *twig);
    }
    vec_free(twigs->arena, &left);
}

/* Explored to the end, and nothing from above has to go below it: all that is needed of it is the step. */
static void twig_shed(struct twigs *twigs, struct twig *twig)
{
    for (; twig && twig->open == 0; twig = twig->parent)
        if (twig->shut) {
            twigs_free(twigs, twig->first);
            twig->first = twig->last = NULL;
            twig->state = TWIG_CLOSED;
        }
}

struct twig *twig_at(struct twig *twig, uint32_t depth)
{
    while (twig && twig->depth > depth + 1)
        twig = twig->parent;
    return twig && twig->depth == depth + 1 ? twig : NULL;
}

/* ---- insertion: as sequence.c and reduction_optimal.c, on what a message tells */

static uint32_t reversal_first(const struct reversal *v, agent_id agent)
{
    for (uint32_t i = 0; i < v->steps.count; i++)
        if (!v->steps.at[i].removed && v->steps.at[i].branch.choice.agent == agent)
            return i;
    return UINT32_MAX;
}

static bool reversal_is_initial(const struct reversal *v, uint32_t i)
{
    const uint32_t *clock = v->steps.at[i].clock;

    for (uint32_t j = 0; j < i; j++)
        if (!v->steps.at[j].removed && clock[v->steps.at[j].agent] >= v->steps.at[j].number)
            return false;
    return true;
}

static bool reversal_is_empty(const struct reversal *v)
{
    for (uint32_t i = 0; i < v->steps.count; i++)
        if (!v->steps.at[i].removed)
            return false;
    return true;
}

/* Whether the branch is a weak initial of v; as sequence_may_start. */
static bool reversal_may_start(const struct reversal *v, const struct branch *branch, uint32_t *at)
{
    *at = reversal_first(v, branch->choice.agent);
    if (*at != UINT32_MAX)
        return v->steps.at[*at].branch.choice.outcome == branch->choice.outcome &&
               reversal_is_initial(v, *at);
    if (branch->inexact)
        return reversal_is_empty(v);
    for (uint32_t i = 0; i < v->steps.count; i++) {
        const struct branch *step = &v->steps.at[i].branch;

        if (!v->steps.at[i].removed &&
            (step->inexact || accesses_conflict(step->accesses, step->access_count,
                                                branch->accesses, branch->access_count)))
            return false;
    }
    return true;
}

static void twigs_append(struct twigs *twigs, struct twig *at, struct reversal *v)
{
    twigs_shorten(twigs, at, v);
    for (uint32_t i = 0; i < v->steps.count; i++)
        if (!v->steps.at[i].removed)
            at = twig_new(twigs, at, &v->steps.at[i].branch);
    leaf_make(twigs, at);
}

bool twigs_insert(struct twigs *twigs, struct twig *path, struct reversal *reversal)
{
    struct twig *state = path->parent;
    struct twig *twig = path->sibling; /* what comes before is no concern of those behind */

    for (;;) {
        uint32_t at;

        while (twig && (twig->in_vain || !reversal_may_start(reversal, &twig->branch, &at)))
            twig = twig->sibling;
        if (!twig) {
            twigs_append(twigs, state, reversal);
            twigs->inserted++;
            return true;
        }
        if (at != UINT32_MAX)
            reversal->steps.at[at].removed = true;
        if (twig->shut || reversal_is_empty(reversal)) {
            twigs->dropped++;
            return false;
        }
        state = twig;
        twig = twig->first;
    }
}

bool twigs_plan(struct twigs *twigs, struct twig *path, struct choice choice, bool urgent)
{
    struct branch branch = {.choice = choice,
                            .inexact = twigs->blind || choice.outcome == OUTCOME_ANY};
    struct twig *state = path->parent, *twig, *last = NULL;

    for (twig = state->first; twig; twig = twig->sibling) {
        if (twig->branch.choice.agent == choice.agent &&
            (choice.outcome == OUTCOME_ANY || twig->branch.choice.outcome == choice.outcome)) {
            twigs->dropped++;
            return false;
        }
        if (twig->state != TWIG_LEAF || twig->rest)
            last = twig; /* somebody has had it, and knows those before it */
    }
    twig = twig_new(twigs, state, &branch);
    if (urgent && last->sibling != twig) {
        struct twig *before = last->sibling;

        while (before->sibling != twig)
            before = before->sibling;
        before->sibling = NULL;
        state->last = before;
        twig->sibling = last->sibling;
        last->sibling = twig;
    }
    leaf_make(twigs, twig);
    twigs->inserted++;
    return true;
}

/* ---- handing out */

/* Whoever goes there has those before it asleep, and must know what they touch. */
static bool twig_is_ready(const struct twig *twig)
{
    for (; twig->parent; twig = twig->parent)
        for (const struct twig *other = twig->parent->first; other != twig; other = other->sibling)
            if (other->branch.inexact && !other->in_vain)
                return false;
    return true;
}

struct twig *twigs_next(struct twigs *twigs)
{
    for (uint32_t depth = 0; twigs->leaf_count > 0 && depth < twigs->leaves.count; depth++)
        for (struct twig *twig = twigs->leaves.at[depth]; twig; twig = twig->leaf_next)
            if (!twigs->sleeps || !twigs->inexact || twig_is_ready(twig))
                return twig;
    return NULL;
}

void twig_take(struct twigs *twigs, struct twig *twig, uint32_t item)
{
    leaf_unlink(twigs, twig);
    twig->state = TWIG_TAKEN;
    twig->item = item;
    for (; twig && !twig->executed; twig = twig->parent)
        twig->executed = true;
}

void twig_return(struct twigs *twigs, struct twig *twig, struct work *rest)
{
    twig->state = TWIG_LEAF;
    twig->item = ITEM_NONE;
    twig->rest = rest;
    twig->executed &= rest != NULL; /* nobody knows whether it was */
    leaf_link(twigs, twig);
}

void twig_close(struct twigs *twigs, struct twig *twig, bool in_vain)
{
    twig->in_vain = in_vain;
    if (in_vain) { /* nobody asks any more */
        twigs->inexact -= twig->branch.inexact;
        twig->branch.inexact = false;
    }
    twig->state = TWIG_CLOSED;
    twig->item = ITEM_NONE;
    open_add(twig, -1);
    twig_shed(twigs, twig);
}

/* ---- splitting */

/* Adds a list of branches, in its order, with all that follows. */
static void twigs_add(struct twigs *twigs, struct twig *parent, const struct branch *list,
                      const struct work_numbers *numbers)
{
    struct pair {
        struct twig *parent;
        const struct branch *branch;
    };
    VEC(struct pair) left = {0};

    if (list)
        vec_push(twigs->arena, &left, (struct pair){parent, list});
    while (left.count > 0) {
        struct pair next = left.at[--left.count];
        struct branch *one;
        struct twig *twig;
        struct branch alone = *next.branch;

        alone.sibling = alone.child = NULL;
        one = numbers_branches(numbers, twigs->arena, &alone);
        twig = twig_new(twigs, next.parent, one);
        branch_free(twigs->arena, one);
        if (twigs->blind || next.branch->choice.outcome == OUTCOME_ANY)
            twig_set_inexact(twigs, twig);
        if (next.branch->sibling)
            vec_push(twigs->arena, &left, (struct pair){next.parent, next.branch->sibling});
        if (next.branch->child)
            vec_push(twigs->arena, &left, (struct pair){twig, next.branch->child});
        else
            leaf_make(twigs, twig);
    }
    vec_free(twigs->arena, &left);
}

static void twigs_add_done(struct twigs *twigs, struct twig *parent, const struct branch *done,
                           const struct work_numbers *numbers)
{
    for (; done; done = done->sibling) {
        struct branch alone = *done, *one;
        struct twig *twig;

        alone.sibling = alone.child = NULL;
        one = numbers_branches(numbers, twigs->arena, &alone);
        twig = twig_new(twigs, parent, one);
        branch_free(twigs->arena, one);
        twig->state = TWIG_CLOSED;
        twig->shut = twig->executed = true;
    }
}

/* The step that the worker has taken from there. What it touches is needed by those who come after it. */
static struct twig *twig_add_path(struct twigs *twigs, struct twig *parent,
                                  const struct work_step *step, const struct work_numbers *numbers)
{
    struct branch named = {
        .choice = step->choice, .accesses = step->accesses, .access_count = step->access_count};
    struct branch *one = numbers_branches(numbers, twigs->arena, &named);
    struct twig *twig = twig_new(twigs, parent, one);

    branch_free(twigs->arena, one);
    twig->shut = twig->executed = true;
    twig->fatal = step->fatal;
    return twig;
}

struct twig *twig_split(struct twigs *twigs, struct twig *twig, const struct work *part,
                        uint32_t count)
{
    struct work_numbers numbers;
    struct twig *item = twig, *kept = NULL;

    CHECK(twig->state == TWIG_TAKEN, "a split of something else");
    glossary_numbers(&twigs->glossary, part, &numbers, twigs->arena);
    item->state = TWIG_OPEN;
    for (uint32_t i = 0; i < count; i++) {
        const struct work_node *node = &part->nodes.at[i];

        twigs_add_done(twigs, twig, node->done, &numbers);
        kept = i < part->schedule.count
                   ? twig_add_path(twigs, twig, &part->schedule.at[i], &numbers)
                   : NULL;
        twigs_add(twigs, twig, node->planned, &numbers);
        twig = kept;
    }
    if (kept) {
        kept->state = TWIG_TAKEN;
        kept->item = item->item;
        open_add(kept, 1);
    }
    open_add(item, -1);
    item->item = ITEM_NONE;
    numbers_close(&numbers, twigs->arena);
    if (!kept)
        twig_shed(twigs, item);
    return kept;
}

/* ---- what a worker gets */

/* The twigs of a state that have changed since `told`, as branches, with what follows them as far as sequences may be inserted there. */
static struct branch *twig_branches(struct glossary_names *names, const struct twig *list,
                                    uint64_t told)
{
    struct pair {
        const struct twig *from;
        struct branch **to;
        uint64_t told;
    };
    VEC(struct pair) left = {0};
    struct arena *arena = names->work->arena;
    struct branch *copy = NULL;

    if (list)
        vec_push(arena, &left, (struct pair){list, &copy, told});
    while (left.count > 0) {
        struct pair next = left.at[--left.count];

        for (; next.from; next.from = next.from->sibling) {
            if (next.from->in_vain || next.from->changed <= next.told)
                continue;
            *next.to = glossary_branch(names, &next.from->branch);
            if (!next.from->shut && next.from->first)
                vec_push(arena, &left, (struct pair){next.from->first, &(*next.to)->child, 0});
            next.to = &(*next.to)->sibling;
        }
    }
    vec_free(arena, &left);
    return copy;
}

struct branch *twig_known(struct twigs *twigs, struct glossary_names *names, struct twig *twig,
                          uint32_t depth, uint64_t *told)
{
    struct branch *list = NULL;

    list = twig_branches(names, twig_at(twig, depth)->sibling, *told);
    *told = twigs->clock;
    return list;
}

/* What comes before it: done, as far as those behind it are concerned. */
static struct branch *twig_before(struct glossary_names *names, const struct twig *twig)
{
    struct branch *list = NULL;

    for (const struct twig *other = twig->parent->first; other != twig; other = other->sibling)
        if (!other->in_vain) {
            struct branch *branch = glossary_branch(names, &other->branch);

            branch->sibling = list;
            list = branch;
        }
    return list;
}

void twig_work(struct twigs *twigs, struct twig *twig, struct work *work)
{
    struct glossary_names names = {.glossary = &twigs->glossary, .work = work};
    uint32_t depth = twig->depth;

    work->root = depth;
    work->fresh = true;
    vec_reserve(work->arena, &work->schedule, depth);
    vec_reserve(work->arena, &work->nodes, depth + 1);
    work->schedule.count = depth;
    work->nodes.count = depth + 1;
    work->nodes.at[depth] = (struct work_node){0};
    for (; twig->parent; twig = twig->parent) {
        uint32_t at = twig->depth - 1;

        work->schedule.at[at] =
            (struct work_step){.choice = glossary_choice(&names, twig->branch.choice),
                               .fatal = twig->fatal,
                               .inexact = twig->branch.inexact};
        work->nodes.at[at] = (struct work_node){
            .done = twig_before(&names, twig),
            .planned =
                twigs->sleeps && !twigs->blind ? twig_branches(&names, twig->sibling, 0) : NULL};
        if (!work->seen && twig->executed)
            work->seen = twig->depth;
    }
}
