#ifndef RADDLE_TESTS_ENGINE_ORACLE_STATE_H
#define RADDLE_TESTS_ENGINE_ORACLE_STATE_H

/* What the oracle's own files share; nobody else includes it. */

#include "oracle.h"

enum {
    O_THREADS = 8,
    O_REGS = 16,
    O_BYTES = 256,
    O_OBJECTS = 32,
    O_ENTRIES = 12, /* stores waiting in the buffers of one thread */
    O_EVENTS = 96,
    O_CHOICES = 64,
    O_ROWS = 2000, /* invisible rows in one go before a loop counts as endless */
};

#define O_FREE (-1)

/* Who moves: `buffer` is O_THREAD for a thread, O_FIFO for its TSO buffer, else the first byte of
 * the stores of a PSO buffer; behind all bytes, the spinlock that they give back. */
enum { O_THREAD = -1, O_FIFO = -2 };

struct o_choice {
    int16_t thread;
    int16_t buffer;
    uint32_t outcome;
};

/* A store on its way to memory. */
struct o_entry {
    uint64_t value;
    uint16_t addr; /* into o_state.bytes; a spinlock that is given back: O_BYTES + its object */
    uint8_t size;  /* 0: a spinlock */
    bool release;
    uint16_t number; /* 1-based among the buffered stores of its thread */
    uint16_t epoch;  /* release fences of the thread before it */
    int16_t cause;   /* event that issued it, or -1 */
};

enum o_phase {
    O_NORMAL,   /* pending: the row at pc, or the exit */
    O_WAITING,  /* in the queue of a condition */
    O_TIMED,    /* the same, but may wake up by itself: see o_ends */
    O_RELOCK,   /* woken or timed out: wants the mutex back */
    O_ARRIVED,  /* at a barrier */
    O_RELEASED, /* may leave it */
};

struct o_thread {
    uint8_t status; /* enum oracle_status */
    uint8_t phase;
    uint8_t wait_result;
    uint8_t spurious; /* wake-ups without a signal so far */
    bool cancelled;   /* was asked to end */
    bool looked;      /* before the operation at pc, and found that it must be done */
    uint16_t drained; /* `stores` when it last needed its buffers empty */
    uint8_t entry_count;
    int16_t cond; /* objects of a wait */
    int16_t mutex;
    int16_t cause;   /* event that the next one of this thread needs: creation, waking; or -1 */
    int16_t arrived; /* event of its latest arrival at a barrier */
    uint64_t together[2]; /* O_RELEASED: all events by which its round has arrived, a bit each */
    uint16_t stores;      /* buffered so far */
    uint16_t epoch;
    uint32_t pc;
    int64_t regs[O_REGS];
    struct o_entry entries[O_ENTRIES]; /* oldest first, of all its buffers; see o_state_copy */
};

struct o_object {
    int16_t owner;            /* of a mutex, spinlock, or rwlock held for writing; O_FREE */
    bool dead;                /* destroyed */
    bool made;                /* initialised, not just declared like a static one */
    uint8_t wants[O_THREADS]; /* how often each thread has come to wait for a rwlock as a writer */
    uint8_t reads[O_THREADS]; /* how often each thread holds a rwlock for reading */
    int32_t value;            /* of a semaphore; arrivals at a barrier */
};

/* The buffered store that a byte in memory is from, since it was flushed; number 0: it is from none. */
struct o_writer {
    int16_t thread;
    uint16_t number;
};

/* Copied at each step. */
struct o_state {
    const char *too_big;
    uint8_t bytes[O_BYTES];
    struct o_writer writers[O_BYTES];               /* of the bytes */
    struct o_object objects[O_OBJECTS + O_THREADS]; /* those of threads are only named, not used */
    struct o_thread threads[O_THREADS];
};

/* How an event touches an object. Readers of a lock may come and go in any order: only who looks at them, or wants
 * them all gone, notices. */
/* What can be done to bytes in any order, if nobody looks at the result of one: each by itself. */
enum o_adds { O_ADDS_NOT, O_SUMS, O_ANDS, O_ORS, O_XORS };

enum o_mode { O_READS, O_WRITES, O_COMES_OR_GOES };

