#ifndef RADDLE_EXPLORE_SESSION_H
#define RADDLE_EXPLORE_SESSION_H

#include "base/bytes.h"
#include "base/undo.h"
#include "explore/explorer.h"
#include "explore/minimise.h"
#include "explore/tree.h"

/* One search of a native program, in memory that the driver and the process of the program share. The driver
 * (cli) makes it and starts a process; libraddle.so finds it there and works in it. Processes are disposable: if one
 * dies, the driver still has all of this and can start another one that goes on. Pointers into the shared memory
 * mean the same in all of them; pointers to code and to the program do not mean anything to the driver. */

#define SESSION_MAGIC 0x656c64646172u /* "raddle" */
/* Its layout, as far as a number can tell: a driver and a library of different builds must not meet. */
#define SESSION_VERSION ((uint32_t)sizeof(struct session))

/* Where the shared memory is in every process, and how much of it is reserved. */
#define SESSION_ADDRESS ((void *)0x600000000000)
#define SESSION_RESERVE ((size_t)1 << 40)

/* How the process finds it: the number of the open descriptor, in the environment. */
#define SESSION_FD_VARIABLE "RADDLE_SESSION_FD"

/* Set: the functions of the program that run before main are the beginning of its main thread in every run. */
#define SESSION_CONSTRUCTORS_VARIABLE "RADDLE_CONSTRUCTORS"

/* Where the dynamic linker finds the libraddle.so for checking before the one for plain runs. */
#define SESSION_LIBRARY_VARIABLE "LD_LIBRARY_PATH"

/* What the process is to do. */
enum session_job {
    SESSION_EXPLORE,
    SESSION_REPLAY,   /* follow `schedule`, and note each step in `steps` */
    SESSION_RESUME,   /* go on exploring where another process died */
    SESSION_MINIMISE, /* make `schedule` shorter, as long as it ends in the same bug */
};

/* How far it came. Written by the process, except for the first. */
enum session_phase {
    SESSION_STARTING, /* set by the driver */
    SESSION_RUNNING,
    SESSION_DONE, /* all was explored, or the search was stopped for a reason in explorer.stats.cut */
    SESSION_DIVERGED,   /* the program did not do again what it did: `divergence` tells where */
    SESSION_REFUSED,    /* could not start: `message` tells why */
    SESSION_NO_PROGRAM, /* the system would not run the program: the process ends with errno */
};

/* A text in the shared memory, with a 0 behind it; NULL: none. */
typedef const char *session_text;

/* A place in the source. */
struct session_site {
    session_text file, function, what;
    uint32_t line, column;
};

/* One choice of a schedule: which agent, by names that do not depend on the interleaving, and which outcome. */
struct session_choice {
    uint32_t thread; /* index into session.threads: the thread, or the owner of the buffer */
    bool is_buffer;
    uint64_t addr; /* PSO: which buffer */
    uint32_t
        outcome; /* outcome_id; the woken thread of a signal by its index into session.threads */
};

/* A thread of the program: created by `parent` (an index; the main thread: its own) as its rank-th child, counted
 * from 1 (the main thread: 0). */
struct session_thread {
    uint32_t parent;
    uint32_t rank;
    session_text name;           /* its start function, if a replay has seen it */
    struct session_site created; /* where pthread_create was called */
};

/* A call on the stack of a step; stacks share their outer frames. */
struct session_frame {
    uint32_t up; /* the caller: 1 + its index, or 0 */
    struct session_site site;
};

/* Memory or an object whose value a replay follows. */
struct session_cell {
    uint64_t addr;
    uint8_t size; /* of memory */
    uint8_t
        kind; /* enum object_kind; OBJECT_SLOT: the store buffers of a thread, by its agent_id */
    session_text name;
};

/* What a cell holds after that many steps. */
struct session_change {
    uint32_t step;
    uint32_t cell; /* index into cells */
    session_text text;
};

/* A thread that cannot go on, at the end of a replayed run. */
struct session_wait {
    uint32_t thread;
    uint32_t on;       /* 1 + the thread that it waits for, or 0 if that is not known */
    session_text text; /* "lock b, held by T2 (move)", "a chance to read from …" */
    struct session_site site;
    uint32_t stack; /* as session_step.stack */
};

