#include "cluster/simulation.h"

#include <stdlib.h>
#include <time.h>

#include "base/check.h"

#define RESERVE    ((size_t)1 << 35)
#define SPARE_MAX  64
#define SPARE_USED ((size_t)1 << 22) /* of memory that is kept for the next simulation */

/* One worker's process. */
struct process {
    struct arena arena, scratch;
    struct target *target;
    void *context;
    struct explorer explorer;
    struct worker worker;
    bool running; /* in a run, until the event that ends it */
    bool open;
    uint32_t life;           /* which one, after losses */
    double debt;             /* seconds that messages took it since its last run */
    double to, from;         /* when the last message to it, and from it, arrives */
    VEC(struct bytes) inbox; /* arrived while it was in a run */
};

enum moment_kind {
    MOMENT_RUN,   /* a worker's run is over */
    MOMENT_TO,    /* a message arrives at a worker */
    MOMENT_FROM,  /* a message arrives at the coordinator */
    MOMENT_LOST,  /* the coordinator learns that a worker is gone */
    MOMENT_BEGIN, /* a worker begins */
    MOMENT_NEVER, /* a message that was lost with its sender */
};

struct moment {
    double time;
    uint64_t order; /* of those at the same time */
    uint8_t kind;
    uint32_t worker, life;
    struct bytes bytes;
};

struct simulation {
    const struct simulation_options *options;
    struct simulation_result *result;
    struct arena arena;
    struct coordinator coordinator;
    struct process *processes;
    VEC(struct moment) queue; /* a heap */
    uint64_t order, random;
    double now, coordinator_free;
    bool broken;
};

/* ---- time */

static double chance(struct simulation *s)
{
    s->random = mix64(s->random + 0x9e3779b97f4a7c15u);
    return (double)(s->random >> 11) / (double)((uint64_t)1 << 53);
}

