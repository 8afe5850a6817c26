/* Work that is handed on: a search that changes hands after every few runs, through bytes, finds what one search finds; what is not such work, or damaged, is
 * refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "explore/work.h"
#include "script/classics.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE ((size_t)1 << 32)

static const struct work_identity identity = {.program = 77, .options = 88};

/* The sum over all runs to the end of a hash of how they ended: the same set of ends gives the same sum, whatever the order. */
struct found {
    uint64_t executions, asleep, transitions, sum;
};

struct hand {
    struct program *program;
    struct script script;
    struct arena arena;
    struct explorer *explorer;
    struct found *found;
};

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    struct hand *hand = context;
    struct fingerprint f = {ending, explorer->execution.findings.count};

    if (ending == ENDING_ASLEEP || ending == ENDING_CUT)
        return true;
    fingerprint_bytes(&f, hand->script.memory, hand->script.size);
    for (uint32_t t = 0; t < hand->program->thread_count; t++)
        for (uint32_t r = 0; r < hand->program->threads[t].reg_count; r++)
            fingerprint_word(&f, (uint64_t)script_reg(&hand->script, t, (reg_id)r));
    hand->found->sum += f.low;
    return true;
}

static void hand_open(struct hand *hand, struct program *program, const char *reduction,
                      const char *model, struct found *found)
{
    struct explorer_options options = {
        .reduction = reduction_find(reduction),
        .memory = memory_find(model),
        .buffer_bound = BUFFER_UNBOUNDED,
        .preemption_bound = NO_BOUND,
        .max_steps = NO_LIMIT,
        .max_executions = NO_LIMIT,
        .ended = run_ended,
        .context = hand,
    };

    *hand = (struct hand){.program = program, .found = found};
    hand->explorer = malloc(sizeof *hand->explorer);
    assert_non_null(hand->explorer);
    assert_int_equal(arena_open(&hand->arena, RESERVE), 0);
    assert_int_equal(script_open(&hand->script, program), 0);
    explorer_open(hand->explorer, &hand->arena, &hand->script.base, &options);
}

static void hand_close(struct hand *hand)
{
    script_close(&hand->script);
    arena_close(&hand->arena);
    free(hand->explorer);
}

static void program_of(const char *source, struct program *program)
{
    struct read_error error;
    char name[32], message[300];
    unsigned n = 0;

    if (strchr(source, '\n')) {
        if (!text_read(source, strlen(source), NULL, program, &error))
            fail_msg("%s", read_error_format(&error, NULL, message, sizeof message));
        return;
    }
    assert_true(sscanf(source, "%31[a-z](%u)", name, &n) >= 1);
    assert_true(classic_build(name, n, program));
}

/* The state of one search as bytes. */
static void take(struct hand *hand, struct bytes *bytes)
{
    struct work work;

    work_open(&work, &hand->arena);
    work_take(&work, hand->explorer);
    work_write(&work, &identity, bytes);
}

static struct found search(struct program *program, const char *reduction, const char *model,
                           unsigned runs_each)
{
    struct found found = {0};
    struct hand hand;
    unsigned runs = 0;

    hand_open(&hand, program, reduction, model, &found);
    explorer_begin(hand.explorer);
    while (explorer_advance(hand.explorer)) {
        struct arena between;
        struct bytes bytes;
        struct work work;
        struct work_error error;

        if (!runs_each || ++runs % runs_each)
            continue;
        assert_int_equal(arena_open(&between, RESERVE), 0);
        bytes_open(&bytes, &between);
        take(&hand, &bytes);
        hand_close(&hand);
        hand_open(&hand, program, reduction, model, &found);
        if (!work_read(&work, &between, bytes.data.at, bytes.data.count, &identity, NULL, &error))
            fail_msg("%s", error.text);
        assert_true(explorer_adopt(hand.explorer, &work));
        explorer_restore(hand.explorer, &work);
        arena_close(&between);
    }
    assert_int_equal(hand.explorer->diverged, EVENT_NONE);
    found.executions = hand.explorer->stats.executions;
    found.asleep = hand.explorer->stats.asleep;
    found.transitions = hand.explorer->stats.transitions;
    hand_close(&hand);
    return found;
}

static const char conditions[] = "cell n\nmutex m\ncond c\n"
                                 "thread A\n lock m\n r = load n\n wait c, m\n unlock m\n"
                                 "thread B\n lock m\n r = timedwait c, m\n unlock m\n"
                                 "thread C\n lock m\n store n, 1\n signal c\n unlock m\n signal c\n"
                                 "thread D\n r = choose 3\n store n, r\n";

