#include "cli/script_print.h"

#include <inttypes.h>

#include "model/object.h"
#include "script/describe.h"

/* Who keeps the operation from running, as far as its object tells: "held by T1". */
static void describe_holder(const struct script_run *run, const struct op *op, FILE *out)
{
    struct world *world = &run->explorer->world;
    uint8_t kind = op_infos[op->kind].object;
    uint64_t state = world_state(world, world_location(world, kind, op->addr)) & OBJECT_USE;
    uint32_t readers;

    if ((kind == OBJECT_MUTEX || kind == OBJECT_SPIN) && state != 0)
        fprintf(out, ", held by %s",
                run->program->threads[script_thread_of(world, (uint32_t)state - 1)].name);
    else if (kind == OBJECT_RWLOCK && rwlock_writer(state))
        fprintf(out, ", held for writing by %s",
                run->program->threads[script_thread_of(world, (agent_id)(state >> 32) - 1)].name);
    if (kind != OBJECT_RWLOCK || rwlock_writer(state))
        return;
    waiters_members(&world->waiters, rwlock_readers(state), &readers);
    if (readers)
        fprintf(out, ", held by %" PRIu32 " readers", readers);
}

/* The thread waits at a condition: its last operation says which. */
static void describe_wait(const struct script_run *run, agent_id agent, FILE *out)
{
    const struct execution *x = &run->explorer->execution;
    uint32_t last = x->events.count;

    while (last-- > 0 && x->events.at[last].agent != agent)
        continue;
    if (last != UINT32_MAX)
        script_describe_op(run->script, &run->explorer->world, &x->events.at[last].op, 0, NULL,
                           out);
    fputs(": nobody signals", out);
}

void script_print_stuck(const struct script_run *run, FILE *out)
{
    struct world *world = &run->explorer->world;

    for (uint32_t i = 0; i < world->active.count; i++) {
        agent_id agent = world->active.at[i];
        const struct thread *thread = &world->threads.at[agent];

        if (world->agents.at[agent].is_buffer || thread->status != THREAD_RUNNING)
            continue;
        fputs("    ", out);
        script_describe_agent(run->script, world, agent, out);
        fputs(" waits for: ", out);
        if (thread->pending.kind == OP_COND_RELOCK && !thread->woken) {
            describe_wait(run, agent, out);
        } else {
            script_describe_op(run->script, world, &thread->pending, 0, NULL, out);
            describe_holder(run, &thread->pending, out);
        }
        fprintf(out, " (line %" PRIu64 ")\n", thread->pending.site);
    }
}

void script_print_run(const struct script_run *run, FILE *out)
{
    const struct execution *x = &run->explorer->execution;

    fprintf(out, "  the run that shows it:\n");
    for (event_id id = 0; id < x->events.count; id++) {
        const struct event *event = &x->events.at[id];

        fprintf(out, "    %3" PRIu32 "  line %-4" PRIu64 " ", id + 1, event->op.site);
        script_describe_agent(run->script, &run->explorer->world, event->agent, out);
        fputs(": ", out);
        script_describe_op(run->script, &run->explorer->world, &event->op, event->outcome,
                           &event->result, out);
        fputc('\n', out);
    }
}
