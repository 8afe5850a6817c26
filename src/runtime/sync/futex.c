#include "runtime/sync/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/map.h"
#include "raddle.h"
#include "runtime/core/fiber.h"
#include "runtime/program/memory_bug.h"
#include "runtime/report/names.h"
#include "runtime/signals/signals.h"
#include "runtime/sync/calls.h"

/* A wait is an atomic section that compares the word and queues, then a semaphore of its own that the wake-up posts. The manual promises
 * nothing about who is woken, so whoever queues behind others chooses a place among them in a step of its own.
 *
 * The queue is our memory, not the program's. What makes two calls on one word depend on each other is a cell for it; other words
 * may share that, which costs runs and nothing else. */

#define CELLS 256u /* a power of two */

struct sleeper {
    const void *word;
    uint32_t bits;
    bool queued;
};

static struct {
    struct sleeper sleepers
        [RUNTIME_THREADS]; /* by number of the thread; its address is that of the semaphore */
    uint32_t queue[RUNTIME_THREADS]; /* threads, of all words; the next to be woken first */
    uint32_t queued;
    uint32_t cells[CELLS];
    bool used; /* in this run */
} futex;

static void restart(void)
{
    if (!futex.used)
        return;
    futex.used = false;
    memset(futex.sleepers, 0, sizeof futex.sleepers);
    memset(futex.cells, 0, sizeof futex.cells);
    futex.queued = 0;
}

/* The word that a thread waits at, if `semaphore` is the one it sleeps on; else NULL. */
static const void *futex_word(uint64_t semaphore)
{
    uint64_t offset = semaphore - (uint64_t)(uintptr_t)futex.sleepers;

    return offset < sizeof futex.sleepers ? futex.sleepers[offset / sizeof *futex.sleepers].word
                                          : NULL;
}

static cell_value word_ask(enum op_kind kind, const void *at)
{
    struct op op = native_op(kind, at);

    op.size = 4;
    op.value = 1;
    op.variant = kind == OP_RMW ? RMW_ADD : 0;
    return native_ask(&op);
}

static const void *cell_of(const void *word)
{
    futex.used = true;
    return &futex.cells[mix64((uint64_t)(uintptr_t)word) & (CELLS - 1)];
}

static uint64_t semaphore_ask(enum op_kind kind, const struct sleeper *sleeper)
{
    struct op op = native_op(kind, sleeper);

    return (uint64_t)native_ask(&op);
}

/* ---- the queue; inside a section */

static void queue_remove(uint32_t thread)
{
    uint32_t i = 0;

    while (futex.queue[i] != thread)
        i++;
    memmove(&futex.queue[i], &futex.queue[i + 1], (--futex.queued - i) * sizeof *futex.queue);
    futex.sleepers[thread].queued = false;
}

/* In front of `behind` of those that wait for the same word. */
static void queue_insert(uint32_t thread, uint32_t behind)
{
    uint32_t at = futex.queued;

    while (behind > 0 && at > 0)
        behind -= futex.sleepers[futex.queue[--at]].word == futex.sleepers[thread].word;
    memmove(&futex.queue[at + 1], &futex.queue[at], (futex.queued++ - at) * sizeof *futex.queue);
    futex.queue[at] = thread;
    futex.sleepers[thread].queued = true;
}

static uint32_t queue_count(const void *word)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < futex.queued; i++)
        count += futex.sleepers[futex.queue[i]].word == word;
    return count;
}

/* ---- calls */

static long failed(int error)
{
    errno = error;
    return -1;
}

/* False: the word has another value. `others`: how many were there before. */
static bool sleeper_queue(struct sleeper *sleeper, uint32_t value, uint32_t *others)
{
    bool same;

    native_section_begin();
    same = (uint32_t)word_ask(OP_LOAD, sleeper->word) == value;
    if (same) {
        word_ask(OP_RMW, cell_of(sleeper->word));
        *others = queue_count(sleeper->word);
        queue_insert(native.current->number, 0);
    }
    native_section_end();
    return same;
}

static void sleeper_move(struct sleeper *sleeper, uint32_t others)
{
    uint32_t behind = others ? raddle_choose(others + 1) : 0;

    if (behind == 0)
        return;
    native_section_begin();
    word_ask(OP_RMW, cell_of(sleeper->word));
    if (sleeper->queued) {
        queue_remove(native.current->number);
        queue_insert(native.current->number, behind);
    }
    native_section_end();
}

