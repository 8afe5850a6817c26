/* What each operation means, one at a time: small programs, stepped by hand through the world.
 *
 * A case is a program and a list of moves:
 *
 *   A:lock        A's pending operation is `lock`, it is enabled, and is done now
 *   A:lock!       it is pending, but not enabled
 *   A:load=1      it gives 1
 *   A:signal>B    it takes the outcome "wake B"; >- nobody was there to wake; >2 chooses 2
 *   A:cas/r       before it is done: it only reads; /w: it writes something; /+ adds; /- touches nothing
 *   A:assert#a    it finds a failed assertion; #m a misuse; #h a failed assumption; the thread stops
 *   A:signal^     it takes back the pending operation of another thread
 *   A*  A.x*  A.x+1*   A's buffer (pso: of that address) flushes; with ! it cannot yet
 *   x==1          the memory of cell x holds 1
 *
 * What the moves execute is noted by kind; the last test fails if a kind that programs can use was never done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/buffer.h"
#include "model/object.h"
#include "model/touch.h"
#include "script/target.h"
#include "script/text.h"

#define RESERVE ((size_t)64 << 20)
#define MANY    BUFFER_UNBOUNDED

struct world_case {
    const char *name;
    const struct memory_ops *memory;
    uint32_t bound; /* of the buffers */
    const char *text;
    const char *moves;
};

/* One program in the middle of a run. */
struct rig {
    const char *name;
    const char *move; /* the one being made, for messages */
    struct program program;
    struct script script;
    struct arena arena;
    struct world world;
    event_id now;
    outcome_vec outcomes;
};

static bool exercised[OP_KIND_COUNT];

#define EXPECT(rig, condition, ...)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_error("%s, at '%s': ", (rig)->name, (rig)->move);                                \
            fail_msg(__VA_ARGS__);                                                                 \
        }                                                                                          \
    } while (0)

static void rig_open(struct rig *rig, const char *name, const char *text,
                     const struct memory_ops *memory, uint32_t bound)
{
    struct read_error error;
    char message[300];

    memset(rig, 0, sizeof *rig);
    rig->name = name;
    rig->move = "start";
    if (!text_read(text, strlen(text), NULL, &rig->program, &error))
        fail_msg("%s: %s", name, read_error_format(&error, NULL, message, sizeof message));
    assert_int_equal(arena_open(&rig->arena, RESERVE), 0);
    assert_int_equal(script_open(&rig->script, &rig->program), 0);
    world_open(&rig->world, &rig->arena, &rig->script.base, memory, bound);
    world_restart(&rig->world);
}

static void rig_close(struct rig *rig)
{
    script_close(&rig->script);
    arena_close(&rig->arena);
    program_free(&rig->program);
}

static uint32_t decl_named(struct rig *rig, const char *name, size_t length)
{
    for (uint32_t d = 0; d < rig->program.decl_count; d++)
        if (strlen(rig->program.decls[d].name) == length &&
            memcmp(rig->program.decls[d].name, name, length) == 0)
            return d;
    fail_msg("%s: no declaration '%.*s'", rig->name, (int)length, name);
    return 0;
}

/* The agent of a started thread. */
static agent_id agent_named(struct rig *rig, const char *name, size_t length)
{
    for (uint32_t i = 0; i < rig->world.active.count; i++) {
        agent_id agent = rig->world.active.at[i];
        const char *its;

        if (rig->world.agents.at[agent].is_buffer)
            continue;
        its = rig->program.threads[script_thread_of(&rig->world, agent)].name;
        if (strlen(its) == length && memcmp(its, name, length) == 0)
            return agent;
    }
    fail_msg("%s, at '%s': thread '%.*s' does not run", rig->name, rig->move, (int)length, name);
    return AGENT_NONE;
}

/* ---- moves */

/* The outcome that `to` names: a thread, "-" for a lost signal, or a number. */
static outcome_id outcome_named(struct rig *rig, const char *to)
{
    size_t length = strcspn(to, "=/#^");

    if (*to == '-')
        return OUTCOME_LOST;
    if (*to >= '0' && *to <= '9')
        return (outcome_id)strtoul(to, NULL, 10);
    return agent_named(rig, to, length);
}

static outcome_id move_outcome(struct rig *rig, agent_id agent, const char *flags)
{
    const char *to = strchr(flags, '>');
    outcome_id wanted;

    world_outcomes(&rig->world, agent, &rig->outcomes);
    EXPECT(rig, rig->outcomes.count > 0, "no outcome");
    if (!to)
        return rig->outcomes.at[0];
    wanted = outcome_named(rig, to + 1);
    for (uint32_t i = 0; i < rig->outcomes.count; i++)
        if (rig->outcomes.at[i] == wanted)
            return wanted;
    EXPECT(rig, false, "outcome %u is not possible", wanted);
    return 0;
}

static void expect_footprint(struct rig *rig, agent_id agent, const struct op *op, char mode)
{
    struct footprint footprint;
    bool writes = false, adds = false;
    char found;

    op_touch(&rig->world, &view_now, agent, op, &footprint, NULL);
    for (uint32_t i = 0; i < footprint.count; i++) {
        writes |= footprint.at[i].mode == ACCESS_WRITE;
        adds |= footprint.at[i].mode == ACCESS_ADD;
    }
    found = writes ? 'w' : adds ? '+' : footprint.count ? 'r' : '-';
    EXPECT(rig, found == mode, "touches as %c, not as %c", found, mode);
}

