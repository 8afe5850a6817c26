#ifndef RADDLE_TESTS_NATIVE_STATES_GENERATE_MAKER_H
#define RADDLE_TESTS_NATIVE_STATES_GENERATE_MAKER_H

#include "generate.h"

enum { VARIABLES = 4, ATOMICS = 3, MUTEXES = 2, REGISTERS = 3, THREADS_MAX = 4 };

/* One program being written. Its names end in its number. */
struct maker {
    uint64_t random;
    FILE *out;
    unsigned number;
    unsigned thread; /* whose statements are being written */
    unsigned depth;  /* of blocks */
    int mistakes; /* how many more may be made: a lock that is forgotten or wrong, an order too weak */
    bool weak;    /* in the hardware's sense: relaxed orders where nothing plain depends on them */
};

/* One kind of statement. */
struct statement {
    void (*make)(struct maker *maker);
    unsigned char weights[STYLE_ENDLESS]; /* how often it is drawn, by style */
};

unsigned random_below(struct maker *maker, unsigned n);
static inline bool one_in(struct maker *maker, unsigned n)
{
    return random_below(maker, n) == 0;
}

/* One mistake, if there is one left and chance wants it. */
bool mistake(struct maker *maker, unsigned one_of);

/* Writes an indented line. In it, `$` stands for the number of the program. */
void line(struct maker *maker, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A block: what is between is indented. */
void block_begin(struct maker *maker);
void block_end(struct maker *maker);

/* One statement of that style. */
void statement_make(struct maker *maker, enum style style);

/* One access to a plain variable or a few, without any lock. `guard`: of those that this mutex guards. */
void plain_make(struct maker *maker, unsigned guard);

#endif
