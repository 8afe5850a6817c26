#ifndef RADDLE_RUNTIME_REPORT_NAMES_H
#define RADDLE_RUNTIME_REPORT_NAMES_H

#include <stddef.h>

#include "runtime/program/native.h"

/* Words for addresses and operations of the program, for reports. Each writes into `text` (always with a 0 behind it) and
 * returns how many bytes it wrote, at most size - 1. */

/* What only rooms above know. Each sets its own when the process opens; NULL: nobody knows. */
struct names_tellers {
    size_t (*channel)(uint64_t name, char *text, size_t size); /* 0: it is no channel */
    const void *(*futex_word)(
        uint64_t semaphore); /* that its threads wait at, or NULL if it is another one */
};

extern struct names_tellers names_tellers;

/* "slots[2].seq", "pool->lock" as far as the source is known (report/source.h); else "buffer+8", "heap block 3 of thread 1 from q.c:12+16", or
 * the bare address. Of `bytes` bytes, 1 for an object such as a lock; `site` may be NULL. */
size_t names_address(uint64_t addr, unsigned bytes, const struct raddle_site *site, char *text,
                     size_t size);

/* Where the thread is that does something at `site` now: in the innermost of its functions that is not of the system. */
const struct raddle_site *names_user_site(uint32_t thread, const struct raddle_site *site);

/* The object of an operation, or nothing. */
size_t names_object(const struct op *op, char *text, size_t size);

/* "store counter, 1 at q.c:12". */
size_t names_op(agent_id agent, const struct op *op, char *text, size_t size);

/* "store counter at q.c:12", whatever is stored. */
size_t names_place(const struct op *op, char *text, size_t size);

/* An event with its outcome: "load.acquire head -> 3", "signal ready (wakes T2)". */
size_t names_step(const struct event *event, char *text, size_t size);

/* The memory order of an atomic access or a fence: 1 + enum memory_order; 0: it has none. */
uint8_t names_order(const struct op *op);

/* Whether the event is a compare-exchange that wrote nothing. */
bool names_failed(const struct event *event);

/* "  T1 (worker) waits for lock m, held by T2 (worker), at q.c:30\n". */
size_t names_waiting(agent_id agent, const struct op *op, char *text, size_t size);

/* What it waits for, or to do: "for lock m, held by T2 (worker)", "to read from the pipe …". */
size_t names_wait(agent_id agent, const struct op *op, char *text, size_t size);

/* "T1 signal ready\nwakes T2\nq.c:12": what a step is about to do. */
size_t names_choice(agent_id agent, const struct op *op, outcome_id outcome, char *text,
                    size_t size);

/* A value in memory at `addr`: a number, an enumerator, what it points to. */
size_t names_value(uint64_t addr, cell_value value, unsigned size, char *text, size_t text_size);

/* The present state of an object: "held by T1, T2 waits", "value 3". */
size_t names_state(enum object_kind kind, uint64_t addr, char *text, size_t size);

#endif
