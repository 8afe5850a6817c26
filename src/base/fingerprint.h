#ifndef RADDLE_BASE_FINGERPRINT_H
#define RADDLE_BASE_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 128 bits that stand for something larger: two different things have the same ones with a chance of 2^-128 for each pair. All zeros is that
 * of nothing. */
struct fingerprint {
    uint64_t low, high;
};

/* Adds bytes, or a number, behind all that was added before. */
void fingerprint_bytes(struct fingerprint *f, const void *bytes, size_t size);
void fingerprint_word(struct fingerprint *f, uint64_t word);

/* That `value` stands at `place`: for sums, in which the order does not count. */
struct fingerprint fingerprint_at(uint64_t place, uint64_t value);

static inline void fingerprint_plus(struct fingerprint *sum, struct fingerprint f)
{
    sum->low += f.low;
    sum->high += f.high;
}

static inline void fingerprint_minus(struct fingerprint *sum, struct fingerprint f)
{
    sum->low -= f.low;
    sum->high -= f.high;
}

static inline bool fingerprint_equal(struct fingerprint a, struct fingerprint b)
{
    return a.low == b.low && a.high == b.high;
}

#endif
