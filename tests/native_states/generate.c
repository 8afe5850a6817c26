#include "generate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "generate_maker.h"

const char *const style_names[STYLE_COUNT] = {"locks",   "atomics", "waits",
                                              "threads", "mixed",   "endless"};

/* ---- chance and text */

static uint64_t scatter(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

unsigned random_below(struct maker *maker, unsigned n)
{
    maker->random += 0x9e3779b97f4a7c15ULL;
    return (unsigned)((scatter(maker->random) >> 32) % n);
}

bool mistake(struct maker *maker, unsigned one_of)
{
    bool made = one_in(maker, one_of) && maker->mistakes > 0;

    maker->mistakes -= made;
    return made;
}

void line(struct maker *maker, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(maker->out, "%*s", (int)(4 * maker->depth), "");
    for (const char *c = text; *c; c++)
        if (*c == '$')
            fprintf(maker->out, "%u", maker->number);
        else
            fputc(*c, maker->out);
    fputc('\n', maker->out);
}

void block_begin(struct maker *maker)
{
    line(maker, "{");
    maker->depth++;
}

void block_end(struct maker *maker)
{
    maker->depth--;
    line(maker, "}");
}

static void function_begin(struct maker *maker, const char *head)
{
    line(maker, "%s", head);
    block_begin(maker);
}

/* ---- what every program has */

static void variables(struct maker *maker)
{
    static const char *const rows[] = {
        "static int v_$[4], flag_$, owned_$, shared_$, ready_$, counted_$, inited_$, first_$;",
        "static int *local_$, kept_$[8];",
        "static atomic_int x_$[3], sent_$, ticket_$, told_$;",
        "static int *_Atomic block_$;",
        "static __thread int own_$;",
        "static char text_$[8];",
        "static pthread_key_t key_$;",
        "static pthread_mutex_t m_$[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};",
        "static pthread_cond_t cond_$ = PTHREAD_COND_INITIALIZER;",
        "static pthread_rwlock_t rw_$ = PTHREAD_RWLOCK_INITIALIZER;",
        "static pthread_once_t once_$ = PTHREAD_ONCE_INIT;",
        "static sem_t sem_$, gone_$;",
        "static pthread_barrier_t barrier_$;",
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        line(maker, "%s", rows[i]);
}

/* A call with values that are needed behind it, in each of its frames. */
static void recursion(struct maker *maker)
{
    unsigned x = random_below(maker, ATOMICS);

    function_begin(maker, "static __attribute__((noinline)) int recurse_$(int depth, int value)");
    line(maker, "int before = atomic_load_explicit(&x_$[%u], memory_order_acquire);", x);
    line(maker, "int below = depth ? recurse_$(depth - 1, value + 1) : value;");
    line(maker, "pthread_mutex_lock(&m_$[0]);");
    if (one_in(maker, 2))
        line(maker, "v_$[0] = (v_$[0] + 1) & 3;");
    line(maker, "pthread_mutex_unlock(&m_$[0]);");
    line(maker, one_in(maker, 2) ? "return (before + below) & 3;" : "return below & 3;");
    block_end(maker);
}

static void wide_values(struct maker *maker)
{
    static const char *const results[] = {"(int)(real - 0.5)", "(int)(large / 3)",
                                          "(int)(twice >> 70)", "parts.at[value & 1]",
                                          "room[value & 3]"};

    function_begin(maker, "static __attribute__((noinline)) int wide_$(int value)");
    line(maker, "double real = value + 0.5;");
    line(maker, "long double large = 3 * value;");
    line(maker, "__int128 twice = (__int128)value << 70;");
    line(maker, "struct { char first; int at[3]; } parts = {1, {value, value + 1, 0}};");
    line(maker, "int room[(value & 3) + 1];");
    line(maker, "room[value & 3] = value;");
    line(maker, "pthread_mutex_lock(&m_$[1]);");
    line(maker, "v_$[1] = (v_$[1] + 1) & 3;");
    line(maker, "pthread_mutex_unlock(&m_$[1]);");
    line(maker, "return %s & 3;", results[random_below(maker, 5)]);
    block_end(maker);
}

static void block_passing(struct maker *maker)
{
    function_begin(maker,
                   "static __attribute__((noinline)) void pass_$(int value, int weak, int *got)");
    line(maker, "int *mine = malloc(sizeof *mine), *other;");
    line(maker, "*mine = value;");
    if (one_in(maker, 3))
        line(maker, "mine = realloc(mine, 40);");
    line(maker, "other = weak ? atomic_exchange_explicit(&block_$, mine, memory_order_relaxed)");
    line(maker, "             : atomic_exchange_explicit(&block_$, mine, memory_order_acq_rel);");
    line(maker, "if (!other)");
    line(maker, "    return;");
    if (one_in(maker, 2))
        line(maker, "*got = *other;");
    line(maker, "free(other);");
    block_end(maker);
}

/* A thread of a thread, on a local of its creator's. */
static void lending(struct maker *maker)
{
    function_begin(maker, "static void *borrower_$(void *arg)");
    line(maker, "int a = 0, b = 0, c = 0;");
    maker->thread = THREADS_MAX;
    statement_make(maker, STYLE_LOCKS);
    line(maker, "*(int *)arg = (*(int *)arg + a) & 3;");
    line(maker, "return NULL;");
    block_end(maker);
    function_begin(maker, "static __attribute__((noinline)) int lend_$(int value, int early)");
    line(maker, "pthread_t child;");
    line(maker, "int lent = value, a = 0, b = 0, c = 0;");
    line(maker, "pthread_create(&child, NULL, borrower_$, &lent);");
    maker->thread = THREADS_MAX;
    statement_make(maker, STYLE_LOCKS);
    line(maker, "if (early)");
    line(maker, "    value = lent;");
    line(maker, "pthread_join(child, NULL);");
    line(maker, "return lent;");
    block_end(maker);
}

static void initialiser(struct maker *maker)
{
    function_begin(maker, "static void init_$(void)");
    line(maker, "inited_$ = 1;");
    if (one_in(maker, 3))
        line(maker, "atomic_fetch_add_explicit(&x_$[0], 1, memory_order_relaxed);");
    block_end(maker);
}

/* ---- programs that end */

struct shape {
    enum style style;
    unsigned threads, statements;
    bool barrier;  /* the first two threads meet */
    bool signals;  /* main signals */
    bool detached; /* the last thread */
    bool keeps;    /* what threads have read is part of the final state */
    bool twins;
    unsigned like[THREADS_MAX];    /* twins: whose function a thread has */
    unsigned same_as[THREADS_MAX]; /* twins: whose statements that function has */
    uint64_t random[THREADS_MAX];  /* what these were drawn from */
    int mistakes[THREADS_MAX];
};

/* Whose code a thread has; one that has another's begins where that one did. */
static void twin_choose(struct maker *maker, struct shape *shape, unsigned thread)
{
    unsigned other = thread ? random_below(maker, thread) : 0;

    shape->like[thread] = shape->same_as[thread] = thread;
    if (shape->twins && thread && !one_in(maker, 4)) {
        shape->same_as[thread] = shape->same_as[other];
        if (!one_in(maker, 4))
            shape->like[thread] = shape->like[other];
    }
    shape->random[thread] = maker->random;
    shape->mistakes[thread] = maker->mistakes;
    if (shape->same_as[thread] != thread) {
        maker->random = shape->random[shape->same_as[thread]];
        maker->mistakes = shape->mistakes[shape->same_as[thread]];
    }
}

static void thread_body(struct maker *maker, struct shape *shape, unsigned number)
{
    unsigned thread, mine, meets;

    twin_choose(maker, shape, number);
    if (shape->like[number] != number)
        return;
    thread = shape->same_as[number];
    mine = (shape->statements + thread) / shape->threads;
    meets = shape->barrier && thread < 2 ? random_below(maker, mine + 1) : UINT32_MAX;
    if (shape->twins)
        fprintf(maker->out, "#line %u\n", 1000000 + 10000 * maker->number + 1000 * thread);
    line(maker, "static void *thread_$_%u(void *arg)", number);
    block_begin(maker);
    line(maker, "int a = 0, b = 0, c = 0;");
    maker->thread = thread;
    for (unsigned i = 0; i <= mine; i++) {
        if (i == meets)
            line(maker, "pthread_barrier_wait(&barrier_$);");
        if (i < mine)
            statement_make(maker, shape->style);
    }
    if (shape->twins)
        ; /* it would say whose it is */
    else if (shape->keeps)
        line(maker, "kept_$[%u] = a + 4 * b + 16 * c;", thread);
    else if (one_in(maker, 2))
        line(maker, "kept_$[%u] = a;", thread);
    if (shape->detached && thread == shape->threads - 1)
        line(maker, "sem_post(&gone_$);");
    line(maker, "return NULL;");
    block_end(maker);
}

static void final_state(struct maker *maker)
{
    line(maker, "uint64_t hash = STATE_HASH_START;");
    line(maker, "for (int i = 0; i < 4; i++)");
    line(maker, "    hash = state_mix(hash, (uint64_t)v_$[i]);");
    line(maker, "for (int i = 0; i < 3; i++)");
    line(maker, "    hash = state_mix(hash, (uint64_t)x_$[i]);");
    line(maker, "for (int i = 0; i < 8; i++)");
    line(maker, "    hash = state_mix(hash, (uint64_t)kept_$[i]);");
    line(maker, "for (int i = 0; i < 8; i++)");
    line(maker, "    hash = state_mix(hash, (uint64_t)text_$[i]);");
    line(maker, "hash = state_mix(hash, (uint64_t)(owned_$ + 4 * shared_$ + 16 * counted_$));");
    line(maker, "hash = state_mix(hash, (uint64_t)(first_$ + 4 * local_$[0] + 16 * local_$[1]));");
    if (one_in(maker, 2)) /* of some interleavings only */
        line(maker, "raddle_assert(hash %% %u != %u);", 7 + random_below(maker, 6),
             random_below(maker, 7));
    line(maker, "state_write(hash);");
}

static void main_body(struct maker *maker, const struct shape *shape)
{
    unsigned joined = shape->threads - shape->detached, turn = random_below(maker, joined);

    function_begin(maker, "static void main_$(void)");
    line(maker, "pthread_t threads[4];");
    line(maker, "int locals[2] = {0, 0};");
    line(maker, "local_$ = locals;");
    line(maker, "sem_init(&sem_$, 0, 1);");
    line(maker, "sem_init(&gone_$, 0, 0);");
    line(maker, "pthread_key_create(&key_$, NULL);");
    line(maker, "pthread_barrier_init(&barrier_$, NULL, 2);");
    for (unsigned t = 0; t < shape->threads; t++)
        line(maker, "pthread_create(&threads[%u], NULL, thread_$_%u, NULL);", t,
             shape->twins ? shape->like[t] : t);
    if (shape->detached)
        line(maker, "pthread_detach(threads[%u]);", joined);
    if (shape->signals) {
        line(maker, "pthread_mutex_lock(&m_$[1]);");
        line(maker, "ready_$ = 1;");
        line(maker, "pthread_cond_broadcast(&cond_$);");
        line(maker, "pthread_mutex_unlock(&m_$[1]);");
    }
    for (unsigned t = 0; t < joined; t++)
        line(maker, "pthread_join(threads[%u], NULL);", (t + turn) % joined);
    if (shape->detached)
        line(maker, "sem_wait(&gone_$);");
    line(maker, "free(block_$);");
    final_state(maker);
    block_end(maker);
}

static void ending_program(struct maker *maker, enum style style, unsigned size, bool twins)
{
    struct shape shape = {.style = style, .twins = twins};

    shape.threads =
        2 + (random_below(maker, 3) + random_below(maker, 2)) / 2 + (one_in(maker, 4) ? 1 : 0);
    shape.statements = size / 2 + random_below(maker, size);
    shape.barrier = style >= STYLE_WAITS && one_in(maker, 4);
    shape.signals = style == STYLE_WAITS || one_in(maker, 2);
    shape.detached = style >= STYLE_THREADS && one_in(maker, 3);
    shape.keeps = one_in(maker, 3);
    if (twins) {
        shape.threads = 2 + random_below(maker, 3);
        shape.detached = false;
    }
    recursion(maker);
    wide_values(maker);
    block_passing(maker);
    lending(maker);
    initialiser(maker);
    for (unsigned t = 0; t < shape.threads; t++)
        thread_body(maker, &shape, t);
    if (twins)
        fprintf(maker->out, "#line %u\n", 1000000 + 10000 * maker->number + 9000);
    main_body(maker, &shape);
}

/* ---- programs that do not */

/* v[0] goes from 0 to 2 and round, whatever the others do: what waits for a value of it comes about. */
static void endless_counter(struct maker *maker, bool alone)
{
    function_begin(maker, "static void *thread_$_0(void *arg)");
    line(maker, "for (;;)");
    block_begin(maker);
    line(maker, "pthread_mutex_lock(&m_$[0]);");
    line(maker, "v_$[0] = (v_$[0] + 1) %% 3;");
    line(maker, "pthread_mutex_unlock(&m_$[0]);");
    if (alone && one_in(maker, 2))
        line(maker, "atomic_store_explicit(&x_$[0], %u, memory_order_release);",
             random_below(maker, 2));
    block_end(maker);
    block_end(maker);
}

static void planted_make(struct maker *maker, enum planted planted, unsigned thread)
{
    if (planted == PLANTED_ASSERTION && thread == 1)
        line(maker, "raddle_assert(a != 2);");
    if (planted == PLANTED_RACE) {
        line(maker, "if (a == %u)", 1 + random_below(maker, 2));
        line(maker, "    owned_$ = %u;", thread);
    }
}

/* `alone`: there is no other one, so it may do more. */
static void endless_looker(struct maker *maker, enum planted planted, unsigned thread, bool alone)
{
    line(maker, "static void *thread_$_%u(void *arg)", thread);
    block_begin(maker);
    line(maker, "for (;;)");
    block_begin(maker);
    line(maker, "int a, b = 0, c = 0;");
    line(maker, "pthread_mutex_lock(&m_$[0]);");
    line(maker, "a = v_$[0];");
    line(maker, "pthread_mutex_unlock(&m_$[0]);");
    planted_make(maker, planted, thread);
    if (alone && one_in(maker, 2))
        line(maker, "atomic_store_explicit(&x_$[1], a, memory_order_release);");
    if (alone && one_in(maker, 2)) {
        line(maker, "pthread_mutex_lock(&m_$[1]);");
        line(maker, "v_$[1] = %s;", one_in(maker, 2) ? "a" : "(v_$[1] + 1) & 1");
        line(maker, "pthread_mutex_unlock(&m_$[1]);");
    }
    if (alone && one_in(maker, 3))
        line(maker, "if (a && atomic_load_explicit(&x_$[0], memory_order_acquire)) sched_yield();");
    block_end(maker);
    block_end(maker);
}

static void endless_program(struct maker *maker, enum planted planted)
{
    unsigned threads = planted == PLANTED_RACE || one_in(maker, 3) ? 3 : 2;

    endless_counter(maker, threads == 2);
    for (unsigned t = 1; t < threads; t++)
        endless_looker(maker, planted, t, threads == 2);
    function_begin(maker, "static void main_$(void)");
    line(maker, "pthread_t threads[3];");
    for (unsigned t = 0; t < threads; t++)
        line(maker, "pthread_create(&threads[%u], NULL, thread_$_%u, NULL);", t, t);
    line(maker, "pthread_join(threads[0], NULL);");
    block_end(maker);
}

/* ---- all of it */

enum style generate_style(uint64_t seed)
{
    uint64_t drawn = scatter(seed ^ 0x57a7e5) % 22;

    return drawn < 20 ? (enum style)(drawn / 4) : STYLE_ENDLESS;
}

enum planted generate_planted(uint64_t seed)
{
    return (enum planted)(scatter(seed ^ 0xb09) % 3);
}

void generate_begin(FILE *out)
{
    fprintf(out,
            "#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            "#include \"prelude.h\"\n");
}

void generate_program(uint64_t seed, unsigned number, unsigned size, bool twins, FILE *out)
{
    enum style style = generate_style(seed);
    struct maker maker = {.random = seed, .out = out, .number = number};

    maker.mistakes = (int)random_below(&maker, 4) - 1;
    maker.weak = one_in(&maker, 2);
    fprintf(out, "\n/* seed %" PRIu64 ", %s */\n", seed, style_names[style]);
    variables(&maker);
    if (style == STYLE_ENDLESS)
        endless_program(&maker, generate_planted(seed));
    else
        ending_program(&maker, style, size, twins);
}

void generate_end(unsigned count, FILE *out)
{
    fprintf(out,
            "\nint main(int argc, char **argv)\n{\n    static void (*const mains[])(void) = {");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "main_%u, ", i);
    fprintf(out, "};\n\n    mains[argc > 1 ? atoi(argv[1]) : 0]();\n    return 0;\n}\n");
}