/* False: a handler of a signal has run meanwhile. */
static bool sleeper_sleep(const struct sleeper *sleeper)
{
    struct op op = native_op(OP_SEM_WAIT, sleeper);

    return signals_ask(&op, SIGNALS_RESTARTS) != WAIT_INTERRUPTED;
}

/* It waits no more. False: somebody was quicker and woke it. */
static bool sleeper_leave(struct sleeper *sleeper)
{
    bool leaves;

    native_section_begin();
    word_ask(OP_RMW, cell_of(sleeper->word));
    leaves = sleeper->queued;
    if (leaves)
        queue_remove(native.current->number);
    native_section_end();
    return leaves;
}

/* When a wait is over by itself. */
struct deadline {
    clockid_t clock;
    const struct timespec *time; /* NULL: never */
    bool span;                   /* from now on, not a time of the clock */
};

static int deadline_pass(const struct deadline *deadline)
{
    return deadline->span ? time_out_after(deadline->time)
                          : time_out(deadline->clock, deadline->time);
}

static long futex_wait(const void *word, uint32_t value, uint32_t bits,
                       const struct deadline *deadline)
{
    struct sleeper *sleeper = &futex.sleepers[native.current->number];
    uint32_t others;

    memory_check(word, sizeof(uint32_t), false);
    (void)*(const volatile uint32_t *)word; /* a wild pointer must fault here */
    calls_try();
    futex.used = true;
    sleeper->word = word;
    sleeper->bits = bits;
    if (!sleeper_queue(sleeper, value, &others))
        return failed(EAGAIN);
    sleeper_move(sleeper, others);
    if (deadline->time ? semaphore_ask(OP_SEM_TRYWAIT, sleeper) : sleeper_sleep(sleeper))
        return 0;
    if (sleeper_leave(sleeper))
        return failed(deadline->time ? deadline_pass(deadline) : EINTR);
    semaphore_ask(OP_SEM_WAIT, sleeper);
    return 0;
}

static long futex_wake(const void *word, uint32_t most, uint32_t bits)
{
    uint32_t woken = 0, i = 0;

    native_section_begin();
    word_ask(OP_LOAD, cell_of(word)); /* also if there is nobody: it may have come too early */
    while (i < futex.queued && woken < most) {
        uint32_t thread = futex.queue[i];

        if (futex.sleepers[thread].word != word || !(futex.sleepers[thread].bits & bits)) {
            i++;
            continue;
        }
        queue_remove(thread);
        semaphore_ask(OP_SEM_POST, &futex.sleepers[thread]);
        woken++;
    }
    if (woken)
        word_ask(OP_RMW, cell_of(word));
    native_section_end();
    return woken;
}

/* `bits` 0 matches nobody: an error. */
static long futex_wait_checked(const void *word, uint32_t value, uint32_t bits,
                               const struct deadline *deadline)
{
    if (bits == 0 || (deadline->time && !time_is_valid(deadline->time)))
        return failed(EINVAL);
    return futex_wait(word, value, bits, deadline);
}

long futex_call(const long *a)
{
    const void *word = (const void *)a[0];
    int command = (int)a[1] & FUTEX_CMD_MASK;
    struct deadline deadline = {a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                                (const struct timespec *)a[3], command == FUTEX_WAIT};
    uint32_t bits = (uint32_t)a[5];

    if (command == FUTEX_WAIT || command == FUTEX_WAKE)
        bits = FUTEX_BITSET_MATCH_ANY;
    if ((uintptr_t)word % sizeof(uint32_t))
        return failed(EINVAL);
    switch (command) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        return futex_wait_checked(word, (uint32_t)a[2], bits, &deadline);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        return bits ? futex_wake(word, (uint32_t)a[2], bits) : failed(EINVAL);
    default:
        native_unsupported("futex other than to wait and to wake");
        return failed(ENOSYS);
    }
}

/* ---- the part */

static void open_names(void)
{
    names_tellers.futex_word = futex_word;
}

static bool fingerprint(struct fingerprint *into)
{
    for (uint32_t i = 0; i < futex.queued; i++) {
        const struct sleeper *sleeper = &futex.sleepers[futex.queue[i]];

        fingerprint_word(into, (uint64_t)futex.queue[i] << 32 | sleeper->bits);
        fingerprint_word(into, (uint64_t)(uintptr_t)sleeper->word);
    }
    return true;
}

const struct part futex_part = {.name = "futex",
                                .state = &futex,
                                .size = sizeof futex,
                                .open = open_names,
                                .restart = restart,
                                .fingerprint = fingerprint};