/* One event of a replayed run, in words that need no program to read them. */
struct session_step {
    struct session_choice choice; /* `plain`: only the thread */
    bool plain;                   /* no event: a plain access between two of them */
    uint8_t op;                   /* enum op_kind */
    struct session_site site;
    session_text text;   /* "x = 1", "lock m", … */
    session_text object; /* name of the variable, heap block or lock, or NULL */
    uint8_t order;       /* 1 + enum memory_order, of an atomic access or a fence; else 0 */
    bool buffered;       /* a store that went into a store buffer */
    bool failed;         /* a compare-exchange that wrote nothing */
    bool reads, writes;
    uint8_t size;   /* of memory accesses */
    uint64_t value; /* read, written or returned; see op */
    uint64_t cell;  /* address of what it touches, or 0 */
    uint32_t
        issued;     /* OP_FLUSH: how many steps had been done when the store went into the buffer */
    uint32_t stack; /* who called the function of the site: 1 + index into frames, or 0 */
};

/* Locks that are told of a thread at most. */
#define SESSION_LOCKS 8

/* One of the two accesses of a data race. */
struct session_side {
    session_text what; /* "write of queue.head"; NULL: there is no such side */
    uint32_t thread;
    uint32_t step; /* in a replay: its number, from 1; 0: it is not among the steps */
    struct session_site site;
    uint32_t stack;                    /* in a replay: as session_step.stack */
    session_text locks[SESSION_LOCKS]; /* that its thread held; NULL behind the last one */
};

/* A bug of the program, with the schedule that leads there. */
struct session_bug {
    uint8_t kind;    /* enum bug_kind */
    uint32_t thread; /* index into threads */
    struct session_site site;
    uint32_t stack; /* in a replay: as session_step.stack */
    session_text message;
    session_text detail; /* more lines, or NULL: who waits for what, the faulting address */
    struct session_side sides[2]; /* of a data race: the earlier access, then the other one */
    uint32_t schedule_first;      /* its choices are schedules.at[first … first + count) */
    uint32_t schedule_count;
    uint32_t exposed; /* how many of session.exposed were in the run that showed it */
    uint32_t facts;   /* the same of session.facts */
    uint8_t commutes; /* enum commute, in that search: some are no steps, or other ones */
    session_text
        refused; /* what failed before it only because raddle does not do it: it may be no bug; or NULL */
};

/* Data races that the user does not want to know of (detect/suppression.h). */
struct session_suppression {
    bool top; /* looks at the innermost frames only */
    session_text pattern;
};

/* A function that instrumented code called and that raddle does not see into. */
struct session_unseen {
    session_text name;
    session_text library;     /* its file name, or NULL: in the program itself */
    struct session_site site; /* of the first call */
    bool shared;              /* called while there were other threads, and so counts */
    bool trusted;             /* by the user: does not count */
};

/* A number that a process found out once and that must hold in every run: a port that the system chose, how much a read from
 * another process gave. The key is the process's business. */
struct session_fact {
    uint64_t key;
    uint32_t value;
};

/* The key of the fact that the thread of that number computes without end before its first step: it is not let run. */
static inline uint64_t session_stuck_key(uint32_t thread)
{
    return mix64(0x7374756b00000000u + thread);
}

typedef VEC(struct session_choice) session_choice_vec;

/* Rounds of loops that change nothing (runtime/program/rounds.h). What was read in those that were left out, and what plain accesses have written, are sets of
 * granules of memory, by a hash of their number. */
#define ROUNDS_WORDS 1024u

struct session_rounds {
    bool on;        /* asked for */
    bool off;       /* but data races might be lost: so not in this program */
    bool informal;  /* threads learn of each other without being ordered */
    bool cut;       /* some were left out */
    bool cut_plain; /* some of these had plain reads */
    uint64_t read[ROUNDS_WORDS], written[ROUNDS_WORDS];
};

/* What is left of the search, now and then: the driver asks for it, and writes it to a file while the process goes on. */
struct session_checkpoint {
    bool kept; /* the driver wants one at the end, too */
    uint32_t
        wanted; /* set by the driver; the process takes one before its next run, and clears it */
    uint32_t number; /* of those that were taken: `at[number % 2]` is the last one, and whole */
    struct bytes at[2];
    double cost;          /* seconds that the last one took */
    struct arena scratch; /* of the process, while it takes one */
    struct bytes from;    /* what to go on with; empty: begin */
};

/* For `scratch`, behind all other shared memory. */
#define SESSION_SCRATCH ((size_t)1 << 36)

/* Snapshots by forks are processes that wait. All processes of the program are children of the driver, which tells when one of them has died; only one runs, and has the
 * `baton`. What a process that waits is told: its number (each has another one) and one of these. */
