#include <stdio.h>
#include <string.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Functions that instrumented code gets for its quick accesses (quick.c): each module has its own, and most are inlined. */

/* ---- the check, as a function that is inlined sooner or later */

/* Its parts, while it is built. */
struct check {
    struct pass *pass;
    LLVMBuilderRef builder;
    LLVMValueRef function, quick, addr, cell, known;
    LLVMBasicBlockRef look, yes, no;
    int class;
};

static LLVMValueRef i64_constant(const struct check *c, uint64_t n)
{
    return constant_i64(c->pass, n);
}

static LLVMValueRef byte_offset(const struct check *c, LLVMValueRef from, uint64_t bytes)
{
    LLVMValueRef offset = i64_constant(c, bytes);

    return LLVMBuildInBoundsGEP2(c->builder, c->pass->i8, from, &offset, 1, "");
}

static LLVMValueRef load_at(const struct check *c, LLVMTypeRef type, LLVMValueRef from,
                            uint64_t bytes)
{
    return LLVMBuildLoad2(c->builder, type, byte_offset(c, from, bytes), "");
}

static LLVMValueRef is_equal(const struct check *c, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(c->builder, LLVMIntEQ, a, b, "");
}

static LLVMValueRef both(const struct check *c, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(c->builder, a, b, "");
}

static LLVMBasicBlockRef block_new(const struct check *c, const char *name)
{
    return LLVMAppendBasicBlockInContext(c->pass->context, c->function, name);
}

static LLVMValueRef quick_variable(struct pass *pass)
{
    LLVMValueRef variable = LLVMGetNamedGlobal(pass->module, "__raddle_quick");

    return variable ? variable : LLVMAddGlobal(pass->module, pass->i64, "__raddle_quick");
}

static LLVMValueRef function_new(struct pass *pass, const char *name, LLVMTypeRef type,
                                 unsigned attribute)
{
    LLVMValueRef function = LLVMAddFunction(pass->module, name, type);

    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(pass->context, attribute, 0));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(pass->context, pass->attr_nounwind, 0));
    return function;
}

/* Finds the cell of the first granule; what is not aligned is for the hook. */
static void check_cell(struct check *c)
{
    LLVMBuilderRef b = c->builder;
    uint64_t chunk_bytes = (uint64_t)HOOK_CELL / HOOK_GRANULE << HOOK_CHUNK_SHIFT;
    LLVMValueRef index, chunk, place, is_there, offset;

    c->addr = LLVMBuildPtrToInt(b, LLVMGetParam(c->function, 0), c->pass->i64, "");
    index =
        LLVMBuildAnd(b, LLVMBuildLShr(b, c->addr, i64_constant(c, HOOK_CHUNK_SHIFT), ""),
                     load_at(c, c->pass->i64, c->quick, offsetof(struct raddle_quick, mask)), "");
    place = load_at(c, c->pass->pointer, c->quick, offsetof(struct raddle_quick, chunks));
    place = LLVMBuildInBoundsGEP2(b, c->pass->pointer, place, &index, 1, "");
    chunk = LLVMBuildLoad2(b, c->pass->pointer, place, "");
    is_there = LLVMBuildIsNotNull(b, chunk, "");
    if (c->class > 0)
        is_there =
            both(c, is_there,
                 is_equal(c, LLVMBuildAnd(b, c->addr, i64_constant(c, (1u << c->class) - 1), ""),
                          i64_constant(c, 0)));
    LLVMBuildCondBr(b, is_there, c->look, c->no);
    LLVMPositionBuilderAtEnd(b, c->look);
    offset = LLVMBuildMul(b, c->addr, i64_constant(c, HOOK_CELL / HOOK_GRANULE), "");
    offset = LLVMBuildAnd(b, offset, i64_constant(c, chunk_bytes - HOOK_CELL), "");
    c->cell = LLVMBuildInBoundsGEP2(b, c->pass->i8, chunk, &offset, 1, "");
    c->known = load_at(c, c->pass->i64, c->quick, offsetof(struct raddle_quick, known));
}

