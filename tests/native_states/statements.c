#include "generate_maker.h"

/* The registers of a thread are a, b and c. Variable v[i] is guarded by mutex m[i % 2], unless something goes wrong. */

static char reg(struct maker *maker)
{
    return (char)('a' + random_below(maker, REGISTERS));
}

/* ---- plain accesses */

static void plain_store(struct maker *maker, unsigned v)
{
    line(maker, "v_$[%u] = %u;", v, 1 + random_below(maker, 2));
}

static void plain_load(struct maker *maker, unsigned v)
{
    line(maker, "%c = v_$[%u];", reg(maker), v);
}

static void plain_add(struct maker *maker, unsigned v)
{
    line(maker, "v_$[%u] = (v_$[%u] + 1) & 3;", v, v);
}

static void plain_copy(struct maker *maker, unsigned v)
{
    line(maker, "v_$[%u] = %c & 3;", v, reg(maker));
}

static void plain_test(struct maker *maker, unsigned v)
{
    line(maker, "if (v_$[%u] == %u)", v, random_below(maker, 2));
    line(maker, "    v_$[%u] = %u;", (v + 2) % VARIABLES, 1 + random_below(maker, 2));
}

static void plain_index(struct maker *maker, unsigned v)
{
    line(maker, "v_$[%u + 2 * (%c & 1)] = 2;", v % 2, reg(maker));
}

static void plain_forget(struct maker *maker, unsigned v)
{
    line(maker, "if (v_$[%u] > 5)", v);
    line(maker, "    sched_yield();");
}

void plain_make(struct maker *maker, unsigned guard)
{
    static void (*const kinds[])(struct maker *, unsigned) = {
        plain_store, plain_load, plain_load,  plain_add,
        plain_copy,  plain_test, plain_index, plain_forget,
    };

    kinds[random_below(maker, sizeof kinds / sizeof *kinds)](maker,
                                                             guard + 2 * random_below(maker, 2));
}

/* ---- locks */

static void under_lock(struct maker *maker)
{
    unsigned guard = random_below(maker, MUTEXES), mutex = guard;
    bool forgotten = mistake(maker, 4);

    if (!forgotten && mistake(maker, 5))
        mutex = !mutex;
    if (!forgotten)
        line(maker, "pthread_mutex_lock(&m_$[%u]);", mutex);
    plain_make(maker, guard);
    if (one_in(maker, 3))
        plain_make(maker, guard);
    if (!forgotten)
        line(maker, "pthread_mutex_unlock(&m_$[%u]);", mutex);
}

static void under_both(struct maker *maker)
{
    unsigned first = mistake(maker, 3);

    line(maker, "pthread_mutex_lock(&m_$[%u]);", first);
    line(maker, "pthread_mutex_lock(&m_$[%u]);", !first);
    plain_make(maker, first);
    plain_make(maker, !first);
    line(maker, "pthread_mutex_unlock(&m_$[%u]);", first);
    line(maker, "pthread_mutex_unlock(&m_$[%u]);", !first);
}

static void under_trylock(struct maker *maker)
{
    unsigned guard = random_below(maker, MUTEXES);

    line(maker, "if (pthread_mutex_trylock(&m_$[%u]) == 0)", guard);
    block_begin(maker);
    plain_make(maker, guard);
    line(maker, "pthread_mutex_unlock(&m_$[%u]);", guard);
    block_end(maker);
    if (mistake(maker, 4))
        plain_make(maker, guard);
}

/* A flag under a lock says that a variable of the other guard may be used without one, by whoever sees it. */
static void flag_raise(struct maker *maker)
{
    if (!one_in(maker, 3))
        line(maker, "owned_$ = %u;", 1 + random_below(maker, 2));
    line(maker, "pthread_mutex_lock(&m_$[0]);");
    line(maker, "flag_$ = 1;");
    line(maker, "pthread_mutex_unlock(&m_$[0]);");
    if (mistake(maker, 3))
        line(maker, "owned_$ = 3;");
}

static void flag_look(struct maker *maker)
{
    char r = reg(maker);

    line(maker, "pthread_mutex_lock(&m_$[0]);");
    line(maker, "%c = flag_$;", r);
    line(maker, "pthread_mutex_unlock(&m_$[0]);");
    line(maker, mistake(maker, 4) ? "if (!%c)" : "if (%c)", r);
    if (one_in(maker, 2))
        line(maker, "    %c = owned_$;", reg(maker));
    else
        line(maker, "    owned_$ = 0;");
}

