#ifndef RADDLE_RUNTIME_REPORT_RACES_REPORT_H
#define RADDLE_RUNTIME_REPORT_RACES_REPORT_H

#include "detect/detect.h"
#include "runtime/program/native.h"

/* A race in words. */

#define RACE_FRAMES 32

/* Innermost first. */
struct race_stack {
    uint32_t count;
    const struct raddle_site *sites[RACE_FRAMES];
};

struct race_side {
    epoch when;
    uint32_t thread;
    bool writes, atomic;
    const char *call; /* that takes the memory or gives it: free, munmap, allocation…; or NULL */
    uint8_t use;      /* enum detect_use */
    uint64_t addr;
    size_t size;
    struct race_stack stack;
    session_text locks[SESSION_LOCKS]; /* that the thread held; NULL behind the last one */
};

struct race_note {
    struct detect_race race;
    uint64_t key;    /* tells it from others while its places are not known */
    uint32_t events; /* of the run, up to and with the one in which it shows */
    bool complete;   /* both sides are known */
    struct race_side now, before;
    session_text object;         /* what the memory is called, as long as both sides were there */
    struct race_stack allocated; /* the heap block; empty: elsewhere */
};

void stack_keep(struct race_stack *stack, const struct raddle_frame *frames);

/* Notes which locks the thread of the side holds, while it is at the access. */
void locks_keep(struct race_side *side);

/* Finds the name of the memory; when the race has just shown, so that local variables are still there. */
void race_name(struct race_note *note);

/* Where a thread was created in the run that was done again. */
struct race_stack *races_thread_stack(uint32_t number);

/* Whether this pair of places has not been reported or suppressed yet. */
bool race_is_new(const struct race_note *note);

/* Whether the user does not want to know of it. */
bool race_is_suppressed(const struct race_note *note);

/* Counts it as suppressed. */
void race_suppress(const struct race_note *note);

/* Adds it to the bugs of the session. `exposed`: how much was exposed in the run that showed it. */
void race_add(const struct race_note *note, uint32_t exposed);

#endif
