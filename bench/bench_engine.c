/* Speed of the engine on three scripted programs, reduction optimal: "make bench-engine"; --quick for smaller sizes.
 *
 * Times are of the processor, as other work on the machine must not count. They differ from machine to machine, so the
 * figure to look at is the ratio: the time of one step of the search (explored, or done again to get back to a state)
 * over that of one step of a plain loop that interprets a table of loads and stores, as many steps, in the same run.
 * Each is measured several times in turn, and the best counts.
 * bytes/event: what the deepest run holds for an event: its record, its clock and its access records. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explore/explorer.h"
#include "script/classics.h"
#include "script/target.h"

#define RESERVE ((size_t)1 << 36)

/* A program and its number of traces; a search that finds another number measures something else. */
struct row {
    const char *name;
    unsigned n;
    uint64_t executions;
};

static const struct row rows[] = {
    {"locks", 8, 40320}, {"lastzero", 12, 15360}, {"indexer", 15, 4096}};
static const struct row quick_rows[] = {
    {"locks", 6, 720}, {"lastzero", 8, 704}, {"indexer", 13, 64}};

enum { ROWS = sizeof rows / sizeof *rows };

struct measured {
    struct explorer_stats stats;
    uint32_t threads;
    uint32_t depth;         /* events of the deepest run */
    double bytes_per_event; /* of that run */
    double seconds;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the engine */

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct measured *m = context;
    const struct execution *x = &explorer->execution;

    (void)ending;
    if (x->events.count <= m->depth)
        return true;
    m->depth = x->events.count;
    m->bytes_per_event = (double)(x->events.count * sizeof *x->events.at +
                                  x->accesses.count * sizeof *x->accesses.at +
                                  x->clocks.count * sizeof *x->clocks.at) /
                         x->events.count;
    return true;
}

static void engine_run(const struct row *row, struct measured *m)
{
    struct explorer_options options = {.reduction = &reduction_optimal,
                                       .memory = &memory_sc,
                                       .buffer_bound = BUFFER_UNBOUNDED,
                                       .preemption_bound = NO_BOUND,
                                       .max_steps = NO_LIMIT,
                                       .max_executions = NO_LIMIT,
                                       .ended = run_ended,
                                       .context = m};
    static struct explorer explorer;
    struct program program;
    struct script script;
    struct arena arena;
    double begin;

    memset(m, 0, sizeof *m);
    if (!classic_build(row->name, row->n, &program) || arena_open(&arena, RESERVE) != 0 ||
        script_open(&script, &program) != 0) {
        fprintf(stderr, "bench_engine: cannot set up %s(%u)\n", row->name, row->n);
        exit(1);
    }
    begin = now();
    explorer_open(&explorer, &arena, &script.base, &options);
    if (!explorer_run(&explorer) || explorer.stats.executions != row->executions ||
        explorer.stats.asleep) {
        fprintf(stderr,
                "bench_engine: %s(%u): %" PRIu64 " executions, %" PRIu64
                " given up; expected %" PRIu64 "\n",
                row->name, row->n, explorer.stats.executions, explorer.stats.asleep,
                row->executions);
        exit(1);
    }
    m->seconds = now() - begin;
    m->stats = explorer.stats;
    m->threads = program.thread_count;
    script_close(&script);
    arena_close(&arena);
    program_free(&program);
}

/* ---- the plain loop */

/* A table of a few rows that all threads run; the interpreter knows nothing of races, clocks or states. */
enum plain_kind { PLAIN_LOAD, PLAIN_STORE, PLAIN_ADD };

static const struct plain_insn {
    uint8_t kind, cell;
} plain_code[] = {{PLAIN_LOAD, 0},  {PLAIN_ADD, 0}, {PLAIN_STORE, 1}, {PLAIN_LOAD, 2},
                  {PLAIN_STORE, 3}, {PLAIN_ADD, 1}, {PLAIN_LOAD, 1},  {PLAIN_STORE, 0}};

enum { PLAIN_ROWS = sizeof plain_code / sizeof *plain_code, PLAIN_THREADS_MAX = 64 };

/* `volatile`: each step must reach memory, as the steps of a program under test do. */
static volatile uint64_t plain_memory[4];

