/* A search that is stopped again and again, at any step or after any run, kept as bytes and gone on with, finds what it finds in one go. What is not such bytes,
 * damaged, or of something else is refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/map.h"
#include "explore/checkpoint.h"
#include "script/classics.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE ((size_t)1 << 32)

static const struct checkpoint_identity identity = {.raddle = 66, .program = 77, .options = 88};

/* The sum over all runs to the end of a hash of how they ended. */
struct found {
    uint64_t executions, asleep, transitions, bounds, cut, sum;
};

struct hand {
    struct program *program;
    struct script script;
    struct arena arena;
    struct explorer *explorer;
    struct explorer_options options;
    struct found *found;
    uint32_t brake;
    uint64_t steps; /* until it is put on */
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

static void run_takes(void *context, struct explorer *explorer, agent_id agent, outcome_id outcome)
{
    struct hand *hand = context;

    (void)explorer;
    (void)agent;
    (void)outcome;
    if (hand->steps > 0 && --hand->steps == 0)
        hand->brake = CUT_INTERRUPTED;
}

static void run_between(void *context, struct explorer *explorer)
{
    (void)context;
    (void)explorer;
}

/* How it is searched. */
struct how {
    const char *source, *reduction, *model;
    uint32_t bound; /* 0: none */
    bool grows;
    uint64_t seed;
};

static void hand_open(struct hand *hand, struct program *program, const struct how *how,
                      struct found *found)
{
    *hand = (struct hand){.program = program, .found = found};
    hand->options = (struct explorer_options){
        .reduction = reduction_find(how->reduction),
        .memory = memory_find(how->model),
        .buffer_bound = BUFFER_UNBOUNDED,
        .preemption_bound = how->grows   ? 0
                            : how->bound ? how->bound
                                         : NO_BOUND,
        .bound_grows = how->grows,
        .max_steps = NO_LIMIT,
        .max_executions = NO_LIMIT,
        .seed = how->seed,
        .ended = run_ended,
        .takes = run_takes,
        .between = run_between,
        .brake = &hand->brake,
        .context = hand,
    };
    hand->explorer = malloc(sizeof *hand->explorer);
    assert_non_null(hand->explorer);
    assert_int_equal(arena_open(&hand->arena, RESERVE), 0);
    assert_int_equal(script_open(&hand->script, program), 0);
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

static uint64_t random_below(uint64_t *state, uint64_t limit)
{
    *state = mix64(*state + 0x9e3779b97f4a7c15u);
    return *state % limit;
}

/* Where the next part of the search ends: at some step, or behind some run. */
static void limit_set(struct hand *hand, uint64_t *chance)
{
    if (!chance)
        return;
    if (random_below(chance, 3) > 0)
        hand->steps = 1 + random_below(chance, 60);
    else
        hand->options.max_executions = 1 + random_below(chance, 8);
}

static struct found search_in_parts(const struct how *how, uint64_t *chance)
{
    struct found found = {0};
    struct program program;
    struct hand hand;
    struct bytes file;
    struct arena arena;