static void under_rwlock(struct maker *maker)
{
    static const char *const takes[] = {"rdlock", "rdlock", "wrlock", "tryrdlock", "trywrlock"};
    unsigned take = random_below(maker, 5);
    bool writes = take == 2 || take == 4 || mistake(maker, 3);

    line(maker, "if (pthread_rwlock_%s(&rw_$) == 0)", takes[take]);
    block_begin(maker);
    if (writes)
        line(maker, "shared_$ = %u;", 1 + random_below(maker, 2));
    else
        line(maker, "%c = shared_$;", reg(maker));
    line(maker, "pthread_rwlock_unlock(&rw_$);");
    block_end(maker);
}

/* ---- atomics */

static const char *load_order(struct maker *maker)
{
    static const char *const orders[] = {"acquire", "seq_cst", "relaxed"};

    return orders[random_below(maker, maker->weak ? 3 : 2)];
}

static const char *store_order(struct maker *maker)
{
    static const char *const orders[] = {"release", "seq_cst", "relaxed"};

    return orders[random_below(maker, maker->weak ? 3 : 2)];
}

static void atomic_store_make(struct maker *maker)
{
    line(maker, "atomic_store_explicit(&x_$[%u], %u, memory_order_%s);",
         random_below(maker, ATOMICS), random_below(maker, 3), store_order(maker));
}

static void atomic_load_make(struct maker *maker)
{
    char r = reg(maker);

    line(maker, "%c = atomic_load_explicit(&x_$[%u], memory_order_%s);", r,
         random_below(maker, ATOMICS), load_order(maker));
    if (one_in(maker, 3))
        line(maker, "%c = 0;", r);
}

static void atomic_add_make(struct maker *maker)
{
    const char *order = maker->weak && one_in(maker, 2) ? "relaxed" : "acq_rel";
    unsigned x = random_below(maker, ATOMICS);

    if (one_in(maker, 2))
        line(maker, "atomic_fetch_add_explicit(&x_$[%u], 1, memory_order_%s);", x, order);
    else
        line(maker, "%c = atomic_fetch_add_explicit(&x_$[%u], 1, memory_order_%s) & 3;", reg(maker),
             x, order);
}

static void atomic_cas_make(struct maker *maker)
{
    char r = reg(maker);

    line(maker, "%c = %u;", r, random_below(maker, 2));
    line(maker,
         "%satomic_compare_exchange_strong_explicit(&x_$[%u], &%c, 2, memory_order_acq_rel, "
         "memory_order_%s);",
         one_in(maker, 2) ? "c = " : "", random_below(maker, ATOMICS), r,
         maker->weak ? "relaxed" : "acquire");
}

static void fence_make(struct maker *maker)
{
    static const char *const orders[] = {"seq_cst", "acquire", "release", "acq_rel"};

    line(maker, "atomic_thread_fence(memory_order_%s);", orders[random_below(maker, 4)]);
}

/* Message passing: `owned` belongs to who finds the atomic flag set. */
static void message_send(struct maker *maker)
{
    bool fence = one_in(maker, 4), weak = mistake(maker, 2);

    line(maker, "owned_$ = %u;", 1 + random_below(maker, 2));
    if (fence && !weak)
        line(maker, "atomic_thread_fence(memory_order_release);");
    line(maker, "atomic_store_explicit(&sent_$, 1, memory_order_%s);",
         fence || weak ? "relaxed" : "release");
    if (mistake(maker, 4))
        line(maker, "owned_$ = 3;");
}

static void message_receive(struct maker *maker)
{
    bool fence = one_in(maker, 4), weak = mistake(maker, 2);

    line(maker, "if (atomic_load_explicit(&sent_$, memory_order_%s))",
         fence || weak ? "relaxed" : "acquire");
    block_begin(maker);
    if (fence && !weak)
        line(maker, "atomic_thread_fence(memory_order_acquire);");
    line(maker, "%c = owned_$;", reg(maker));
    if (mistake(maker, 4))
        line(maker, "owned_$ = 0;");
    block_end(maker);
}

/* Read-modify-writes of all orders, mostly of results that nobody uses: they order what is around them only if somebody looks, here or
 * elsewhere. */
static void tell_make(struct maker *maker, const char *before)
{
    static const char *const kinds[] = {"add", "add", "sub", "or", "xor"};
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};

    line(maker, "%satomic_fetch_%s_explicit(&told_$, %u, memory_order_%s);", before,
         kinds[random_below(maker, 5)], 1 + random_below(maker, 2), orders[random_below(maker, 5)]);
}

static void tell_send(struct maker *maker)
{
    line(maker, "owned_$ = %u;", 1 + random_below(maker, 2));
    if (one_in(maker, 4))
        line(maker, "atomic_thread_fence(memory_order_release);");
    tell_make(maker, "");
    if (one_in(maker, 2))
        line(maker, "atomic_store_explicit(&sent_$, 1, memory_order_relaxed);");
}

