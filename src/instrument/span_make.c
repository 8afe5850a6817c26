#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "instrument/span.h"
#include "runtime/hooks.h"

/* A loop of span.c becomes two: as it was, and a copy that gets no hooks, or few. In front of both, code tells the runtime what will be accessed
 * and asks it which one to take. For that the addresses are computed there as they will be in the first, second and last round. */

/* Rounds by which values are computed. */
enum { ROUND_FIRST, ROUND_SECOND, ROUND_LAST };

struct making {
    struct span_loop *loop;
    struct pass *pass;
    LLVMBuilderRef builder;
    LLVMValueRef trips; /* of the test, once it is known */
    LLVMValueRef last;  /* number of the last round, for ROUND_LAST */
    VEC(LLVMValueRef) loads;
    VEC(LLVMValueRef) glances; /* what they give */
    VEC(LLVMBasicBlockRef) blocks;
    VEC(LLVMBasicBlockRef) copies;
    struct map copy_of; /* value -> index into values */
    VEC(LLVMValueRef) values;
};

static LLVMValueRef value_in(struct making *m, LLVMValueRef value, int round);

/* ---- values in front of the loop */

static bool is_pointer(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

static LLVMValueRef as_number(struct making *m, LLVMValueRef value)
{
    return is_pointer(value) ? LLVMBuildPtrToInt(m->builder, value, m->pass->i64, "") : value;
}

/* The operation of an instruction with other operands, and without promises about its result. */
static LLVMValueRef rebuilt(struct making *m, LLVMValueRef value, LLVMValueRef *operands)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    unsigned count = (unsigned)LLVMGetNumOperands(value);

    switch (opcode) {
    case LLVMGetElementPtr:
        return LLVMBuildGEP2(m->builder, LLVMGetGEPSourceElementType(value), operands[0],
                             operands + 1, count - 1, "");
    case LLVMSExt:
        return LLVMBuildSExt(m->builder, operands[0], LLVMTypeOf(value), "");
    case LLVMZExt:
        return LLVMBuildZExt(m->builder, operands[0], LLVMTypeOf(value), "");
    case LLVMTrunc:
        return LLVMBuildTrunc(m->builder, operands[0], LLVMTypeOf(value), "");
    default:
        return LLVMBuildBinOp(m->builder, opcode, operands[0], operands[1], "");
    }
}

static LLVMValueRef rebuilt_in(struct making *m, LLVMValueRef value, LLVMValueRef phi, int round)
{
    unsigned count = (unsigned)LLVMGetNumOperands(value);
    LLVMValueRef *operands = arena_alloc(&m->loop->work->arena, count * sizeof(LLVMValueRef));

    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(value, i);

        operands[i] = operand == phi ? span_phi_start(m->loop, phi) : value_in(m, operand, round);
    }
    return rebuilt(m, value, operands);
}

/* It begins with `start`, and the same is added each time. */
static LLVMValueRef phi_in(struct making *m, LLVMValueRef phi, int round)
{
    LLVMValueRef start = span_phi_start(m->loop, phi), second, step, number = m->last;

    if (round == ROUND_FIRST)
        return start;
    second = rebuilt_in(m, span_phi_next(m->loop, phi), phi, ROUND_FIRST);
    if (round == ROUND_SECOND)
        return second;
    step = LLVMBuildSub(m->builder, as_number(m, second), as_number(m, start), "");
    number = LLVMBuildIntCast2(m->builder, number, LLVMTypeOf(step), 0, "");
    step = LLVMBuildMul(m->builder, number, step, "");
    return is_pointer(start) ? LLVMBuildGEP2(m->builder, m->pass->i8, start, &step, 1, "")
                             : LLVMBuildAdd(m->builder, start, step, "");
}

static LLVMValueRef load_in(struct making *m, LLVMValueRef load)
{
    struct pass *pass = m->pass;
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMValueRef args[2], value;

    for (uint32_t i = 0; i < m->loads.count; i++)
        if (m->loads.at[i] == load)
            return m->glances.at[i];
    args[0] = value_in(m, LLVMGetOperand(load, 0), ROUND_FIRST);
    args[1] = constant_i32(pass, type_bytes(pass, type));
    value = hook_call(pass, "__raddle_glance", pass->i64, args, 2);
    value = LLVMGetTypeKind(type) == LLVMPointerTypeKind
                ? LLVMBuildIntToPtr(m->builder, value, type, "")
                : LLVMBuildIntCast2(m->builder, value, type, 0, "");
    vec_push(&m->loop->work->arena, &m->loads, load);
    vec_push(&m->loop->work->arena, &m->glances, value);
    return value;
}