/* What the step that was just taken found wrong. */
static void expect_finding(struct rig *rig, agent_id agent, const char *mark)
{
    const struct step *step = &rig->world.step;
    char found = step->assume_failed          ? 'h'
                 : step->bug == BUG_ASSERTION ? 'a'
                 : step->bug == BUG_MISUSE    ? 'm'
                                              : '-';

    EXPECT(rig, found == (mark ? mark[1] : '-'), "finds %c", found);
    EXPECT(rig, (found == 'm') == (step->rule != NULL), "a misuse has a rule, others have none");
    if (mark)
        EXPECT(rig, rig->world.threads.at[agent].status == THREAD_HALTED, "the thread goes on");
}

static void move_thread(struct rig *rig, const char *colon)
{
    agent_id agent = agent_named(rig, rig->move, (size_t)(colon - rig->move));
    const char *text = colon + 1;
    const char *flags = text + strcspn(text, "!=>/#^");
    const char *result = strchr(flags, '=');
    const char *mode = strchr(flags, '/');
    struct op space;
    const struct op *op = world_pending(&rig->world, agent, &space);
    uint8_t kind;

    EXPECT(rig, op, "nothing is pending");
    kind = op->kind;
    EXPECT(rig,
           strlen(op_infos[kind].text) == (size_t)(flags - text) &&
               memcmp(op_infos[kind].text, text, (size_t)(flags - text)) == 0,
           "pending is '%s'", op_infos[kind].text);
    EXPECT(rig, world_enabled(&rig->world, agent) == (*flags != '!'), "is%s enabled",
           *flags == '!' ? "" : " not");
    if (*flags == '!')
        return;
    if (mode)
        expect_footprint(rig, agent, op, mode[1]);
    world_step(&rig->world, agent, move_outcome(rig, agent, flags), rig->now++);
    exercised[kind] = true;
    EXPECT(rig, !result || rig->world.step.result == strtoull(result + 1, NULL, 0), "gives %llu",
           (unsigned long long)rig->world.step.result);
    EXPECT(rig, (rig->world.step.withdrawn.count > 0) == (strchr(flags, '^') != NULL),
           "takes back %u operations", rig->world.step.withdrawn.count);
    expect_finding(rig, agent, strchr(flags, '#'));
}

/* The buffer of `thread` that a store to `addr` is in. */
static agent_id buffer_at(struct rig *rig, agent_id thread, uint64_t addr)
{
    const struct world *world = &rig->world;
    uint64_t name = world->memory->buffer_of(addr);

    for (uint32_t i = 0; i < world->active.count; i++) {
        const struct agent *agent = &world->agents.at[world->active.at[i]];

        if (agent->is_buffer && agent->thread == thread && agent->addr == name)
            return world->active.at[i];
    }
    EXPECT(rig, false, "no such buffer");
    return AGENT_NONE;
}

static void move_buffer(struct rig *rig, const char *star)
{
    size_t name = strcspn(rig->move, ".*");
    agent_id agent = agent_named(rig, rig->move, name);
    uint64_t addr = 0;
    struct op space;
    const struct op *op;

    if (rig->move[name] == '.') {
        const char *cell = rig->move + name + 1;
        size_t length = strcspn(cell, "+*");

        addr = script_address(&rig->script, decl_named(rig, cell, length));
        if (cell[length] == '+')
            addr += strtoul(cell + length + 1, NULL, 10);
    }
    agent = buffer_at(rig, agent, addr);
    EXPECT(rig, world_enabled(&rig->world, agent) == (star[1] != '!'), "enabled is wrong");
    if (star[1] == '!')
        return;
    op = world_pending(&rig->world, agent, &space);
    EXPECT(rig, op && op->kind == OP_FLUSH, "no flush is pending");
    expect_footprint(rig, agent, op, 'w');
    world_step(&rig->world, agent, 0, rig->now++);
    exercised[OP_FLUSH] = true;
}

static void move_make(struct rig *rig)
{
    const char *equals = strstr(rig->move, "==");
    const char *star = strchr(rig->move, '*');
    const char *colon = strchr(rig->move, ':');

    if (equals) {
        uint32_t decl = decl_named(rig, rig->move, (size_t)(equals - rig->move));
        int64_t value = script_cell(&rig->script, decl, 0);

        EXPECT(rig, value == strtoll(equals + 2, NULL, 0), "holds %lld", (long long)value);
    } else if (star) {
        move_buffer(rig, star);
    } else {
        EXPECT(rig, colon, "no such move");
        move_thread(rig, colon);
    }
}

static void rig_move(struct rig *rig, const char *moves)
{
    char copy[1000];
    char *rest = copy;
    char *move;

    assert_true(strlen(moves) < sizeof copy);
    strcpy(copy, moves);
    while ((move = strsep(&rest, " "))) {
        rig->move = move;
        move_make(rig);
    }
}

/* ---- cases */

#define ALL_OBJECTS                                                                                \
    "cell x\ncell y\ncell z\nmutex m\nspin s\nrwlock w\ncond c\nsem e\nbarrier b = 2\n"