/* One event, with all that decides what it depends on. */
struct o_event {
    struct o_choice choice;
    uint8_t kind;         /* enum op_kind */
    bool looks;           /* only looked whether the operation would fail, and it would not */
    bool drain;           /* it needed the buffers of its thread empty */
    bool buffered;        /* a STORE that went into a buffer */
    struct o_entry entry; /* FLUSH, buffered STORE: what was stored */
    int16_t buffer;       /* buffered STORE: where to, as in o_choice */
    uint16_t in_buffer;   /* and 1-based among the stores into that buffer */
    uint16_t nth;         /* 1-based among the events of its agent */
    int16_t cause;        /* the event it needs by rule 2, or -1 */
    uint64_t causes[2];   /* and more such, a bit each */
    uint16_t addr;        /* bit i of reads, writes: the byte at addr + i of shared memory */
    uint8_t size;
    uint8_t reads;
    uint8_t writes;
    uint8_t adds; /* what it does to the bytes that it writes, if nobody looks at what was there */
    uint16_t
        own[8]; /* LOAD: by byte, the number of the store of its own thread that it is from, or 0 */
    struct o_writer over[8]; /* by byte that it writes: what it overwrites */
    uint8_t object_count;
    uint8_t object_mode[4]; /* enum o_mode */
    int16_t objects[4];     /* threads are objects too, behind those of the program */
    struct oracle_hash label;
};

/* A program made ready to run. */
struct o_machine {
    const struct program *program;
    enum oracle_model model; /* ORACLE_SC when the bound is 0 */
    int bound;               /* >= 1, or ORACLE_UNBOUNDED */
    int spurious;
    unsigned apart;      /* as in oracle_config */
    bool crowded;        /* more threads may come to a barrier than it takes: arrivals are writes */
    bool awaits;         /* some row waits for a cell: then additions are writes */
    bool cancels;        /* some row asks a thread to end */
    bool wants;          /* some row is a writer that comes to wait: readers wait behind it */
    const char *too_big; /* does not fit the tables */
    uint32_t thread_count;
    uint32_t byte_count;
    uint32_t object_count;
    uint32_t *base;      /* of each decl: its first byte, or its first object */
    uint64_t *addresses; /* of each decl */
};

/* A pending operation with its operands worked out. */
struct o_pending {
    uint8_t kind; /* enum op_kind */
    bool looks;   /* by a plain load first, whether it would fail: see is_look */
    bool bad;     /* index or address out of range: executing it is a misuse */
    uint8_t size;
    const struct insn *insn; /* NULL for exit */
    int16_t object;          /* 0 if there is none */
    int16_t mutex;
    uint16_t addr;
    int64_t a;
    int64_t b;
};

/* oracle_state.c */
void o_machine_init(struct o_machine *m, const struct oracle_config *config);
void o_machine_free(struct o_machine *m);
/* Adds a number to a hash. */
struct oracle_hash o_hash_word(struct oracle_hash hash, uint64_t word);

void o_state_init(const struct o_machine *m, struct o_state *s);
void o_state_copy(const struct o_machine *m, struct o_state *to, const struct o_state *from);
void o_pending(const struct o_machine *m, const struct o_state *s, unsigned t, struct o_pending *p);
void o_run_invisible(const struct o_machine *m, struct o_state *s, unsigned t, int event);
bool o_is_look(const struct o_machine *m, const struct o_thread *thread, enum op_kind kind);
bool o_store_is_buffered(const struct o_machine *m, const struct o_pending *p);
void o_buffer_append(const struct o_machine *m, struct o_state *s, unsigned t,
                     const struct o_pending *p, int event);
uint64_t o_bytes_read(const struct o_state *s, unsigned addr, unsigned size);
void o_bytes_write(struct o_state *s, unsigned addr, unsigned size, uint64_t value);
int64_t o_alu(enum alu_kind alu, int64_t a, int64_t b);
int64_t o_extend(uint64_t value, unsigned size, bool sign);
int o_buffer_of(const struct o_machine *m, const struct o_entry *entry);

/* oracle_step.c */
bool o_wakes_alone(const struct o_machine *m, const struct o_state *s, unsigned t);
unsigned o_choices(const struct o_machine *m, const struct o_state *s, struct o_choice *choices);
bool o_thread_enabled(const struct o_machine *m, const struct o_state *s, unsigned t);
void o_step(const struct o_machine *m, struct o_state *s, struct o_choice choice,
            struct o_event *event, int index);
bool o_entry_waits(const struct o_machine *m, const struct o_entry *entry,
                   const struct o_entry *older);
void o_state_end(const struct o_machine *m, const struct o_state *s, struct oracle_end *end);

/* oracle_trace.c */
bool o_dependent(const struct o_machine *m, const struct o_event *events, int i, int j);
void o_label(struct o_event *events, int index);
struct oracle_hash o_trace_extend(const struct o_machine *m, const struct o_event *events,
                                  int index, struct oracle_hash hash);
struct oracle_hash o_state_hash(const struct o_machine *m, const struct o_state *s);

#endif