/* Whether the byte of the cell that is at `at` has a bit for each byte accessed. */
static LLVMValueRef has_bytes(const struct check *c, uint64_t at)
{
    LLVMValueRef bits = load_at(c, c->pass->i8, c->cell, at), shift, mask;

    if (c->class >= 2)
        return is_equal(c, bits, LLVMConstInt(c->pass->i8, (1u << HOOK_GRANULE) - 1, 0));
    shift = LLVMBuildAnd(c->builder, c->addr, i64_constant(c, HOOK_GRANULE - 1), "");
    mask = LLVMConstInt(c->pass->i8, (1u << (1u << c->class)) - 1, 0);
    bits = LLVMBuildLShr(c->builder, bits, LLVMBuildTrunc(c->builder, shift, c->pass->i8, ""), "");
    return is_equal(c, LLVMBuildAnd(c->builder, bits, mask, ""), mask);
}

/* Written since: the cell begins as expected. */
static LLVMValueRef cell_was_written(struct check *c, uint64_t cell)
{
    return both(c, is_equal(c, load_at(c, c->pass->i64, c->cell, cell), c->known),
                has_bytes(c, cell + HOOK_CELL_WRITTEN));
}

/* What both cells of eight bytes, or the only one, must fulfil. */
static LLVMValueRef all_cells(struct check *c,
                              LLVMValueRef (*fulfils)(struct check *c, uint64_t cell))
{
    LLVMValueRef first = fulfils(c, 0);

    return c->class == 3 ? both(c, first, fulfils(c, HOOK_CELL)) : first;
}

/* The cell is of this execution, and about reads of those bytes. */
static LLVMValueRef cell_has_reads(struct check *c, uint64_t cell)
{
    LLVMTypeRef i32 = c->pass->i32;
    LLVMValueRef known = LLVMBuildTrunc(c->builder, c->known, i32, "");

    return both(c, is_equal(c, load_at(c, i32, c->cell, cell), known),
                has_bytes(c, cell + HOOK_CELL_READ));
}

static LLVMValueRef now(struct check *c)
{
    return LLVMBuildTrunc(c->builder, LLVMBuildLShr(c->builder, c->known, i64_constant(c, 32), ""),
                          c->pass->i32, "");
}

static LLVMValueRef cell_was_read_now(struct check *c, uint64_t cell)
{
    return is_equal(c, load_at(c, c->pass->i32, c->cell, cell + HOOK_CELL_READS), now(c));
}

static LLVMValueRef i32_operation(struct check *c, LLVMOpcode opcode, LLVMValueRef a, uint32_t b)
{
    return LLVMBuildBinOp(c->builder, opcode, a, constant_i32(c->pass, b), "");
}

static LLVMValueRef vector_number(struct check *c, LLVMValueRef vector, LLVMValueRef index)
{
    return LLVMBuildLoad2(c->builder, c->pass->i32,
                          LLVMBuildInBoundsGEP2(c->builder, c->pass->i32, vector, &index, 1, ""),
                          "");
}

