#include "base/check.h"
#include "cluster/coordinator.h"
#include "cluster/worker.h"

/* The coordinator's tree as bytes, for a checkpoint: as it would be if all workers were lost at this moment. So what workers have told counts, and what is left of their
 * items has to be handed out again. */

/* What is said of a twig, in one number. */
enum {
    FLAG_LEAF = 1,
    FLAG_CLOSED = 2,
    FLAG_SHUT = 4,
    FLAG_EXECUTED = 8,
    FLAG_FATAL = 16,
    FLAG_IN_VAIN = 32,
    FLAG_INEXACT = 64,
    FLAG_REST = 128,
    FLAGS_END = 256,
};

/* ---- writing */

/* Who has it, or NULL. */
static const struct coordinator_worker *worker_of(const struct coordinator *coordinator,
                                                  const struct twig *twig)
{
    for (uint32_t i = 0; i < coordinator->workers.count; i++)
        if (coordinator->workers.at[i].twig == twig)
            return &coordinator->workers.at[i];
    CHECK(twig->state != TWIG_TAKEN, "an item that nobody has");
    return NULL;
}

static void twig_write(const struct coordinator *coordinator, const struct twig *twig,
                       struct bytes *out)
{
    bool leaf = twig->state == TWIG_LEAF || twig->state == TWIG_TAKEN;
    const struct coordinator_worker *worker =
        twig->state == TWIG_TAKEN ? worker_of(coordinator, twig) : NULL;
    const struct work *rest = worker ? worker->rest : leaf ? twig->rest : NULL;
    bool has_rest = rest || (worker && worker->rest_bytes.data.count > 0);
    uint32_t children = 0;
    unsigned flags = (leaf ? FLAG_LEAF : 0) | (twig->state == TWIG_CLOSED ? FLAG_CLOSED : 0) |
                     (twig->shut ? FLAG_SHUT : 0) | (twig->fatal ? FLAG_FATAL : 0) |
                     (twig->in_vain ? FLAG_IN_VAIN : 0) |
                     (twig->branch.inexact ? FLAG_INEXACT : 0) | (has_rest ? FLAG_REST : 0);

    /* whether the step of an item was taken nobody knows, unless its worker has told */
    if (twig->executed && (!leaf || has_rest))
        flags |= FLAG_EXECUTED;
    for (const struct twig *child = twig->first; child; child = child->sibling)
        children++;
    bytes_number(out, flags);
    bytes_number(out, children);
    if (twig->parent) {
        choice_write(twig->branch.choice, out);
        accesses_write(twig->branch.accesses, twig->branch.access_count, out);
    }
    if (worker && worker->rest_bytes.data.count > 0)
        bytes_add(out, worker->rest_bytes.data.at, worker->rest_bytes.data.count);
    else if (rest)
        work_write_inner(rest, out);
}

void coordinator_write(const struct coordinator *coordinator, struct bytes *out)
{
    const struct glossary *glossary = &coordinator->twigs.glossary;
    const struct explorer_stats none = {0};
    struct work names = {
        .agents = {glossary->agents.at, glossary->agents.count, 0},
        .locations = {glossary->locations.at, glossary->locations.count, 0},
    };
    const struct twig *twig = coordinator->twigs.root;

    stats_write(&coordinator->stats, &none, out);
    names_write(&names, out);
    for (;;) { /* each before its children, and these before its siblings */
        twig_write(coordinator, twig, out);
        if (twig->first) {
            twig = twig->first;
            continue;
        }
        while (twig->parent && !twig->sibling)
            twig = twig->parent;
        if (!twig->parent)
            return;
        twig = twig->sibling;
    }
}

/* ---- reading */

struct tree_reader {
    struct coordinator *coordinator;
    struct bytes_reader *in;
    struct work names;
    struct work_numbers numbers;
};

static struct work *rest_read(struct tree_reader *reader, uint32_t depth)
{
    struct arena *arena = reader->coordinator->arena;
    struct work *work = arena_alloc(arena, sizeof *work);

    if (!work_read_inner(work, arena, reader->in) || work->root != depth)
        reader->in->failed = true;
    return work;
}

/* The next one, as the last child of `parent`; how many children it has goes to *children. */
static struct twig *twig_read(struct tree_reader *reader, struct twig *parent, uint32_t *children)
{
    struct arena *arena = reader->coordinator->arena;
    struct bytes_reader *in = reader->in;
    uint32_t flags = bytes_read_below(in, FLAGS_END);
    bool leaf = flags & FLAG_LEAF;
    struct branch named = {.inexact = (flags & FLAG_INEXACT) != 0}, *branch = NULL;
    struct work *rest = NULL;
    struct twig *twig;

    *children = bytes_read_count(in, 2);
    if (parent) {
        named.choice = choice_read(in, reader->names.agents.count);
        named.accesses =
            accesses_read(arena, in, reader->names.locations.count, &named.access_count);
    }
    in->failed |= (leaf || flags & FLAG_CLOSED) && *children > 0;
    in->failed |= flags & FLAG_REST && !leaf;
    if (in->failed)
        return NULL;
    if (parent)
        branch = numbers_branches(&reader->numbers, arena, &named);
    if (flags & FLAG_REST)
        rest = rest_read(reader, parent ? parent->depth + 1 : 0);
    twig = twigs_restore(&reader->coordinator->twigs, parent, branch,
                         leaf                  ? TWIG_LEAF
                         : flags & FLAG_CLOSED ? TWIG_CLOSED
                                               : TWIG_OPEN,
                         rest);
    twig->shut = flags & FLAG_SHUT;
    twig->executed = flags & FLAG_EXECUTED;
    twig->fatal = flags & FLAG_FATAL;
    twig->in_vain = flags & FLAG_IN_VAIN;
    return twig;
}

bool coordinator_read(struct coordinator *coordinator, struct bytes_reader *in)
{
    struct level {
        struct twig *twig;
        uint32_t left; /* children to be read */
    };
    struct arena *arena = coordinator->arena;
    struct tree_reader reader = {.coordinator = coordinator, .in = in};
    VEC(struct level) path = {0};
    uint32_t children;
    struct twig *twig;

    stats_read(&coordinator->stats, in);
    if (!names_read(&reader.names, arena, in))
        return false;
    glossary_numbers(&coordinator->twigs.glossary, &reader.names, &reader.numbers, arena);
    twig = twig_read(&reader, NULL, &children);
    while (!in->failed) {
        if (children > 0)
            vec_push(arena, &path, (struct level){twig, children});
        while (path.count > 0 && vec_last(&path).left == 0)
            path.count--;
        if (path.count == 0)
            break;
        vec_last(&path).left--;
        twig = twig_read(&reader, vec_last(&path).twig, &children);
    }
    vec_free(arena, &path);
    return !in->failed;
}
