#include "loops.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* In a text, $ is the number of the program, T that of the thread, X and Y two of its atomic variables, K a number from 1 to 3, V one of the plain
 * variables, L and R the order of a load, S that of a store, B that of a read-modify-write, F that of a compare-exchange that fails. Each is the same
 * wherever it stands in one text, and followed by no letter or digit. */

#define COUNT(rows) (unsigned)(sizeof(rows) / sizeof *(rows))
#define RETRIES     23 /* of the loops, the first: they come to an end by themselves */

/* Loops, and what they are for. */
static const char *const loops[] = {
    /* try again with what was found */
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F));\n"
    "  a = o; }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  do { b = atomic_load_explicit(&Y, R); }\n"
    "  while (!atomic_compare_exchange_weak_explicit(&X, &o, (o + K) & 3, B, F)); }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  while (!atomic_compare_exchange_weak_explicit(&X, &o, (o + K) & 3, B, F)) sched_yield(); }\n",
    "{ int o = atomic_load_explicit(&X, L), s;\n"
    "  for (;;) {\n"
    "    s = atomic_load_explicit(&Y, R);\n"
    "    if (s == o) {\n"
    "      if (atomic_compare_exchange_strong_explicit(&X, &o, (o + 1) & 3, B, F)) break;\n"
    "    } else if (s < o) { a = 3; break; }\n"
    "    else o = atomic_load_explicit(&X, L);\n"
    "  } }\n",
    "{ int o = __atomic_load_n((int *)&X, __ATOMIC_SEQ_CST), n;\n"
    "  do n = (o + K) & 3;\n"
    "  while (!__atomic_compare_exchange_n((int *)&X, &o, n, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));\n"
    "  c = n; }\n",
    "{ int o = *(volatile int *)&X, s;\n"
    "  while ((s = __sync_val_compare_and_swap((int *)&X, o, (o + K) & 3)) != o) o = s;\n"
    "  a = o; }\n",
    "{ int o;\n"
    "  do o = atomic_load_explicit(&X, L);\n"
    "  while (!__sync_bool_compare_and_swap((int *)&X, o, (o + K) & 3)); }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  for (;;) { int want = (o & 1) ? 0 : K;\n"
    "    if (o == 2) { a = 2; break; }\n"
    "    if (atomic_compare_exchange_weak_explicit(&X, &o, want, B, F)) { a = o; break; } } }\n",
    "{ int o = 0;\n"
    "  if (!atomic_compare_exchange_strong_explicit(&X, &o, K, B, F))\n"
    "    while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + 1) & 3, B, F)); }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  while (!atomic_compare_exchange_weak_explicit(&X, &o, (o + K) & 3, B, F)) a = v_$[V] & 3; }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  while (o != K && !atomic_compare_exchange_weak_explicit(&X, &o, K, B, F)) c = 1; }\n",
    /* and do not only that */
    "{ int o = atomic_load_explicit(&X, L), tries = 0;\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F)) tries++;\n"
    "  a = tries; }\n",
    "{ int o = atomic_load_explicit(&X, L), tries = o;\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + 1) & 3, B, F)) tries = (tries + 1) & 3;\n"
    "  a = tries; }\n",
    "{ int o = atomic_load_explicit(&X, L), first = o;\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F));\n"
    "  a = first; }\n",
    "{ int o = atomic_load_explicit(&X, L), last = 3;\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F)) last = o;\n"
    "  a = last; }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F)) own_$ = (own_$ + 1) & 3; }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F)) bump_$(&c); }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F))\n"
    "    atomic_store_explicit(&Y, K, S); }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  for (int i = 0; i < 2; i++)\n"
    "    if (atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F)) { a = 1; break; } }\n",
    "{ int o = atomic_load_explicit(&X, L), other = atomic_load_explicit(&Y, R);\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + other) & 3, B, F));\n"
    "  b = other; }\n",
    "{ int o = atomic_load_explicit(&X, L), other = 0;\n"
    "  do other = other * 2 + atomic_load_explicit(&Y, R);\n"
    "  while (other < 4 && !atomic_compare_exchange_strong_explicit(&X, &o, (o + 1) & 3, B, F));\n"
    "  b = other & 7; }\n",
    "{ int o = atomic_load_explicit(&X, L) & 1;\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F)) o &= 1, c++;\n"
    "  c &= 3; }\n",
    "{ volatile int pause = 0; int o = atomic_load_explicit(&X, L);\n"
    "  while (!atomic_compare_exchange_strong_explicit(&X, &o, (o + K) & 3, B, F))\n"
    "    for (pause = 0; pause < 2; pause++); }\n",
    /* wait */
    "while (atomic_load_explicit(&X, L) != K);\n",
    "while (atomic_load_explicit(&X, L) == 0) sched_yield();\n",
    "while ((a = atomic_load_explicit(&X, L)) == 0);\n",
    "{ int tries = 0; while (atomic_load_explicit(&X, L) == 0 && tries < 2) tries++; a = tries; }\n",
    "while (atomic_load_explicit(&X, L) == 0 && atomic_load_explicit(&Y, R) == 0) b = v_$[V] & 3;\n",
    "do { a = atomic_load_explicit(&X, L); b = atomic_load_explicit(&Y, R); }\n"
    "while (a != b || a != atomic_load_explicit(&X, L));\n",
    "while (!ready_$(K)) ;\n",
    "{ int got = 0; while (!take_$(&got)) ; a = got; }\n",
    /* locks */
    "{ int e = 0;\n"
    "  while (!atomic_compare_exchange_strong_explicit(&lock_$, &e, 1, B, F)) e = 0;\n"
    "  v_$[0] = (v_$[0] + K) & 3;\n"
    "  atomic_store_explicit(&lock_$, 0, S); }\n",
    "{ while (atomic_exchange_explicit(&lock_$, 1, B)) while (atomic_load_explicit(&lock_$, L));\n"
    "  a = v_$[0];\n"
    "  atomic_store_explicit(&lock_$, 0, S); }\n",
    "{ int me = atomic_fetch_add_explicit(&ticket_$, 1, B);\n"
    "  while (atomic_load_explicit(&turn_$, L) != me);\n"
    "  v_$[1] = (v_$[1] + K) & 3;\n"
    "  atomic_store_explicit(&turn_$, me + 1, S); }\n",
    "{ while (pthread_mutex_trylock(&m_$)) sched_yield();\n"
    "  v_$[1] = (v_$[1] + K) & 3;\n"
    "  pthread_mutex_unlock(&m_$); }\n",
    "{ while (atomic_exchange_explicit(&lock_$, 1, B)) c = (c + 1) & 1;\n"
    "  v_$[0] = K;\n"
    "  atomic_store_explicit(&lock_$, 0, S); }\n",
    /* inside of each other */
    "for (int i = 0; i < 2; i++) {\n"
    "  int o = atomic_load_explicit(&X, L);\n"
    "  while (!atomic_compare_exchange_weak_explicit(&X, &o, (o + K) & 3, B, F)); }\n",
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  do { while ((b = atomic_load_explicit(&Y, R)) == 3); }\n"
    "  while (!atomic_compare_exchange_weak_explicit(&X, &o, (o + 1) & 3, B, F)); }\n",
};

