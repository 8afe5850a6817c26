#include "known.h"

#include <stdio.h>
#include <string.h>

#include "oracle.h"
#include "script/text.h"

/* A program, and how many traces it has. Each was counted by hand or in a paper. */
struct known {
    const char *name;
    uint32_t traces[ORACLE_MODEL_COUNT]; /* 0: not looked at */
    const char *text;
};

static const struct known knowns[] = {
    {"store buffering",
     {3, 4, 4},
     "cell x\ncell y\n"
     "thread A\n store x, 1\n r = load y\n"
     "thread B\n store y, 1\n r = load x\n"},
    {"store buffering, fences",
     {3, 3, 3},
     "cell x\ncell y\n"
     "thread A\n store x, 1\n fence.sc\n r = load y\n"
     "thread B\n store y, 1\n fence.sc\n r = load x\n"},
    {"message passing",
     {3, 3, 4},
     "cell x\ncell y\n"
     "thread A\n store x, 1\n store y, 1\n"
     "thread B\n r = load y\n q = load x\n"},
    {"message passing, release",
     {3, 3, 3},
     "cell x\ncell y\n"
     "thread A\n store x, 1\n store.rel y, 1\n"
     "thread B\n r = load y\n q = load x\n"},
    {"message passing, release fence",
     {3, 3, 3},
     "cell x\ncell y\n"
     "thread A\n store x, 1\n fence.rel\n store y, 1\n"
     "thread B\n r = load y\n q = load x\n"},
    {"message passing, dependent",
     {2, 2, 3},
     "cell x\ncell y\n"
     "thread A\n store x, 1\n store y, 1\n"
     "thread B\n r = load y\n if r == 0 goto end\n q = load x\nend:\n"},
    {"locks",
     {6, 6, 6},
     "mutex m\n"
     "thread A\n lock m\n unlock m\nthread B\n lock m\n unlock m\nthread C\n lock m\n unlock m\n"},
    {"readers",
     {8, 8, 8},
     "cell x\n"
     "thread W\n store x, 1\n"
     "thread A\n r = load x\nthread B\n r = load x\nthread C\n r = load x\n"},
    /* The writer comes after some of the readers, who do not notice each other. */
    {"readers of a lock",
     {8, 8, 8},
     "rwlock w\n"
     "thread W\n wrlock w\n rwunlock w\n"
     "thread A\n rdlock w\n rwunlock w\nthread B\n rdlock w\n rwunlock w\n"
     "thread C\n rdlock w\n rwunlock w\n"},
    /* Two readers who wait for each other while they read: the writer comes before both or after both. */
    {"readers of a lock who meet",
     {2, 2, 2},
     "rwlock w\nsem a\nsem b\n"
     "thread W\n wrlock w\n rwunlock w\n"
     "thread A\n rdlock w\n sempost a\n semwait b\n rwunlock w\n"
     "thread B\n rdlock w\n sempost b\n semwait a\n rwunlock w\n"},
    {"increments",
     {6, 6, 6},
     "cell x\n"
     "thread A\n r = add x, 1\nthread B\n r = add x, 1\nthread C\n r = add x, 1\n"},
    {"increments that nobody looks at",
     {1, 1, 1},
     "cell x\n"
     "thread A\n add x, 1\nthread B\n sub x, 1\nthread C\n add x, 2\n"},
    /* Whoever looks comes after some of them. */
    {"increments with a reader",
     {8, 8, 8},
     "cell x\n"
     "thread A\n add x, 1\nthread B\n add x, 1\nthread C\n add x, 1\n"
     "thread R\n r = load x\n"},
    {"increments of two kinds",
     {4, 4, 4},
     "cell x\n"
     "thread A\n or x, 1\nthread B\n or x, 1\nthread C\n xor x, 1\n"},
    /* The sum of the small one does not carry, that of the large one does. */
    {"increments of two sizes",
     {2, 2, 2},
     "cell x\n"
     "thread A\n add x, 255\nthread B\n add1 x, 1\n"},
    /* Each comes before the store, between the two, or after the load. */
    {"increments of a store that is read",
     {9, 9, 9},
     "cell x\n"
     "thread A\n store x, 1\n r = load x\n"
     "thread B\n add x, 1\nthread C\n add x, 1\n"},
    {"a barrier",
     {1, 1, 1},
     "barrier b = 3\n"
     "thread A\n barrier b\nthread B\n barrier b\nthread C\n barrier b\n"},
    {"a barrier, and who was last",
     {6, 6, 6},
     "barrier b = 3\n"
     "thread A\n r = barrier b\nthread B\n r = barrier b\nthread C\n r = barrier b\n"},
    /* The one who asks comes after some of the others. */
    {"a barrier, and whether this one was last",
     {4, 4, 4},
     "barrier b = 3\n"
     "thread A\n r = barrier b\nthread B\n barrier b\nthread C\n barrier b\n"},
    {"a barrier in two rounds",
     {1, 1, 1},
     "barrier b = 2\n"
     "thread A\n barrier b\n barrier b\nthread B\n barrier b\n barrier b\n"},
    /* Two of three meet, the third waits for ever: as before, who comes first goes with who comes second, and tells apart who was last. */
    {"a crowded barrier",
     {6, 6, 6},
     "barrier b = 2\n"
     "thread A\n barrier b\nthread B\n barrier b\nthread C\n barrier b\n"},
    /* The load reads the own store, before or after its flush, and so it is 2 orders of the flushes; or the foreign one: "own flush,
     * foreign flush, own load". */
    {"forwarding",
     {3, 3, 3},
     "cell x\n"
     "thread A\n store x, 1\n r = load x\n"
     "thread B\n store x, 2\n"},
    /* However often it reads its own store, the foreign one comes first, last, or after some of the loads. */
    {"forwarding thrice",
     {5, 5, 5},
     "cell x\n"
     "thread A\n store x, 1\n r = load x\n r = load x\n r = load x\n"
     "thread B\n store x, 2\n"},
    {"own reads that nobody minds",
     {1, 1, 1},
     "cell x\ncell y\n"
     "thread A\n store x, 1\n r = load x\n r = load x\n r = load x\n"
     "thread B\n store y, 1\n r = load y\n r = load y\n r = load y\n"},
    {"lost signal",
     {2, 2, 2},
     "mutex m\ncond c\n"
     "thread A\n lock m\n wait c, m\n unlock m\n"
     "thread B\n signal c\n"},
    {"the latest read hides an earlier one",
     {2, 2, 2},
     "cell x\n"
     "thread A\n r = load x\n"
     "thread B\n r = load x\n create C\n"
     "thread C\n store x, 1\n"},
};

static bool known_check(const struct known *known, enum oracle_model model)
{
    struct program program;
    struct read_error error;
    struct oracle_result result;

    if (!text_read(known->text, strlen(known->text), NULL, &program, &error)) {
        printf("%s: line %u: %s\n", known->name, error.line, error.message);
        return false;
    }
    struct oracle_config config = {&program, model, ORACLE_UNBOUNDED, ORACLE_UNBOUNDED, 0, NULL, 0};
    oracle_explore(&config, 100000, NULL, NULL, &result);
    bool fine = !result.too_big && result.traces.count == known->traces[model];
    if (!fine)
        printf("%s (%s): the oracle counts %u traces instead of %u%s%s\n", known->name,
               oracle_model_names[model], result.traces.count, known->traces[model],
               result.too_big ? ": " : "", result.too_big ? result.too_big : "");
    oracle_result_free(&result);
    program_free(&program);
    return fine;
}

unsigned known_check_all(void)
{
    unsigned failed = 0;

    for (size_t i = 0; i < sizeof knowns / sizeof *knowns; i++)
        for (int model = 0; model < ORACLE_MODEL_COUNT; model++)
            if (knowns[i].traces[model] != 0)
                failed += !known_check(&knowns[i], model);
    return failed;
}