enum session_order { SESSION_WAIT, SESSION_GO, SESSION_END, SESSION_DIED };

#define SESSION_ORDER_BITS 2

struct session_snapshots {
    uint8_t kind; /* enum snapshots_kind: asked for */
    bool forks;   /* asked for: by forks, also if they could be in place */
    uint32_t max;
    bool opened;      /* by the present process */
    session_text way; /* snapshot_ops.name; NULL: there were none */
    struct snapshots table;
    uint32_t driver; /* its process */
    /* Which process runs, in the upper half; below, a number that is odd while that one hands over to another. 0: there was none before. */
    uint64_t baton;
    uint32_t started; /* processes, by others than the driver */
    struct {
        uint32_t order; /* a futex */
        uint32_t pid;
    } waiting[SNAPSHOTS_MAX]; /* by slot */
    session_text refused;     /* why the first state could not be kept that was to be */
};

/* How to find out, from outside, where the running thread is: the address of the pointer to its innermost frame, and
 * where things are in frames and sites. */
struct session_probe {
    uint64_t frames; /* 0: not known */
    uint32_t site_in_frame, file_in_site, line_in_site;
};

struct session {
    uint64_t magic;
    uint32_t version;
    uint32_t job;       /* enum session_job */
    uint32_t phase;     /* enum session_phase */
    struct arena arena; /* all of the shared memory behind this struct */
    struct undo
        undo; /* what the present run leaves outside the process: the process takes it back, or the driver if it died */

    /* what is asked for */
    struct explorer_options
        options; /* the pointers in it are set by the process, from the names below */
    char model[16], reduction[16], search[16];
    bool keep_going;
    bool races;      /* look for data races; plain accesses are then not visible */
    bool races_warn; /* they do not end the search, and the accesses stay invisible */
    bool lock_order; /* look for locks that are taken in orders that contradict each other */
    uint8_t wanted;  /* SESSION_MINIMISE: enum bug_kind of what the schedule ends in */
    session_text wanted_message; /* the same, since a run may end in several bugs of a kind */
    VEC(struct session_suppression) suppressions;
    bool exit_is_bug; /* exit with a status other than 0 */
    bool leaks;       /* blocks that nothing points to at the end are a bug */
    /* one of several processes that search together; work_fd is 0 if there is only this one */
    int work_fd, mail_fd; /* messages, and whether there are any (cluster/link.h) */
    bool work_waits;      /* the process waits for something to do, or for an answer */
    uint32_t work_limit;  /* branches to keep before any are given away */
    uint64_t work_program, work_options; /* what it must agree on with the others */
    uint32_t work_facts;                 /* that all of them know */
    uint64_t work_told;                  /* session_sum of what they know of this one */
    void *worker;                        /* of the processes: runtime/job/work.c */
    uint32_t pid;                        /* the number of the process that the program sees */
    uint32_t nondet_max;     /* nondeterministic numbers of the program are 0 … nondet_max */
    double minimise_seconds; /* SESSION_MINIMISE: to spend on it at most */
    uint32_t brake; /* explorer_options.brake: the driver sets it, while the process runs */
    uint64_t
        shielded; /* signals from outside that are for the driver, though the process gets them, too: a bit each, from number 1 on. It starts ignoring them */
    VEC(session_text) trust;     /* patterns of functions and libraries not to complain about */
    bool for_debugger;           /* SESSION_REPLAY: each thread an OS thread, and the end is told */
    struct session_bug debugged; /* what it will end in, if it does again */
    session_text debugged_name; /* what the program is called then: a debugger uses its full path */
    bool
        compares; /* SESSION_REPLAY: before each step tells why these two threads are not interchangeable */
    uint32_t compared[2];
    session_choice_vec
        schedule; /* SESSION_REPLAY, SESSION_MINIMISE; the latter puts each better one here */

