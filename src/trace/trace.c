#include "trace/trace.h"

#include <string.h>

#include "base/check.h"

/* Address space only. The largest file that is read fits many times. */
#define ARENA_RESERVE ((size_t)1 << 38)

int trace_open(struct trace *trace)
{
    *trace = (struct trace){.buffer_bound = TRACE_UNBOUNDED};
    return arena_open(&trace->arena, ARENA_RESERVE);
}

void trace_free(struct trace *trace)
{
    if (trace->arena.base)
        arena_close(&trace->arena);
    *trace = (struct trace){0};
}

char *trace_copy(struct trace *trace, const char *bytes, size_t length)
{
    char *copy = arena_alloc(&trace->arena, length + 1);

    if (length)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

static const char *copy_text(struct trace *trace, const char *text)
{
    return text ? trace_copy(trace, text, strlen(text)) : NULL;
}

static struct trace_site copy_site(struct trace *trace, const struct trace_site *site)
{
    return (struct trace_site){.file = copy_text(trace, site->file),
                               .function = copy_text(trace, site->function),
                               .line = site->line,
                               .column = site->column};
}

void trace_set_program(struct trace *trace, const char *program, const char *const *arguments)
{
    trace->program = copy_text(trace, program);
    trace->arguments.count = 0;
    for (; arguments && *arguments; arguments++)
        vec_push(&trace->arena, &trace->arguments, copy_text(trace, *arguments));
}

void trace_set_model(struct trace *trace, const char *model, uint32_t buffer_bound)
{
    trace->model = copy_text(trace, model);
    trace->buffer_bound = buffer_bound;
}

static struct trace_option *option_find(const struct trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->options.count; i++)
        if (strcmp(trace->options.at[i].name, name) == 0)
            return &trace->options.at[i];
    return NULL;
}

void trace_set_option(struct trace *trace, const char *name, const char *value)
{
    struct trace_option *option = option_find(trace, name);

    if (option)
        option->value = copy_text(trace, value);
    else
        vec_push(&trace->arena, &trace->options,
                 (struct trace_option){copy_text(trace, name), copy_text(trace, value)});
}

const char *trace_option(const struct trace *trace, const char *name)
{
    const struct trace_option *option = option_find(trace, name);

    return option ? option->value : NULL;
}

/* The file has a line for each, so a newline at the very end is no line of its own. */
static void add_details(struct trace *trace, const char *details)
{
    while (*details) {
        size_t length = strcspn(details, "\n");

        vec_push(&trace->arena, &trace->bug.details, trace_copy(trace, details, length));
        details += length + (details[length] == '\n');
    }
}

void trace_set_bug(struct trace *trace, const char *kind, const char *message, const char *details,
                   uint32_t thread, const struct trace_site *site)
{
    struct trace_bug *bug = &trace->bug;

    bug->kind = copy_text(trace, kind);
    bug->message = copy_text(trace, message);
    bug->thread = thread;
    bug->site = copy_site(trace, site);
    bug->details.count = 0;
    if (details)
        add_details(trace, details);
}

void trace_add_thread(struct trace *trace, const struct trace_thread *thread)
{
    struct trace_thread copy = *thread;

    CHECK(thread->parent < trace->threads.count || (trace->threads.count == 0 && !thread->parent),
          "thread %u has the parent %u", trace->threads.count, thread->parent);
    copy.name = copy_text(trace, thread->name);
    copy.created = copy_site(trace, &thread->created);
    vec_push(&trace->arena, &trace->threads, copy);
}

void trace_add_step(struct trace *trace, const struct trace_step *step)
{
    struct trace_step copy = *step;

    CHECK(step->thread < trace->threads.count, "a step of thread %u", step->thread);
    CHECK(step->op < OP_KIND_COUNT, "a step with operation %u", step->op);
    CHECK(step->stack <= trace->frames.count, "a step with the stack %u", step->stack);
    copy.object = copy_text(trace, step->object);
    copy.text = copy_text(trace, step->text);
    copy.site = copy_site(trace, &step->site);
    vec_push(&trace->arena, &trace->steps, copy);
}