static const char creation[] = "cell x\ncell y\n"
                               "thread M\n create A\n create B\n join A\n r = load x\n join B\n"
                               "thread A\n create C\n store x, 1\n r = load y\n"
                               "thread B\n r = add x, 2\n store y, 1\n"
                               "thread C\n store y, 2\n r = load x\n";

static void changes_hands(void **state)
{
    static const char *const sources[] = {"locks(4)", "ainc(3)",  "readers(4)", "lastzero(4)",
                                          "sb",       conditions, creation,     NULL};
    static const char *const models[] = {"sc", "tso", "pso", NULL};
    static const char *const kinds[] = {"optimal", "source", "dpor", "exhaustive", NULL};

    (void)state;
    for (int s = 0; sources[s]; s++)
        for (int m = 0; models[m]; m++)
            for (int k = 0; kinds[k]; k++) {
                struct program program;
                struct found one, many;

                if (k == 3 && (s != 4 || m > 0))
                    continue; /* too many */
                program_of(sources[s], &program);
                one = search(&program, kinds[k], models[m], 0);
                for (unsigned each = 1; each <= 7; each += 3) {
                    many = search(&program, kinds[k], models[m], each);
                    if (memcmp(&one, &many, sizeof one) != 0)
                        fail_msg(
                            "%s, %s, %s: %llu executions, %llu asleep, %llu steps in one go; "
                            "%llu, %llu, %llu if it changes hands after %u runs",
                            sources[s], kinds[k], models[m], (unsigned long long)one.executions,
                            (unsigned long long)one.asleep, (unsigned long long)one.transitions,
                            (unsigned long long)many.executions, (unsigned long long)many.asleep,
                            (unsigned long long)many.transitions, each);
                }
                program_free(&program);
            }
}

/* ---- what is refused */

struct sample {
    struct program program;
    struct hand hand;
    struct found found;
    struct bytes bytes;
};

static void sample_open(struct sample *sample)
{
    memset(sample, 0, sizeof *sample);
    program_of(creation, &sample->program);
    hand_open(&sample->hand, &sample->program, "optimal", "tso", &sample->found);
    explorer_begin(sample->hand.explorer);
    for (int i = 0; i < 5; i++)
        assert_true(explorer_advance(sample->hand.explorer));
    bytes_open(&sample->bytes, &sample->hand.arena);
    take(&sample->hand, &sample->bytes);
}

static void sample_close(struct sample *sample)
{
    hand_close(&sample->hand);
    program_free(&sample->program);
}

static const char *refusal(struct sample *sample, size_t size, const struct work_identity *wanted)
{
    static struct work_error error;
    struct work work;

    error.text[0] = '\0';
    return work_read(&work, &sample->hand.arena, sample->bytes.data.at, size, wanted, NULL, &error)
               ? NULL
               : error.text;
}

static void strangers(void **state)
{
    struct sample sample;
    struct work_identity other = identity;
    size_t size;

    (void)state;
    sample_open(&sample);
    size = sample.bytes.data.count;
    assert_null(refusal(&sample, size, &identity));
    other.program++;
    assert_string_equal(refusal(&sample, size, &other),
                        "is of another program, or of another build of it");
    other = identity;
    other.options++;
    assert_string_equal(refusal(&sample, size, &other), "is of a search with other options");
    sample.bytes.data.at[8]++;
    assert_string_equal(refusal(&sample, size, &identity),
                        "is of version 5 of the format, and this raddle reads version 4");
    sample.bytes.data.at[0]++;
    assert_string_equal(refusal(&sample, size, &identity), "is not a piece of a search");
    sample_close(&sample);
}

static void damage(void **state)
{
    struct sample sample;
    size_t size;

    (void)state;
    sample_open(&sample);
    size = sample.bytes.data.count;
    for (size_t i = 0; i < size; i++)
        assert_non_null(refusal(&sample, i, &identity));
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            sample.bytes.data.at[i] ^= (uint8_t)(1 << bit);
            assert_non_null(refusal(&sample, size, &identity));
            sample.bytes.data.at[i] ^= (uint8_t)(1 << bit);
        }
    assert_null(refusal(&sample, size, &identity));
    sample_close(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_hands),
        cmocka_unit_test(strangers),
        cmocka_unit_test(damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
