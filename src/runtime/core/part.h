#ifndef RADDLE_RUNTIME_CORE_PART_H
#define RADDLE_RUNTIME_CORE_PART_H

/* Parts. Each subsystem of the runtime is one: it says what of it is state, and what becomes of that when a run begins and when a
 * thread begins or ends. runtime/parts.def has a row for each part; whatever concerns all of them is a loop over these rows.
 *
 * Nothing that changes in a run lives outside a part. What a part keeps for the process is one struct, and what it keeps for each
 * thread is another; both are declared in its own room. A variable that is not in them is constant, or outlives runs, and then a
 * comment at its definition says so: "outlives a run: …". tests/tool/parts.sh looks for others. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct native_thread; /* program/native.h */

/* What a fingerprint is made of, and where copies go, one after the other: for searches that compare or keep states. */
struct fingerprint;
struct part_copies;

struct part {
    const char *name;
    void *
        state; /* its struct of the process, or NULL; a run may change it, or search after search add to it */
    size_t size;
    size_t
        thread_size; /* of its struct of each thread, or 0: native_thread.own has it, zeros at first, kept over runs */

    void (*open)(void);    /* once in a process, when the constructors of the program are through */
    void (*restart)(void); /* a run begins, and what the last one left is to go */

    /* `thread` is about to be made by the running thread (native.current), or by nobody if it is the main thread: what the part has
     * of it is to be as for a new one. */
    void (*thread_begins)(struct native_thread *thread);

    /* The running thread ends, and does nothing more but that. Operations are possible. */
    void (*thread_ends)(void);

    /* What of it belongs to a state. A part without these cannot tell: then a state matches no other, and is not kept. A part that has
     * no state of the process between two operations is `stateless` instead. What it has of each thread is told by `fingerprint_thread`, if
     * there is any. */
    bool stateless;
    bool (*fingerprint)(struct fingerprint *into); /* false: cannot be told this time */
    bool (*fingerprint_thread)(const struct native_thread *thread, struct fingerprint *into);
    /* Whether what it has of two threads is the same when they change places; NULL: if that has the same fingerprint. */
    bool (*alike)(const struct native_thread *a, const struct native_thread *b);
    /* Whether a fork of the process would have all that the part keeps: none of it is shared with the process that goes on. If not, it says why. NULL: all is
     * memory of the process. */
    bool (*forks)(const char **why);
    bool (*save)(struct part_copies *into);
    void (*restore)(struct part_copies *from); /* as much as `save` gave */
};

enum part_id {
#define PART(ID, name) PART_##ID,
#include "runtime/parts.def"
#undef PART
    PART_COUNT,
};

#define PART(ID, name) extern const struct part name##_part;
#include "runtime/parts.def"
#undef PART

/* The rows, in the order of the table. Defined where all parts are known. */
extern const struct part *const parts[PART_COUNT];

/* The loops over the table. */
void parts_open(void);
void parts_restart(void);
void parts_thread_begins(struct native_thread *thread);
void parts_thread_ends(void);

/* False if a part cannot tell or be kept: what was added or copied so far is worth nothing. */
bool parts_fingerprint(struct fingerprint *into);
bool parts_fingerprint_thread(const struct native_thread *thread, struct fingerprint *into);

/* The name of the first part that tells two threads apart that change places, or NULL. */
const char *parts_differ(const struct native_thread *a, const struct native_thread *b);

/* How often that was so because of a part; and the name of the first one in the process, or whatever else was given as a reason, or NULL. */
uint64_t parts_untold(enum part_id part);
const char *parts_first_untold(void);

/* Something else than a part cannot be told. Returns false. */
bool parts_cannot_tell(const char *why);

/* Whether all parts do. */
bool parts_fork(const char **why);
bool parts_save(struct part_copies *into);
void parts_restore(struct part_copies *from);

#endif