uint32_t trace_add_frame(struct trace *trace, const struct trace_frame *frame)
{
    CHECK(frame->up <= trace->frames.count, "a frame below frame %u", frame->up);
    vec_push(&trace->arena, &trace->frames,
             (struct trace_frame){.up = frame->up, .site = copy_site(trace, &frame->site)});
    return trace->frames.count;
}

uint32_t trace_add_variable(struct trace *trace, const struct trace_variable *variable)
{
    vec_push(&trace->arena, &trace->variables,
             (struct trace_variable){.name = copy_text(trace, variable->name),
                                     .kind = copy_text(trace, variable->kind),
                                     .cell = variable->cell});
    return trace->variables.count - 1;
}

void trace_add_value(struct trace *trace, const struct trace_value *value)
{
    CHECK(value->variable < trace->variables.count, "a value of variable %u", value->variable);
    CHECK(!trace->values.count || vec_last(&trace->values).step <= value->step,
          "values out of order");
    vec_push(&trace->arena, &trace->values,
             (struct trace_value){value->step, value->variable, copy_text(trace, value->text)});
}

void trace_add_wait(struct trace *trace, const struct trace_wait *wait)
{
    struct trace_wait copy = *wait;

    CHECK(wait->thread < trace->threads.count && wait->on <= trace->threads.count &&
              wait->stack <= trace->frames.count,
          "a wait of thread %u", wait->thread);
    copy.text = copy_text(trace, wait->text);
    copy.site = copy_site(trace, &wait->site);
    vec_push(&trace->arena, &trace->waits, copy);
}

void trace_add_side(struct trace *trace, const struct trace_side *side, const char *const *locks,
                    uint32_t count)
{
    struct trace_side copy = *side;

    CHECK(side->thread < trace->threads.count && side->step <= trace->steps.count &&
              side->stack <= trace->frames.count && trace->sides.count < 2,
          "a side of a race, by thread %u", side->thread);
    copy.what = copy_text(trace, side->what);
    copy.site = copy_site(trace, &side->site);
    copy.locks.at = NULL;
    copy.locks.count = copy.locks.room = 0;
    for (uint32_t i = 0; i < count; i++)
        vec_push(&trace->arena, &copy.locks, copy_text(trace, locks[i]));
    vec_push(&trace->arena, &trace->sides, copy);
}

uint32_t trace_add_file(struct trace *trace, const char *path)
{
    vec_push(&trace->arena, &trace->files, copy_text(trace, path));
    return trace->files.count - 1;
}

void trace_add_line(struct trace *trace, uint32_t file, uint32_t number, const char *text,
                    size_t length)
{
    CHECK(file < trace->files.count, "a line of file %u", file);
    vec_push(&trace->arena, &trace->lines,
             (struct trace_line){file, number, trace_copy(trace, text, length)});
}

const char *trace_line(const struct trace *trace, const char *file, uint32_t number)
{
    uint32_t low = 0, high = trace->lines.count, wanted = 0;

    while (wanted < trace->files.count && strcmp(trace->files.at[wanted], file) != 0)
        wanted++;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct trace_line *line = &trace->lines.at[middle];

        if (line->file == wanted && line->number == number)
            return line->text;
        if (line->file < wanted || (line->file == wanted && line->number < number))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

void trace_add_output(struct trace *trace, const char *bytes, size_t length)
{
    CHECK(length <= (size_t)INT32_MAX - trace->output.count, "output of %zu bytes", length);
    if (length == 0)
        return;
    vec_reserve(&trace->arena, &trace->output, (uint32_t)length);
    memcpy(trace->output.at + trace->output.count, bytes, length);
    trace->output.count += (uint32_t)length;
}

const char *trace_error_format(const struct trace_error *error, const char *file, char *buffer,
                               size_t size)
{
    if (error->line)
        snprintf(buffer, size, "%s:%u: %s", file, (unsigned)error->line, error->message);
    else
        snprintf(buffer, size, "%s: %s", file, error->message);
    return buffer;
}
