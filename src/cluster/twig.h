#ifndef RADDLE_CLUSTER_TWIG_H
#define RADDLE_CLUSTER_TWIG_H

/* Ground rules of the room `cluster`: one search by many workers. Its parts take messages and give messages; none of them knows of time, processes or
 * networks, so that a simulated cluster tries them in any order. docs/cluster.md tells why no order of messages changes what is explored. */

#include "explore/work.h"

/* The tree of a search, as far as it is not inside of some worker's item: states by the steps that lead to them, and at each state the branches in the order in
 * which they were put there. Nothing is ever taken out of the order: a branch that is explored stays as what others may not repeat.
 *
 * Agents and locations are those of a glossary. */

/* Names of agents and locations, each once. */
struct glossary {
    struct arena *arena;
    VEC(struct work_agent) agents;
    VEC(struct work_location) locations;
    struct map agent_by_name, location_by_name;
};

void glossary_open(struct glossary *glossary, struct arena *arena);

/* The glossary's numbers for the names in `work`. */
void glossary_numbers(struct glossary *glossary, const struct work *work,
                      struct work_numbers *numbers, struct arena *arena);

/* Names of the glossary's numbers, for one message. */
struct glossary_names {
    struct glossary *glossary;
    struct work *work;
    VEC(uint32_t) agents, locations; /* 1 + index in the work, or 0 */
};

struct choice glossary_choice(struct glossary_names *names, struct choice choice);
struct branch *glossary_branch(struct glossary_names *names, const struct branch *branch);

enum twig_state {
    TWIG_OPEN,   /* a state with branches; others may be added */
    TWIG_LEAF,   /* nobody has explored it yet */
    TWIG_TAKEN,  /* a worker has it, and all below */
    TWIG_CLOSED, /* explored, with all below */
};

/* A step from one state to the next, and that state. */
struct twig {
    struct branch branch; /* the step; without siblings and children */
    struct twig *parent, *sibling, *first, *last;
    struct twig *leaf_before, *leaf_next; /* in its list of leaves */
    uint32_t depth;                       /* of the state */
    uint32_t open; /* 1 if it is a leaf or taken, and children of which open is not 0 */
    uint32_t item; /* TWIG_TAKEN: which; UINT32_MAX: none */
    uint64_t
        changed; /* when something was put there, or below as far as sequences from above may go (twigs.clock) */
    uint8_t state; /* enum twig_state */
    bool
        shut; /* no sequence from above has to be inserted below: it ends a wakeup sequence, or all before it was explored */
    bool executed;     /* somebody has taken the step */
    bool fatal;        /* and it killed the process */
    bool in_vain;      /* and it turned out to be asleep: as if it had never been planned */
    struct work *rest; /* TWIG_LEAF: what is left of it, as its last worker has told; NULL: all */
};

struct twig_touch {
    uint32_t stamp;
    uint8_t bytes[ACCESS_MODE_COUNT]; /* by enum access_mode, as in struct access */
};

struct twigs {
    struct arena *arena;
    struct glossary glossary;
    struct twig *root;
    VEC(struct twig *) leaves; /* by depth: the newest one that waits there */
    uint32_t leaf_count;
    bool sleeps; /* the search has sleep sets */
    bool
        blind; /* choices are planned without what they touch, but sleep sets need that: it is told when they are taken */
    uint64_t inserted, dropped; /* sequences and choices that were told */
    uint64_t clock;             /* ticks with each new leaf */
    uint64_t inexact;           /* twigs of which it is not known what they touch */
    /* scratch, while what is asleep somewhere is found out: what the steps on the way there touch, by location and by agent */
    uint32_t stamp;
    VEC(struct twig_touch) touched;
    VEC(uint32_t) stepped;
    VEC(const struct branch *) asleep;
};

/* `sleeps`: what comes before a branch is asleep behind it. */
void twigs_open(struct twigs *twigs, struct arena *arena, const struct reduction_ops *reduction,
                bool sleeps);

/* For who reads a tree: the last branch of `parent`, in that state, which is not TWIG_TAKEN; the root, if that is NULL. */
struct twig *twigs_restore(struct twigs *twigs, struct twig *parent, const struct branch *branch,
                           enum twig_state state, struct work *rest);

/* One step of a sequence that is to be inserted. */
struct reversal_step {
    struct branch branch;
    uint32_t agent;  /* the place of its agent in clocks */
    uint32_t number; /* it is so far along among the events of its agent */
    uint32_t *clock; /* what has to come before it: so many events of each agent of the sequence */
    bool removed;
    bool needed; /* while it is shortened */
};

/* A sequence that has to be tried from the state at some depth: v of optimal DPOR (explore/sequence.h), so that it needs no execution to read it. */
struct reversal {
    uint32_t depth;
    uint32_t agents;
    VEC(struct reversal_step) steps;
};

/* From the search that finds it, and from a message; the latter with the numbers of the glossary. */
void reversal_write(const struct sequence *v, const struct execution *x, uint32_t depth,
                    struct work_names *names, struct bytes *out);
bool reversal_read(struct reversal *reversal, struct arena *arena, struct bytes_reader *in,
                   const struct work_numbers *numbers);

/* Leaves out what need not be planned of a sequence that becomes the last branch of `state` (shorten.c; docs/cluster.md tells why that is all right). */
void twigs_shorten(struct twigs *twigs, const struct twig *state, struct reversal *reversal);

/* Inserts it into the wakeup tree of the state `above` `path`, by a search that is below `path`: that one knows all branches before `path` and has found that none of them
 * covers it. True if there is a new leaf. */
bool twigs_insert(struct twigs *twigs, struct twig *path, struct reversal *reversal);

/* The same for one choice of a reduction without wakeup trees. */
bool twigs_plan(struct twigs *twigs, struct twig *path, struct choice choice, bool urgent);

/* The step turned out to be this one; its memory becomes the twig's. */
void twig_touch(struct twigs *twigs, struct twig *twig, const struct branch *branch);

/* The step into the state at `depth` + 1 on the way to `twig`. */
struct twig *twig_at(struct twig *twig, uint32_t depth);

/* The shallowest leaf that can be handed out now, or NULL. */
struct twig *twigs_next(struct twigs *twigs);

/* It is a worker's now. */
void twig_take(struct twigs *twigs, struct twig *twig, uint32_t item);

/* The worker is gone: somebody else has to. */
void twig_return(struct twigs *twigs, struct twig *twig, struct work *rest);

/* Explored; or asleep, and never to be planned. */
void twig_close(struct twigs *twigs, struct twig *twig, bool in_vain);

/* A worker gives `count` states of its item back: `part` has them, from the item's root on, each with the step that it has taken from there. The twig that it keeps: the last of
 * these steps; or NULL if there is none from the last state. */
struct twig *twig_split(struct twigs *twigs, struct twig *twig, const struct work *part,
                        uint32_t count);

/* What a worker has to know to go there: the schedule, and what is done and planned on the way. */
void twig_work(struct twigs *twigs, struct twig *twig, struct work *work);

/* What comes behind the path to `twig` in the state at `depth`, for its worker, as far as it has changed since *told; that becomes now. */
struct branch *twig_known(struct twigs *twigs, struct glossary_names *names, struct twig *twig,
                          uint32_t depth, uint64_t *told);

#endif
