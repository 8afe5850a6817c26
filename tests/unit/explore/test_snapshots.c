/* Snapshots on scripted programs: a search that goes back to states by forks makes the same runs, in the same order, as one that replays them; also if
 * snapshots get lost. Here a process that keeps a state waits for its child, which goes on; to go back is to end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fingerprint.h"
#include "explore/explorer.h"
#include "script/classics.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE ((size_t)1 << 30)

#define NOBODY UINT32_MAX

/* What all processes of a search share, as the session is shared. */
struct shared {
    struct explorer explorer;
    struct snapshots snapshots;
    struct fingerprint runs; /* what happened in them, one after the other */
    bool over, good;
    uint32_t numbers[SNAPSHOTS_MAX]; /* of those kept in each slot so far */
    uint32_t wanted;                 /* a slot to go back to */
    uint32_t lose;                   /* every so many-th is not there when it is wanted */
    uint32_t asked;
    struct arena arena;
};

static struct shared *shared;

/* ---- forks */

static enum snapshot_role test_keep(void *context, uint32_t slot)
{
    uint32_t number = ++shared->numbers[slot];
    bool back = false;

    (void)context;
    for (;;) {
        pid_t pid = fork();
        int status;

        assert_true(pid >= 0);
        if (pid == 0)
            return back ? SNAPSHOT_BACK : SNAPSHOT_GOES_ON;
        waitpid(pid, &status, 0);
        back = WIFEXITED(status) && WEXITSTATUS(status) == 0 && !shared->over &&
               shared->wanted == slot && shared->numbers[slot] == number;
        if (!back)
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
}

static bool test_go(void *context, uint32_t slot)
{
    (void)context;
    if (shared->lose && ++shared->asked % shared->lose == 0)
        return false;
    shared->wanted = slot;
    _exit(0);
}

static void test_drop(void *context, uint32_t slot)
{
    (void)context;
    shared->numbers[slot]++;
}

static uint64_t test_copying(void *context)
{
    (void)context;
    return 0;
}

static uint64_t test_going(void *context, uint64_t making)
{
    (void)context;
    return making;
}

static const struct snapshot_ops test_ops = {.name = "test",
                                             .keep = test_keep,
                                             .go = test_go,
                                             .drop = test_drop,
                                             .copying = test_copying,
                                             .computed = test_copying,
                                             .going = test_going};

/* ---- searches */

static bool run_ended(void *context, struct explorer *explorer, enum ending ending)
{
    const struct execution *x = &explorer->execution;

    (void)context;
    fingerprint_word(&shared->runs, ending);
    for (uint32_t i = 0; i < x->events.count; i++) {
        fingerprint_word(&shared->runs,
                         (uint64_t)x->events.at[i].agent << 32 | x->events.at[i].op.kind);
        fingerprint_word(&shared->runs, x->events.at[i].outcome);
        fingerprint_word(&shared->runs, (uint64_t)x->events.at[i].result);
    }
    for (uint32_t i = 0; i < x->findings.count; i++)
        fingerprint_word(&shared->runs, x->findings.at[i].bug);
    return true;
}

struct how {
    const char *model, *reduction;
    uint32_t preemption_bound; /* N + 1; 0: none */
    uint32_t max;              /* snapshots; 0: none */
    uint32_t lose;
};

static void search_run(const char *source, struct how how)
{
    struct explorer_options options = {
        .reduction = reduction_find(how.reduction),
        .memory = memory_find(how.model),
        .buffer_bound = BUFFER_UNBOUNDED,
        .preemption_bound = how.preemption_bound ? how.preemption_bound - 1 : NO_BOUND,
        .max_steps = NO_LIMIT,
        .max_executions = 25,
        .ended = run_ended,
        .snapshots = how.max ? &shared->snapshots : NULL,
    };
    struct program program;
    struct script script;
    struct read_error error;
    char name[32];
    unsigned n = 0;

    if (strchr(source, '\n')
            ? !text_read(source, strlen(source), NULL, &program, &error)
            : sscanf(source, "%31[a-z](%u)", name, &n) < 1 || !classic_build(name, n, &program))
        _exit(2);
    if (script_open(&script, &program) != 0)
        _exit(2);
    shared->lose = how.lose;
    snapshots_open(&shared->snapshots, &test_ops, NULL, SNAPSHOTS_EACH, how.max);
    explorer_open(&shared->explorer, &shared->arena, &script.base, &options);
    shared->good = explorer_run(&shared->explorer);
    shared->over = true;
    _exit(0);
}

/* All that is told of a search. */
struct outcome {
    struct fingerprint runs;
    uint64_t executions, asleep, transitions, made, used, lost;
};

static struct outcome search(const char *source, struct how how)
{
    size_t header = (sizeof *shared + 4095) & ~(size_t)4095;
    struct outcome outcome;
    int status;
    pid_t pid;

