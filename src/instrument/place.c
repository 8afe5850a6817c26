#include <stdio.h>
#include <string.h>

#include "instrument/debug.h"
#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* What the source calls what pointers point to. */

/* `offset` bytes behind the beginning of an object of type `type`, which the source can call `name`. */
struct place {
    const char *name;
    LLVMMetadataRef type; /* NULL: not known */
    int64_t offset;
    bool fixed; /* the offset is known */
};

#define DEPTH_MAX 4 /* pointers that are loaded by pointers */
#define STEPS_MAX                                                                                  \
    1000 /* from a pointer to where it comes from: code that never runs may go round */

/* ---- variables */

/* When optimised, records of assignments know the variable. */
static LLVMMetadataRef variable_assigned(const struct pass *pass, LLVMValueRef local)
{
    LLVMValueRef id = LLVMGetMetadata(local, pass->types.kind_assign);

    for (LLVMUseRef use = id ? LLVMGetFirstUse(id) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsADbgVariableIntrinsic(user) && strcmp(intrinsic_name(user), "dbg.assign") == 0)
            return LLVMValueAsMetadata(LLVMGetOperand(user, 1));
    }
    return NULL;
}

LLVMMetadataRef variable_of(const struct pass *pass, LLVMValueRef value)
{
    bool is_memory = LLVMIsAAllocaInst(value) != NULL;
    LLVMMetadataRef assigned = is_memory ? variable_assigned(pass, value) : NULL;
    LLVMValueRef wrapped;

    if (assigned || (!LLVMIsAInstruction(value) && !LLVMIsAArgument(value)))
        return assigned;
    wrapped = LLVMMetadataAsValue(pass->context, LLVMValueAsMetadata(value));
    for (LLVMUseRef use = LLVMGetFirstUse(wrapped); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsADbgVariableIntrinsic(user) && LLVMGetOperand(user, 0) == wrapped &&
            LLVMGetOperand(user, 2) == pass->types.no_expression &&
            is_memory == (LLVMIsADbgDeclareInst(user) != NULL))
            return LLVMValueAsMetadata(LLVMGetOperand(user, 1));
    }
    return NULL;
}

LLVMMetadataRef variable_of_global(const struct pass *pass, LLVMValueRef global)
{
    LLVMMetadataRef found = NULL;
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);

    for (unsigned i = 0; i < count && !found; i++)
        if (LLVMValueMetadataEntriesGetKind(entries, i) == pass->types.kind_debug)
            found = LLVMDIGlobalVariableExpressionGetVariable(
                LLVMValueMetadataEntriesGetMetadata(entries, i));
    LLVMDisposeValueMetadataEntries(entries);
    return found;
}

/* ---- pointers */

static bool is_operation(LLVMValueRef value, LLVMOpcode opcode)
{
    if (LLVMIsAInstruction(value))
        return LLVMGetInstructionOpcode(value) == opcode;
    return LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == opcode;
}

/* How far behind its pointer an element is; false if only the run knows. */
static bool element_offset(const struct pass *pass, LLVMValueRef element, int64_t *offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(element);
    int64_t sum = 0;

    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(element); i++) {
        LLVMValueRef index = LLVMGetOperand(element, i);

        if (!LLVMIsAConstantInt(index))
            return false;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);

            sum += (int64_t)LLVMOffsetOfElement(pass->layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        sum += LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(pass->layout, type);
    }
    *offset += sum;
    return true;
}

/* The argument that a call returns, if it always does. */
static LLVMValueRef returned_argument(const struct pass *pass, LLVMValueRef call)
{
    LLVMValueRef function = called_function(call);

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        if (call_has_attribute(call, i + 1, pass->attr_returned) ||
            (function && LLVMGetEnumAttributeAtIndex(function, i + 1, pass->attr_returned)))
            return LLVMGetArgOperand(call, i);
    return NULL;
}

/* inttoptr (add (ptrtoint p), n): p, or NULL. */
static LLVMValueRef number_pointer(LLVMValueRef value, int64_t *offset)
{
    LLVMValueRef sum = LLVMGetOperand(value, 0), from, number;

    if (LLVMGetTypeKind(LLVMTypeOf(sum)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(sum)) != 64 || !is_operation(sum, LLVMAdd))
        return NULL;
    from = LLVMGetOperand(sum, 0);
    number = LLVMGetOperand(sum, 1);
    if (!is_operation(from, LLVMPtrToInt) || !LLVMIsAConstantInt(number))
        return NULL;
    *offset += LLVMConstIntGetSExtValue(number);
    return LLVMGetOperand(from, 0);
}