static LLVMValueRef value_in(struct making *m, LLVMValueRef value, int round)
{
    if (!span_is_inside(m->loop, value))
        return value;
    if (LLVMIsAPHINode(value))
        return phi_in(m, value, round);
    if (LLVMIsALoadInst(value))
        return load_in(m, value);
    return rebuilt_in(m, value, NULL, round);
}

/* ---- what is told */

static LLVMValueRef as_wide(struct making *m, LLVMValueRef value, bool is_signed)
{
    return LLVMBuildIntCast2(m->builder, as_number(m, value), m->pass->i64, is_signed, "");
}

static uint32_t trips_how(const struct making *m, LLVMTypeRef type, bool *is_signed)
{
    static const struct {
        LLVMIntPredicate predicate;
        uint32_t how;
    } hows[] = {{LLVMIntNE, HOOK_TRIPS_OTHER},
                {LLVMIntULT, HOOK_TRIPS_LESS},
                {LLVMIntULE, HOOK_TRIPS_LESS_EQUAL},
                {LLVMIntUGT, HOOK_TRIPS_GREATER},
                {LLVMIntUGE, HOOK_TRIPS_GREATER_EQUAL},
                {LLVMIntSLT, HOOK_TRIPS_LESS | HOOK_TRIPS_SIGNED},
                {LLVMIntSLE, HOOK_TRIPS_LESS_EQUAL | HOOK_TRIPS_SIGNED},
                {LLVMIntSGT, HOOK_TRIPS_GREATER | HOOK_TRIPS_SIGNED},
                {LLVMIntSGE, HOOK_TRIPS_GREATER_EQUAL | HOOK_TRIPS_SIGNED}};
    uint32_t width = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? 64 : LLVMGetIntTypeWidth(type);

    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        if (hows[i].predicate == m->loop->predicate) {
            *is_signed = hows[i].how & HOOK_TRIPS_SIGNED;
            return hows[i].how | width << HOOK_TRIPS_WIDTH;
        }
    CHECK(false, "a loop with a test that is not known");
}

/* All that is widened on the way to the value must go on evenly, up to the round m->last. */
static void evens_tell(struct making *m, LLVMValueRef value, bool more)
{
    struct span_loop *loop = m->loop;

    span_find_wider(loop, value);
    for (uint32_t i = 0; i < loop->wider.count; i++) {
        LLVMValueRef wider = loop->wider.at[i], args[4];
        bool is_signed = LLVMGetInstructionOpcode(wider) == LLVMSExt;

        for (int round = ROUND_FIRST; round <= ROUND_LAST; round++)
            args[round] = as_wide(m, value_in(m, wider, round), is_signed);
        args[3] = constant_i32(m->pass, more);
        hook_call(m->pass, "__raddle_even", m->pass->nothing, args, 4);
    }
}

static void last_is(struct making *m, bool more)
{
    m->last = more ? m->trips : LLVMBuildSub(m->builder, m->trips, constant_i64(m->pass, 1), "");
}

static void trips_tell(struct making *m)
{
    LLVMValueRef counter = span_counter(m->loop), bound = span_bound(m->loop), args[4];
    bool is_signed = false;
    uint32_t how = trips_how(m, LLVMTypeOf(counter), &is_signed);

    args[0] = as_wide(m, value_in(m, counter, ROUND_FIRST), is_signed);
    args[1] = as_wide(m, value_in(m, counter, ROUND_SECOND), is_signed);
    args[2] = as_wide(m, value_in(m, bound, ROUND_FIRST), is_signed);
    args[3] = constant_i32(m->pass, how);
    m->trips = hook_call(m->pass, "__raddle_trips", m->pass->i64, args, 4);
    last_is(m, true);
    evens_tell(m, counter, true);
}

static void access_tell(struct making *m, LLVMValueRef access)
{
    LLVMValueRef pointer = access_pointer(access), args[4];
    bool more = span_is_once_more(m->loop, access);
    uint32_t how = (LLVMIsAStoreInst(access) ? HOOK_SPAN_WRITES : 0) | (more ? HOOK_SPAN_MORE : 0);

    args[0] = value_in(m, pointer, ROUND_FIRST);
    args[1] = value_in(m, pointer, ROUND_SECOND);
    args[2] = constant_i32(m->pass, 1u << access_class(m->loop->work, access));
    args[3] = constant_i32(m->pass, how);
    last_is(m, more);
    evens_tell(m, pointer, more);
    hook_call(m->pass, "__raddle_span", m->pass->nothing, args, 4);
}

