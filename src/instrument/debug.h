#ifndef RADDLE_INSTRUMENT_DEBUG_H
#define RADDLE_INSTRUMENT_DEBUG_H

/* What the source says, as LLVM has it: nodes of debug information. Of what is in them LLVM-C has functions for a part only. The rest are
 * operands, whose order is that of LLVM 19's DebugInfoMetadata.h, or numbers, which only the node's text has. */

#include "instrument/instrument.h"

enum tag {
#define HANDLE_DW_TAG(ID, NAME, VERSION, VENDOR, KIND) DW_TAG_##NAME = (ID),
#include <llvm/BinaryFormat/Dwarf.def>
};

/* Operands that are looked at. */
enum node_operand {
    SCOPE_ABOVE = 1, /* of a namespace, a type, a block or a function */
    SCOPE_NAME = 2,
    TYPE_BASE = 3, /* of a derived or composite type; the element of an array */
    TYPE_ELEMENTS = 4,
    FILE_NAME = 0,
    RANGE_COUNT = 0,
    ENUMERATOR_NAME = 0,
    VARIABLE_SCOPE = 0, /* of a local or global variable */
    VARIABLE_NAME = 1,
    VARIABLE_FILE = 2,
    VARIABLE_TYPE = 3,
};

/* ---- debug.c */

/* Whether there is a node, and it is of that kind. */
static inline bool node_is(LLVMMetadataRef node, LLVMMetadataKind kind)
{
    return node && LLVMGetMetadataKind(node) == kind;
}

/* The operand, or NULL. */
LLVMMetadataRef node_operand(const struct pass *pass, LLVMMetadataRef node, unsigned index);
/* An operand that is a number, or NULL. */
LLVMValueRef node_constant(const struct pass *pass, LLVMMetadataRef node, unsigned index);
/* An operand that is a text; "" if it is none. As long-lived as the module. */
const char *node_text(const struct pass *pass, LLVMMetadataRef node, unsigned index);
/* What the node's text has behind "field: ", up to the next field; false if it has no such field. Costs its printing. */
bool node_field(const struct pass *pass, LLVMMetadataRef node, const char *field, char *value,
                size_t size);
/* The same as a number, 0 if there is none. */
int64_t node_number(const struct pass *pass, LLVMMetadataRef node, const char *field);

/* The type without typedefs, const and the like; NULL stands for void. */
LLVMMetadataRef type_strip(const struct pass *pass, LLVMMetadataRef type);
const char *type_name(LLVMMetadataRef type);
uint64_t type_size(LLVMMetadataRef type);
bool type_is_pointer(const struct pass *pass, LLVMMetadataRef type);
/* What a pointer or reference of that type points to, or NULL. */
LLVMMetadataRef type_pointee(const struct pass *pass, LLVMMetadataRef type);
/* The elements of a composite type, in the pass's arena; some may be NULL. */
LLVMMetadataRef *type_elements(struct pass *pass, LLVMMetadataRef type, unsigned *count);
/* Whether an element is a part of each object of the type: a member or a base class. */
bool element_is_member(LLVMMetadataRef element);
/* If the composite type is a std::atomic, or what one is made of: the type of its value, else NULL. */
LLVMMetadataRef type_atomic_value(struct pass *pass, LLVMMetadataRef type);

/* ---- types.c */

/* The row of the type, or a null pointer if that is NULL. */
LLVMValueRef type_row(struct pass *pass, LLVMMetadataRef type);
/* A row of a type of which nothing but the size is known. */
LLVMValueRef type_row_unknown(struct pass *pass, uint64_t bytes);
/* The text as a constant; a null pointer if it is empty. */
LLVMValueRef name_constant(struct pass *pass, const char *text);
/* Both behind each other, in the pass's arena. */
const char *text_join(struct pass *pass, const char *a, const char *b);
/* An array of rows, of which there may be none: then a null pointer. */
LLVMValueRef rows_constant(struct pass *pass, LLVMValueRef *rows, unsigned count, const char *name);
/* The name with the namespaces and classes that it is in. */
const char *qualified_name(struct pass *pass, LLVMMetadataRef scope, const char *name);

/* ---- place.c */

/* The variable that a value is, or whose memory it is; or NULL. */
LLVMMetadataRef variable_of_global(const struct pass *pass, LLVMValueRef global);
LLVMMetadataRef variable_of(const struct pass *pass, LLVMValueRef value);

#endif
