#ifndef RADDLE_DETECT_PASSAGE_H
#define RADDLE_DETECT_PASSAGE_H

#include "base/vec.h"
#include "detect/holder.h"
#include "detect/shadow.h"

/* What happens to clocks and memory in one transition, in its order, for future.h. Steps of three words: what, and of whom. That a thread's
 * time advances is no step: it tells later accesses from earlier ones, and those before the transition are all earlier. */

enum passage_what {
    PASSAGE_LEARNS,   /* a holder knows what another one knows, too */
    PASSAGE_BECOMES,  /* and nothing else (HOLDER_NONE: nothing at all) */
    PASSAGE_ACCESSES, /* a thread (HOLDER_NOW) accesses what is in a segment (its number) */
};

struct passage_step {
    uint64_t what; /* enum passage_what */
    holder to;
    uint64_t from;
};

#define PASSAGE_STEP_WORDS (sizeof(struct passage_step) / sizeof(uint64_t))

/* Bytes in a row, all accessed in one way. The addresses carry that way in their high bits, so that spans sort by it first. */
struct passage_span {
    uint64_t at, end;
};

#define PASSAGE_WAY_SHIFT 60
#define PASSAGE_WAYS      8
#define PASSAGE_WAY_BORN                                                                           \
    4u /* beside enum shadow_kind: it must be ordered behind the allocation of its block, too */

static inline unsigned passage_way(const struct passage_span *span)
{
    return (unsigned)(span->at >> PASSAGE_WAY_SHIFT);
}

static inline uint64_t passage_addr(const struct passage_span *span)
{
    return span->at & (((uint64_t)1 << PASSAGE_WAY_SHIFT) - 1);
}

/* The transition under way. A segment is what one thread accesses between two changes of what it knows: sorted, without
 * overlaps, and without reads of what it writes. */
struct passage_log {
    VEC(uint64_t) steps;
    VEC(struct passage_span) spans; /* the segment under way, of that thread */
    uint32_t thread;
    uint32_t newest[PASSAGE_WAYS]; /* of each way: 1 + its place in `spans`, or 0 */
    VEC(uint64_t) segment;         /* scratch */
};

/* Only to be called while detector.logs is true. */
void passage_learns(holder to, holder from);
void passage_becomes(holder to, holder from);
void passage_accesses(uint32_t thread, uint64_t addr, size_t size, enum shadow_kind kind,
                      bool born);

/* Nothing has happened yet. */
void passage_clear(void);

/* All that has happened is in detector.log.steps. */
void passage_complete(void);

#endif