static bool moment_before(const struct moment *a, const struct moment *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void queue_push(struct simulation *s, struct moment moment)
{
    uint32_t i = s->queue.count;

    moment.order = s->order++;
    vec_push(&s->arena, &s->queue, moment);
    for (; i > 0 && moment_before(&moment, &s->queue.at[(i - 1) / 2]); i = (i - 1) / 2)
        s->queue.at[i] = s->queue.at[(i - 1) / 2];
    s->queue.at[i] = moment;
}

static struct moment queue_pop(struct simulation *s)
{
    struct moment first = s->queue.at[0], last = s->queue.at[--s->queue.count];
    uint32_t i = 0, child;

    while ((child = 2 * i + 1) < s->queue.count) {
        if (child + 1 < s->queue.count &&
            moment_before(&s->queue.at[child + 1], &s->queue.at[child]))
            child++;
        if (!moment_before(&s->queue.at[child], &last))
            break;
        s->queue.at[i] = s->queue.at[child];
        i = child;
    }
    if (s->queue.count > 0)
        s->queue.at[i] = last;
    return first;
}

static double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* When a message that is sent at `time` arrives: not before the one before it. */
static double arrival(struct simulation *s, double time, double *last)
{
    time += s->options->latency + s->options->jitter * chance(s);
    *last = time > *last ? time : *last;
    return *last;
}

/* The same, if what is done costs what it takes here. */
static double clock_of(const struct simulation *s)
{
    return s->options->message_cost < 0 || s->options->step_cost <= 0 ? clock_now() : 0;
}

/* ---- memory: what one simulation is through with, the next one takes */

static struct arena spare[SPARE_MAX];
static uint32_t spare_count;

static int memory_open(struct arena *arena)
{
    if (spare_count == 0)
        return arena_open(arena, RESERVE);
    *arena = spare[--spare_count];
    arena_reset(arena);
    return 0;
}

static void memory_close(struct arena *arena)
{
    if (arena->base && arena->used < SPARE_USED && spare_count < SPARE_MAX)
        spare[spare_count++] = *arena;
    else
        arena_close(arena);
    memset(arena, 0, sizeof *arena);
}

/* ---- messages */

static void send(struct simulation *s, uint8_t kind, uint32_t worker, double time, double *last,
                 const void *at, size_t size)
{
    struct moment moment = {.time = arrival(s, time, last),
                            .kind = kind,
                            .worker = worker,
                            .life = s->processes[worker].life};

    bytes_open(&moment.bytes, &s->arena);
    bytes_add(&moment.bytes, at, size);
    s->result->messages++;
    s->result->bytes += size;
    queue_push(s, moment);
}

/* All that a worker has to say, at that time. */
static void worker_send(struct simulation *s, uint32_t number, double time)
{
    struct process *process = &s->processes[number];
    struct bytes *out = &process->worker.out;

    for (uint32_t at = 0; at < out->data.count;) {
        uint32_t size = 0;

        for (unsigned i = 0; i < 4; i++)
            size |= (uint32_t)out->data.at[at + i] << (8 * i);
        send(s, MOMENT_FROM, number, time, &process->from, out->data.at + at + 4, size);
        at += 4 + size;
    }
    out->data.count = 0;
}

static void coordinator_send(struct simulation *s, double time)
{
    for (uint32_t i = 0; i < s->coordinator.out.count; i++) {
        const struct message *message = &s->coordinator.out.at[i];

        send(s, MOMENT_TO, message->worker, time, &s->processes[message->worker].to,
             message->bytes.data.at, message->bytes.data.count);
    }
    coordinator_sent(&s->coordinator);
}

/* ---- workers */

static bool process_begin(struct simulation *s, uint32_t number)
{
    struct process *process = &s->processes[number];
    struct explorer_options search = s->options->search;

    process->target = s->options->program.open(s->options->program.of, number, &process->context);
    if (!process->target || memory_open(&process->arena) != 0 ||
        memory_open(&process->scratch) != 0)
        return false;
    process->open = true;
    process->debt = 0;
    search.max_executions = NO_LIMIT; /* that is what all together have */
    search.context = process->context;
    explorer_open(&process->explorer, &process->arena, process->target, &search);
    worker_open(&process->worker, &process->explorer, &process->scratch, s->options->limit,
                &s->coordinator.options.identity);
    worker_send(s, number, s->now);
    return true;
}

static void process_end(struct simulation *s, struct process *process)
{
    if (process->target)
        s->options->program.close(s->options->program.of, process->target, process->context);
    memory_close(&process->arena);
    memory_close(&process->scratch);
    process->target = NULL;
    process->open = process->running = false;
    process->inbox.count = 0;
}

/* A worker dies: what it has sent arrives, or only the first part of it, and another one takes its place. */
static void process_lose(struct simulation *s, uint32_t number)
{
    struct process *process = &s->processes[number];

    uint64_t cut = s->order - (uint64_t)(chance(s) * 20);

    for (uint32_t i = 0; i < s->queue.count; i++)
        if (s->queue.at[i].kind == MOMENT_FROM && s->queue.at[i].worker == number &&
            s->queue.at[i].order >= cut)
            s->queue.at[i].kind = MOMENT_NEVER;
    s->result->losses++;
    process_end(s, process);
    queue_push(s, (struct moment){.time = arrival(s, s->now, &process->from),
                                  .kind = MOMENT_LOST,
                                  .worker = number,
                                  .life = process->life});
}

/* What a run costs: its steps, and what messages before it did; if it has said something, at least what it took here. */
static double run_cost(const struct simulation *s, struct process *process, uint64_t steps,
                       double took)
{
    double cost = s->options->step_cost > 0 ? s->options->step_cost * (double)(steps + 1) : took;

    if (s->options->message_cost < 0) {
        if (process->worker.out.data.count > 0 && took > cost)
            cost = took;
        cost += process->debt;
        process->debt = 0;
    }
    return cost;
}

/* One run, or what follows a message. The time that it takes is spent when its end comes. */
static void worker_go_on(struct simulation *s, uint32_t number)
{
    struct process *process = &s->processes[number];
    const struct explorer_stats *stats = &process->explorer.stats;
    uint64_t steps = stats->transitions + process->explorer.execution.replayed;
    uint64_t executions;
    double start = clock_of(s), cost;

    if (!process->worker.busy || process->worker.stopped)
        return;
    if (s->result->losses < s->options->max_losses && chance(s) < s->options->loss) {
        process_lose(s, number);
        return;
    }
    executions = stats->executions;
    worker_advance(&process->worker);
    s->result->executions += stats->executions - executions;
    cost = run_cost(s, process, stats->transitions + process->explorer.execution.replayed - steps,
                    clock_of(s) - start);
    process->running = true;
    s->result->busy += cost;
    queue_push(
        s, (struct moment){
               .time = s->now + cost, .kind = MOMENT_RUN, .worker = number, .life = process->life});
}

static void worker_take(struct simulation *s, uint32_t number, struct bytes *bytes)
{
    struct process *process = &s->processes[number];
    double start = clock_of(s);

    worker_receive(&process->worker, bytes->data.at, bytes->data.count);
    process->debt += clock_of(s) - start;
    vec_free(&s->arena, &bytes->data);
    worker_send(s, number, s->now);
}

static void moment_of_worker(struct simulation *s, struct moment *moment)
{
    struct process *process = &s->processes[moment->worker];

    if (moment->life != process->life || !process->open)
        return;
    if (moment->kind == MOMENT_TO && process->running) {
        vec_push(&s->arena, &process->inbox, moment->bytes);
        return;
    }
    if (moment->kind == MOMENT_TO) {
        worker_take(s, moment->worker, &moment->bytes);
    } else {
        process->running = false;
        worker_send(s, moment->worker, s->now);
        for (uint32_t i = 0; i < process->inbox.count; i++)
            worker_take(s, moment->worker, &process->inbox.at[i]);
        process->inbox.count = 0;
    }
    worker_go_on(s, moment->worker);
}

static int coordinator_begins(struct simulation *s)
{
    struct coordinator_options options = {.reduction = s->options->search.reduction,
                                          .compares =
                                              states_kind_compares(s->options->search.states),
                                          .workers = s->options->workers};

    return coordinator_open(&s->coordinator, &s->arena, &options);
}

static void process_replace(struct simulation *s, uint32_t number)
{
    s->processes[number].life++;
    queue_push(s, (struct moment){.time = arrival(s, s->now, &s->processes[number].to),
                                  .kind = MOMENT_BEGIN,
                                  .worker = number,
                                  .life = s->processes[number].life});
}

/* The coordinator dies, and its workers with it. Others go on from the checkpoint that it had just written. */
static void coordinator_replace(struct simulation *s)
{
    struct bytes_reader in;
    struct bytes bytes;

    bytes_open(&bytes, &s->arena);
    coordinator_write(&s->coordinator, &bytes);
    coordinator_close(&s->coordinator);
    in = bytes_read(&bytes);
    CHECK(coordinator_begins(s) == 0, "out of memory");
    CHECK(coordinator_read(&s->coordinator, &in) && in.at == in.end,
          "a coordinator cannot read what it has written");
    s->result->losses++;
    for (uint32_t i = 0; i < s->options->workers; i++) {
        process_end(s, &s->processes[i]);
        process_replace(s, i);
    }
}

static void coordinator_keeps(struct simulation *s)
{
    if (!(chance(s) < s->options->kept))
        return;
    if (chance(s) < 0.6) {
        if (coordinator_has_rest(&s->coordinator)) /* else there would be ever more of it */
            coordinator_ask_rest(&s->coordinator);
    } else if (s->result->losses < s->options->max_losses) {
        coordinator_replace(s);
    }
}

static void moment_of_coordinator(struct simulation *s, struct moment *moment)
{
    double begin = s->now > s->coordinator_free ? s->now : s->coordinator_free;
    double start = clock_of(s), cost;

    if (moment->life != s->processes[moment->worker].life)
        return; /* it was for a coordinator that is gone */
    if (moment->kind == MOMENT_FROM) {
        coordinator_receive(&s->coordinator, moment->worker, moment->bytes.data.at,
                            moment->bytes.data.count);
        vec_free(&s->arena, &moment->bytes.data);
    } else {
        coordinator_lost(&s->coordinator, moment->worker);
        process_replace(s, moment->worker);
    }
    if (s->options->kept > 0)
        coordinator_keeps(s);
    cost = s->options->message_cost >= 0 ? s->options->message_cost : clock_of(s) - start;
    s->result->coordinator_busy += cost;
    s->coordinator_free = begin + cost;
    coordinator_send(s, s->coordinator_free);
}

static bool moment_pass(struct simulation *s, struct moment *moment)
{
    s->now = moment->time;
    switch (moment->kind) {
    case MOMENT_BEGIN:
        return moment->life != s->processes[moment->worker].life ||
               process_begin(s, moment->worker);
    case MOMENT_RUN:
    case MOMENT_TO:
        moment_of_worker(s, moment);
        break;
    case MOMENT_FROM:
    case MOMENT_LOST:
        moment_of_coordinator(s, moment);
        break;
    }
    return true;
}

static bool simulation_run(struct simulation *s)
{
    for (uint32_t i = 0; i < s->options->workers; i++)
        queue_push(s, (struct moment){.kind = MOMENT_BEGIN, .worker = i});
    while (s->queue.count > 0 && !coordinator_is_done(&s->coordinator) && !s->coordinator.failed &&
           s->result->executions < s->options->max_executions) {
        struct moment moment = queue_pop(s);

        if (!moment_pass(s, &moment))
            return false;
    }
    return true;
}

bool simulate(const struct simulation_options *options, struct simulation_result *result)
{
    struct simulation *s = calloc(1, sizeof *s);
    bool ran = false;

    memset(result, 0, sizeof *result);
    if (!s)
        return false;
    s->options = options;
    s->result = result;
    s->random = options->seed + 1;
    s->processes = calloc(options->workers, sizeof *s->processes);
    if (s->processes && memory_open(&s->arena) == 0 && coordinator_begins(s) == 0) {
        ran = simulation_run(s);
        result->stats = s->coordinator.stats;
        result->complete = coordinator_is_done(&s->coordinator) && !s->coordinator.failed;
        result->items = s->coordinator.items;
        result->seconds = s->now;
        memcpy(result->why, s->coordinator.why, sizeof result->why);
        coordinator_close(&s->coordinator);
    }
    for (uint32_t i = 0; s->processes && i < options->workers; i++)
        process_end(s, &s->processes[i]);
    memory_close(&s->arena);
    free(s->processes);
    free(s);
    return ran;
}