/* ---- the copy */

static bool is_marker(LLVMValueRef instruction)
{
    const char *name = is_call(instruction) ? intrinsic_name(instruction) : NULL;

    return name && starts_with(name, "dbg.");
}

static void value_copied(struct making *m, LLVMValueRef value, LLVMValueRef copy)
{
    map_add(&m->copy_of, value_key(value), m->values.count);
    vec_push(&m->loop->work->arena, &m->values, copy);
}

static LLVMValueRef copy_of(const struct making *m, LLVMValueRef value)
{
    uint32_t index = map_get(&m->copy_of, value_key(value));

    return index == MAP_ABSENT ? value : m->values.at[index];
}

static LLVMBasicBlockRef block_copy_of(const struct making *m, LLVMBasicBlockRef block)
{
    for (uint32_t i = 0; i < m->blocks.count; i++)
        if (m->blocks.at[i] == block)
            return m->copies.at[i];
    return block;
}

/* It is the same variable of the source, for which name.c takes a phi with such a name. */
static void same_name(struct making *m, LLVMValueRef value, LLVMValueRef phi)
{
    const char *name = value_source_name(m->loop->work, value);
    char text[80];

    if (name && snprintf(text, sizeof text, "%s.0", name) < (int)sizeof text)
        LLVMSetValueName2(phi, text, strlen(text));
}

/* The value that a marker is about, if it is a single one. */
static LLVMValueRef marked_value(LLVMValueRef marker)
{
    LLVMValueRef wrapped = LLVMGetOperand(marker, 0), value = NULL;

    if (LLVMIsAValueAsMetadata(wrapped) && LLVMGetMDNodeNumOperands(wrapped) == 1)
        LLVMGetMDNodeOperands(wrapped, &value);
    return value;
}

/* Names of variables are for those who tell of an access. */
static bool is_copied(const struct making *m, LLVMValueRef instruction)
{
    return !is_marker(instruction) || (m->loop->rest.count && marked_value(instruction));
}

static LLVMValueRef instruction_copy(struct making *m, LLVMValueRef instruction)
{
    LLVMValueRef made;

    if (LLVMIsAPHINode(instruction)) {
        made = LLVMBuildPhi(m->builder, LLVMTypeOf(instruction), "");
        if (m->loop->rest.count)
            same_name(m, instruction, made);
        return made;
    }
    made = LLVMInstructionClone(instruction);
    LLVMInsertIntoBuilder(m->builder, made);
    return made;
}

static void block_copy(struct making *m, LLVMBasicBlockRef block, LLVMBasicBlockRef copy)
{
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
    LLVMPositionBuilderAtEnd(m->builder, copy);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (is_copied(m, i))
            value_copied(m, i, instruction_copy(m, i));
}

static void phi_connect(const struct making *m, LLVMValueRef phi, LLVMValueRef copy)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = copy_of(m, LLVMGetIncomingValue(phi, i));
        LLVMBasicBlockRef from = block_copy_of(m, LLVMGetIncomingBlock(phi, i));

        LLVMAddIncoming(copy, &value, &from, 1);
    }
}

static void marker_connect(const struct making *m, LLVMValueRef marker)
{
    LLVMValueRef value = marked_value(marker), copy = copy_of(m, value);

    if (copy != value)
        LLVMSetOperand(marker, 0, LLVMMetadataAsValue(m->pass->context, LLVMValueAsMetadata(copy)));
}

/* Its operands become copies, too. */
static void copy_connect(const struct making *m, LLVMValueRef original, LLVMValueRef copy)
{
    if (LLVMIsAPHINode(original)) {
        phi_connect(m, original, copy);
        return;
    }
    if (is_marker(original)) {
        marker_connect(m, copy);
        return;
    }
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(copy); i++) {
        LLVMValueRef operand = LLVMGetOperand(copy, i);

        if (LLVMValueIsBasicBlock(operand))
            LLVMSetOperand(copy, i,
                           LLVMBasicBlockAsValue(block_copy_of(m, LLVMValueAsBasicBlock(operand))));
        else
            LLVMSetOperand(copy, i, copy_of(m, operand));
    }
}

