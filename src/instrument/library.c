#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Calls of libatomic, which clang writes for atomic objects that it does not take to be
 * lock-free (16 bytes without -mcx16): by value with the size in the name, or by address with
 * the size in front. */

/* Which argument is what; -1: there is none. The same in both forms, if the size in front is not
 * counted. */
static const struct library_row {
    const char *stem;
    enum library_kind kind;
    uint8_t operation;
    int8_t operand, result, expected, order; /* by value there is no `result` */
} rows[] = {
    {"load", LIBRARY_LOAD, 0, -1, 1, -1, 2},
    {"store", LIBRARY_STORE, 0, 1, -1, -1, 2},
    {"exchange", LIBRARY_RMW, HOOK_XCHG, 1, 2, -1, 3},
    {"compare_exchange", LIBRARY_CAS, 0, 2, -1, 1, 3},
    {"fetch_add", LIBRARY_RMW, HOOK_ADD, 1, -1, -1, 2},
    {"fetch_sub", LIBRARY_RMW, HOOK_SUB, 1, -1, -1, 2},
    {"fetch_and", LIBRARY_RMW, HOOK_AND, 1, -1, -1, 2},
    {"fetch_or", LIBRARY_RMW, HOOK_OR, 1, -1, -1, 2},
    {"fetch_xor", LIBRARY_RMW, HOOK_XOR, 1, -1, -1, 2},
    {"fetch_nand", LIBRARY_RMW, HOOK_NAND, 1, -1, -1, 2},
};

static LLVMValueRef argument(LLVMValueRef call, int index)
{
    unsigned count = LLVMGetNumArgOperands(call);

    return index >= 0 && (unsigned)index < count ? LLVMGetArgOperand(call, (unsigned)index) : NULL;
}

/* The C library's number of an order as ours; what is not constant is taken as the strongest. */
static uint32_t order_of(LLVMValueRef order)
{
    static const uint8_t ours[] = {0, 1, 1, 2, 3, 4};
    uint64_t n = order && LLVMIsAConstantInt(order) ? LLVMConstIntGetZExtValue(order) : 5;

    return n < sizeof ours ? ours[n] : 4;
}

static void fill(struct library *library, const struct library_row *row, LLVMValueRef call)
{
    bool by_value = library->by_value;
    int shift = by_value ? 0 : 1;
    int order = row->order - (by_value && row->result >= 0 ? 1 : 0);

    library->kind = row->kind;
    library->operation = row->operation;
    library->pointer = argument(call, shift);
    library->operand = row->operand < 0 ? NULL : argument(call, row->operand + shift);
    library->result = by_value || row->result < 0 ? NULL : argument(call, row->result + shift);
    library->expected = row->expected < 0 ? NULL : argument(call, row->expected + shift);
    library->order = order_of(argument(call, order + shift));
    if (row->kind == LIBRARY_CAS) /* the order of failure is where others have their operation */
        library->operation = (uint8_t)order_of(argument(call, order + shift + 1));
}

struct library library_understand(LLVMValueRef call)
{
    struct library library = {.kind = LIBRARY_NONE, .class = NO_CLASS};
    LLVMValueRef function = called_function(call), size = argument(call, 0);
    size_t length;
    const char *name = function ? LLVMGetValueName2(function, &length) : "";

    if (!starts_with(name, "__atomic_") || !LLVMIsDeclaration(function) || !LLVMIsACallInst(call))
        return library;
    name += strlen("__atomic_");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *rest = name + strlen(rows[i].stem);

        if (!starts_with(name, rows[i].stem) || (*rest && *rest != '_'))
            continue;
        library.by_value = *rest == '_';
        if (library.by_value)
            library.class = size_class(strtoull(rest + 1, NULL, 10));
        else if (size && LLVMIsAConstantInt(size))
            library.class = size_class(LLVMConstIntGetZExtValue(size));
        fill(&library, &rows[i], call);
        return library;
    }
    return library;
}

/* Plain accesses of what is passed by address: hooks if others can see it. */
static LLVMValueRef read_operand(struct work *work, const struct point *point, LLVMValueRef at,
                                 int class)
{
    struct pass *pass = work->pass;
    LLVMTypeRef type = pass->integer[class];
    LLVMValueRef load;

    if (!escape_is_private(work, at))
        return hook_call_sized(pass, "load", class, type,
                               (LLVMValueRef[]){at, constant_i32(pass, HOOK_PLAIN), point->site},
                               3);
    load = LLVMBuildLoad2(pass->builder, type, at, "");
    LLVMSetAlignment(load, 1);
    return load;
}

static void write_result(struct work *work, const struct point *point, LLVMValueRef at, int class,
                         LLVMValueRef value)
{
    struct pass *pass = work->pass;

    if (!escape_is_private(work, at))
        hook_call_sized(pass, "store", class, pass->nothing,
                        (LLVMValueRef[]){at, value, constant_i32(pass, HOOK_PLAIN), point->site},
                        4);
    else
        LLVMSetAlignment(LLVMBuildStore(pass->builder, value, at), 1);
}

static LLVMValueRef atomic_call(struct work *work, const struct point *point,
                                const struct library *library, LLVMValueRef operand,
                                LLVMValueRef expected)
{
    struct pass *pass = work->pass;
    int class = library->class;
    LLVMTypeRef type = pass->integer[class];
    LLVMValueRef pointer = library->pointer, site = point->site;
    LLVMValueRef flags = constant_i32(pass, library->order | (uint32_t)library->operation << 8);

    switch (library->kind) {
    case LIBRARY_LOAD:
        return hook_call_sized(pass, "load", class, type, (LLVMValueRef[]){pointer, flags, site},
                               3);
    case LIBRARY_STORE:
        hook_call_sized(pass, "store", class, pass->nothing,
                        (LLVMValueRef[]){pointer, operand, flags, site}, 4);
        return NULL;
    case LIBRARY_RMW:
        return hook_call_sized(pass, "rmw", class, type,
                               (LLVMValueRef[]){pointer, operand, flags, site}, 4);
    default:
        return hook_call_sized(pass, "cas", class, type,
                               (LLVMValueRef[]){pointer, expected, operand, flags, site}, 5);
    }
}

void library_rewrite(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    struct library library = library_understand(point->instruction);
    LLVMTypeRef type = pass->integer[library.class];
    LLVMValueRef operand = library.operand, expected = NULL, old, result = NULL;

    if (operand)
        operand = library.by_value ? value_to_integer(pass, operand, type)
                                   : read_operand(work, point, operand, library.class);
    if (library.expected)
        expected = read_operand(work, point, library.expected, library.class);
    old = atomic_call(work, point, &library, operand, expected);
    if (library.result)
        write_result(work, point, library.result, library.class, old);
    if (library.expected) { /* the same value again if it was exchanged: no need to branch */
        write_result(work, point, library.expected, library.class, old);
        result = LLVMBuildIntCast2(pass->builder,
                                   LLVMBuildICmp(pass->builder, LLVMIntEQ, old, expected, ""),
                                   LLVMTypeOf(point->instruction), 0, "");
    } else if (LLVMGetTypeKind(LLVMTypeOf(point->instruction)) != LLVMVoidTypeKind) {
        result = value_from_integer(pass, old, LLVMTypeOf(point->instruction));
    }
    replace(point->instruction, result);
}
