#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include "oracle_state.h"

/* A way through the program: states[d] is after d steps. Shared by the search and the replayer. */
struct path {
    struct o_machine machine;
    int depth;
    struct o_event events[O_EVENTS];
    struct oracle_hash traces[O_EVENTS + 1];
    struct o_state states[O_EVENTS + 1];
};

static void path_init(struct path *path, const struct oracle_config *config)
{
    o_machine_init(&path->machine, config);
    path->depth = 0;
    path->traces[0] = (struct oracle_hash){3, 4};
    path->states[0].too_big = path->machine.too_big;
    if (!path->machine.too_big)
        o_state_init(&path->machine, &path->states[0]);
}

static struct o_state *path_state(struct path *path)
{
    return &path->states[path->depth];
}

static void path_push(struct path *path, struct o_choice choice)
{
    int d = path->depth;

    o_state_copy(&path->machine, &path->states[d + 1], &path->states[d]);
    o_step(&path->machine, &path->states[d + 1], choice, &path->events[d], d);
    o_label(path->events, d);
    path->traces[d + 1] = o_trace_extend(&path->machine, path->events, d, path->traces[d]);
    path->depth++;
}

/* Whether going on with `choice` in `s` takes the processor from thread `current` (-1: nobody),
 * which could go on and did not offer to yield. */
static bool is_preemption(const struct o_machine *m, const struct o_state *s, int current,
                          struct o_choice choice)
{
    struct o_pending p;

    if (choice.buffer != O_THREAD || current < 0 || choice.thread == current)
        return false;
    if (!o_thread_enabled(m, s, (unsigned)current))
        return false;
    o_pending(m, s, (unsigned)current, &p);
    return p.kind != OP_YIELD;
}

/* Who has the processor after `choice`: a thread that cannot go on loses it when a buffer flushes. */
static int current_after(const struct o_machine *m, const struct o_state *s, int current,
                         struct o_choice choice)
{
    if (choice.buffer == O_THREAD)
        return (int)choice.thread;
    return current >= 0 && o_thread_enabled(m, s, (unsigned)current) ? current : -1;
}

static struct oracle_choice choice_out(const struct o_machine *m, struct o_choice choice)
{
    struct oracle_choice out = {.thread = (uint32_t)choice.thread, .outcome = choice.outcome};

    out.is_buffer = choice.buffer != O_THREAD;
    for (uint32_t d = 0; choice.buffer >= 0 && d < m->program->decl_count; d++) {
        const struct decl *decl = &m->program->decls[d];
        uint32_t offset = (uint32_t)choice.buffer - m->base[d];
        if (decl->kind == OBJECT_SPIN && offset - O_BYTES < decl->count) {
            out.decl = d;
            out.element = offset - O_BYTES;
        }
        if (decl->kind != OBJECT_CELL || offset >= decl->count * decl->size)
            continue;
        out.decl = d;
        out.element = offset / decl->size;
        out.byte = offset % decl->size;
    }
    return out;
}

static struct o_choice choice_in(const struct o_machine *m, const struct oracle_choice *choice)
{
    struct o_choice in = {.thread = (int16_t)choice->thread, .outcome = choice->outcome};

    in.buffer = O_THREAD;
    if (choice->is_buffer && m->model == ORACLE_PSO && choice->decl < m->program->decl_count &&
        m->program->decls[choice->decl].kind == OBJECT_SPIN)
        in.buffer = (int16_t)(O_BYTES + m->base[choice->decl] + choice->element);
    else if (choice->is_buffer && m->model == ORACLE_PSO && choice->decl < m->program->decl_count)
        in.buffer =
            (int16_t)(m->base[choice->decl] +
                      choice->element * m->program->decls[choice->decl].size + choice->byte);
    else if (choice->is_buffer)
        in.buffer = O_FIFO;
    return in;
}

struct search {
    struct path path;
    int preemption_bound;
    uint64_t limit;
    bool (*visit)(void *ctx, const struct oracle_leaf *leaf);
    void *ctx;
    struct oracle_result *result;
    bool stop;
};

static void search_leaf(struct search *search)
{
    struct path *path = &search->path;
    struct oracle_result *result = search->result;
    struct oracle_hash trace = path->traces[path->depth];
    struct oracle_hash final = o_state_hash(&path->machine, path_state(path));
    struct oracle_end end;

    result->interleavings++;
    oracle_set_add(&result->finals, final);
    if (oracle_set_add(&result->traces, trace)) {
        o_state_end(&path->machine, path_state(path), &end);
        result->deadlocks += end.deadlock;
        result->asserts += end.asserted;
        result->misuses += end.misused;
        result->assumes += end.assumed;
    }
    if (!search->visit)
        return;
    struct oracle_choice schedule[O_EVENTS];
    for (int i = 0; i < path->depth; i++)
        schedule[i] = choice_out(&path->machine, path->events[i].choice);
    struct oracle_leaf leaf = {schedule, (unsigned)path->depth, trace, final};
    search->stop = !search->visit(search->ctx, &leaf);
}