    shared = mmap(NULL, RESERVE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    assert_true(shared != MAP_FAILED);
    arena_place(&shared->arena, (char *)shared + header, RESERVE - header);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        search_run(source, how);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(shared->over && shared->good);
    outcome = (struct outcome){shared->runs,
                               shared->explorer.stats.executions,
                               shared->explorer.stats.asleep,
                               shared->explorer.stats.transitions,
                               shared->snapshots.made,
                               shared->snapshots.used,
                               shared->snapshots.lost};
    munmap(shared, RESERVE);
    return outcome;
}

static void assert_same(const struct outcome *a, const struct outcome *b, const char *source,
                        struct how how)
{
    if (!fingerprint_equal(a->runs, b->runs) || a->executions != b->executions ||
        a->asleep != b->asleep || a->transitions != b->transitions)
        fail_msg("%s, %s, %s, at most %u snapshots: %llu executions and %llu transitions, not %llu "
                 "and %llu, or other runs",
                 source, how.model, how.reduction, how.max, (unsigned long long)b->executions,
                 (unsigned long long)b->transitions, (unsigned long long)a->executions,
                 (unsigned long long)a->transitions);
}

/* ---- programs */

/* What a copy of the world has to have: who waits where, who is woken, who reads, how many have come, what is in buffers. */
static const char waiting[] = "cell x\nmutex m\ncond c\n"
                              "thread A\n lock m\n r = load x\n if r != 0 goto ON\n"
                              " wait c, m\nON:\n unlock m\n"
                              "thread B\n lock m\n r = load x\n if r != 0 goto ON\n"
                              " timedwait c, m\nON:\n unlock m\n"
                              "thread C\n lock m\n store x, 1\n signal c\n unlock m\n";
static const char meeting[] = "cell x\nbarrier b = 2\nsem e\nrwlock w\n"
                              "thread A\n a = barrier b\n store x, 1\n sempost e\n"
                              "thread B\n a = barrier b\n c = load x\n n = choose 2\n"
                              "thread C\n semwait e\n d = add x, 1\n";
static const char buffered[] = "cell x\ncell y\n"
                               "thread A\n store x, 1\n store y, 1\n a = load y\n store x, 2\n"
                               "thread B\n store y, 2\n b = load x\n store x, 3\n c = load x\n";

static const char *const sources[] = {"sb",          "mp",    "locks(3)", "readers(3)",
                                      "lastzero(3)", waiting, meeting,    buffered};

static void same_runs(void **state)
{
    static const char *const models[] = {"sc", "tso", "pso"};
    static const char *const names[] = {"optimal", "dpor"};

    (void)state;
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        for (size_t m = 0; m < 3; m++)
            for (size_t r = 0; r < 2; r++) {
                struct how how = {.model = models[m], .reduction = names[r]};
                struct outcome plain = search(sources[s], how), kept;

                how.max = SNAPSHOTS_MAX;
                kept = search(sources[s], how);
                assert_same(&plain, &kept, sources[s], how);
                assert_true(kept.executions < 2 || (kept.made > 0 && kept.used > 0));
                how.max = 2;
                how.lose = 3;
                kept = search(sources[s], how);
                assert_same(&plain, &kept, sources[s], how);
                assert_true(kept.lost > 0 || kept.used < 3);
            }
}

static void same_runs_under_a_bound(void **state)
{
    struct how how = {.model = "sc", .reduction = "dpor", .preemption_bound = 2};
    struct outcome plain = search("lastzero(3)", how), kept;

    (void)state;
    how.max = 8;
    kept = search("lastzero(3)", how);
    assert_same(&plain, &kept, "lastzero(3)", how);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_runs),
        cmocka_unit_test(same_runs_under_a_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