    program_of(how->source, &program);
    assert_int_equal(arena_open(&arena, RESERVE), 0);
    hand_open(&hand, &program, how, &found);
    limit_set(&hand, chance);
    explorer_open(hand.explorer, &hand.arena, &hand.script.base, &hand.options);
    assert_true(explorer_run(hand.explorer));
    while (checkpoint_is_due(hand.explorer)) {
        struct bytes inner;
        struct bytes_reader in;
        struct work_error error;
        struct checkpoint_search search;

        arena_close(&arena);
        assert_int_equal(arena_open(&arena, RESERVE), 0);
        bytes_open(&inner, &arena);
        bytes_open(&file, &arena);
        checkpoint_write(hand.explorer, &arena, &inner);
        checkpoint_seal(&identity, &inner, &file);
        hand_close(&hand);
        hand_open(&hand, &program, how, &found);
        limit_set(&hand, chance);
        if (!checkpoint_unseal(file.data.at, file.data.count, &identity, &in, &error))
            fail_msg("%s", error.text);
        assert_true(checkpoint_read(&search, &arena, &in));
        assert_true(checkpoint_go_on(hand.explorer, &hand.arena, &hand.script.base, &hand.options,
                                     &search));
    }
    found.executions = hand.explorer->stats.executions;
    found.asleep = hand.explorer->stats.asleep;
    found.transitions = hand.explorer->stats.transitions;
    found.bounds = hand.explorer->stats.bounds;
    found.cut = hand.explorer->stats.cut;
    hand_close(&hand);
    arena_close(&arena);
    program_free(&program);
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

static void same_in_parts(const struct how *how, unsigned trials)
{
    struct found one = search_in_parts(how, NULL), parts;
    uint64_t chance = 1;

    for (unsigned i = 0; i < trials; i++) {
        parts = search_in_parts(how, &chance);
        if (memcmp(&one, &parts, sizeof one) != 0)
            fail_msg("%s, %s, %s, bound %u%s: %llu executions, %llu asleep, %llu steps in one go; "
                     "%llu, %llu, %llu in parts (cut %llu, %llu)",
                     how->source, how->reduction, how->model, how->bound,
                     how->grows ? " growing" : "", (unsigned long long)one.executions,
                     (unsigned long long)one.asleep, (unsigned long long)one.transitions,
                     (unsigned long long)parts.executions, (unsigned long long)parts.asleep,
                     (unsigned long long)parts.transitions, (unsigned long long)one.cut,
                     (unsigned long long)parts.cut);
    }
}

static void parts(void **state)
{
    static const char *const sources[] = {"locks(4)", "ainc(3)",  "readers(4)", "lastzero(4)",
                                          "sb",       conditions, creation,     NULL};
    static const char *const models[] = {"sc", "tso", "pso", NULL};
    static const char *const kinds[] = {"optimal", "source", "dpor", "sharing", "exhaustive", NULL};

    (void)state;
    for (int s = 0; sources[s]; s++)
        for (int m = 0; models[m]; m++)
            for (int k = 0; kinds[k]; k++)
                if (k < 3 || (s == 4 && m < 2) || (s == 1 && m == 0 && k == 3)) {
                    struct how how = {sources[s], kinds[k], models[m], .seed = (s + m) % 2 * 5u};

                    same_in_parts(&how, 3);
                }
}

static void parts_within_bounds(void **state)
{
    static const char *const sources[] = {"locks(3)", "sb", "ainc(2)", creation, NULL};

    (void)state;
    for (int s = 0; sources[s]; s++)
        for (uint32_t i = 2; i <= 7; i++) {
            struct how how = {sources[s], i % 2 ? "dpor" : "source", s == 1 ? "tso" : "sc",
                              .bound = i / 2, .grows = i / 2 == 3};

            same_in_parts(&how, 4);
        }
}

/* ---- what is refused */

static const char *refusal(const struct bytes *file, size_t size,
                           const struct checkpoint_identity *wanted)
{
    static struct work_error error;
    struct bytes_reader in;

    return checkpoint_unseal(file->data.at, size, wanted, &in, &error) ? NULL : error.text;
}

static void strangers(void **state)
{
    struct checkpoint_identity other = identity;
    struct bytes inner, file;
    struct arena arena;
    size_t size;

    (void)state;
    assert_int_equal(arena_open(&arena, RESERVE), 0);
    bytes_open(&inner, &arena);
    bytes_open(&file, &arena);
    bytes_add(&inner, "what it holds", 13);
    checkpoint_seal(&identity, &inner, &file);
    size = file.data.count;
    assert_null(refusal(&file, size, &identity));
    other.program++;
    assert_string_equal(refusal(&file, size, &other),
                        "is of another program, another build of it, or other arguments of it");
    other = identity;
    other.options++;
    assert_string_equal(refusal(&file, size, &other), "is of a search with other options");
    other = identity;
    other.raddle++;
    assert_string_equal(refusal(&file, size, &other), "was written by another version of raddle");
    for (size_t i = 0; i < size; i++)
        assert_non_null(refusal(&file, i, &identity));
    assert_string_equal(refusal(&file, size - 1, &identity), "is truncated");
    for (size_t i = 0; i < size * 8; i++) {
        file.data.at[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_non_null(refusal(&file, size, &identity));
        file.data.at[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test(parts_within_bounds),
        cmocka_unit_test(strangers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
