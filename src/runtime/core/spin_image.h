#ifndef RADDLE_RUNTIME_CORE_SPIN_IMAGE_H
#define RADDLE_RUNTIME_CORE_SPIN_IMAGE_H

/* The state of a thread that looks at clocks in a loop, as bytes: to be compared with itself when time has passed.
 *
 * A loop around a timed wait that reckons its next deadline from the clock is never in the same state twice. But time is ours: after a timeout the
 * clock goes on by whole seconds, so all that the program has made of it has either not changed, or grown by just as many
 * seconds, milliseconds… If the whole state is the one of the round before, moved in time like that, then the loop has done nothing else:
 * it counts nothing. Then the clock goes on by ever longer times, so that it comes to each limit it has, and at last by so long a time that all are over. If the
 * thread comes back even then, moved in time again, it will do so for ever. */

#include <stdbool.h>
#include <stdint.h>

#define SPIN_IMAGE_MAX 16384u     /* bytes of stack: who has more is not looked at */
#define SPIN_FAR       100000007u /* seconds, some three years; a number that nobody counts in */

struct spin_image {
    const char *low; /* where the stack was then; NULL: there is nothing */
    uint32_t size;
    uint64_t variables; /* hash of what is thread-local */
    uint64_t registers[5];
    char bytes[SPIN_IMAGE_MAX];
};

/* What became of time since a thread was at a place. */
struct spin_passed {
    bool looked;      /* it has looked at a clock */
    uint64_t seconds; /* that went on by so much, because the thread has waited or slept */
};

/* Whether `now` is `then`, that many seconds later. */
bool spin_image_moved(const struct spin_image *then, const struct spin_image *now,
                      uint64_t seconds);

void spin_image_copy(struct spin_image *to, const struct spin_image *from);

#endif
