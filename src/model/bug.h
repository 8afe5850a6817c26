#ifndef RADDLE_MODEL_BUG_H
#define RADDLE_MODEL_BUG_H

/* What can be wrong with a program under test. A bug is data: it never stops raddle. */
enum bug_kind {
    BUG_NONE,
    BUG_ASSERTION,
    BUG_DEADLOCK,
    BUG_MISUSE,         /* a call that its standard forbids in that state */
    BUG_SPIN,           /* threads wait in loops for each other */
    BUG_CRASH,          /* a signal, abort, a stack that ran over */
    BUG_MEMORY,         /* use after free, overflow, free of what is no block */
    BUG_LEAK,           /* the program ends, and nothing points to a block any more */
    BUG_EXIT,           /* the program ends with a status other than 0 */
    BUG_DATA_RACE,      /* two threads access memory, one writes, and nothing orders them */
    BUG_NONDETERMINISM, /* the program does not do again what it did */
    BUG_LOCK_ORDER,     /* a warning: locks are taken in orders that may end in a deadlock */
    BUG_KIND_COUNT
};

/* As reports and scripts spell them. */
extern const char *const bug_kind_names[BUG_KIND_COUNT];

#endif