/* What the loops wait for, and what is asserted. */
static const char *const others[] = {
    "atomic_store_explicit(&X, K, S);\n",
    "atomic_store_explicit(&X, 0, S);\n",
    "atomic_fetch_add_explicit(&X, 1, B);\n",
    "a = atomic_load_explicit(&X, L);\n",
    "atomic_fetch_sub_explicit(&X, K, B);\n",
    "atomic_fetch_or_explicit(&X, K, B);\n",
    "atomic_fetch_and_explicit(&X, K, B);\n",
    "X++;\n",
    "X += K;\n",
    "b = ++X & 3;\n",
    "c = atomic_fetch_add_explicit(&X, K, B) & 3;\n",
    ("v_$[V] = K;\n"
     "atomic_fetch_add_explicit(&X, 1, B);\n"),
    ("if (atomic_fetch_sub_explicit(&X, 1, B) == K) c = v_$[V] & 3;\n"),
    ("atomic_fetch_xor_explicit(&X, K, B);\n"
     "c = v_$[V] & 3;\n"),
    ("v_$[V] = K;\n"
     "atomic_store_explicit(&X, K, S);\n"),
    "if (atomic_load_explicit(&X, L) == K) b = v_$[V] & 3;\n",
    "raddle_assert(atomic_load_explicit(&X, L) != K);\n",
    "v_$[V] = K;\n",
    "c = v_$[V] & 3;\n",
    "raddle_assert(a != K);\n",
    "raddle_assert(atomic_load_explicit(&X, L) != 0 || a != 0);\n",
    "raddle_assert(b != K && c != K);\n",
    "pthread_mutex_lock(&m_$);\nv_$[1] = K;\npthread_mutex_unlock(&m_$);\n",
    "{ int *p = atomic_load_explicit(&block_$, L); if (p) c = *p & 3; }\n",
    "{ int *p = (int *)malloc(sizeof *p); *p = K;\n"
    "  free(atomic_exchange_explicit(&block_$, p, B)); }\n",
};

static const char variables[] =
    "static atomic_int x_$[3], lock_$, ticket_$, turn_$;\n"
    "static atomic_pointer block_$;\n"
    "static int v_$[2], r_$[4];\n"
    "static __thread int own_$;\n"
    "static pthread_mutex_t m_$ = PTHREAD_MUTEX_INITIALIZER;\n"
    "static __attribute__((noinline)) void bump_$(int *n) { *n = (*n + 1) & 3; }\n"
    "static __attribute__((noinline)) int ready_$(int k)\n"
    "{ return atomic_load_explicit(&X, L) == k || atomic_load_explicit(&Y, R) == k; }\n"
    "static __attribute__((noinline)) int take_$(int *got)\n"
    "{ int o = atomic_load_explicit(&X, L);\n"
    "  while (o) {\n"
    "    if (atomic_compare_exchange_weak_explicit(&X, &o, 0, B, F)) { *got = o; return 1; } }\n"
    "  return 0; }\n";

