/* Two threads at a time. ALIKE: one of them is enough; OTHER: both must be tried. `pairs NAME` runs one pair; tests/tool/symmetry.sh asks raddle how many steps symmetry saved.
 * R0 to R13 are the rules of symmetry-discovery, Figure 3: what it means for two pieces of code to be the same but for the names of locals and labels. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int g, h;
static int *volatile pointer = &g, *volatile other_pointer = &g;
static int slots[2];
static atomic_int a;
static pthread_t owner;
static __thread int own;

#define THREAD(name) static void *name(void *argument)
#define LOCKED(code)             \
    do {                         \
        pthread_mutex_lock(&m);  \
        code;                    \
        pthread_mutex_unlock(&m); \
    } while (0)

/* R0: statements in a row */
THREAD(in_order) { LOCKED(g++); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); return argument; }
THREAD(in_the_same_order) { LOCKED(g++); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); return argument; }
THREAD(in_another_order) { pthread_mutex_lock(&n); pthread_mutex_unlock(&n); LOCKED(g++); return argument; }
THREAD(in_order_and_more) { LOCKED(g++); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); LOCKED(h++); return argument; }

/* R1, R2: labels and branches */
THREAD(labels) { int i = 0; again: LOCKED(g++); if (++i < 2) goto again; return argument; }
THREAD(other_labels) { int k = 0; once_more: LOCKED(g++); if (++k < 2) goto once_more; return argument; }
THREAD(other_branch) { int i = 0; again: LOCKED(g++); if (++i > 2) goto again; return argument; }

/* R3, R5: assignments and operators */
THREAD(adds) { LOCKED(g = g + h); return argument; }
THREAD(also_adds) { LOCKED(g = g + h); return argument; }
THREAD(subtracts) { LOCKED(g = g - h); return argument; }
THREAD(other_target) { LOCKED(h = g + h); return argument; }

/* R4, R6: calls, by what the function does; recursion, too */
static __attribute__((noinline)) int locks(int times, int value) { LOCKED(g += value); return times ? locks(times - 1, value) : value; }
static __attribute__((noinline)) int locks_too(int times, int value) { LOCKED(g += value); return times ? locks_too(times - 1, value) : value; }
static __attribute__((noinline)) int locks_less(int times, int value) { LOCKED(g -= value); return times ? locks_less(times - 1, value) : value; }
static __attribute__((noinline)) int calls_locks(int times) { return locks(times, 1) + 1; }
static __attribute__((noinline)) int calls_locks_too(int times) { return locks_too(times, 1) + 1; }
static __attribute__((noinline)) int calls_locks_less(int times) { return locks_less(times, 1) + 1; }
THREAD(calls) { LOCKED(h++); calls_locks(1); return argument; }
THREAD(calls_another_name) { LOCKED(h++); calls_locks_too(1); return argument; }
THREAD(calls_another_code) { LOCKED(h++); calls_locks_less(1); return argument; }
THREAD(passes) { LOCKED(h++); locks(1, 0); return argument; }
THREAD(passes_otherwise) { LOCKED(h++); locks(0, 1); return argument; }
static int (*volatile by_pointer)(int) = calls_locks, (*volatile by_other_pointer)(int) = calls_locks_too;
THREAD(calls_pointer) { int (*f)(int) = by_pointer; LOCKED(h++); f(0); return argument; }
THREAD(calls_same_pointer) { int (*f)(int) = by_pointer; LOCKED(h++); f(0); return argument; }
THREAD(calls_other_pointer) { int (*f)(int) = by_other_pointer; LOCKED(h++); f(0); return argument; }

/* R7 to R9: globals stand for themselves */
THREAD(global) { LOCKED(g = 1); return argument; }
THREAD(same_global) { LOCKED(g = 1); return argument; }
THREAD(other_global) { LOCKED(h = 1); return argument; }
THREAD(address) { int *p = &g; LOCKED(*p += 1); return argument; }
THREAD(same_address) { int *q = &g; LOCKED(*q += 1); return argument; }
THREAD(other_address) { int *p = &h; LOCKED(*p += 1); return argument; }
THREAD(through) { LOCKED(*pointer += 1); return argument; }
THREAD(through_same) { LOCKED(*pointer += 1); return argument; }
THREAD(through_other) { LOCKED(*other_pointer += 1); return argument; }

/* R10 to R12: locals stand for each other, one for one */
static __attribute__((noinline)) void through_local(int *at) { LOCKED(g += *at); }
THREAD(local) { int i = 1; LOCKED(h += i); through_local(&i); return argument; }
THREAD(other_local) { int unlike = 1; LOCKED(h += unlike); through_local(&unlike); return argument; }
THREAD(two_locals) { int i = 1, k = 1; LOCKED(h += i); through_local(&k); return argument; }
THREAD(local_value) { int i = 2; LOCKED(h += i); through_local(&i); return argument; }

/* R13: constants stand for themselves */
THREAD(constant) { LOCKED(g += 3); return argument; }
THREAD(same_constant) { LOCKED(g += 3); return argument; }
THREAD(other_constant) { LOCKED(g += 4); return argument; }