struct plain {
    uint32_t threads, length; /* steps of one execution */
    uint32_t *schedule;       /* by step: whose it is */
    uint32_t pc[PLAIN_THREADS_MAX];
    uint64_t regs[PLAIN_THREADS_MAX];
};

static void plain_step(struct plain *p, uint32_t thread)
{
    const struct plain_insn *insn = &plain_code[p->pc[thread]++ % PLAIN_ROWS];

    switch (insn->kind) {
    case PLAIN_LOAD:
        p->regs[thread] = plain_memory[insn->cell];
        break;
    case PLAIN_STORE:
        plain_memory[insn->cell] = p->regs[thread];
        break;
    default:
        p->regs[thread] += 1 + insn->cell;
        break;
    }
}

/* The next schedule in the order of an odometer: what a loop nest of `length` levels would do. */
static void plain_next(struct plain *p)
{
    for (uint32_t i = p->length; i-- > 0;) {
        if (++p->schedule[i] < p->threads)
            return;
        p->schedule[i] = 0;
    }
}

/* The seconds that `steps` steps take, in executions of `length`, each from the start. */
static double plain_run(uint32_t threads, uint32_t length, uint64_t steps)
{
    struct plain p = {.threads = threads, .length = length};
    double begin;

    p.schedule = calloc(length, sizeof *p.schedule);
    if (!p.schedule || threads > PLAIN_THREADS_MAX)
        exit(1);
    for (uint32_t i = 0; i < length; i++)
        p.schedule[i] = i % threads;
    begin = now();
    while (steps > 0) {
        uint32_t count = steps < length ? (uint32_t)steps : length;

        memset(p.pc, 0, threads * sizeof *p.pc);
        for (unsigned i = 0; i < 4; i++)
            plain_memory[i] = 0;
        for (uint32_t i = 0; i < count; i++)
            plain_step(&p, p.schedule[i]);
        plain_next(&p);
        steps -= count;
    }
    begin = now() - begin;
    free(p.schedule);
    return begin;
}

/* ---- the table */

static void row_measure(const struct row *row, unsigned rounds)
{
    struct measured best = {0}, m;
    double plain = 0;
    uint64_t steps = 0;
    char name[32];

    for (unsigned i = 0; i < rounds; i++) {
        double seconds;

        engine_run(row, &m);
        if (i == 0 || m.seconds < best.seconds)
            best = m;
        steps = m.stats.transitions + m.stats.replayed;
        seconds = plain_run(m.threads, m.depth, steps);
        if (i == 0 || seconds < plain)
            plain = seconds;
    }
    snprintf(name, sizeof name, "%s(%u)", row->name, row->n);
    printf("%-13s %10" PRIu64 " %6" PRIu32 " %10" PRIu64 " %10" PRIu64
           " %10.0f %11.0f %11.0f %8.1f %9.2f %7.1f %12.0f %7.1f\n",
           name, best.stats.executions, best.depth, best.stats.transitions, best.stats.replayed,
           (double)best.stats.executions / best.seconds,
           (double)best.stats.transitions / best.seconds, (double)steps / best.seconds,
           best.seconds * 1e9 / (double)steps, plain * 1e9 / (double)steps, best.seconds / plain,
           best.bytes_per_event, (double)best.stats.max_bytes / (1 << 20));
}

int main(int argc, char **argv)
{
    bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;

    if (argc > 1 && !quick) {
        fprintf(stderr, "usage: bench_engine [--quick]\n");
        return 2;
    }
    printf("%-13s %10s %6s %10s %10s %10s %11s %11s %8s %9s %7s %12s %7s\n", "program",
           "executions", "events", "explored", "replayed", "exec/s", "explored/s", "steps/s",
           "ns/step", "plain ns", "ratio", "bytes/event", "MiB");
    for (unsigned i = 0; i < ROWS; i++)
        row_measure(quick ? &quick_rows[i] : &rows[i], quick ? 1 : 3);
    printf("\nexplored/s: new transitions; steps/s: with those done again to get back to a state.\n"
           "ratio: time per step over that of the plain loop, in this run.\n"
           "bytes/event: event, clock and access records of the deepest run (`events` long); "
           "MiB: all that the search took.\n");
    return 0;
}