/* The body of the function below: moments_have of detect/shadow.h, for what is not a single moment. */
static void vector_build(struct check *c)
{
    LLVMValueRef reads = LLVMGetParam(c->function, 0), moment = LLVMGetParam(c->function, 1);
    LLVMBasicBlockRef is_vector = block_new(c, "vector"), is_in = block_new(c, "in"),
                      no = block_new(c, "no");
    LLVMValueRef thread, vector, start;

    LLVMBuildCondBr(
        c->builder,
        LLVMBuildICmp(c->builder, LLVMIntUGE, reads, constant_i32(c->pass, HOOK_VECTORS), ""),
        is_vector, no);
    LLVMPositionBuilderAtEnd(c->builder, is_vector);
    start = i32_operation(c, LLVMAnd, reads, HOOK_CLOCK_MASK);
    start = LLVMBuildMul(c->builder, LLVMBuildZExt(c->builder, start, c->pass->i64, ""),
                         i64_constant(c, HOOK_VECTOR_UNIT), "");
    vector = load_at(c, c->pass->pointer, quick_variable(c->pass),
                     offsetof(struct raddle_quick, vectors));
    vector = LLVMBuildInBoundsGEP2(c->builder, c->pass->i32, vector, &start, 1, "");
    thread = i32_operation(c, LLVMLShr, moment, HOOK_CLOCK_BITS);
    LLVMBuildCondBr(c->builder,
                    LLVMBuildICmp(c->builder, LLVMIntULT, thread,
                                  vector_number(c, vector, constant_i32(c->pass, 0)), ""),
                    is_in, no);
    LLVMPositionBuilderAtEnd(c->builder, is_in);
    LLVMBuildRet(c->builder,
                 is_equal(c, vector_number(c, vector, i32_operation(c, LLVMAdd, thread, 1)),
                          i32_operation(c, LLVMAnd, moment, HOOK_CLOCK_MASK)));
    LLVMPositionBuilderAtEnd(c->builder, no);
    LLVMBuildRet(c->builder, LLVMConstInt(c->pass->i1, 0, 0));
}

/* Whether reads that several threads have made include one of a moment: seldom enough for a call, but not for the hook. */
static LLVMValueRef vector_function(struct pass *pass)
{
    static const char name[] = "__raddle_vector_has";
    LLVMTypeRef types[] = {pass->i32, pass->i32};
    struct check c = {.pass = pass, .function = LLVMGetNamedFunction(pass->module, name)};

    if (c.function)
        return c.function;
    c.function =
        function_new(pass, name, LLVMFunctionType(pass->i1, types, 2, 0), pass->attr_noinline);
    LLVMSetFunctionCallConv(c.function, LLVMPreserveMostCallConv);
    c.builder = LLVMCreateBuilderInContext(pass->context);
    LLVMPositionBuilderAtEnd(c.builder, block_new(&c, ""));
    vector_build(&c);
    LLVMDisposeBuilder(c.builder);
    return c.function;
}

static LLVMValueRef cell_was_read_by_many(struct check *c, uint64_t cell)
{
    LLVMValueRef function = vector_function(c->pass), call;
    LLVMValueRef args[] = {load_at(c, c->pass->i32, c->cell, cell + HOOK_CELL_READS), now(c)};

    call = LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(function), function, args, 2, "");
    LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
    return call;
}

/* Goes on in a new block if that is so, else there. */
static void check_or(struct check *c, LLVMValueRef condition, LLVMBasicBlockRef otherwise)
{
    LLVMBasicBlockRef next = block_new(c, "");

    LLVMBuildCondBr(c->builder, condition, next, otherwise);
    LLVMPositionBuilderAtEnd(c->builder, next);
}

static void check_build(struct check *c, bool writes)
{
    struct pass *pass = c->pass;
    LLVMBasicBlockRef entry = block_new(c, ""), reads = writes ? NULL : block_new(c, "reads"),
                      many = writes ? NULL : block_new(c, "many");

    c->look = block_new(c, "look");
    c->yes = block_new(c, "yes");
    c->no = block_new(c, "no");
    LLVMPositionBuilderAtEnd(c->builder, entry);
    check_cell(c);
    LLVMBuildCondBr(c->builder, all_cells(c, cell_was_written), c->yes, writes ? c->no : reads);
    if (!writes) {
        LLVMPositionBuilderAtEnd(c->builder, reads);
        check_or(c, all_cells(c, cell_has_reads), c->no);
        LLVMBuildCondBr(c->builder, all_cells(c, cell_was_read_now), c->yes, many);
        LLVMPositionBuilderAtEnd(c->builder, many);
        LLVMBuildCondBr(c->builder, all_cells(c, cell_was_read_by_many), c->yes, c->no);
    }
    LLVMPositionBuilderAtEnd(c->builder, c->yes);
    LLVMBuildRet(c->builder, LLVMConstInt(pass->i1, 1, 0));
    LLVMPositionBuilderAtEnd(c->builder, c->no);
    LLVMBuildRet(c->builder, LLVMConstInt(pass->i1, 0, 0));
}

