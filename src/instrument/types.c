#include <stdio.h>
#include <string.h>

#include "instrument/debug.h"
#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Rows of the source's types, for reports. */

/* Members of these are nobody's business: reports stop there. */
static const char *const objects[] = {"pthread_",  "sem_t",  "mtx_t", "cnd_t",
                                      "once_flag", "thrd_t", "tss_t", NULL};
static const char *const classes[] = {
    "mutex",     "recursive_mutex", "timed_mutex", "shared_mutex",       "shared_timed_mutex",
    "once_flag", "thread",          "jthread",     "condition_variable", "condition_variable_any",
    NULL};

static const struct {
    const char *encoding;
    enum hook_type kind;
} basic_kinds[] = {
    {"DW_ATE_boolean", HOOK_TYPE_BOOL},      {"DW_ATE_float", HOOK_TYPE_FLOAT},
    {"DW_ATE_unsigned", HOOK_TYPE_UNSIGNED}, {"DW_ATE_unsigned_char", HOOK_TYPE_UNSIGNED},
    {"DW_ATE_signed", HOOK_TYPE_SIGNED},     {"DW_ATE_signed_char", HOOK_TYPE_SIGNED},
};

/* ---- what there is */

static void unit_look(struct pass *pass, LLVMMetadataRef unit)
{
    char emission[32], language[64];

    if (!node_field(pass, unit, "emissionKind", emission, sizeof emission) ||
        strcmp(emission, "NoDebug") == 0)
        return;
    pass->types.full |= strcmp(emission, "FullDebug") == 0;
    pass->types.is_c |= !node_field(pass, unit, "language", language, sizeof language) ||
                        !starts_with(language, "DW_LANG_C_plus_plus");
}

static unsigned metadata_kind(const struct pass *pass, const char *name)
{
    return LLVMGetMDKindIDInContext(pass->context, name, (unsigned)strlen(name));
}

static void kinds_find(struct pass *pass)
{
    LLVMDIBuilderRef builder = LLVMCreateDIBuilder(pass->module);

    pass->types.kind_debug = metadata_kind(pass, "dbg");
    pass->types.kind_assign = metadata_kind(pass, "DIAssignID");
    pass->types.kind_allocates = metadata_kind(pass, "heapallocsite");
    pass->types.kind_associated = metadata_kind(pass, "associated");
    /* equal expressions are one node */
    pass->types.no_expression =
        LLVMMetadataAsValue(pass->context, LLVMDIBuilderCreateExpression(builder, NULL, 0));
    LLVMDisposeDIBuilder(builder);
}

void types_open(struct pass *pass)
{
    static const char units[] = "llvm.dbg.cu";
    unsigned count = LLVMGetNamedMetadataNumOperands(pass->module, units);
    LLVMValueRef *nodes = arena_alloc(&pass->arena, (count + 1) * sizeof(LLVMValueRef));
    LLVMTypeRef fields[] = {pass->pointer, pass->i64, pass->i32, pass->i32, pass->pointer};

    pass->types.row_type = LLVMStructCreateNamed(pass->context, "raddle_type");
    LLVMStructSetBody(pass->types.row_type, fields, sizeof fields / sizeof *fields, 0);
    map_open(&pass->types.row_of, &pass->arena);
    kinds_find(pass);
    LLVMGetNamedMetadataOperands(pass->module, units, nodes);
    for (unsigned i = 0; i < count; i++)
        unit_look(pass, LLVMValueAsMetadata(nodes[i]));
    arena_free(&pass->arena, nodes, (count + 1) * sizeof(LLVMValueRef));
}

/* ---- names */

const char *text_join(struct pass *pass, const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = arena_alloc(&pass->arena, size);

    snprintf(text, size, "%s%s", a, b);
    return text;
}

LLVMValueRef name_constant(struct pass *pass, const char *text)
{
    return text_constant(pass, *text ? text : NULL, strlen(text));
}

static bool is_class_scope(LLVMMetadataRef scope)
{
    return node_is(scope, LLVMDINamespaceMetadataKind) ||
           node_is(scope, LLVMDICompositeTypeMetadataKind);
}

