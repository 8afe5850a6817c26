#include "instrument/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPERANDS_MAX 32 /* of a node; lists of elements have more */

/* As a value: numbers are themselves, all else is wrapped. */
static LLVMValueRef operand_value(const struct pass *pass, LLVMMetadataRef node, unsigned index)
{
    LLVMValueRef value = LLVMMetadataAsValue(pass->context, node), operands[OPERANDS_MAX];
    unsigned count = LLVMGetMDNodeNumOperands(value);

    if (index >= count || count > OPERANDS_MAX)
        return NULL;
    LLVMGetMDNodeOperands(value, operands);
    return operands[index];
}

LLVMMetadataRef node_operand(const struct pass *pass, LLVMMetadataRef node, unsigned index)
{
    LLVMValueRef value = operand_value(pass, node, index);

    return value ? LLVMValueAsMetadata(value) : NULL;
}

LLVMValueRef node_constant(const struct pass *pass, LLVMMetadataRef node, unsigned index)
{
    LLVMValueRef value = operand_value(pass, node, index);

    return value ? LLVMIsAConstantInt(value) : NULL;
}

const char *node_text(const struct pass *pass, LLVMMetadataRef node, unsigned index)
{
    LLVMValueRef value = operand_value(pass, node, index);
    unsigned length = 0;
    const char *text = value && LLVMIsAMDString(value) ? LLVMGetMDString(value, &length) : NULL;

    return length ? text : "";
}

/* Behind "field: " in `text`, but not within quotation marks, which LLVM writes as \22 within a name. */
static const char *field_find(const char *text, const char *field)
{
    size_t length = strlen(field);
    bool quoted = false;

    for (const char *at = text; *at; at++) {
        quoted ^= *at == '"';
        if (!quoted && (*at == '(' || *at == ' ') && strncmp(at + 1, field, length) == 0 &&
            strncmp(at + 1 + length, ": ", 2) == 0)
            return at + 1 + length + 2;
    }
    return NULL;
}

bool node_field(const struct pass *pass, LLVMMetadataRef node, const char *field, char *value,
                size_t size)
{
    char *text = LLVMPrintValueToString(LLVMMetadataAsValue(pass->context, node));
    const char *at = field_find(text, field);

    if (at)
        snprintf(value, size, "%.*s", (int)strcspn(at, ",)"), at);
    LLVMDisposeMessage(text);
    return at != NULL;
}

int64_t node_number(const struct pass *pass, LLVMMetadataRef node, const char *field)
{
    char value[64];

    return node_field(pass, node, field, value, sizeof value) ? (int64_t)strtoull(value, NULL, 10)
                                                              : 0;
}

/* ---- types */

const char *type_name(LLVMMetadataRef type)
{
    size_t length = 0;
    const char *name = LLVMDITypeGetName(type, &length);

    return length ? name : "";
}

uint64_t type_size(LLVMMetadataRef type)
{
    return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

LLVMMetadataRef type_strip(const struct pass *pass, LLVMMetadataRef type)
{
    while (node_is(type, LLVMDIDerivedTypeMetadataKind)) {
        switch (LLVMGetDINodeTag(type)) {
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            type = node_operand(pass, type, TYPE_BASE);
            break;
        default:
            return type;
        }
    }
    return type;
}

static bool is_bare_pointer(LLVMMetadataRef bare)
{
    uint16_t tag;

    if (!node_is(bare, LLVMDIDerivedTypeMetadataKind))
        return false;
    tag = LLVMGetDINodeTag(bare);
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
           tag == DW_TAG_rvalue_reference_type;
}

bool type_is_pointer(const struct pass *pass, LLVMMetadataRef type)
{
    return is_bare_pointer(type_strip(pass, type));
}

LLVMMetadataRef type_pointee(const struct pass *pass, LLVMMetadataRef type)
{
    LLVMMetadataRef bare = type_strip(pass, type);

    return is_bare_pointer(bare) ? node_operand(pass, bare, TYPE_BASE) : NULL;
}

LLVMMetadataRef *type_elements(struct pass *pass, LLVMMetadataRef type, unsigned *count)
{
    LLVMMetadataRef list = node_operand(pass, type, TYPE_ELEMENTS), *elements;
    LLVMValueRef value = list ? LLVMMetadataAsValue(pass->context, list) : NULL, *values;

    *count = value ? LLVMGetMDNodeNumOperands(value) : 0;
    elements = arena_alloc(&pass->arena, (*count + 1) * sizeof(LLVMMetadataRef));
    values = arena_alloc(&pass->arena, (*count + 1) * sizeof(LLVMValueRef));
    if (*count)
        LLVMGetMDNodeOperands(value, values);
    for (unsigned i = 0; i < *count; i++)
        elements[i] = values[i] ? LLVMValueAsMetadata(values[i]) : NULL;
    arena_free(&pass->arena, values, (*count + 1) * sizeof(LLVMValueRef));
    return elements;
}

bool element_is_member(LLVMMetadataRef element)
{
    uint16_t tag;

    if (!node_is(element, LLVMDIDerivedTypeMetadataKind) ||
        (LLVMDITypeGetFlags(element) & LLVMDIFlagStaticMember) == LLVMDIFlagStaticMember)
        return false;
    tag = LLVMGetDINodeTag(element);
    return tag == DW_TAG_member || tag == DW_TAG_inheritance;
}

/* It keeps its value in a base class, in a member of its own. */
LLVMMetadataRef type_atomic_value(struct pass *pass, LLVMMetadataRef type)
{
    const char *name = type_name(type);
    LLVMMetadataRef *elements;
    unsigned count;

    if (!starts_with(name, "atomic<") && !starts_with(name, "__atomic_base<") &&
        strcmp(name, "atomic_flag") != 0 && strcmp(name, "__atomic_flag_base") != 0)
        return NULL;
    elements = type_elements(pass, type, &count);
    for (unsigned i = 0; i < count; i++)
        if (element_is_member(elements[i])) {
            LLVMMetadataRef base = node_operand(pass, elements[i], TYPE_BASE);
            LLVMMetadataRef bare = type_strip(pass, base);
            LLVMMetadataRef inside = node_is(bare, LLVMDICompositeTypeMetadataKind)
                                         ? type_atomic_value(pass, bare)
                                         : NULL;

            return inside ? inside : base;
        }
    return NULL;
}