static void blocks_copy(struct making *m)
{
    struct span_loop *loop = m->loop;
    struct pass *pass = m->pass;

    for (uint32_t b = 0; b < loop->graph->blocks.count; b++)
        if (loop->in[b]) {
            LLVMBasicBlockRef copy = LLVMInsertBasicBlockInContext(pass->context, loop->head, "");

            vec_push(&loop->work->arena, &m->blocks, loop->graph->blocks.at[b]);
            vec_push(&loop->work->arena, &m->copies, copy);
            map_add(&pass->bare_of, value_key(copy), 0);
        }
    for (uint32_t i = 0; i < m->blocks.count; i++)
        block_copy(m, m->blocks.at[i], m->copies.at[i]);
    for (uint32_t i = 0; i < m->blocks.count; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(m->blocks.at[i]); v;
             v = LLVMGetNextInstruction(v))
            if (is_copied(m, v))
                copy_connect(m, v, copy_of(m, v));
    for (uint32_t i = 0; i < loop->rest.count; i++)
        map_add(&pass->kept_of, value_key(copy_of(m, loop->rest.at[i])), 0);
}

/* ---- behind both */

/* A user outside of the loop, but for phis of the exit, which get both. */
static LLVMValueRef outside_user(const struct span_loop *loop, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!span_is_inside(loop, user) &&
            !(LLVMIsAPHINode(user) && LLVMGetInstructionParent(user) == loop->exit))
            return user;
    }
    return NULL;
}

static void uses_merge(struct making *m, LLVMValueRef value)
{
    struct span_loop *loop = m->loop;
    LLVMBasicBlockRef from[] = {loop->leaves, block_copy_of(m, loop->leaves)};
    LLVMValueRef values[] = {value, copy_of(m, value)}, merged, user = outside_user(loop, value);

    if (!user)
        return;
    LLVMPositionBuilderBefore(m->builder, LLVMGetFirstInstruction(loop->exit));
    LLVMSetCurrentDebugLocation2(m->builder, NULL);
    merged = LLVMBuildPhi(m->builder, LLVMTypeOf(value), "");
    LLVMAddIncoming(merged, values, from, 2);
    same_name(m, value, merged);
    for (; user; user = outside_user(loop, value))
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, i) == value)
                LLVMSetOperand(user, i, merged);
}

static void exit_merge(struct making *m)
{
    struct span_loop *loop = m->loop;
    LLVMBasicBlockRef from = block_copy_of(m, loop->leaves);
    LLVMValueRef i = LLVMGetFirstInstruction(loop->exit);

    for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef value = copy_of(m, LLVMGetIncomingValue(i, 0));

        LLVMAddIncoming(i, &value, &from, 1);
    }
    for (uint32_t b = 0; b < m->blocks.count; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(m->blocks.at[b]); v;
             v = LLVMGetNextInstruction(v))
            if (!is_marker(v))
                uses_merge(m, v);
    for (i = LLVMGetFirstInstruction(loop->exit); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        ;
    builder_before(m->pass, i);
    hook_call(m->pass, "__raddle_span_end", m->pass->nothing, NULL, 0);
}

/* ---- in front of both */

static LLVMValueRef loop_tell(struct making *m)
{
    struct pass *pass = m->pass;
    LLVMValueRef how, bare, known;

    how = constant_i32(pass, m->loop->rest.count ? HOOK_SPAN_REST : 0);
    hook_call(pass, "__raddle_span_begin", pass->nothing, &how, 1);
    trips_tell(m);
    for (uint32_t i = 0; i < m->loop->accesses.count; i++)
        access_tell(m, m->loop->accesses.at[i]);
    bare = hook_call(pass, "__raddle_bare", pass->i32, NULL, 0);
    known = LLVMBuildICmp(m->builder, LLVMIntNE, bare, constant_i32(pass, HOOK_BARE_NOT), "");
    map_add(&pass->bare_of, value_key(m->loop->head), pass->trips_known.count + 1);
    vec_push(&pass->arena, &pass->trips_known, known);
    return LLVMBuildICmp(m->builder, LLVMIntEQ, bare, constant_i32(pass, HOOK_BARE), "");
}

void span_copy(struct span_loop *loop)
{
    struct pass *pass = loop->work->pass;
    struct making m = {.loop = loop, .pass = pass, .builder = pass->builder};
    LLVMValueRef enters = LLVMGetBasicBlockTerminator(loop->entry), bare;

    map_open(&m.copy_of, &loop->work->arena);
    builder_before(pass, enters);
    bare = loop_tell(&m);
    blocks_copy(&m);
    exit_merge(&m);
    builder_before(pass, enters);
    LLVMBuildCondBr(pass->builder, bare, block_copy_of(&m, loop->head), loop->head);
    LLVMInstructionEraseFromParent(enters);
}
