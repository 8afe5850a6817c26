#include "cli/samples.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct sentence {
    char *at;
    size_t used, size;
};

static void say(struct sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct sentence *s, const char *format, ...)
{
    va_list args;
    int length;

    if (s->used >= s->size)
        return;
    va_start(args, format);
    length = vsnprintf(s->at + s->used, s->size - s->used, format, args);
    va_end(args);
    s->used += (size_t)length;
}

/* Fewer runs tell nothing about others. */
#define NOTED_MIN 10

static void say_traces(struct sentence *s, const struct sample_stats *sampled)
{
    double percent = 100 * sample_unseen(sampled);

    if (sampled->noted < NOTED_MIN)
        return;
    say(s, ", %" PRIu64 " distinct trace%s", sampled->traces, sampled->traces == 1 ? "" : "s");
    if (sampled->noted + sampled->given_up < sampled->runs)
        say(s, " in the %" PRIu64 " looked at", sampled->noted);
    if (sampled->once == 0)
        say(s, ", each of them seen more than once");
    else
        say(s, ", at least about %.3g in all, and about %.*f %% of more runs would show a new one",
            sample_traces_least(sampled), percent < 1 ? 2 : 0, percent);
}

/* Below the first nobody reads it as a promise, and nothing is certain. */
#define PROMISE_MIN 1e-9
#define PROMISE_MAX 0.999

static void say_promise(struct sentence *s, const struct explorer_options *options,
                        const struct sample_stats *sampled)
{
    double promise = sample_promise(sampled, options->depth);

    if (promise < PROMISE_MIN)
        return;
    say(s,
        ", a bug of depth %" PRIu32
        " would have been found with probability at least %.3g (%" PRIu32 " %s, %" PRIu64
        " steps%s)",
        options->depth, promise < PROMISE_MAX ? promise : PROMISE_MAX, sampled->agents,
        options->memory->buffered ? "threads and buffers" : "threads", sampled->steps,
        sampled->drawn ? "; unless it needs a certain outcome" : "");
}

const char *samples_text(const struct explorer_options *options, const struct explorer_stats *stats,
                         char *buffer, size_t size)
{
    struct sentence s = {buffer, 0, size};
    const struct sample_stats *sampled = &stats->sampled;

    say(&s, "%" PRIu64 " run%s sampled by %s", sampled->runs, sampled->runs == 1 ? "" : "s",
        options->search->name);
    if (options->search == &search_pct)
        say(&s, " of depth %" PRIu32, options->depth);
    say(&s, " with seed %" PRIu64, options->seed ? options->seed : SEARCH_SEED);
    if (stats->cut & CUT_STOPPED)
        return buffer;
    say_traces(&s, sampled);
    say_promise(&s, options, sampled);
    return buffer;
}