static void search_state(struct search *search, int current, int preemptions)
{
    struct path *path = &search->path;
    const struct o_machine *m = &path->machine;
    struct o_choice choices[O_CHOICES];
    unsigned n = path_state(path)->too_big ? 0 : o_choices(m, path_state(path), choices);

    if (path_state(path)->too_big || path->depth == O_EVENTS || n == O_CHOICES ||
        search->result->interleavings == search->limit) {
        search->result->too_big = path_state(path)->too_big ? path_state(path)->too_big
                                                            : "too many or too long interleavings";
        search->stop = true;
        return;
    }
    if (n == 0)
        search_leaf(search);
    for (unsigned i = 0; i < n && !search->stop; i++) {
        int count = preemptions + is_preemption(m, path_state(path), current, choices[i]);
        int next = current_after(m, path_state(path), current, choices[i]);
        if (search->preemption_bound != ORACLE_UNBOUNDED && count > search->preemption_bound)
            continue;
        path_push(path, choices[i]);
        search->result->steps++;
        search_state(search, next, count);
        path->depth--;
    }
}

void oracle_explore(const struct oracle_config *config, uint64_t limit,
                    bool (*visit)(void *ctx, const struct oracle_leaf *leaf), void *ctx,
                    struct oracle_result *result)
{
    struct search *search = malloc(sizeof *search);

    memset(result, 0, sizeof *result);
    search->preemption_bound = config->preemption_bound;
    search->limit = limit;
    search->visit = visit;
    search->ctx = ctx;
    search->result = result;
    search->stop = false;
    path_init(&search->path, config);
    search_state(search, -1, 0);
    o_machine_free(&search->path.machine);
    free(search);
}

void oracle_result_free(struct oracle_result *result)
{
    oracle_set_free(&result->finals);
    oracle_set_free(&result->traces);
}

struct oracle_replayer {
    struct path path;
};

struct oracle_replayer *oracle_replayer_new(const struct oracle_config *config)
{
    struct oracle_replayer *replayer = malloc(sizeof *replayer);

    path_init(&replayer->path, config);
    return replayer;
}

void oracle_replayer_free(struct oracle_replayer *replayer)
{
    o_machine_free(&replayer->path.machine);
    free(replayer);
}

static bool same_choice(struct o_choice a, struct o_choice b)
{
    return a.thread == b.thread && a.buffer == b.buffer && a.outcome == b.outcome;
}

static bool replay_step(struct path *path, struct o_choice choice)
{
    struct o_choice choices[O_CHOICES];
    unsigned n = o_choices(&path->machine, path_state(path), choices);

    for (unsigned i = 0; i < n; i++) {
        if (same_choice(choices[i], choice)) {
            path_push(path, choice);
            return true;
        }
    }
    return false;
}

static unsigned path_preemptions(const struct path *path)
{
    int current = -1;
    unsigned count = 0;

    for (int i = 0; i < path->depth; i++) {
        struct o_choice choice = path->events[i].choice;
        count += is_preemption(&path->machine, &path->states[i], current, choice);
        current = current_after(&path->machine, &path->states[i], current, choice);
    }
    return count;
}

static enum oracle_verdict replay_all(struct path *path, const struct oracle_choice *schedule,
                                      unsigned length)
{
    unsigned same = 0;
    struct o_choice choices[O_CHOICES];

    while (same < length && same < (unsigned)path->depth &&
           same_choice(choice_in(&path->machine, &schedule[same]), path->events[same].choice))
        same++;
    path->depth = (int)same;
    for (unsigned i = same; i < length; i++) {
        if (path->depth == O_EVENTS || path_state(path)->too_big)
            return ORACLE_UNSUPPORTED;
        if (!replay_step(path, choice_in(&path->machine, &schedule[i])))
            return ORACLE_NOT_ENABLED;
    }
    if (path_state(path)->too_big)
        return ORACLE_UNSUPPORTED;
    return o_choices(&path->machine, path_state(path), choices) ? ORACLE_UNFINISHED
                                                                : ORACLE_COMPLETE;
}

void oracle_replay(struct oracle_replayer *replayer, const struct oracle_choice *schedule,
                   unsigned length, struct oracle_outcome *outcome)
{
    struct path *path = &replayer->path;

    memset(outcome, 0, sizeof *outcome);
    outcome->verdict = replay_all(path, schedule, length);
    outcome->step = (unsigned)path->depth;
    if (outcome->verdict == ORACLE_UNSUPPORTED)
        return;
    outcome->trace = path->traces[path->depth];
    outcome->final = o_state_hash(&path->machine, path_state(path));
    outcome->preemptions = path_preemptions(path);
    o_state_end(&path->machine, path_state(path), &outcome->end);
}