static void tell_receive(struct maker *maker)
{
    unsigned looks = random_below(maker, 4);

    if (looks == 0)
        line(maker, "if (atomic_load_explicit(&sent_$, memory_order_relaxed))");
    else if (looks == 1)
        line(maker, "if (atomic_load_explicit(&told_$, memory_order_acquire) == 1)");
    block_begin(maker);
    tell_make(maker, one_in(maker, 4) ? "c = " : "");
    if (one_in(maker, 4))
        line(maker, "atomic_thread_fence(memory_order_acquire);");
    line(maker, one_in(maker, 3) ? "if (c == 1) %c = owned_$;" : "%c = owned_$;", reg(maker));
    block_end(maker);
}

/* Who is first owns it for good. */
static void ticket_take(struct maker *maker)
{
    line(maker, "if (atomic_fetch_add_explicit(&ticket_$, 1, memory_order_%s) %s)",
         maker->weak ? "relaxed" : "acq_rel", mistake(maker, 3) ? "< 2" : "== 0");
    line(maker, "    first_$ = (first_$ + 1) & 3;");
}

/* ---- waiting */

static void cond_wait_make(struct maker *maker)
{
    line(maker, "pthread_mutex_lock(&m_$[1]);");
    line(maker, "%s (!ready_$)", one_in(maker, 4) ? "if" : "while");
    line(maker, "    pthread_cond_wait(&cond_$, &m_$[1]);");
    plain_make(maker, mistake(maker, 4) ? 0 : 1);
    line(maker, "pthread_mutex_unlock(&m_$[1]);");
}

static void cond_signal_make(struct maker *maker)
{
    line(maker, "pthread_mutex_lock(&m_$[1]);");
    line(maker, "ready_$ = 1;");
    line(maker, "pthread_mutex_unlock(&m_$[1]);");
    line(maker, "pthread_cond_%s(&cond_$);", one_in(maker, 3) ? "signal" : "broadcast");
}

/* The semaphore is 1 in the beginning: a lock, or a message. */
static void sem_lock_make(struct maker *maker)
{
    bool forgotten = mistake(maker, 5);

    if (!forgotten)
        line(maker, "sem_wait(&sem_$);");
    line(maker, "counted_$ = (counted_$ + 1) & 3;");
    line(maker, "sem_post(&sem_$);");
}

static void sem_try_make(struct maker *maker)
{
    line(maker, "if (sem_trywait(&sem_$) == 0)");
    block_begin(maker);
    line(maker, "%c = counted_$;", reg(maker));
    line(maker, "sem_post(&sem_$);");
    block_end(maker);
}

static void once_make(struct maker *maker)
{
    bool early = mistake(maker, 4);

    if (early)
        line(maker, "%c = inited_$;", reg(maker));
    line(maker, "pthread_once(&once_$, init_$);");
    line(maker, "%c = inited_$;", reg(maker));
}

/* ---- what is a thread's own */

static void local_variable(struct maker *maker)
{
    if (one_in(maker, 2))
        line(maker, "own_$ = (own_$ + %c) & 3;", reg(maker));
    else
        line(maker, "%c = own_$;", reg(maker));
}

/* A block goes from thread to thread; who gets it frees it. */
static void block_pass(struct maker *maker)
{
    const char *order = mistake(maker, 2) ? "relaxed" : "acq_rel";

    line(maker, "pass_$(%u, %u, &%c);", 1 + random_below(maker, 2), order[0] == 'r', reg(maker));
}

/* A local of main's, guarded as v[0] is, or one of this thread's own that a child works on. */
static void frame_of_main(struct maker *maker)
{
    bool forgotten = mistake(maker, 4);

    if (!forgotten)
        line(maker, "pthread_mutex_lock(&m_$[0]);");
    line(maker, "local_$[%u] = (local_$[0] + 1) & 3;", random_below(maker, 2));
    if (!forgotten)
        line(maker, "pthread_mutex_unlock(&m_$[0]);");
}

static void frame_of_own(struct maker *maker)
{
    if (maker->thread == 0)
        line(maker, "a = lend_$(%c, %d);", reg(maker), mistake(maker, 2));
}

static void call_make(struct maker *maker)
{
    line(maker, "%c = recurse_$(%u, %c);", reg(maker), random_below(maker, 2), reg(maker));
}

/* What is live across a lock in other types. */
static void wide_make(struct maker *maker)
{
    line(maker, "%c = wide_$(%c);", reg(maker), reg(maker));
}