const char *qualified_name(struct pass *pass, LLVMMetadataRef scope, const char *name)
{
    for (; is_class_scope(scope); scope = node_operand(pass, scope, SCOPE_ABOVE)) {
        const char *above = node_text(pass, scope, SCOPE_NAME);

        if (*above)
            name = text_join(pass, text_join(pass, above, "::"), name);
    }
    return name;
}

/* The name of an object that the type is said to be, or NULL. */
static const char *object_named(struct pass *pass, LLVMMetadataRef type)
{
    uint16_t tag = LLVMGetDINodeTag(type);
    const char *name = type_name(type);
    LLVMMetadataRef scope;

    if (tag == DW_TAG_typedef || tag == DW_TAG_union_type)
        for (size_t i = 0; objects[i]; i++)
            if (starts_with(name, objects[i]))
                return name;
    if (tag != DW_TAG_class_type)
        return NULL;
    scope = node_operand(pass, type, SCOPE_ABOVE);
    if (!is_class_scope(scope) || strcmp(node_text(pass, scope, SCOPE_NAME), "std") != 0)
        return NULL;
    for (size_t i = 0; classes[i]; i++)
        if (strcmp(name, classes[i]) == 0)
            return text_join(pass, "std::", name);
    return NULL;
}

/* The name of a type on the way that says that its inside is of no interest, or NULL. */
static const char *object_name(struct pass *pass, LLVMMetadataRef type)
{
    while (type) {
        const char *name = object_named(pass, type);

        if (name)
            return name;
        type = node_is(type, LLVMDIDerivedTypeMetadataKind) && !type_is_pointer(pass, type)
                   ? node_operand(pass, type, TYPE_BASE)
                   : NULL;
    }
    return NULL;
}

/* "struct pool" in C; a struct without a tag is called by its typedef. */
static const char *composite_name(struct pass *pass, LLVMMetadataRef type,
                                  LLVMMetadataRef composite)
{
    uint16_t tag = LLVMGetDINodeTag(composite);
    const char *name = type_name(composite);

    if (!*name) {
        for (; type && type != composite; type = node_operand(pass, type, TYPE_BASE))
            if (LLVMGetDINodeTag(type) == DW_TAG_typedef)
                return type_name(type);
        return "";
    }
    name = qualified_name(pass, node_operand(pass, composite, SCOPE_ABOVE), name);
    if (!pass->types.is_c)
        return name;
    return text_join(pass,
                     tag == DW_TAG_union_type         ? "union "
                     : tag == DW_TAG_enumeration_type ? "enum "
                                                      : "struct ",
                     name);
}

/* ---- rows */

static LLVMValueRef nothing(const struct pass *pass)
{
    return LLVMConstPointerNull(pass->pointer);
}

static LLVMValueRef row_constant(struct pass *pass, const char *name, uint64_t bytes,
                                 enum hook_type kind, uint64_t count, LLVMValueRef parts)
{
    LLVMValueRef fields[] = {name_constant(pass, name), constant_i64(pass, bytes),
                             constant_i32(pass, kind), constant_i32(pass, count), parts};

    return LLVMConstNamedStruct(pass->types.row_type, fields, sizeof fields / sizeof *fields);
}

LLVMValueRef type_row_unknown(struct pass *pass, uint64_t bytes)
{
    return private_constant(pass, row_constant(pass, "", bytes, HOOK_TYPE_OTHER, 0, nothing(pass)),
                            "__raddle_type");
}

LLVMValueRef rows_constant(struct pass *pass, LLVMValueRef *rows, unsigned count, const char *name)
{
    if (count == 0)
        return nothing(pass);
    return private_constant(pass, LLVMConstArray2(LLVMTypeOf(rows[0]), rows, count), name);
}

static enum hook_type basic_kind(const struct pass *pass, LLVMMetadataRef type)
{
    char encoding[32];

    if (node_field(pass, type, "encoding", encoding, sizeof encoding))
        for (size_t i = 0; i < sizeof basic_kinds / sizeof *basic_kinds; i++)
            if (strcmp(encoding, basic_kinds[i].encoding) == 0)
                return basic_kinds[i].kind;
    return HOOK_TYPE_OTHER;
}

