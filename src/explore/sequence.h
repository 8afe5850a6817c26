#ifndef RADDLE_EXPLORE_SEQUENCE_H
#define RADDLE_EXPLORE_SEQUENCE_H

#include "explore/blocks.h"

/* One step of a sequence: an event of the execution, or (the last one) the operation of a race. */
struct sequence_step {
    struct choice choice;
    event_id event;  /* EVENT_NONE for the operation of a race */
    uint32_t number; /* an event: which one of its agent */
    uint32_t next;   /* the next step of its agent, or UINT32_MAX */
    bool removed;    /* no longer part of it */
    bool needed;     /* scratch of sequence_shorten */
};

struct sequence_first {
    uint32_t stamp;
    uint32_t step; /* or UINT32_MAX */
    uint32_t last; /* while the sequence is built: its latest one */
};

/* How the steps of a sequence touch one location. */
struct sequence_touch {
    uint32_t stamp;
    uint8_t bytes[ACCESS_MODE_COUNT]; /* by enum access_mode, as in struct access */
};

/* v = notdep(first, E).q of optimal DPOR: all events after the first event of a race that do not happen
 * after it, and then the operation that shall come before it. Executable from the state before that
 * event. What an event touches is looked up where the execution has it. */
struct sequence {
    const struct race *race;
    VEC(struct sequence_step) steps;
    uint32_t start;      /* the first of `steps` that is still part of it */
    VEC(event_id) later; /* scratch: events that have to come after the race */
    VEC(struct sequence_first)
    first; /* by agent_id: its first step, so that nobody has to search */
    VEC(struct sequence_touch)
    touched;         /* by loc_id; with what was touched by steps since removed */
    bool is_shorter; /* a step was removed */
    /* The branches that an insertion has followed, if `lasting`: they do what the operation of the race does, or one of the first `reach` events, or what `met` says, which
     * commutes with all of v. */
    bool lasting;
    event_id reach;
    uint8_t met_count;
    struct met met[RACE_MET_MAX];
    bool touches_known; /* `touched` is of this sequence */
    uint32_t stamp;     /* of this sequence; what carries another is of an older one */
};

/* What the reductions keep that reverse races by such sequences: each can take over from another one in the middle of a search. */
struct sequenced {
    struct nodes nodes;
    struct sequence v;
    VEC(const struct branch *) way;    /* scratch: the branches that an insertion has followed */
    VEC(const struct branch *) before; /* scratch: what comes before a sequence that is inserted */
    struct blocks blocks;              /* `source`, under a preemption bound */
};

/* Builds the sequence of `race` from the events so far. It lives until the next one is built. */
void sequence_build(struct sequence *v, struct execution *x, const struct race *race);

/* Whether no step before step `i` has to come before it. */
bool sequence_is_initial(const struct sequence *v, const struct execution *x, uint32_t i);

/* A new branch that does what step `i` does. */
struct branch *sequence_branch(const struct sequence *v, struct execution *x, uint32_t i);

/* The first step of `agent`, or UINT32_MAX. */
uint32_t sequence_first(const struct sequence *v, agent_id agent);

/* Whether the branch may come first in some sequence equivalent to v, or to v with the branch added: it is a
 * weak initial of v. If it is a step of v, *at is that step, else UINT32_MAX. */
bool sequence_may_start(struct sequence *v, struct execution *x, const struct branch *branch,
                        uint32_t *at);

/* Leaves out all that nothing in `before` needs to stay awake: what is left is a prefix of a sequence equivalent to v, and none of `before` is a weak initial of it, as none
 * is of v. All of v is left if one of them may touch other things than it says. */
void sequence_shorten(struct sequence *v, const struct execution *x,
                      const struct branch *const *before, uint32_t count);

/* Takes away step `i`, the first one of its agent. */
void sequence_remove(struct sequence *v, uint32_t i);

#endif