/* Memory that library functions write and read. */
static void text_make(struct maker *maker)
{
    static const char *const writes[] = {
        "snprintf(text_$, sizeof text_$, \"%%d\", %c);", "memset(text_$ + 1, '0' + %c, 2);",
        "memcpy(text_$ + 3, &%c, 4);", "text_$[0] = (char)('0' + (%c & 3));"};
    char r = reg(maker);

    line(maker, "pthread_mutex_lock(&m_$[0]);");
    if (one_in(maker, 3))
        line(maker, "%c = atoi(text_$) & 3;", r);
    else
        line(maker, writes[random_below(maker, 4)], r); /* NOLINT: each has one %c */
    line(maker, "pthread_mutex_unlock(&m_$[0]);");
}

static void key_make(struct maker *maker)
{
    if (one_in(maker, 2))
        line(maker, "pthread_setspecific(key_$, (void *)(intptr_t)%c);", reg(maker));
    else
        line(maker, "%c = (int)(intptr_t)pthread_getspecific(key_$);", reg(maker));
}

static void error_make(struct maker *maker)
{
    if (one_in(maker, 2))
        line(maker, "errno = %c;", reg(maker));
    else
        line(maker, "%c = errno & 3;", reg(maker));
}

static void assertion(struct maker *maker)
{
    if (one_in(maker, 3))
        line(maker, "raddle_assert(%c != %u || %c != %u);", reg(maker), 1 + random_below(maker, 2),
             reg(maker), 1 + random_below(maker, 2));
}

static void branch_make(struct maker *maker)
{
    if (maker->depth > 1)
        return;
    line(maker, "if (%c == %u)", reg(maker), random_below(maker, 2));
    block_begin(maker);
    under_lock(maker);
    block_end(maker);
}

static void loop_make(struct maker *maker)
{
    if (maker->depth > 1)
        return;
    line(maker, "for (int i = 0; i < 2; i++)");
    block_begin(maker);
    if (one_in(maker, 2))
        atomic_add_make(maker);
    else
        under_lock(maker);
    block_end(maker);
}

static void compute(struct maker *maker)
{
    char r = reg(maker);

    line(maker, "%c = (%c + 2 * %c) & 3;", r, r, reg(maker));
}

static const struct statement statements[] = {
    /*                  locks atomics waits threads mixed */
    {under_lock, {12, 2, 4, 4, 6}},       {under_both, {1, 0, 1, 0, 1}},
    {under_trylock, {3, 0, 1, 1, 2}},     {flag_raise, {3, 0, 1, 1, 2}},
    {flag_look, {4, 0, 1, 1, 2}},         {under_rwlock, {0, 0, 4, 1, 2}},
    {atomic_store_make, {0, 4, 1, 1, 2}}, {atomic_load_make, {1, 5, 1, 2, 3}},
    {atomic_add_make, {1, 4, 0, 1, 2}},   {atomic_cas_make, {0, 3, 0, 1, 2}},
    {fence_make, {0, 2, 0, 0, 1}},        {message_send, {0, 4, 0, 1, 2}},
    {message_receive, {0, 5, 0, 1, 2}},   {ticket_take, {0, 3, 1, 1, 1}},
    {tell_send, {0, 5, 0, 0, 1}},         {tell_receive, {0, 5, 0, 0, 1}},
    {cond_wait_make, {0, 0, 3, 0, 1}},    {cond_signal_make, {0, 0, 3, 0, 2}},
    {sem_lock_make, {0, 0, 4, 0, 2}},     {sem_try_make, {0, 0, 2, 0, 1}},
    {once_make, {0, 0, 3, 1, 1}},         {local_variable, {0, 0, 0, 3, 1}},
    {block_pass, {0, 0, 0, 4, 1}},        {frame_of_main, {0, 0, 0, 3, 1}},
    {frame_of_own, {0, 0, 0, 2, 1}},      {call_make, {1, 0, 0, 4, 1}},
    {assertion, {2, 2, 2, 2, 2}},         {branch_make, {2, 1, 1, 1, 1}},
    {loop_make, {2, 1, 1, 1, 1}},         {compute, {1, 1, 1, 1, 1}},
    {wide_make, {0, 0, 0, 3, 1}},         {text_make, {1, 0, 0, 3, 1}},
    {key_make, {0, 0, 0, 2, 1}},          {error_make, {0, 0, 0, 2, 1}},
};

void statement_make(struct maker *maker, enum style style)
{
    unsigned total = 0, count = sizeof statements / sizeof *statements, i = 0;

    for (unsigned s = 0; s < count; s++)
        total += statements[s].weights[style];
    unsigned drawn = random_below(maker, total);
    while (drawn >= statements[i].weights[style])
        drawn -= statements[i++].weights[style];
    statements[i].make(maker);
}
