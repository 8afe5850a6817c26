#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "cli/native.h"
#include "cli/source.h"
#include "trace/notes.h"

#define NOTES_TOLD 3

/* A run of a native program as a trace file. */

static struct trace_site trace_site_of(const struct session_site *site)
{
    return (struct trace_site){site->file, site->function, site->line, site->column};
}

/* Stacks and variables: what steps refer to. */
static void record_fill(struct trace *trace, const struct native_case *run)
{
    for (uint32_t i = 0; i < run->frames.count; i++)
        trace_add_frame(trace,
                        &(struct trace_frame){.up = run->frames.at[i].up,
                                              .site = trace_site_of(&run->frames.at[i].site)});
    for (uint32_t i = 0; i < run->cells.count; i++) {
        const struct session_cell *cell = &run->cells.at[i];
        bool is_buffer = cell->kind == OBJECT_SLOT;

        trace_add_variable(trace, &(struct trace_variable){
                                      .name = cell->name ? cell->name : "?",
                                      .kind = is_buffer ? "buffer" : object_kind_names[cell->kind],
                                      .cell = is_buffer ? 0 : cell->addr});
    }
}

/* What refers to steps. */
static void changes_fill(struct trace *trace, const struct native_case *run)
{
    for (uint32_t i = 0; i < run->changes.count; i++)
        trace_add_value(trace, &(struct trace_value){.step = run->changes.at[i].step,
                                                     .variable = run->changes.at[i].cell,
                                                     .text = run->changes.at[i].text});
    for (uint32_t i = 0; i < run->waits.count; i++) {
        const struct session_wait *wait = &run->waits.at[i];

        trace_add_wait(trace, &(struct trace_wait){.thread = wait->thread,
                                                   .on = wait->on,
                                                   .text = wait->text,
                                                   .site = trace_site_of(&wait->site),
                                                   .stack = wait->stack});
    }
}

/* Of a data race, its two accesses. */
static void sides_fill(struct trace *trace, const struct session_bug *bug)
{
    for (int i = 0; i < 2; i++) {
        const struct session_side *side = &bug->sides[i];
        uint32_t locks = 0;

        while (locks < SESSION_LOCKS && side->locks[locks])
            locks++;
        if (side->what)
            trace_add_side(
                trace,
                &(struct trace_side){.thread = side->thread,
                                     .step = side->step <= trace->steps.count ? side->step : 0,
                                     .what = side->what,
                                     .site = trace_site_of(&side->site),
                                     .stack = side->stack},
                side->locks, locks);
    }
}

static void trace_fill(struct trace *trace, const struct native_case *run)
{
    struct trace_site site = trace_site_of(&run->bug.site);
    uint32_t described = 0;

    for (uint32_t i = 0; i < run->threads.count; i++) {
        const struct session_thread *thread = &run->threads.at[i];

        trace_add_thread(trace, &(struct trace_thread){.parent = thread->parent,
                                                       .rank = thread->rank,
                                                       .name = thread->name,
                                                       .created = trace_site_of(&thread->created)});
    }
    record_fill(trace, run);
    trace_set_bug(trace, bug_kind_names[run->bug.kind], run->bug.message, run->bug.detail,
                  run->bug.thread, &site);
    trace->bug.stack = run->bug.stack <= trace->frames.count ? run->bug.stack : 0;
    for (uint32_t i = 0; i < run->steps.count; i++) {
        const struct session_step *step = &run->steps.at[i];

        described += !step->plain;
        trace_add_step(trace, &(struct trace_step){.thread = step->choice.thread,
                                                   .is_buffer = step->choice.is_buffer,
                                                   .addr = step->choice.addr,
                                                   .outcome = step->choice.outcome,
                                                   .op = step->op,
                                                   .order = step->order,
                                                   .plain = step->plain,
                                                   .buffered = step->buffered,
                                                   .failed = step->failed,
                                                   .reads = step->reads,
                                                   .writes = step->writes,
                                                   .size = step->size,
                                                   .value = step->value,
                                                   .object = step->object,
                                                   .text = step->text,
                                                   .cell = step->cell,
                                                   .issued = step->issued,
                                                   .stack = step->stack,
                                                   .site = trace_site_of(&step->site)});
    }
    /* the step in which a process died was never described */
    for (uint32_t i = described; i < run->schedule.count; i++) {
        const struct session_choice *choice = &run->schedule.at[i];

        trace_add_step(trace, &(struct trace_step){.thread = choice->thread,
                                                   .is_buffer = choice->is_buffer,
                                                   .addr = choice->addr,
                                                   .outcome = choice->outcome,
                                                   .op = OP_CRASH,
                                                   .text = "the process dies"});
    }
    changes_fill(trace, run);
    sides_fill(trace, &run->bug);
    trace_add_output(trace, run->output.at, run->output.count);
}