static const struct world_case cases[] = {
    {"load_and_store", &memory_sc, MANY,
     "cell x = 5\n"
     "thread A\n a = load x\n store x, 7\n b = load x\n",
     "A:load/r=5 A:store/w=0 x==7 A:load=7 A:exit/w"},
    {"narrow_cells", &memory_sc, MANY,
     "cell2 h = -1\ncell x = 0x1122334455667788\n"
     "thread A\n a = load h\n b = loadu1 x+1\n store2 x+2, 0x1ffff\n c = load8 x\n",
     "A:load=0xffff A:load=0x77 A:store A:load=0x11223344ffff7788 A:exit"},
    {"a_cell_across_eight_bytes", &memory_sc, MANY,
     "cell a[2] = -1 -1\n"
     "thread A\n store4 a[0]+6, 0\n r = loadu4 a[1]\n q = loadu4 a[0]+4\n",
     "A:store A:load=0xffff0000 A:load=0xffff A:exit"},
    {"rmw_of_each_kind", &memory_sc, MANY,
     "cell1 x = 250\n"
     "thread A\n a = add x, 10\n a = sub x, 5\n a = xchg x, 12\n a = and x, 10\n a = or x, 3\n"
     " a = xor x, 1\n a = load x\n",
     "A:rmw/w=250 A:rmw=4 A:rmw=255 A:rmw=12 A:rmw=8 A:rmw=11 A:load=10 A:exit"},
    {"cas_writes_or_reads", &memory_sc, MANY,
     "cell x = 3\n"
     "thread A\n a = cas x, 3, 4\n a = cas x, 3, 5\n",
     "A:cas/w=3 x==4 A:cas/r=4 x==4 A:exit"},
    {"fence_touches_nothing", &memory_sc, MANY, "thread A\n fence\n fence.rel\n yield\n",
     "A:fence/- A:fence/- A:yield/- A:exit"},

    {"mutex", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n unlock m\n"
                 "thread B\n a = trylock m\n lock m\n a = trylock m\n unlock m\n a = trylock m\n",
     "A:lock/w B:trylock/r=0 B:lock! A:unlock/w B:lock=1 B:trylock/r=0 B:unlock B:trylock/w=1 "
     "B:exit A:exit"},
    {"mutex_locked_twice_waits_for_itself", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n lock m\n", "A:lock A:lock!"},
    {"mutex_unlocked_by_another", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n unlock m\nthread B\n unlock m\nthread C\n unlock m\n",
     "C:unlock/r#m A:lock B:unlock/r#m A:unlock A:exit"},

    {"spinlock", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n spinlock s\n spinunlock s\n"
                 "thread B\n a = spintrylock s\n spinlock s\n spinunlock s\n a = spintrylock s\n",
     "A:spinlock/w B:spintrylock/r=0 B:spinlock! A:spinunlock/w B:spinlock B:spinunlock "
     "B:spintrylock/w=1 B:exit"},
    {"spinlock_unlocked_by_another", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n spinlock s\nthread B\n spinunlock s\n", "A:spinlock B:spinunlock/r#m"},

    {"rwlock_many_readers", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n rdlock w\n rwunlock w\n"
                 "thread B\n rdlock w\n a = trywrlock w\n rwunlock w\n"
                 "thread C\n wrlock w\n rwunlock w\n",
     "A:rdlock B:rdlock C:wrlock! B:trywrlock/r=0 A:rwunlock C:wrlock! B:rwunlock C:wrlock "
     "C:rwunlock"},
    {"rwlock_one_writer", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n a = trywrlock w\n rwunlock w\n"
                 "thread B\n a = tryrdlock w\n rdlock w\n a = tryrdlock w\n"
                 "thread C\n a = trywrlock w\n wrlock w\n",
     "A:trywrlock/w=1 B:tryrdlock/r=0 B:rdlock! C:trywrlock/r=0 C:wrlock! A:rwunlock/w B:rdlock/+ "
     "B:tryrdlock/+=1 C:wrlock!"},
    {"rwlock_unlocked_by_another", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n wrlock w\nthread B\n rwunlock w\nthread C\n rwunlock w\n",
     "B:rwunlock/r#m A:wrlock C:rwunlock/r#m"},

    {"wait_and_signal", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n wait c, m\n unlock m\n"
                 "thread B\n lock m\n signal c\n unlock m\n",
     "A:lock B:lock! A:wait/w A:relock! B:lock B:signal/w>A A:relock! B:unlock A:relock=0 A:unlock "
     "A:exit"},
    {"signal_wakes_either_waiter", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n wait c, m\nthread B\n lock m\n wait c, m\n"
                 "thread C\n signal c\n signal c\n signal c\n",
     "A:lock A:wait B:lock B:wait C:signal/w>B A:relock! B:relock C:signal>A A:relock! "
     "C:signal/r>- A:relock!"},
    {"signal_comes_too_early", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n wait c, m\nthread B\n signal c\n broadcast c\n",
     "B:signal/r>- B:broadcast/r A:lock A:wait A:relock!"},
    {"broadcast_wakes_all", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n wait c, m\n unlock m\nthread B\n lock m\n wait c, m\n"
                 "thread C\n broadcast c\n",
     "A:lock A:wait B:lock B:wait C:broadcast/w A:relock B:relock! A:unlock B:relock=0"},
    {"wait_without_the_mutex", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n wait c, m\nthread B\n lock m\nthread C\n r = timedwait c, m\n",
     "A:wait/r#m B:lock C:timedwait/r#m"},

    {"timeout_first", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n r = timedwait c, m\n unlock m\nthread B\n lock m\n signal c\n"
                 " unlock m\n",
     "A:lock A:timedwait/w A:timeout/w B:lock A:relock! B:signal/r>- B:unlock A:relock=1 A:unlock"},
    {"timeout_withdrawn_by_signal", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n r = timedwait c, m\n unlock m\nthread B\n signal c\n",
     "A:lock A:timedwait B:signal>A^ A:relock=0 A:unlock"},
    {"timeout_withdrawn_by_broadcast", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n r = timedwait c, m\nthread B\n lock m\n r = timedwait c, m\n"
                 "thread C\n broadcast c\n",
     "A:lock A:timedwait B:lock B:timedwait B:timeout C:broadcast^ A:relock=0 B:relock!"},

    {"semaphore", &memory_sc, MANY,
     "sem e = 1\nthread A\n semwait e\n r = semtrywait e\n semwait e\n"
     "thread B\n sempost e\n sempost e\n r = semtrywait e\n",
     "A:semwait/w A:semtrywait/r=0 A:semwait! B:sempost/w A:semwait B:sempost B:semtrywait/w=1"},
    {"channel_takes_what_is_there", &memory_sc, MANY,
     "channel c = 3\nthread A\n r = get c, 2\n r = get c, 9\n r = tryget c, 1\n r = get c, 1\n"
     "thread B\n r = put c, 3\n close c\n",
     "A:get! B:put/w=3 A:get/w=2 A:get/w=1 A:tryget/r=-11 A:get! B:close/w A:get/r=0"},
    {"channel_is_full", &memory_sc, MANY,
     "channel c = 2\nthread A\n r = put c, 1\n r = put c, 5\n r = tryput c, 1\n r = put c, 1\n"
     "thread B\n r = get c, 1\n",
     "A:put/w=1 A:put/w=1 A:tryput/r=-11 A:put! B:get/w=1 A:put=1"},
    {"channel_closed_twice", &memory_sc, MANY, "channel c = 2\nthread A\n close c\n close c\n",
     "A:close/w A:close/r#m"},
    {"channel_needs_empty_buffers", &memory_tso, MANY,
     "cell x\nchannel c = 2\nthread A\n store x, 1\n r = put c, 1\n", "A:put! A* A:put=1"},
    {"barrier_twice", &memory_sc, MANY,
     ALL_OBJECTS
     "thread A\n r = barrier b\n r = barrier b\nthread B\n r = barrier b\n r = barrier b\n",
     "A:barrier/w A:leave! B:barrier=1 B:barrier B:leave! A:leave/-=0 A:barrier=1 A:exit B:leave=0 "
     "B:exit"},

    {"destroyed_and_used", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n mutexdestroy m\n spindestroy s\n rwdestroy w\n conddestroy c\n"
                 " semdestroy e\n barrierdestroy b\n"
                 "thread B\n lock m\nthread C\n r = spintrylock s\nthread D\n rdlock w\n"
                 "thread E\n signal c\nthread F\n semwait e\nthread G\n r = barrier b\n",
     "F:semwait! A:mutexdestroy/w A:spindestroy A:rwdestroy A:conddestroy A:semdestroy "
     "A:barrierdestroy B:lock/r#m C:spintrylock/r#m D:rdlock/r#m E:signal/r#m F:semwait/r#m "
     "G:barrier/r#m"},
    {"destroyed_and_made_again", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n mutexdestroy m\n mutexinit m\n lock m\n rwdestroy w\n rwinit w\n"
                 " rdlock w\n spindestroy s\n spininit s\n spinlock s\n conddestroy c\n"
                 " condinit c\n broadcast c\n semdestroy e\n seminit e, 1\n semwait e\n"
                 " barrierdestroy b\n barrierinit b\n r = barrier b\n",
     "A:mutexdestroy A:mutexinit/w A:lock A:rwdestroy A:rwinit A:rdlock A:spindestroy A:spininit "
     "A:spinlock A:conddestroy A:condinit A:broadcast/r A:semdestroy A:seminit A:semwait "
     "A:barrierdestroy A:barrierinit A:barrier"},
    {"destroyed_in_use", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n wait c, m\nthread B\n lock m\n rdlock w\n spinlock s\n"
                 " r = barrier b\n"
                 "thread C\n mutexdestroy m\nthread D\n conddestroy c\nthread E\n rwdestroy w\n"
                 "thread F\n spindestroy s\nthread G\n barrierdestroy b\n",
     "A:lock A:wait B:lock B:rdlock B:spinlock B:barrier C:mutexdestroy/r#m D:conddestroy/r#m "
     "E:rwdestroy/r#m F:spindestroy/r#m G:barrierdestroy/r#m"},
    {"made_in_use", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n wait c, m\nthread B\n lock m\n rdlock w\n r = barrier b\n"
                 "thread C\n mutexinit m\nthread D\n condinit c\nthread E\n rwinit w\n"
                 "thread F\n barrierinit b\n",
     "A:lock A:wait B:lock B:rdlock B:barrier C:mutexinit/r#m D:condinit/r#m E:rwinit/r#m "
     "F:barrierinit/r#m"},
    {"two_mutexes_for_one_condition", &memory_sc, MANY,
     ALL_OBJECTS "mutex n\nthread A\n lock m\n wait c, m\nthread B\n lock n\n wait c, n\n",
     "A:lock A:wait B:lock B:wait/r#m"},
    {"reader_unlocks_for_another", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n rdlock w\n rdlock w\n rwunlock w\n rwunlock w\nthread B\n rwunlock w\n"
                 "thread C\n wrlock w\n",
     "A:rdlock A:rdlock B:rwunlock/r#m A:rwunlock C:wrlock! A:rwunlock C:wrlock"},
    {"readers_behind_a_writer", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n rdlock w\n a = tryrdlock w\n rwunlock w\n rdlock w\n"
                 "thread B\n rwwant w\n wrlock w\n rwunlock w\n",
     "A:rdlock B:rwwant/w A:tryrdlock=0 B:wrlock! A:rwunlock A:rdlock! B:wrlock=1 A:rdlock! B:rwunlock "
     "A:rdlock"},
    {"a_spinlock_is_given_back_by_a_store", &memory_tso, MANY,
     ALL_OBJECTS "thread A\n spinlock s\n spinunlock s\n r = load x\nthread B\n spinlock s\n",
     "A:spinlock A:spinunlock/- A:load B:spinlock! A* B:spinlock"},
    {"a_signal_that_nobody_gets_leaves_stores_alone", &memory_tso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n signal c\n r = load x\nthread B\n r = load x\n",
     "A:signal/r A:load=1 B:load=0 A* x==1"},
    {"cancelled_while_waiting", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n r = wait c, m\n q = testcancel\nthread B\n r = testcancel\n"
                 " cancel A\n",
     "A:lock A:wait A:timeout! B:testcancel=0 B:cancel/w A:timeout>2 A:relock=2 A:testcancel/r=1"},
    {"cancelled_too_late", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n lock m\n r = wait c, m\n q = testcancel\nthread B\n signal c\n"
                 " cancel A\n",
     "A:lock A:wait B:signal>A^ B:cancel A:relock=0 A:testcancel=1"},

    {"await_a_change", &memory_tso, MANY,
     "cell x\ncell y\nthread A\n await x, 0\n store y, 1\n await y, 0\nthread B\n store x, 1\n r = load y\n",
     "A:await! B:load=0 A:await! B* A:await A:await/r"},
    {"create_and_join", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n create B\n join B\nthread B\n store x, 1\n",
     "A:create/w A:join! B:store A:join! B:exit/w A:join/r A:exit"},
    {"created_twice", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n create B\n create B\nthread B\n yield\n",
     "A:create B:yield A:create/r#m"},
    {"join_before_create", &memory_sc, MANY,
     ALL_OBJECTS "thread A\n join B\nthread C\n create B\nthread B\n yield\n",
     "A:join! C:create B:yield B:exit A:join"},
    {"exit_in_the_middle", &memory_sc, MANY, ALL_OBJECTS "thread A\n exit\n store x, 1\n",
     "A:exit x==0"},

    {"choose", &memory_sc, MANY,
     "thread A\n r = choose 3\n r = choose 1\n let r = 0\n s = choose r\n",
     "A:choose/->2=2 A:choose>0=0 A:invalid#m"},
    {"assert_and_assume", &memory_sc, MANY,
     "thread A\n assert 1\n assume 1 == 1\n assert 1 > 2\nthread B\n assume 0\n",
     "A:assert/- A:assume/- A:assert#a B:assume#h"},
    {"outside_of_an_array", &memory_sc, MANY,
     "cell a[2]\nthread A\n reg i = 2\n store a[i], 1\nthread B\n reg p = 8\n r = load [p]\n",
     "A:invalid#m B:invalid#m"},
    {"runs_for_ever", &memory_sc, MANY, "thread A\nL:\n goto L\n", "A:invalid#m"},

    {"tso_forwards_and_drains", &memory_tso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n store x, 2\n a = load x\n a = load y\n fence\n"
                 "thread B\n a = load x\n",
     "A:load/r=2 x==0 B:load=0 A:load=0 A:fence! A* x==1 A:fence! A* x==2 A:fence A:exit"},
    {"tso_forwards_byte_by_byte", &memory_tso, MANY,
     "cell x = 0x0101010101010101\nthread A\n store1 x+1, 2\n store2 x+4, 0x0303\n store1 x+5, 4\n"
     " a = load x\n b = loadu1 x+4\n",
     "A:load=0x0101040301010201 x==0x0101010101010101 A* A:load=3 A* A* A:exit "
     "x==0x0101040301010201"},
    {"tso_is_first_in_first_out", &memory_tso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n store y, 1\n", "A* x==1 y==0 A:exit! A* y==1 A:exit"},
    {"tso_own_flush_foreign_flush_own_load", &memory_tso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n r = load x\nthread B\n store x, 2\n",
     "A* x==1 B* x==2 A:load=2"},
    {"tso_seq_cst_store_drains", &memory_tso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n store.sc y, 1\n", "A:store! A* A:store/w y==1 A:exit"},
    {"tso_weaker_fences_do_not_drain", &memory_tso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n fence.rel\n fence.acq\n fence.ar\n a = load y\n",
     "A:fence A:fence A:fence A:load=0 x==0 A*"},
    {"tso_cas_and_rmw_see_memory", &memory_tso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n a = cas x, 1, 2\n a = add x, 1\n",
     "A:cas! A* A:cas/w=1 A:rmw=2 x==3"},

    {"tso_bound_1", &memory_tso, 1, ALL_OBJECTS "thread A\n store x, 1\n store y, 1\n a = load x\n",
     "A:store/- x==0 A:store! A* x==1 A:store A:load=1 y==0 A* y==1 A:exit"},
    {"tso_bound_2", &memory_tso, 2, ALL_OBJECTS "thread A\n store x, 1\n store y, 1\n store z, 1\n",
     "A:store A:store A:store! A* A:store x==1 y==0"},
    {"tso_bound_0_is_sc", &memory_tso, 0, ALL_OBJECTS "thread A\n store x, 1\n a = load x\n",
     "A:store/w x==1 A:load=1 A:exit"},
    {"pso_bound_is_for_each_address", &memory_pso, 1,
     ALL_OBJECTS "thread A\n store x, 1\n store y, 1\n store x, 2\n",
     "A:store A:store A:store! A.y* A:store! A.x* x==1 A:store x==1 A.x* x==2"},

    {"pso_stores_overtake", &memory_pso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n store y, 1\n store x, 2\n",
     "A.y* y==1 x==0 A:exit! A.x* x==1 A.x* x==2 A:exit"},
    {"pso_release_store_comes_last", &memory_pso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n store.rel y, 1\n store z, 1\n",
     "A.y*! A.z* A.x* A.y* y==1"},
    {"pso_release_fence_orders_stores", &memory_pso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n fence.rel\n store y, 1\n store z, 1\n a = load x\n",
     "A:fence A:load=1 A.y*! A.z*! A.x* A.z* A.y* A:exit"},
    {"pso_acquire_fence_orders_nothing", &memory_pso, MANY,
     ALL_OBJECTS "thread A\n store x, 1\n fence.acq\n store y, 1\n a = load x\n",
     "A:fence A:load=1 A.y* x==0 A.x*"},
    {"pso_overlapping_stores_keep_their_order", &memory_pso, MANY,
     "cell x\nthread A\n store x, 0x0505\n store1 x+1, 1\n",
     "A:exit! A.x+1*! A.x* A.x+1* x==0x0105 A:exit"},
};

static void case_run(void **state)
{
    const struct world_case *c = *state;
    struct rig rig;

    rig_open(&rig, c->name, c->text, c->memory, c->bound);
    rig_move(&rig, c->moves);
    rig_close(&rig);
}

/* ---- what does not fit into moves */

/* Every kind with OP_DRAIN that scripts can write waits for its thread's buffers, unless it looks first; nothing else does. */
static void draining(void **state)
{
    static const char *const rows[] = {
        "r = load y",
        "fence.rel",
        "yield",
        "r = choose 2",
        "assert 1",
        "assume 1",
        "r = add x, 1",
        "r = cas x, 0, 1",
        "fence",
        "store.sc y, 1",
        "lock m",
        "r = trylock m",
        "unlock m",
        "spinlock s",
        "r = spintrylock s",
        "spinunlock s",
        "rwwant w",
        "rdlock w",
        "wrlock w",
        "r = tryrdlock w",
        "r = trywrlock w",
        "rwunlock w",
        "wait c, m",
        "r = timedwait c, m",
        "signal c",
        "broadcast c",
        "sempost e",
        "r = semtrywait e",
        "semwait e",
        "r = barrier b",
        "r = get h, 1",
        "r = tryget h, 1",
        "r = put h, 1",
        "r = tryput h, 1",
        "close h",
        "create B",
        "join B",
        "exit",
        "mutexinit m",
        "mutexdestroy m",
        "spininit s",
        "spindestroy s",
        "rwinit w",
        "rwdestroy w",
        "condinit c",
        "conddestroy c",
        "seminit e, 1",
        "semdestroy e",
        "barrierinit b",
        "barrierdestroy b",
        "cancel B",
        "r = testcancel",
    };
    bool drained[OP_KIND_COUNT] = {false};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        struct rig rig;
        const struct op *op;
        bool wants;

        snprintf(text, sizeof text,
                 ALL_OBJECTS
                 "channel h = 2\nthread A\n store x, 1\n %s\nthread B\nthread C\n create B\n",
                 rows[i]);
        rig_open(&rig, rows[i], text, &memory_pso, MANY);
        op = &rig.world.threads.at[agent_named(&rig, "A", 1)].pending;
        wants = (op_infos[op->kind].flags & (OP_DRAIN | OP_LOOK)) == OP_DRAIN ||
                ((op->kind == OP_STORE || op->kind == OP_FENCE) && op->order == ORDER_SEQ_CST);
        EXPECT(&rig, world_ready(&rig.world, agent_named(&rig, "A", 1)) == !wants,
               "with a store in the buffer");
        rig_move(&rig, "A.x*");
        EXPECT(&rig, world_ready(&rig.world, agent_named(&rig, "A", 1)), "with empty buffers");
        drained[op->kind] = true;
        rig_close(&rig);
    }
    for (unsigned kind = 0; kind < OP_KIND_COUNT; kind++)
        if ((op_infos[kind].flags & (OP_DRAIN | OP_HIDDEN)) == OP_DRAIN && !drained[kind])
            fail_msg("%s was not tried", op_infos[kind].name);
}

static uint8_t location_kind(struct rig *rig, loc_id loc)
{
    return rig->world.locations.at[loc].kind;
}

/* A load of what its own thread stored meets nobody, flushed or not, but who overwrites it in memory. */
static void forwarding_footprint(void **state)
{
    struct rig rig;
    struct footprint load, flush, after, other;
    struct op space;
    agent_id a, b, buffer;

    (void)state;
    rig_open(&rig, "forwarding_footprint",
             ALL_OBJECTS "thread A\n store x, 1\n r = load x\nthread B\n store.sc x, 2\n",
             &memory_tso, MANY);
    a = agent_named(&rig, "A", 1);
    b = agent_named(&rig, "B", 1);
    buffer = buffer_at(&rig, a, 0);
    op_touch(&rig.world, &view_now, a, world_pending(&rig.world, a, &space), &load, NULL);
    op_touch(&rig.world, &view_now, buffer, world_pending(&rig.world, buffer, &space), &flush,
             NULL);
    assert_int_equal(load.count, 1);
    assert_int_equal(location_kind(&rig, load.at[0].loc), OBJECT_SLOT);
    assert_int_equal(flush.count, 1);
    assert_false(accesses_conflict(load.at, load.count, flush.at, flush.count));
    op_touch(&rig.world, &view_now, b, world_pending(&rig.world, b, &space), &other, NULL);
    assert_false(accesses_conflict(load.at, load.count, other.at, other.count));
    assert_true(accesses_conflict(flush.at, flush.count, other.at, other.count));
    rig_move(&rig, "A*");
    op_touch(&rig.world, &view_now, a, world_pending(&rig.world, a, &space), &after, NULL);
    assert_int_equal(after.count, 1);
    assert_int_equal(after.at[0].loc, load.at[0].loc);
    op_touch(&rig.world, &view_now, b, world_pending(&rig.world, b, &space), &other, NULL);
    assert_true(accesses_conflict(after.at, after.count, other.at, other.count));
    rig_move(&rig, "B:store");
    op_touch(&rig.world, &view_now, a, world_pending(&rig.world, a, &space), &after, NULL);
    assert_int_equal(location_kind(&rig, after.at[0].loc), OBJECT_CELL);
    rig_close(&rig);
}

/* Bytes that do not overlap do not conflict, even within eight bytes; reads never do, nor do additions among each other. */
static void footprints_conflict_by_bytes(void **state)
{
    struct access low = {1, 0x0f, ACCESS_WRITE}, high = {1, 0xf0, ACCESS_WRITE};
    struct access all = {1, 0xff, ACCESS_READ}, other = {2, 0xff, ACCESS_WRITE};
    struct access more = {1, 0xff, ACCESS_ADD};

    (void)state;
    assert_false(access_conflicts(&low, &high));
    assert_true(access_conflicts(&low, &all));
    assert_true(access_conflicts(&all, &high));
    assert_false(access_conflicts(&all, &all));
    assert_false(access_conflicts(&all, &other));
    assert_true(access_conflicts(&other, &other));
    assert_false(access_conflicts(&more, &more));
    assert_true(access_conflicts(&more, &all));
    assert_true(access_conflicts(&low, &more));
}

/* A lost signal has one outcome, a signal one for each waiter, a choice one for each number. */
static void outcomes_are_counted(void **state)
{
    struct rig rig;
    agent_id c;

    (void)state;
    rig_open(&rig, "outcomes",
             ALL_OBJECTS "thread A\n lock m\n wait c, m\nthread B\n lock m\n wait c, m\n"
                         "thread C\n signal c\n r = choose 5\n",
             &memory_sc, MANY);
    c = agent_named(&rig, "C", 1);
    world_outcomes(&rig.world, c, &rig.outcomes);
    assert_int_equal(rig.outcomes.count, 1);
    assert_int_equal(rig.outcomes.at[0], OUTCOME_LOST);
    rig_move(&rig, "A:lock A:wait B:lock B:wait");
    world_outcomes(&rig.world, c, &rig.outcomes);
    assert_int_equal(rig.outcomes.count, 2);
    rig_move(&rig, "C:signal>A");
    world_outcomes(&rig.world, c, &rig.outcomes);
    assert_int_equal(rig.outcomes.count, 5);
    rig_close(&rig);
}

/* A target with one thread that does a list of operations: for those that no script can write. */
struct fed {
    struct target base;
    const struct op *ops;
    unsigned next;
};

static void fed_restart(struct target *target, struct world *world)
{
    ((struct fed *)target)->next = 0;
    world_start(world, world_thread(world, 1));
}

static void fed_start(struct target *target, struct world *world, agent_id thread, struct op *next)
{
    struct fed *fed = (struct fed *)target;

    (void)world;
    (void)thread;
    *next = fed->ops[fed->next++];
}

static void fed_resume(struct target *target, struct world *world, agent_id thread,
                       cell_value result, struct op *next)
{
    (void)result;
    fed_start(target, world, thread, next);
}

/* Does the first `count` operations of a list, each of which must be enabled, and looks at the result of the last
 * one. True if the next one is enabled, too. */
static bool fed_do(const struct op *ops, unsigned count, uint64_t result, enum bug_kind bug)
{
    static const struct target_ops fed_ops = {
        .restart = fed_restart, .start = fed_start, .resume = fed_resume};
    struct fed fed = {{.ops = &fed_ops}, ops, 0};
    struct arena arena;
    struct world world;
    bool more;

    assert_int_equal(arena_open(&arena, RESERVE), 0);
    world_open(&world, &arena, &fed.base, &memory_sc, MANY);
    world_restart(&world);
    for (unsigned i = 0; i < count; i++) {
        agent_id thread = world_thread(&world, 1);

        assert_true(world_enabled(&world, thread));
        world_step(&world, thread, 0, i);
        exercised[ops[i].kind] = true;
    }
    assert_true(world.step.result == result);
    assert_int_equal(world.step.bug, bug);
    more = world_enabled(&world, world_thread(&world, 1));
    arena_close(&arena);
    return more;
}

static void only_native_programs_do_these(void **state)
{
    static const struct op sem[] = {{.kind = OP_SEM_INIT, .addr = 64, .value = 2},
                                    {.kind = OP_SEM_WAIT, .addr = 64},
                                    {.kind = OP_SEM_TRYWAIT, .addr = 64},
                                    {.kind = OP_SEM_WAIT, .addr = 64}};
    static const struct op crash[] = {{.kind = OP_YIELD}, {.kind = OP_CRASH}};

    (void)state;
    assert_true(fed_do(sem, 2, 1, BUG_NONE));
    assert_false(fed_do(sem, 3, 1, BUG_NONE)); /* the value was 2 */
    assert_false(fed_do(crash, 2, 0, BUG_CRASH));
}

/* A thread that locks a mutex again: waits for itself, gets it, or is told. */
static void mutexes_of_three_kinds(void **state)
{
    struct op ops[] = {{.kind = OP_MUTEX_LOCK, .addr = 64},   {.kind = OP_MUTEX_LOCK, .addr = 64},
                       {.kind = OP_MUTEX_UNLOCK, .addr = 64}, {.kind = OP_MUTEX_UNLOCK, .addr = 64},
                       {.kind = OP_MUTEX_UNLOCK, .addr = 64}, {.kind = OP_YIELD}};

    (void)state;
    assert_false(fed_do(ops, 1, 1, BUG_NONE));
    for (unsigned i = 0; i < 5; i++)
        ops[i].variant = MUTEX_RECURSIVE;
    assert_true(fed_do(ops, 2, 1, BUG_NONE));
    assert_true(fed_do(ops, 4, LOCK_GOT, BUG_NONE)); /* unlocked as often as locked */
    fed_do(ops, 5, LOCK_BUSY, BUG_NONE);             /* POSIX: an error, EPERM */
    for (unsigned i = 0; i < 5; i++)
        ops[i].variant = MUTEX_ERRORCHECK;
    assert_true(fed_do(ops, 2, LOCK_OWN, BUG_NONE));
    fed_do(ops, 4, LOCK_BUSY, BUG_NONE); /* the first unlock freed it; the mutex itself says so */
}

/* A robust mutex whose holder ends goes to the next with a warning; given back as it is, it is lost. */
static void robust_mutexes(void **state)
{
    struct op ops[] = {{.kind = OP_MUTEX_LOCK, .addr = 64},
                       {.kind = OP_MUTEX_ABANDON, .addr = 64},
                       {.kind = OP_MUTEX_TRYLOCK, .addr = 64},
                       {.kind = OP_MUTEX_UNLOCK, .addr = 64},
                       {.kind = OP_MUTEX_LOCK, .addr = 64},
                       {.kind = OP_YIELD},
                       {.kind = OP_YIELD}};

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        ops[i].variant = MUTEX_ROBUST;
    fed_do(ops, 3, LOCK_GOT_FROM_DEAD, BUG_NONE);
    fed_do(ops, 5, LOCK_LOST, BUG_NONE);
    ops[3].kind = OP_MUTEX_CONSISTENT;
    fed_do(ops, 4, 1, BUG_NONE);
    ops[4].kind = OP_MUTEX_UNLOCK;
    fed_do(ops, 5, LOCK_GOT, BUG_NONE);
    ops[5] = ops[0];
    fed_do(ops, 6, LOCK_GOT, BUG_NONE);
}

/* Memory that nobody initialised; handles that are used up; values that overflow. */
static void native_objects_are_judged(void **state)
{
    struct op raw[] = {{.kind = OP_SEM_POST, .addr = 64, .size = OBJECT_RAW}, {.kind = OP_YIELD}};
    struct op made[] = {
        {.kind = OP_SEM_INIT, .addr = 64, .value = INT32_MAX},
        {.kind = OP_SEM_POST, .addr = 64, .size = OBJECT_RAW, .variant = OBJECT_STRICT},
        {.kind = OP_YIELD}};
    struct op detached[] = {{.kind = OP_THREAD_DETACH, .addr = 1000},
                            {.kind = OP_THREAD_JOIN, .addr = 1000, .variant = OBJECT_STRICT},
                            {.kind = OP_YIELD}};

    (void)state;
    fed_do(raw, 1, 0, BUG_MISUSE);
    fed_do(made, 2, 0, BUG_NONE);
    fed_do(detached, 2, 0, BUG_MISUSE);
    detached[1].kind = OP_THREAD_DETACH;
    fed_do(detached, 2, 0, BUG_MISUSE);
}

/* Restarting brings everything back: memory, locks, waiters, buffers, threads. */
static void restart_forgets_all(void **state)
{
    struct rig rig;
    agent_id b;

    (void)state;
    rig_open(&rig, "restart",
             ALL_OBJECTS "thread A\n store x, 1\n lock m\n wait c, m\n"
                         "thread B\n store y, 1\n a = load y\n lock m\n sempost e\n signal c\n",
             &memory_pso, MANY);
    b = agent_named(&rig, "B", 1);
    rig_move(&rig, "A.x* A:lock A:wait B:load B.y* B:lock B:sempost B:signal>A");
    world_restart(&rig.world);
    rig.now = 0;
    assert_int_equal(agent_named(&rig, "B", 1), b); /* the same agent in all executions */
    rig_move(&rig,
             "x==0 y==0 B:load=1 A:lock! A.x* x==1 A:lock B.y* B:lock! A:wait A:relock! B:lock "
             "B:sempost B:signal>A A:relock!");
    rig_close(&rig);
}

/* The bound is a reason for an incomplete verdict only if some store met it. */
static void bound_met_is_noted(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, "bound", ALL_OBJECTS "thread A\n store x, 1\n a = load y\n store y, 1\n",
             &memory_tso, 1);
    rig_move(&rig, "A:store A:load");
    assert_false(rig.world.buffer_bound_met);
    rig_move(&rig, "A:store!");
    assert_true(rig.world.buffer_bound_met);
    rig_close(&rig);
    rig_open(&rig, "bound 0", ALL_OBJECTS "thread A\n store.sc x, 1\n store x, 2\n", &memory_tso,
             0);
    rig_move(&rig, "A:store");
    assert_false(rig.world.buffer_bound_met);
    rig_move(&rig, "A:store x==2");
    assert_true(rig.world.buffer_bound_met);
    rig_close(&rig);
}

static void models_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(memory_find("sc"), &memory_sc);
    assert_ptr_equal(memory_find("tso"), &memory_tso);
    assert_ptr_equal(memory_find("pso"), &memory_pso);
    assert_null(memory_find("arm"));
}

/* Runs last. A new row in ops.def wants a case here; hidden ones, which come from a target or from the model
 * itself, are listed. */
static void every_kind_was_done(void **state)
{
    static const uint8_t hidden[] = {OP_FLUSH,   OP_COND_TIMEOUT, OP_COND_RELOCK, OP_BARRIER_LEAVE,
                                     OP_INVALID, OP_SEM_INIT,     OP_CRASH};

    (void)state;
    for (unsigned kind = 0; kind < OP_KIND_COUNT; kind++)
        if (!exercised[kind] && !(op_infos[kind].flags & OP_HIDDEN))
            fail_msg("no case does %s (%s)", op_infos[kind].name, op_infos[kind].text);
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (!exercised[hidden[i]])
            fail_msg("no case does %s", op_infos[hidden[i]].name);
}

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(draining),
        cmocka_unit_test(forwarding_footprint),
        cmocka_unit_test(footprints_conflict_by_bytes),
        cmocka_unit_test(outcomes_are_counted),
        cmocka_unit_test(only_native_programs_do_these),
        cmocka_unit_test(mutexes_of_three_kinds),
        cmocka_unit_test(robust_mutexes),
        cmocka_unit_test(native_objects_are_judged),
        cmocka_unit_test(restart_forgets_all),
        cmocka_unit_test(bound_met_is_noted),
        cmocka_unit_test(models_are_found_by_name),
        cmocka_unit_test(every_kind_was_done),
    };
    enum { OTHERS = sizeof others / sizeof *others };
    struct CMUnitTest tests[CASES + OTHERS];

    for (size_t i = 0; i < CASES; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, case_run, NULL, NULL, (void *)&cases[i]};
    memcpy(tests + CASES, others, sizeof others);
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