    /* what came of it */
    struct explorer explorer;
    VEC(struct session_thread) threads;
    VEC(bool)
    shared_stacks; /* by thread: others use its stack, so that accesses to it are visible */
    VEC(session_text) differences;  /* by step, one more at the end; NULL: they are */
    bool told_apart;                /* and others tell them apart in that run */
    VEC(bool) singled_out;          /* by thread: it is like no other (native_single_out) */
    VEC(struct session_fact) facts; /* what a replay must know from the beginning, too */
    bool outside; /* some of that depends on what is outside the process: others would disturb it */
    struct map fact_values; /* of the process: the same by key */
    bool cancels; /* the program asks threads to end: cancellation points are operations */
    bool
        tries_to_join; /* it looks whether threads have ended: that they do is an operation of its own */
    bool
        tries_to_lock; /* it tries locks: loops that take them to look at something are not taken for waiting */
    bool
        looks_by_lock; /* something was taken for that: to learn the former now changes how steps look */
    struct session_rounds rounds;
    bool hands_out_again; /* a thread got memory that it had freed in the same run (heap.h) */
    bool reads_clock; /* it asks what time it is: sampled runs need clocks of their events, too */
    bool
        remembers; /* loads and additions that nobody uses order what comes behind them, and so are tried in all orders */
    struct map
        additions; /* of the process: where something is added without a look, and where that is waited for */
    bool joins_matter; /* somebody could tell when a thread is joined: joins are steps */
    bool crowded;      /* more threads use some barrier than it takes: arrivals do not commute */
    bool begin_anew;   /* that has just been found out: what was explored before does not count */
    VEC(uint64_t)
    exposed; /* granules with races that did not end the search: plain accesses to them are visible */
    VEC(uint64_t) race_pairs; /* pairs of places whose races have been reported or suppressed */
    struct map races_known;   /* of the process: races that have been looked into */
    uint64_t suppressed;      /* races, each pair of places once */
    VEC(struct session_bug) bugs;
    VEC(struct session_bug) lock_orders; /* warnings: without schedules */
    VEC(uint64_t) lock_order_keys;       /* of these */
    session_choice_vec schedules;        /* of the bugs */
    session_text untold;                 /* the first thing that kept a state from being compared */
    void *futures; /* of the process: what the detector keeps for a search that compares states */
    struct tree tree;               /* if its `max` is not 0 */
    VEC(struct session_step) steps; /* SESSION_REPLAY; so are the next four */
    VEC(struct session_frame) frames;
    VEC(struct session_cell)
    cells; /* the driver may put some there, to be followed from the start */
    VEC(struct session_change) changes;
    VEC(struct session_wait) waits;
    struct minimise_result minimised;
    VEC(session_text) unsupported;     /* calls that are not modelled, each once */
    VEC(struct session_unseen) unseen; /* each function once */
    bool relaxed; /* a thread stored to an atomic variable with the order relaxed, beside others */
    bool poor;    /* the program has no full debug information, which reports could use */
    session_text message;
    session_text divergence;
    session_text endless; /* who kept the first run that was given up from ending, and where */
    bool in_program;   /* the program runs, not the engine: a death now leaves the search whole */
    uint32_t running;  /* the thread that runs then */
    bool starting;     /* and has not come to its first step yet */
    uint64_t progress; /* changes whenever a thread begins to run */
    struct session_checkpoint checkpoint;
    struct session_snapshots snapshots;
    struct session_probe probe;
    uint32_t library_path; /* bytes that were put in front of SESSION_LIBRARY_VARIABLE */
    int log_fd;            /* where the process complains about raddle itself */
};

/* As bytes: what was found, and what is known about the program. Not the search. */
void session_write(struct session *session, struct bytes *out);
/* Reads that into a new session. False if it is damaged. */
bool session_read(struct session *session, struct bytes_reader *in);

/* A number that is another one when there is more that others have to be told: of what session_write writes. */
uint64_t session_sum(const struct session *session);

/* Takes a checkpoint (explore/checkpoint.h) of the search, of what it found, and of what is known about the program. */
void session_checkpoint_take(struct session *session);

/* Reads one into a new session: what was found, and the search, which checkpoint.from then holds. False if it is damaged; of the tree of a search with workers only
 * its reader knows (cluster/coordinator.h). */
bool session_checkpoint_give(struct session *session, struct bytes_reader *in);

/* What `one` of several searches of one program has found and found out becomes that of `all` of them, whose session also says how a search has to begin that knows it all.
 * `pairs` of suppressed races were told by it before. True if all have to begin anew: something that one took for granted is not so by what another one knows. */
bool session_join(struct session *all, const struct session *one, uint64_t *pairs);

/* `one` has found out something, and `all` begin anew with that: what `all` have found and know besides becomes that of `one`. */
void session_begin_with(struct session *one, const struct session *all);

/* The choice that led to an event, by names that do not depend on the interleaving. */
struct session_choice session_choice_of(const struct session *session, const struct event *event);

/* Whether there is a fact of that key. */
bool session_knows(const struct session *session, uint64_t key);

/* Makes the events of the present execution the schedule of `bug`, and all that is exposed part of it. */
void session_schedule(struct session *session, struct session_bug *bug);

#endif