/* Where the pointer comes from by steps of known length, whose sum is added to `offset`. */
static LLVMValueRef pointer_strip(const struct pass *pass, LLVMValueRef pointer, int64_t *offset)
{
    for (unsigned step = 0; step < STEPS_MAX; step++) {
        LLVMValueRef from = NULL;

        if (is_operation(pointer, LLVMGetElementPtr))
            from = element_offset(pass, pointer, offset) ? LLVMGetOperand(pointer, 0) : NULL;
        else if (is_operation(pointer, LLVMBitCast) || is_operation(pointer, LLVMAddrSpaceCast))
            from = LLVMGetOperand(pointer, 0);
        else if (LLVMIsAGlobalAlias(pointer))
            from = is_replaceable(pointer) ? NULL : LLVMAliasGetAliasee(pointer);
        else if (LLVMIsAInstruction(pointer) && is_call(pointer))
            from = returned_argument(pass, pointer);
        else if (is_operation(pointer, LLVMIntToPtr))
            from = number_pointer(pointer, offset);
        if (!from)
            break;
        pointer = from;
    }
    return pointer;
}

/* ---- places */

static LLVMMetadataRef member_at(struct pass *pass, LLVMMetadataRef type, int64_t offset,
                                 const char **name, const char *dot);

static LLVMMetadataRef element_at(struct pass *pass, LLVMMetadataRef array, uint64_t offset,
                                  const char **name)
{
    LLVMMetadataRef of = node_operand(pass, array, TYPE_BASE);
    uint64_t bytes = type_size(type_strip(pass, of));
    unsigned dimensions;
    char index[32];

    type_elements(pass, array, &dimensions);
    if (!bytes || dimensions != 1)
        return NULL;
    snprintf(index, sizeof index, "[%llu]", (unsigned long long)(offset / bytes));
    *name = text_join(pass, *name, index);
    return member_at(pass, of, (int64_t)(offset % bytes), name, ".");
}

/* The member of an object at that offset, with its name behind `name`; NULL if there is no such one. */
static LLVMMetadataRef member_at(struct pass *pass, LLVMMetadataRef type, int64_t offset,
                                 const char **name, const char *dot)
{
    LLVMMetadataRef composite = type_strip(pass, type), value, *elements;
    unsigned count;

    if (!node_is(composite, LLVMDICompositeTypeMetadataKind))
        return offset == 0 ? type : NULL;
    value = type_atomic_value(pass, composite);
    if (value)
        return offset == 0 ? value : NULL;
    if (LLVMGetDINodeTag(composite) == DW_TAG_array_type)
        return element_at(pass, composite, (uint64_t)offset, name);
    elements = type_elements(pass, composite, &count);
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef of;
        int64_t inside;

        if (!element_is_member(elements[i]))
            continue;
        of = node_operand(pass, elements[i], TYPE_BASE);
        inside = offset - (int64_t)LLVMDITypeGetOffsetInBits(elements[i]) / 8;
        if (inside < 0 || (uint64_t)inside >= type_size(type_strip(pass, of)))
            continue;
        if (*type_name(elements[i]) && LLVMGetDINodeTag(elements[i]) == DW_TAG_member) {
            *name = text_join(pass, *name, text_join(pass, dot, type_name(elements[i])));
            dot = ".";
        }
        return member_at(pass, of, inside, name, dot);
    }
    return NULL;
}

static bool place_of(struct pass *pass, LLVMValueRef at, struct place *found, unsigned depth);

/* What a pointer into a variable, or behind another pointer, leads to. Returns how a member of it is written, or NULL: nothing is known. */
static const char *holder_of(struct pass *pass, LLVMValueRef at, struct place *holder,
                             unsigned depth)
{
    int64_t offset = 0;
    LLVMValueRef base = pointer_strip(pass, at, &offset);
    LLVMMetadataRef variable = LLVMIsAGlobalVariable(base) ? variable_of_global(pass, base)
                               : LLVMIsAAllocaInst(base)   ? variable_of(pass, base)
                                                           : NULL;

    if (variable) {
        holder->name = node_text(pass, variable, VARIABLE_NAME);
        holder->type = node_operand(pass, variable, VARIABLE_TYPE);
        holder->offset = offset;
        return holder->type ? "." : NULL;
    }
    return place_of(pass, at, holder, depth) && holder->fixed ? "->" : NULL;
}

/* A pointer that was loaded: from a variable, or from a member of what another pointer points to. */
static bool place_of_loaded(struct pass *pass, LLVMValueRef load, struct place *found,
                            unsigned depth)
{
    struct place holder = {.name = ""};
    const char *dot = holder_of(pass, LLVMGetOperand(load, 0), &holder, depth + 1);

    if (!dot || !*holder.name)
        return false;
    found->name = holder.name;
    found->type =
        type_pointee(pass, member_at(pass, holder.type, holder.offset, &found->name, dot));
    return found->type != NULL;
}

