#include "script/describe.h"

#include <inttypes.h>
#include <string.h>

#include "model/object.h"

static const char *thread_name(const struct script *script, const struct world *world,
                               agent_id agent)
{
    return script->program->threads[script_thread_of(world, agent)].name;
}

/* "x", "a[3]", "x+4", or the address as it is. */
static void describe_address(const struct script *script, uint64_t addr, FILE *out)
{
    uint64_t offset;
    uint32_t d = script_locate(script, addr, &offset);
    const struct decl *decl;
    uint64_t size;

    if (d == UINT32_MAX) {
        fprintf(out, "%#" PRIx64, addr);
        return;
    }
    decl = &script->program->decls[d];
    size = decl->kind == OBJECT_CELL ? decl->size : 1;
    fputs(decl->name, out);
    if (decl->is_array)
        fprintf(out, "[%" PRIu64 "]", offset / size);
    if (offset % size)
        fprintf(out, "+%" PRIu64, offset % size);
}

void script_describe_agent(const struct script *script, const struct world *world, agent_id agent,
                           FILE *out)
{
    fputs(thread_name(script, world, agent), out);
    if (!world->agents.at[agent].is_buffer)
        return;
    fputs("'s buffer", out);
    if (world->agents.at[agent].addr) {
        fputs(" of ", out);
        describe_address(script, world->agents.at[agent].addr, out);
    }
}

static int64_t as_signed(uint64_t value, unsigned size)
{
    unsigned unused = 64 - 8 * (size ? size : 8);

    return (int64_t)(value << unused) >> unused;
}

static const char *op_text(const struct op *op)
{
    return op->kind == OP_RMW ? rmw_kind_names[op->variant] : op_infos[op->kind].text;
}

/* The values that an operation brings along. */
static void describe_operands(const struct op *op, FILE *out)
{
    if (op->kind == OP_CAS)
        fprintf(out, ", %" PRId64, as_signed((uint64_t)op->expect, op->size));
    if (op->kind == OP_STORE || op->kind == OP_RMW || op->kind == OP_CAS)
        fprintf(out, ", %" PRId64, as_signed((uint64_t)op->value, op->size));
}

static void describe_outcome(const struct script *script, const struct world *world,
                             const struct op *op, outcome_id outcome, const cell_value *result,
                             FILE *out)
{
    if (result && *result == LOOK_GOES_ON)
        fputs("  (to be done)", out);
    else if (op->kind == OP_COND_SIGNAL && outcome == OUTCOME_LOST)
        fputs("  (nobody waits)", out);
    else if (op->kind == OP_COND_SIGNAL)
        fprintf(out, "  (wakes %s)", thread_name(script, world, outcome));
    else if (result && (op->kind == OP_LOAD || op->kind == OP_RMW || op->kind == OP_CAS))
        fprintf(out, "  -> %" PRId64, as_signed((uint64_t)*result, op->size));
    else if (op->kind == OP_COND_TIMEOUT && outcome != WAIT_END_TIMEOUT)
        fprintf(out, "  (%s)", wait_end_texts[outcome]);
    else if (result && (op->kind == OP_CHOOSE || op->kind == OP_THREAD_TESTCANCEL))
        fprintf(out, "  -> %" PRIu64, (uint64_t)*result);
    else if (result && strstr(op_infos[op->kind].text, "try"))
        fputs(*result ? "  (got it)" : "  (did not get it)", out);
}

void script_describe_op(const struct script *script, const struct world *world, const struct op *op,
                        outcome_id outcome, const cell_value *result, FILE *out)
{
    const struct op_info *info = &op_infos[op->kind];

    if (op->kind == OP_AWAIT) {
        const struct await *await = (const struct await *)(uintptr_t)op->addr;

        fputs("await ", out);
        describe_address(script, await->reads[0].addr, out);
        fprintf(out, ", %" PRId64, as_signed(await->reads[0].value, await->reads[0].size));
        return;
    }
    fputs(op_text(op), out);
    if ((op->kind == OP_STORE || op->kind == OP_LOAD || op->kind == OP_FENCE) &&
        op->order != ORDER_RELAXED)
        fprintf(out, ".%s", memory_order_names[op->order]);
    if (info->object == OBJECT_THREAD && op->kind != OP_THREAD_EXIT) {
        fprintf(out, " %s", thread_name(script, world, (agent_id)op->addr));
    } else if (info->object != OBJECT_NONE && info->object != OBJECT_THREAD) {
        fputc(' ', out);
        describe_address(script, op->addr, out);
    }
    describe_operands(op, out);
    describe_outcome(script, world, op, outcome, result, out);
}
