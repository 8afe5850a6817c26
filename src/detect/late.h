#ifndef RADDLE_DETECT_LATE_H
#define RADDLE_DETECT_LATE_H

#include <stdbool.h>

#include "base/vec.h"
#include "model/op.h"

/* What synchronises is of interest only to accesses that may race. Many runs have none: all that threads share is atomic, or
 * guarded and not looked at. So what the world tells is written down, and judged when somebody asks: when an access comes that is no operation, and at
 * the end of a run in which two accesses could race at all. What is judged late is judged in the order in which it was told, and before
 * anything that came later: the detector is then where it would have been. Only who asks where its threads are now gets
 * another answer, so a race that is found late is looked for again in time (hooks/races.c). */

struct world;

/* One thing that the world has told. */
struct told {
    void (*judge)(struct world *world, const struct told *told);
    uint32_t thread;   /* its number */
    uint32_t number;   /* of a buffered store; or of the thread that is created */
    uint32_t forwards; /* a load: which of its bytes come from its thread's own buffer */
    bool failed;
    struct op op;
};

/* What accesses a run has had. Those of one kind do not race with each other, unless they are plain. */
enum late_kind { LATE_PLAIN = 1, LATE_USE = 2, LATE_ATOMIC = 4 };

#define LATE_MAX 1024 /* that wait at most */

struct late {
    bool on;       /* things may wait; may change only when a run begins */
    bool settling; /* one that has waited is judged now */
    uint8_t kinds; /* enum late_kind, or-ed together: of this run, so far */
    uint32_t count;
    uint64_t judged,
        dropped; /* things that have waited, in all runs: some must be dropped to make it worth while */
    struct world *world;
    struct told *told; /* LATE_MAX of them, or NULL */
};

/* Where to write down the next thing, instead of judging it. The running thread then knows nothing for sure. The other one is for the first of a
 * row, and when there is no room. */
static inline struct told *late_next(struct late *late, struct world *world);
struct told *late_first(struct world *world);

static inline struct told *late_next(struct late *late, struct world *world)
{
    return late->count - 1 < LATE_MAX - 1 ? &late->told[late->count++] : late_first(world);
}

/* Whether things should wait, as far as is known: to put one off costs a fifth of what it saves to drop it. */
static inline bool late_pays(const struct late *late)
{
    return late->judged < 1024 || late->dropped > late->judged / 4;
}

/* A run begins: what still waits is of the last one, and nobody has asked. */
void late_restart(void);

/* Judges what waits, if anything does. */
void late_settle_all(void);

/* The run has ended: does it if there may be a race that is not found yet. */
void late_end(void);

#endif