uint64_t oracle_cell(const struct oracle_replayer *replayer, uint32_t decl, uint32_t element)
{
    const struct path *path = &replayer->path;
    unsigned size = path->machine.program->decls[decl].size;

    return o_bytes_read(&path->states[path->depth], path->machine.base[decl] + element * size,
                        size);
}

int64_t oracle_reg(const struct oracle_replayer *replayer, uint32_t thread, reg_id reg)
{
    return replayer->path.states[replayer->path.depth].threads[thread].regs[reg];
}

enum oracle_status oracle_status(const struct oracle_replayer *replayer, uint32_t thread)
{
    return replayer->path.states[replayer->path.depth].threads[thread].status;
}

bool oracle_dependent(const struct oracle_replayer *replayer, unsigned i, unsigned j)
{
    return o_dependent(&replayer->path.machine, replayer->path.events, (int)i, (int)j);
}

unsigned oracle_swap_check(struct oracle_replayer *replayer, const struct oracle_choice *schedule,
                           unsigned length)
{
    struct oracle_choice swapped[O_EVENTS];
    struct oracle_outcome outcome, other;
    bool free[O_EVENTS] = {false};

    oracle_replay(replayer, schedule, length, &outcome);
    for (unsigned i = 0; i + 1 < length; i++)
        free[i] = !oracle_dependent(replayer, i, i + 1);
    for (unsigned i = 0; i + 1 < length; i++) {
        if (!free[i])
            continue;
        memcpy(swapped, schedule, length * sizeof *schedule);
        swapped[i] = schedule[i + 1];
        swapped[i + 1] = schedule[i];
        oracle_replay(replayer, swapped, length, &other);
        if (other.verdict != outcome.verdict || other.trace.lo != outcome.trace.lo ||
            other.trace.hi != outcome.trace.hi || other.final.lo != outcome.final.lo ||
            other.final.hi != outcome.final.hi)
            return i + 1;
    }
    return 0;
}

static const char *const op_texts[OP_KIND_COUNT] = {
#define OP(name, object, mode, sync, flags, text) text,
#include "model/ops.def"
#undef OP
};

void oracle_print_schedule(const struct oracle_replayer *replayer, FILE *file)
{
    const struct path *path = &replayer->path;
    const struct program *program = path->machine.program;

    for (int i = 0; i < path->depth; i++) {
        const struct o_event *event = &path->events[i];
        struct oracle_choice choice = choice_out(&path->machine, event->choice);
        fprintf(file, "  %2d %s %s", i + 1, program->threads[choice.thread].name,
                op_texts[event->kind]);
        if (event->choice.buffer >= 0)
            fprintf(file, " %s[%u]+%u", program->decls[choice.decl].name, choice.element,
                    choice.byte);
        if (choice.outcome == OUTCOME_LOST)
            fprintf(file, " (lost)");
        else if (choice.outcome)
            fprintf(file, " outcome %u", choice.outcome);
        fprintf(file, "\n");
    }
}

static void print_thread(const struct path *path, uint32_t t, FILE *file)
{
    const struct o_state *s = &path->states[path->depth];
    const struct thread_code *code = &path->machine.program->threads[t];
    struct o_pending p;

    fprintf(file, "  %s: %s", code->name, oracle_status_names[s->threads[t].status]);
    if (s->threads[t].status == ORACLE_BLOCKED) {
        o_pending(&path->machine, s, t, &p);
        fprintf(file, " at row %u, %s", s->threads[t].pc, op_texts[p.kind]);
    }
    for (uint32_t r = 0; r < code->reg_count; r++)
        fprintf(file, "  %s=%lld", code->regs[r].name, (long long)s->threads[t].regs[r]);
    fprintf(file, "\n");
}

void oracle_print_state(const struct oracle_replayer *replayer, FILE *file)
{
    const struct program *program = replayer->path.machine.program;

    fprintf(file, " ");
    for (uint32_t d = 0; d < program->decl_count; d++) {
        if (program->decls[d].kind != OBJECT_CELL)
            continue;
        fprintf(file, " %s=", program->decls[d].name);
        for (uint32_t i = 0; i < program->decls[d].count; i++)
            fprintf(file, "%s%llu", i ? "," : "", (unsigned long long)oracle_cell(replayer, d, i));
    }
    fprintf(file, "\n");
    for (uint32_t t = 0; t < program->thread_count; t++)
        print_thread(&replayer->path, t, file);
}