/* local states */
THREAD(needs_argument) { LOCKED(g += (int)(intptr_t)argument); LOCKED(g += (int)(intptr_t)argument); return NULL; }
THREAD(uses_argument_up) { LOCKED(g += (int)(intptr_t)argument); LOCKED(g++); return NULL; }
THREAD(has_a_slot) { LOCKED(slots[(intptr_t)argument]++); LOCKED(slots[(intptr_t)argument]++); return NULL; }
THREAD(has_a_block) { int *block = malloc(sizeof *block); *block = 1; LOCKED(g += *block); free(block); return NULL; }
THREAD(has_a_stack) { int room[3] = {1, 2, 3}, *p = room; LOCKED(g += p[1]); through_local(p); return NULL; }
THREAD(has_thread_locals) { own = 1; LOCKED(g += own); LOCKED(g += own); return NULL; }
THREAD(thread_locals_differ) { own = (int)(intptr_t)argument; LOCKED(g++); LOCKED(g += own); return NULL; }
THREAD(is_an_owner) { LOCKED(if (g++ == 0) owner = pthread_self()); LOCKED(h += pthread_equal(owner, pthread_self())); return NULL; }
THREAD(counts) { return atomic_exchange(&a, 1) == 7 ? argument : NULL; }
THREAD(waits) { for (int i = 0; i < 2; i++) LOCKED(g++); return NULL; }

struct pair {
    const char *name;
    void *(*first)(void *), *(*second)(void *);
    intptr_t argument; /* of the second; that of the first is 0 */
};

static const struct pair pairs[] = {
#define ALIKE(name, first, second, argument) {#name, first, second, argument},
#define OTHER(name, first, second, argument) {#name, first, second, argument},
    ALIKE(r0_same_function, in_order, in_order, 0)
    ALIKE(r0_same, in_order, in_the_same_order, 0)
    OTHER(r0_order, in_order, in_another_order, 0)
    OTHER(r0_more, in_order, in_order_and_more, 0)
    ALIKE(r1_r2_same, labels, other_labels, 0)
    OTHER(r2_other, labels, other_branch, 0)
    ALIKE(r3_r5_same, adds, also_adds, 0)
    OTHER(r3_other, adds, other_target, 0)
    OTHER(r5_other, adds, subtracts, 0)
    ALIKE(r4_same, calls, calls_another_name, 0)
    OTHER(r4_other, calls, calls_another_code, 0)
    OTHER(r6_other, passes, passes_otherwise, 0)
    ALIKE(r6_pointer, calls_pointer, calls_same_pointer, 0)
    OTHER(r6_other_pointer, calls_pointer, calls_other_pointer, 0)
    ALIKE(r7_same, global, same_global, 0)
    OTHER(r7_other, global, other_global, 0)
    ALIKE(r8_same, address, same_address, 0)
    OTHER(r8_other, address, other_address, 0)
    ALIKE(r9_same, through, through_same, 0)
    OTHER(r9_other, through, through_other, 0)
    ALIKE(r10_r11_r12_same, local, other_local, 0)
    OTHER(r12_one_for_one, local, two_locals, 0)
    OTHER(r12_value, local, local_value, 0)
    ALIKE(r13_same, constant, same_constant, 0)
    OTHER(r13_other, constant, other_constant, 0)
    ALIKE(argument_same, needs_argument, needs_argument, 0)
    OTHER(argument_needed, needs_argument, needs_argument, 1)
    ALIKE(argument_used_up, uses_argument_up, uses_argument_up, 1)
    OTHER(slot, has_a_slot, has_a_slot, 1)
    ALIKE(block, has_a_block, has_a_block, 0)
    ALIKE(stack, has_a_stack, has_a_stack, 0)
    ALIKE(thread_locals, has_thread_locals, has_thread_locals, 0)
    OTHER(thread_locals_other, thread_locals_differ, thread_locals_differ, 1)
    OTHER(owner, is_an_owner, is_an_owner, 0)
    ALIKE(atomic, counts, counts, 0)
    ALIKE(later, waits, waits, 0)
    ALIKE(joined_in_turn, waits, waits, 0)
    OTHER(joined_apart, waits, waits, 0)
    OTHER(joined_one, waits, waits, 0)
    ALIKE(begun_apart, waits, waits, 0)
    OTHER(detached, waits, waits, 0)
    OTHER(named, waits, waits, 0)
};

static const struct pair *find(const char *name)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return &pairs[i];
    abort();
}

static bool is(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const struct pair *pair = find(name);
    bool turned = is(name, "joined_in_turn"), apart = is(name, "joined_apart");
    int joined = is(name, "joined_one") || is(name, "detached") ? 1 : 2;
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, pair->first, NULL);
    if (is(name, "begun_apart"))
        LOCKED(h++);
    pthread_create(&threads[1], NULL, pair->second, (void *)pair->argument);
    if (apart) {
        pthread_join(threads[0], NULL);
        pthread_mutex_lock(&n); /* somebody may notice */
        pthread_mutex_unlock(&n);
        pthread_join(threads[1], NULL);
        return 0;
    }
    if (is(name, "detached"))
        pthread_detach(threads[1]);
    if (is(name, "named")) /* prctl tells a thread its name without a handle */
        pthread_setname_np(threads[1], "second");
    for (int i = 0; i < joined; i++)
        pthread_join(threads[turned ? 1 - i : i], NULL);
    return 0;
}
