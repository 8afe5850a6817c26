#ifndef RADDLE_EXPLORE_SNAPSHOTS_H
#define RADDLE_EXPLORE_SNAPSHOTS_H

#include "model/world_copy.h"

/* Snapshots of states of the present path, so that getting back to a state does not cost what the program computed on the way. The target keeps itself, by
 * snapshot_ops; a copy of the world lies beside. The rest of the search is not part of a snapshot: it goes on.
 *
 * A snapshot is worth its place if doing again what lies between the one before it and itself, as often as the search will come back to states behind it,
 * costs more than to make it, and to come back to it if there is no other. How often that will be is guessed from how often the search came back to such depths
 * lately, and to this state itself. All is measured while the search runs; until replays take long, nothing is done but to measure one of them now and then. */

struct explorer;

#define SNAPSHOTS_MAX      64
#define SNAPSHOTS_AUTO_MAX 16 /* along a path, if the user names no number */

enum snapshots_kind {
    SNAPSHOTS_OFF,
    SNAPSHOTS_AUTO, /* where they are worth it, `max` at most */
    SNAPSHOTS_EACH, /* at every state with more than one way on, for tests */
};

/* Where the search is after a snapshot was made. */
enum snapshot_role {
    SNAPSHOT_NONE,    /* none could be made */
    SNAPSHOT_GOES_ON, /* in the state that was kept, for the first time */
    SNAPSHOT_BACK,    /* in that state once more */
};

/* What a target does for it: in one of two ways. Either the state is kept by another process, which goes on in `keep` when the search comes back; or it is put back in
 * this one. */
struct snapshot_ops {
    const char *name; /* what reports call that way */
    /* Keeps the present state as number `slot`. Returns once more, with SNAPSHOT_BACK, for each time that the search comes back to it in another process. */
    enum snapshot_role (*keep)(void *context, uint32_t slot);
    /* Goes to that state. True: this process is in it now. Or it does not return here, but from `keep`. If the state is not there any more, false. */
    bool (*go)(void *context, uint32_t slot);
    /* It is not needed any more. */
    void (*drop)(void *context, uint32_t slot);
    /* Nanoseconds that it took since the last snapshot was made or come back to, besides these, because there are any: for copying memory. */
    uint64_t (*copying)(void *context);
    /* Nanoseconds that the process has computed so far. Others that run do not count. */
    uint64_t (*computed)(void *context);
    /* Nanoseconds that it takes to come back to one, if it takes so long to make it. */
    uint64_t (*going)(void *context, uint64_t making);
    uint64_t guess; /* what it takes to make one, before that was measured */
};

struct snapshot {
    uint32_t depth;
    uint64_t span; /* nanoseconds from the snapshot before it, or from the start */
    struct world_copy world;
};

/* All that is known of them. Where the search is: not to be kept with a state. */
struct snapshots {
    const struct snapshot_ops *ops;
    void *context;
    uint8_t kind; /* enum snapshots_kind */
    uint32_t max;
    struct snapshot at[SNAPSHOTS_MAX]; /* by slot */
    uint32_t path[SNAPSHOTS_MAX];      /* slots in use, by depth */
    uint32_t count;
    VEC(uint32_t) returns;  /* by depth: how often the search came back there, lately */
    uint32_t returns_total; /* of those */
    VEC(uint32_t) uses;     /* by depth, on the present path: uses_of */
    uint32_t runs;          /* went back, so far */
    bool watching;          /* replays take long: the clock is looked at */
    uint64_t since;         /* `computed` when the process was at the last one of the path */
    uint64_t looked;        /* ticks when that was last asked for */
    uint64_t replay, making, copying; /* nanoseconds that these take, on average */
    uint32_t refused;                 /* times in a row that none could be made */
    uint64_t made, used, lost;
};

void snapshots_open(struct snapshots *snapshots, const struct snapshot_ops *ops, void *context,
                    uint8_t kind, uint32_t max);

/* Makes one of the present state, if the search has any and that is worth it. True: the search has come back to that state, and on from there to the last event, unless
 * explorer->diverged says otherwise. */
bool snapshots_take(struct explorer *explorer);

/* Goes to the state after the last event: from the nearest snapshot, and then it may not return here, but from snapshots_take; or, if there is none or this process has
 * to `stay`, by a replay. False if the target does not do again what it did. */
bool snapshots_replay(struct explorer *explorer, bool stay);

/* Ends them all. NULL is fine. */
void snapshots_drop(struct snapshots *snapshots);

/* The process that had made them died, and they with it. */
void snapshots_forget(struct snapshots *snapshots);

#endif