/* ---- chance and text */

struct maker {
    uint64_t random;
    FILE *out;
    unsigned number, thread;
    bool weak; /* orders that do not order everything */
};

static uint64_t scatter(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

static unsigned below(struct maker *maker, unsigned n)
{
    maker->random += 0x9e3779b97f4a7c15ULL;
    return (unsigned)((scatter(maker->random) >> 32) % n);
}

static const char *order(struct maker *maker, const char *half)
{
    if (maker->weak && below(maker, 2))
        return "memory_order_relaxed";
    return below(maker, 3) ? "memory_order_seq_cst" : half;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void text(struct maker *maker, const char *template)
{
    char number[16], thread[16], x[24], y[24], k[4], v[4];
    const struct {
        char sign;
        const char *text;
    } words[] = {{'T', thread},
                 {'X', x},
                 {'Y', y},
                 {'K', k},
                 {'V', v},
                 {'L', order(maker, "memory_order_acquire")},
                 {'R', order(maker, "memory_order_acquire")},
                 {'S', order(maker, "memory_order_release")},
                 {'B', order(maker, "memory_order_acq_rel")},
                 {'F', order(maker, "memory_order_acquire")}};
    unsigned first = below(maker, 5) / 3; /* mostly the same one: they are to meet */

    snprintf(number, sizeof number, "%u", maker->number);
    snprintf(thread, sizeof thread, "%u", maker->thread);
    snprintf(x, sizeof x, "x_%u[%u]", maker->number, first);
    snprintf(y, sizeof y, "x_%u[%u]", maker->number, (first + 1 + below(maker, 2)) % 3);
    snprintf(k, sizeof k, "%u", 1 + below(maker, 3));
    snprintf(v, sizeof v, "%u", below(maker, 2));
    for (const char *c = template; *c; c++) {
        size_t i = 0;

        if (*c == '$') {
            fputs(number, maker->out);
            continue;
        }
        while (i < sizeof words / sizeof *words && words[i].sign != *c)
            i++;
        if (i < sizeof words / sizeof *words && !is_word(c[1]) &&
            (c == template || !is_word(c[-1])))
            fputs(words[i].text, maker->out);
        else
            fputc(*c, maker->out);
    }
}

/* ---- programs */

void loops_begin(bool cxx, FILE *out)
{
    fputs(cxx ? "#include <atomic>\nusing namespace std;\ntypedef atomic<int *> atomic_pointer;\n"
              : "#include <stdatomic.h>\ntypedef int *_Atomic atomic_pointer;\n",
          out);
    fprintf(out, "#include <stdlib.h>\n#include \"prelude.h\"\n");
}

static void thread_make(struct maker *maker, unsigned statements)
{
    fprintf(maker->out, "static void *thread_%u_%u(void *arg)\n{\nint a = 0, b = 0, c = 0;\n",
            maker->number, maker->thread);
    for (unsigned i = 0; i < statements; i++)
        if (below(maker, 5) < 3)
            text(maker, loops[below(maker, below(maker, 2) ? RETRIES : COUNT(loops))]);
        else
            text(maker, others[below(maker, COUNT(others))]);
    fprintf(maker->out, "r_%u[%u] = a | b << 8 | c << 16;\nreturn NULL;\n}\n", maker->number,
            maker->thread);
}

void loops_program(uint64_t seed, unsigned number, FILE *out)
{
    struct maker maker = {.random = seed, .out = out, .number = number};
    unsigned threads = 2 + (below(&maker, 3) == 0), n = number;

    maker.weak = below(&maker, 5) < 2;
    fprintf(out, "\n/* seed %" PRIu64 " */\n", seed);
    text(&maker, variables);
    for (maker.thread = 0; maker.thread < threads; maker.thread++)
        thread_make(&maker, threads == 3 ? 1 + below(&maker, 2) : 2 + below(&maker, 2));
    fprintf(out, "static void main_%u(void)\n{\npthread_t threads[3];\n", n);
    fprintf(out, "uint64_t hash = STATE_HASH_START;\n");
    for (unsigned t = 0; t < threads; t++)
        fprintf(out, "pthread_create(&threads[%u], NULL, thread_%u_%u, NULL);\n", t, n, t);
    for (unsigned t = 0; t < threads; t++)
        fprintf(out, "pthread_join(threads[%u], NULL);\nhash = state_mix(hash, r_%u[%u]);\n", t, n,
                t);
    fprintf(out,
            "for (int i = 0; i < 3; i++) hash = state_mix(hash, x_%u[i]);\n"
            "hash = state_mix(hash, v_%u[0]);\nhash = state_mix(hash, v_%u[1]);\n"
            "hash = state_mix(hash, block_%u ? *block_%u : 9);\nstate_write(hash);\n}\n",
            n, n, n, n, n);
}

void loops_end(unsigned count, FILE *out)
{
    fprintf(out,
            "\nint main(int argc, char **argv)\n{\n    static void (*const mains[])(void) = {");
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "main_%u, ", i);
    fprintf(out, "};\n\n    mains[argc > 1 ? atoi(argv[1]) : 0]();\n    return 0;\n}\n");
}