/* Nothing of variables, which reports know by their address. */
static bool place_of(struct pass *pass, LLVMValueRef at, struct place *found, unsigned depth)
{
    int64_t more = 0;
    LLVMMetadataRef variable;

    *found = (struct place){.name = "", .fixed = true};
    if (depth > DEPTH_MAX)
        return false;
    at = pointer_strip(pass, at, &found->offset);
    for (unsigned step = 0; step < STEPS_MAX && is_operation(at, LLVMGetElementPtr); step++) {
        found->fixed = false; /* an index that only the run knows */
        at = pointer_strip(pass, LLVMGetOperand(at, 0), &more);
    }
    if (LLVMIsAAllocaInst(at) || LLVMIsAGlobalValue(at))
        return false;
    variable = variable_of(pass, at);
    if (variable) {
        found->name = node_text(pass, variable, VARIABLE_NAME);
        found->type = type_pointee(pass, node_operand(pass, variable, VARIABLE_TYPE));
        if (found->type)
            return true;
    }
    return LLVMIsALoadInst(at) && place_of_loaded(pass, at, found, depth);
}

/* What is stored there is the result of a call: it is called like the variable or the member that it goes to. */
static bool place_of_stored(struct pass *pass, LLVMValueRef store, struct place *found)
{
    struct place holder = {.name = ""};
    const char *dot = holder_of(pass, LLVMGetOperand(store, 1), &holder, 0);

    if (!dot)
        return false;
    found->name = holder.name;
    found->type =
        type_pointee(pass, member_at(pass, holder.type, holder.offset, &found->name, dot));
    return found->type != NULL;
}

static bool is_type(LLVMMetadataRef node)
{
    return node_is(node, LLVMDIBasicTypeMetadataKind) ||
           node_is(node, LLVMDIDerivedTypeMetadataKind) ||
           node_is(node, LLVMDICompositeTypeMetadataKind) ||
           node_is(node, LLVMDISubroutineTypeMetadataKind) ||
           node_is(node, LLVMDIStringTypeMetadataKind);
}

static bool place_of_result(struct pass *pass, LLVMValueRef call, struct place *found)
{
    LLVMMetadataRef variable = variable_of(pass, call);
    LLVMValueRef made = LLVMGetMetadata(call, pass->types.kind_allocates), user;

    if (variable)
        found->name = node_text(pass, variable, VARIABLE_NAME);
    if (made) /* by `new`: of that type */
        found->type = is_type(LLVMValueAsMetadata(made)) ? LLVMValueAsMetadata(made) : NULL;
    else if (variable)
        found->type = type_pointee(pass, node_operand(pass, variable, VARIABLE_TYPE));
    for (LLVMUseRef use = LLVMGetFirstUse(call); use && !found->type; use = LLVMGetNextUse(use)) {
        user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == call)
            place_of_stored(pass, user, found);
    }
    return found->type != NULL;
}

/* ---- rows */

/* A pointer to void says nothing, nor does one to bytes. */
static bool says_something(const struct pass *pass, LLVMMetadataRef type)
{
    LLVMMetadataRef bare = type_strip(pass, type);

    return bare &&
           !(node_is(bare, LLVMDIBasicTypeMetadataKind) && LLVMDITypeGetSizeInBits(bare) == 8);
}

static LLVMValueRef object_row(struct pass *pass, const struct place *found)
{
    LLVMValueRef fields[] = {
        name_constant(pass, found->name),
        type_row(pass, found->type),
        constant_i64(pass, (uint64_t)(found->fixed ? found->offset : HOOK_OFFSET_UNKNOWN)),
    };

    return LLVMConstStructInContext(pass->context, fields, 3, 0);
}

LLVMValueRef types_objects(struct pass *pass, LLVMValueRef *pointers, unsigned count,
                           unsigned *made)
{
    LLVMValueRef rows[OBJECTS_MAX];
    struct place found;

    *made = 0;
    for (unsigned i = 0; i < count && pass->types.full; i++)
        if (place_of(pass, pointers[i], &found, 0) && says_something(pass, found.type))
            rows[(*made)++] = object_row(pass, &found);
    return rows_constant(pass, rows, *made, "__raddle_objects");
}

LLVMValueRef types_result(struct pass *pass, LLVMValueRef call)
{
    struct place found = {.name = "", .fixed = true};
    LLVMValueRef row;

    if (!pass->types.full || LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMPointerTypeKind ||
        !place_of_result(pass, call, &found) || !says_something(pass, found.type))
        return LLVMConstPointerNull(pass->pointer);
    row = object_row(pass, &found);
    return rows_constant(pass, &row, 1, "__raddle_result");
}

LLVMValueRef types_local(struct pass *pass, LLVMValueRef local)
{
    LLVMMetadataRef variable =
        pass->types.full && LLVMIsAAllocaInst(local) ? variable_of(pass, local) : NULL;

    return type_row(pass, variable ? node_operand(pass, variable, VARIABLE_TYPE) : NULL);
}