/* Else whoever calls it would have to read all memory anew behind it. */
static void only_reads(struct pass *pass, LLVMValueRef function)
{
    const uint64_t reads_anywhere = 0x15; /* Ref, for each of three kinds of memory */

    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(pass->context, pass->attr_memory, reads_anywhere));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(pass->context, pass->attr_willreturn, 0));
}

LLVMValueRef quick_check_function(struct pass *pass, int class, bool writes)
{
    struct check c = {.pass = pass, .class = class};
    char name[40];

    snprintf(name, sizeof name, QUICK_CHECK "%s%u", writes ? "write" : "read", 1u << class);
    c.function = LLVMGetNamedFunction(pass->module, name);
    if (c.function)
        return c.function;
    c.function = function_new(pass, name, LLVMFunctionType(pass->i1, &pass->pointer, 1, 0),
                              pass->optimises ? pass->attr_noinline : pass->attr_alwaysinline);
    if (pass->optimises)
        only_reads(pass, c.function);
    c.quick = quick_variable(pass);
    c.builder = LLVMCreateBuilderInContext(pass->context);
    check_build(&c, writes);
    LLVMDisposeBuilder(c.builder);
    return c.function;
}

/* ---- counting and calls */

LLVMValueRef quick_call(struct pass *pass, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                        unsigned count)
{
    LLVMValueRef call = hook_call(pass, name, result, args, count);
    LLVMValueRef function = called_function(call);

    LLVMSetFunctionCallConv(function, LLVMPreserveMostCallConv);
    LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(pass->context, pass->attr_nonlazybind, 0));
    return call;
}

LLVMValueRef quick_count_function(struct pass *pass)
{
    static const char name[] = "__raddle_count";
    LLVMValueRef function = LLVMGetNamedFunction(pass->module, name), left, place;
    struct check c = {.pass = pass};
    LLVMBasicBlockRef entry, spent, end;

    if (function)
        return function;
    function = c.function = function_new(
        pass, name, LLVMFunctionType(pass->nothing, &pass->i64, 1, 0), pass->attr_alwaysinline);
    c.builder = LLVMCreateBuilderInContext(pass->context);
    entry = block_new(&c, "");
    spent = block_new(&c, "spent");
    end = block_new(&c, "end");
    LLVMPositionBuilderAtEnd(c.builder, entry);
    place = byte_offset(&c, quick_variable(pass), offsetof(struct raddle_quick, left));
    left = LLVMBuildSub(c.builder, LLVMBuildLoad2(c.builder, pass->i64, place, ""),
                        LLVMGetParam(function, 0), "");
    LLVMBuildStore(c.builder, left, place);
    LLVMBuildCondBr(c.builder, LLVMBuildICmp(c.builder, LLVMIntSLT, left, i64_constant(&c, 0), ""),
                    spent, end);
    LLVMPositionBuilderAtEnd(pass->builder, spent);
    LLVMSetCurrentDebugLocation2(pass->builder, NULL);
    quick_call(pass, "__raddle_spent", pass->nothing, NULL, 0);
    LLVMBuildBr(pass->builder, end);
    LLVMPositionBuilderAtEnd(c.builder, end);
    LLVMBuildRetVoid(c.builder);
    LLVMDisposeBuilder(c.builder);
    return function;
}

void quick_note_write(struct pass *pass)
{
    struct check c = {.pass = pass, .builder = pass->builder};

    LLVMBuildStore(pass->builder, LLVMConstInt(pass->i8, 1, 0),
                   byte_offset(&c, quick_variable(pass), offsetof(struct raddle_quick, wrote)));
}
