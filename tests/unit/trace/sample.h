#ifndef RADDLE_TESTS_TRACE_SAMPLE_H
#define RADDLE_TESTS_TRACE_SAMPLE_H

/* Small traces that the tests of the room share, and writing to memory. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/trace.h"

static inline void sample_open(struct trace *trace, const char *program, const char *model)
{
    assert_int_equal(trace_open(trace), 0);
    trace_set_program(trace, program, NULL);
    trace_set_model(trace, model, TRACE_UNBOUNDED);
}

static inline void sample_thread(struct trace *trace, uint32_t parent, const char *name,
                                 uint32_t line)
{
    trace_add_thread(trace, &(struct trace_thread){.parent = parent,
                                                   .rank = trace->threads.count,
                                                   .name = name,
                                                   .created = {line ? "src/sb.c" : NULL,
                                                               line ? "main" : NULL, line, 5}});
}

/* Store buffering under TSO: both read 0. */
static inline void sample_store_buffering(struct trace *trace)
{
    static const char *const arguments[] = {"3", "a \"b\"", NULL};
    const struct trace_site site = {"src/sb.c", "main", 24, 5};

    sample_open(trace, "./sb", "tso");
    trace_set_program(trace, "./sb", arguments);
    trace_set_model(trace, "tso", 4);
    trace->build = 0x1234abcdu;
    trace_set_option(trace, "nondet_max", "7");
    trace_set_option(trace, "exit_is_bug", "0");
    sample_thread(trace, 0, NULL, 0);
    sample_thread(trace, 0, "left", 20);
    sample_thread(trace, 0, "right", 21);
    trace_set_bug(trace, "assertion", "assertion `a == 1 || b == 1` fails", "a is 0\nb is 0\n", 0,
                  &site);
#define STEP(...) trace_add_step(trace, &(struct trace_step){__VA_ARGS__})
    STEP(.thread = 0, .op = OP_THREAD_CREATE, .text = "create T1",
         .site = {"src/sb.c", "main", 20, 5});
    STEP(.thread = 0, .op = OP_THREAD_CREATE, .text = "create T2",
         .site = {"src/sb.c", "main", 21, 5});
    STEP(.thread = 1, .op = OP_STORE, .buffered = true, .size = 4, .value = 1, .object = "x",
         .text = "x = 1", .site = {"src/sb.c", "left", 8, 7});
    STEP(.thread = 1, .op = OP_LOAD, .reads = true, .size = 4, .object = "y",
         .site = {"src/sb.c", "left", 9, 9});
    STEP(.thread = 2, .op = OP_STORE, .buffered = true, .size = 4, .value = 1, .object = "y",
         .text = "y = 1", .site = {"src/sb.c", "right", 13, 7});
    STEP(.thread = 1, .is_buffer = true, .op = OP_FLUSH, .writes = true, .size = 4, .value = 1,
         .object = "x");
    STEP(.thread = 2, .op = OP_LOAD, .reads = true, .size = 4, .value = 1, .object = "x",
         .site = {"src/sb.c", "right", 14, 9});
    STEP(.thread = 2, .is_buffer = true, .op = OP_FLUSH, .writes = true, .size = 4, .value = 1,
         .object = "y");
    STEP(.thread = 0, .op = OP_THREAD_JOIN, .text = "join T1", .site = {"src/sb.c", "main", 22, 5});
#undef STEP
    trace_add_output(trace, "a=0\nb=\0\x1b[31m0\n\tdone \xc3\xa9\xff", 23);
}

static inline char *sample_written(const struct trace *trace, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);

    assert_non_null(stream);
    assert_true(trace_write(trace, stream));
    fclose(stream);
    return text;
}

#endif