/* Whose stacks are shared, as a word of 0s and 1s. */
static void stacks_write(struct trace *trace, const struct native_case *run)
{
    char *word = calloc(run->shared_stacks.count + 1, 1), number[16];

    CHECK(word, "out of memory");
    for (uint32_t i = 0; i < run->shared_stacks.count; i++)
        word[i] = run->shared_stacks.at[i] ? '1' : '0';
    trace_set_option(trace, "shared-stacks", word);
    snprintf(number, sizeof number, "%u", run->bug.commutes);
    trace_set_option(trace, "commutes", number);
    trace_set_option(trace, "cancels", run->cancels ? "1" : "0");
    trace_set_option(trace, "tries-to-join", run->tries_to_join ? "1" : "0");
    trace_set_option(trace, "tries-to-lock", run->tries_to_lock ? "1" : "0");
    trace_set_option(trace, "rounds",
                     !run->rounds    ? "all"
                     : run->informal ? "informal"
                                     : "ordered");
    free(word);
}

/* Facts, as words "key=value". */
static void facts_write(struct trace *trace, const struct native_case *run)
{
    size_t room = run->facts.count * 32 + 1, used = 0;
    char *words = calloc(room, 1);

    CHECK(words, "out of memory");
    for (uint32_t i = 0; i < run->facts.count; i++)
        used += (size_t)snprintf(words + used, room - used, "%s%" PRIx64 "=%" PRIx32, i ? "," : "",
                                 run->facts.at[i].key, run->facts.at[i].value);
    if (used)
        trace_set_option(trace, "facts", words);
    free(words);
}

/* What was exposed, as numbers with commas between. */
static void exposed_write(struct trace *trace, const struct native_case *run)
{
    char *word = calloc(run->exposed.count * 20 + 1, 1);
    size_t used = 0;

    CHECK(word, "out of memory");
    for (uint32_t i = 0; i < run->exposed.count; i++)
        used += (size_t)sprintf(word + used, "%s%" PRIx64, i ? "," : "", run->exposed.at[i]);
    if (run->exposed.count)
        trace_set_option(trace, "exposed", word);
    free(word);
}

/* What the trace tells beside its steps goes into the report, too: a few lines. */
static void notes_take(const struct trace *trace, struct native_case *run)
{
    char text[4096];
    struct text words = text_open(text, sizeof text);
    note_vec notes = {0};
    size_t size;

    notes_find(trace, &run->arena, &notes);
    for (uint32_t i = 0; i < notes.count && i < NOTES_TOLD; i++)
        text_add(&words, "  %s\n", notes.at[i].text);
    size = words.used + 1;
    run->notes = memcpy(arena_alloc(&run->arena, size), text, size);
}

bool native_trace_write(const char *path, const char *program, char *const *argv,
                        const struct settings *settings, struct native_case *run)
{
    struct trace trace;
    char number[32];
    FILE *out;
    bool ok;

    if (trace_open(&trace) != 0)
        return false;
    trace_set_program(&trace, program, (const char *const *)argv + 1);
    trace.build = driver_fingerprint(program);
    trace_set_model(&trace, settings->search.memory->name, settings->search.buffer_bound);
    snprintf(number, sizeof number, "%" PRIu32, settings->nondet_max);
    trace_set_option(&trace, "nondet-max", number);
    snprintf(number, sizeof number, "%" PRIu32, settings->search.spurious_bound);
    trace_set_option(&trace, "spurious-wakeups", number);
    trace_set_option(&trace, "exit-is-bug", settings->exit_is_bug ? "1" : "0");
    trace_set_option(&trace, "leaks", settings->leaks ? "1" : "0");
    trace_set_option(&trace, "races", settings->races ? "report" : "ignore");
    stacks_write(&trace, run);
    exposed_write(&trace, run);
    facts_write(&trace, run);
    trace_fill(&trace, run);
    source_fill(&trace);
    notes_take(&trace, run);
    out = fopen(path, "w");
    ok = out && trace_write(&trace, out);
    if (out)
        ok = fclose(out) == 0 && ok;
    if (!ok)
        fprintf(stderr, "raddle: %s: %s\n", path, strerror(errno));
    trace_free(&trace);
    return ok;
}