static uint64_t range_count(const struct pass *pass, LLVMMetadataRef range)
{
    LLVMValueRef number =
        node_is(range, LLVMDISubrangeMetadataKind) ? node_constant(pass, range, RANGE_COUNT) : NULL;
    int64_t count = number ? LLVMConstIntGetSExtValue(number) : 0;

    return count > 0 ? (uint64_t)count : 0;
}

/* From the last of its dimensions on; an array of unknown length has 0 elements. */
static LLVMValueRef array_row(struct pass *pass, LLVMMetadataRef type)
{
    unsigned dimensions;
    LLVMMetadataRef *ranges = type_elements(pass, type, &dimensions);
    LLVMMetadataRef of = node_operand(pass, type, TYPE_BASE);
    uint64_t bytes = type_size(type_strip(pass, of));
    LLVMValueRef element = type_row(pass, of), row;

    for (;;) {
        uint64_t count = dimensions ? range_count(pass, ranges[dimensions - 1]) : 0;

        bytes *= count;
        row = row_constant(pass, "", bytes, HOOK_TYPE_ARRAY, count, element);
        if (dimensions <= 1)
            return row;
        element = private_constant(pass, row, "__raddle_type");
        dimensions--;
    }
}

/* As a signed number of its size, as the runtime reads it. */
static int64_t enumerator_value(const struct pass *pass, LLVMMetadataRef type,
                                LLVMMetadataRef enumerator)
{
    uint64_t bits = LLVMDITypeGetSizeInBits(type);
    uint64_t value = (uint64_t)node_number(pass, enumerator, "value");

    if (bits == 0 || bits >= 64)
        return (int64_t)value;
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static LLVMValueRef enumeration_row(struct pass *pass, LLVMMetadataRef type, const char *name)
{
    unsigned count, made = 0;
    LLVMMetadataRef *elements = type_elements(pass, type, &count);
    LLVMValueRef *rows = arena_alloc(&pass->arena, (count + 1) * sizeof(LLVMValueRef)), row;

    for (unsigned i = 0; i < count; i++)
        if (node_is(elements[i], LLVMDIEnumeratorMetadataKind)) {
            LLVMValueRef fields[] = {
                name_constant(pass, node_text(pass, elements[i], ENUMERATOR_NAME)),
                constant_i64(pass, (uint64_t)enumerator_value(pass, type, elements[i])),
            };

            rows[made++] = LLVMConstStructInContext(pass->context, fields, 2, 0);
        }
    row = row_constant(pass, name, type_size(type), HOOK_TYPE_ENUM, made,
                       rows_constant(pass, rows, made, "__raddle_enumerators"));
    arena_free(&pass->arena, rows, (count + 1) * sizeof(LLVMValueRef));
    return row;
}

static LLVMValueRef member_row(struct pass *pass, LLVMMetadataRef member)
{
    LLVMValueRef fields[] = {
        name_constant(pass, LLVMGetDINodeTag(member) == DW_TAG_member ? type_name(member) : ""),
        constant_i64(pass, LLVMDITypeGetOffsetInBits(member) / 8),
        type_row(pass, node_operand(pass, member, TYPE_BASE)),
    };

    return LLVMConstStructInContext(pass->context, fields, 3, 0);
}

static bool is_bit_field(LLVMMetadataRef element)
{
    return element_is_member(element) && LLVMDITypeGetFlags(element) & LLVMDIFlagBitField;
}

/* How many bit-fields follow each other without a gap of a byte, from this one on; 0: it is none. */
static unsigned bit_fields(LLVMMetadataRef *elements, unsigned count)
{
    unsigned n = 0;

    while (n < count && is_bit_field(elements[n]) &&
           (n == 0 || LLVMDITypeGetOffsetInBits(elements[n]) / 8 <=
                          (LLVMDITypeGetOffsetInBits(elements[n - 1]) +
                           LLVMDITypeGetSizeInBits(elements[n - 1])) /
                              8))
        n++;
    return n;
}

/* Code reads and writes bytes, so that nobody can tell which of them is meant: "{ready, state}", and of many "{first … last}". */
static LLVMValueRef bit_fields_row(struct pass *pass, LLVMMetadataRef *members, unsigned count)
{
    uint64_t first = LLVMDITypeGetOffsetInBits(members[0]) / 8;
    uint64_t end = (LLVMDITypeGetOffsetInBits(members[count - 1]) +
                    LLVMDITypeGetSizeInBits(members[count - 1]) + 7) /
                   8;
    const char *name = type_name(members[0]);

    if (count == 2)
        name = text_join(pass, text_join(pass, name, ", "), type_name(members[1]));
    else if (count > 2)
        name = text_join(pass, text_join(pass, name, " … "), type_name(members[count - 1]));
    if (count > 1)
        name = text_join(pass, text_join(pass, "{", name), "}");
    LLVMValueRef fields[] = {name_constant(pass, name), constant_i64(pass, first),
                             type_row_unknown(pass, end - first)};

    return LLVMConstStructInContext(pass->context, fields, 3, 0);
}

static LLVMValueRef struct_row(struct pass *pass, LLVMMetadataRef type, const char *name)
{
    unsigned count, made = 0, fields;
    LLVMMetadataRef *elements = type_elements(pass, type, &count);
    LLVMValueRef *rows = arena_alloc(&pass->arena, (count + 1) * sizeof(LLVMValueRef)), row;

    for (unsigned i = 0; i < count; i += fields ? fields : 1) {
        fields = bit_fields(elements + i, count - i);
        if (fields)
            rows[made++] = bit_fields_row(pass, elements + i, fields);
        else if (element_is_member(elements[i]))
            rows[made++] = member_row(pass, elements[i]);
    }
    row = row_constant(pass, name, type_size(type), HOOK_TYPE_STRUCT, made,
                       rows_constant(pass, rows, made, "__raddle_members"));
    arena_free(&pass->arena, rows, (count + 1) * sizeof(LLVMValueRef));
    return row;
}

static LLVMValueRef row_of(struct pass *pass, LLVMMetadataRef type);

static LLVMValueRef composite_row(struct pass *pass, LLVMMetadataRef type, const char *name)
{
    LLVMMetadataRef value;

    if (LLVMGetDINodeTag(type) == DW_TAG_array_type)
        return array_row(pass, type);
    if (LLVMGetDINodeTag(type) == DW_TAG_enumeration_type)
        return enumeration_row(pass, type, name);
    value = type_atomic_value(pass, type);
    return value ? row_of(pass, value) : struct_row(pass, type, name);
}

static LLVMValueRef row_of(struct pass *pass, LLVMMetadataRef type)
{
    const char *opaque = object_name(pass, type);
    LLVMMetadataRef bare = type_strip(pass, type);
    uint64_t bytes = type_size(bare);

    if (opaque)
        return row_constant(pass, opaque, bytes, HOOK_TYPE_OBJECT, 0, nothing(pass));
    if (type_is_pointer(pass, bare))
        return row_constant(pass, "", bytes, HOOK_TYPE_POINTER, 0, nothing(pass));
    if (node_is(bare, LLVMDIBasicTypeMetadataKind))
        return row_constant(pass, type_name(bare), bytes, basic_kind(pass, bare), 0, nothing(pass));
    if (node_is(bare, LLVMDICompositeTypeMetadataKind))
        return composite_row(pass, bare, composite_name(pass, type, bare));
    return row_constant(pass, "", bytes, HOOK_TYPE_OTHER, 0, nothing(pass));
}

/* It is there before its parts, which may lead back to it. */
LLVMValueRef type_row(struct pass *pass, LLVMMetadataRef type)
{
    struct types *types = &pass->types;
    LLVMValueRef row;
    uint32_t index;

    if (!type)
        return nothing(pass);
    index = map_get(&types->row_of, value_key(type));
    if (index != MAP_ABSENT)
        return types->rows.at[index];
    row = LLVMAddGlobal(pass->module, types->row_type, "__raddle_type");
    LLVMSetLinkage(row, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(row, 1);
    map_add(&types->row_of, value_key(type), types->rows.count);
    vec_push(&pass->arena, &types->rows, row);
    LLVMSetInitializer(row, row_of(pass, type));
    return row;
}
