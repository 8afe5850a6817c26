#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

uint64_t memory_bytes(const struct work *work, LLVMValueRef value)
{
    LLVMTargetDataRef layout = work->pass->layout;
    LLVMAttributeRef byval;
    LLVMValueRef count;

    if (LLVMIsAAllocaInst(value)) {
        count = LLVMGetOperand(value, 0);
        return LLVMIsAConstantInt(count)
                   ? LLVMConstIntGetZExtValue(count) *
                         LLVMABISizeOfType(layout, LLVMGetAllocatedType(value))
                   : 0;
    }
    for (unsigned i = 0; i < LLVMCountParams(work->function); i++)
        if (LLVMGetParam(work->function, i) == value) {
            byval = LLVMGetEnumAttributeAtIndex(work->function, i + 1, work->pass->attr_byval);
            return LLVMABISizeOfType(layout, LLVMGetTypeAttributeValue(byval));
        }
    return 0;
}

static LLVMValueRef text(struct pass *pass, const char *string)
{
    return text_constant(pass, string, string ? strlen(string) : 0);
}

/* The function as the user calls it. That of the debug information is not mangled, but says nothing of the scope. */
static LLVMValueRef function_text(struct work *work)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(work->function);
    LLVMValueRef operands[32], node;
    size_t length;
    unsigned short_length;
    const char *name = LLVMGetValueName2(work->function, &length);
    const char *demangled = demangled_function_name(work->pass, name);

    if (demangled)
        return text_constant(work->pass, demangled, strlen(demangled));
    if (subprogram) {
        node = LLVMMetadataAsValue(work->pass->context, subprogram);
        if (LLVMGetMDNodeNumOperands(node) > 2 && LLVMGetMDNodeNumOperands(node) <= 32) {
            LLVMGetMDNodeOperands(node, operands);
            if (operands[2] && LLVMIsAMDString(operands[2])) {
                name = LLVMGetMDString(operands[2], &short_length);
                length = short_length;
            }
        }
    }
    return text_constant(work->pass, name, length);
}

/* Clang cuts what a path has in common with the directory it runs in: if that is not all of the directory, what is left
 * means nothing to anybody who is there. Then puts the directory back, into `path`. */
static bool file_needs_directory(LLVMValueRef instruction, const char *file, unsigned length,
                                 char *path, size_t size)
{
    unsigned directory_length = 0;
    const char *directory = LLVMGetDebugLocDirectory(instruction, &directory_length);
    char here[PATH_MAX];

    if (file[0] == '/' || file[0] == '<' || !directory || directory_length == 0 ||
        (getcwd(here, sizeof here) && strlen(here) == directory_length &&
         memcmp(here, directory, directory_length) == 0))
        return false;
    return snprintf(path, size, "%.*s/%.*s", (int)directory_length, directory, (int)length, file) <
           (int)size;
}

static LLVMValueRef file_text(struct pass *pass, LLVMValueRef instruction)
{
    unsigned length = 0;
    size_t source_length;
    const char *file = NULL;
    char path[PATH_MAX];

    if (LLVMInstructionGetDebugLoc(instruction))
        file = LLVMGetDebugLocFilename(instruction, &length);
    if (file && length && file_needs_directory(instruction, file, length, path, sizeof path))
        return text_constant(pass, path, strlen(path));
    if (file && length)
        return text_constant(pass, file, length);
    file = LLVMGetSourceFileName(pass->module, &source_length);
    return text_constant(pass, file, source_length);
}

static LLVMValueRef live_row(struct work *work, const struct local *local, bool fresh)
{
    struct pass *pass = work->pass;
    LLVMTypeRef type = LLVMTypeOf(local->value);
    bool in_memory = local->memory != NO_VALUE;
    /* what does not fit into two slots was spilled to memory by the frame */
    bool spilled = local_is_spilled(work, local);
    uint64_t bytes = in_memory ? memory_bytes(work, local->value) : type_bytes(pass, type);
    LLVMValueRef fields[LIVE_FIELDS] = {
        text(pass, local->name),
        constant_i32(pass, local->slot),
        constant_i32(pass, bytes),
        LLVMConstInt(pass->i8, in_memory || spilled, 0),
        LLVMConstInt(pass->i8, !in_memory && LLVMGetTypeKind(type) == LLVMPointerTypeKind, 0),
        LLVMConstInt(pass->i8, fresh, 0),
        in_memory ? types_local(pass, local->value) : LLVMConstPointerNull(pass->pointer),
    };

    return LLVMConstNamedStruct(pass->live_type, fields, LIVE_FIELDS);
}

static LLVMValueRef live_table(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    LLVMValueRef *rows, table;

    if (point->live_count == 0)
        return LLVMConstPointerNull(pass->pointer);
    rows = arena_alloc(&work->arena, point->live_count * sizeof *rows);
    for (uint32_t i = 0; i < point->live_count; i++)
        rows[i] = live_row(work, &work->locals.at[point->live[i]],
                           fresh_is(work, point, work->locals.at[point->live[i]].value));
    table = LLVMConstArray2(pass->live_type, rows, point->live_count);
    arena_free(&work->arena, rows, point->live_count * sizeof *rows);
    return private_constant(pass, table, "__raddle_live");
}

static bool same_live(const struct point *a, const struct point *b)
{
    return a->live_count == b->live_count && a->kind != POINT_HEAD && b->kind != POINT_HEAD &&
           (a->live_count == 0 || memcmp(a->live, b->live, a->live_count * sizeof *a->live) == 0);
}

static bool has_musttail(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && LLVMGetTailCallKind(i) == LLVMTailCallKindMustTail)
                return true;
    return false;
}

/* A call of a function that has a frame, if anything visible can be reached from it, and is behind that frame all the time. */
static bool is_inside(const struct work *work, const struct point *point)
{
    LLVMValueRef function;

    if (point->kind != POINT_CALL || !point->inside)
        return false;
    function = called_function(point->instruction);
    return is_instrumented(work->pass, function) &&
           LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage &&
           !function_has_attribute(function, work->pass->attr_coroutine) && !has_musttail(function);
}

static uint32_t point_flags(struct work *work, const struct point *point)
{
    uint32_t flags = work->framed && work->whole ? SITE_LIVE : 0;

    if (point->kind == POINT_RETURN)
        return 0; /* nobody has looked at what is live there */
    if (point->kind == POINT_FENCE || point->kind == POINT_HEAD ||
        (point->kind == POINT_ACCESS && access_is_single(work->pass, point->instruction)))
        flags |= SITE_ACCESS;
    if (point->kind == POINT_CALL && external_is_harmless(work->pass, point->instruction))
        flags |= SITE_KNOWN;
    if (point->kind == POINT_CALL && !value_is_used(point->instruction))
        flags |= SITE_UNUSED;
    if (point->kind == POINT_CALL && join_goes_on(work, point->instruction))
        flags |= SITE_JOIN;
    flags |= fresh_flags(work, point->instruction);
    return flags | (is_inside(work, point) ? SITE_INSIDE : 0);
}

/* The pointers that a point uses: that of its access, or those that a call passes on. */
static unsigned pointers_of(const struct point *point, LLVMValueRef *pointers)
{
    LLVMValueRef at = point->instruction;
    unsigned count = 0;

    switch (point->kind) {
    case POINT_ACCESS:
        pointers[count++] = LLVMGetOperand(at, LLVMIsAStoreInst(at) ? 1 : 0);
        break;
    case POINT_COPY:
        pointers[count++] = copy_understand(at).to;
        if (copy_understand(at).from)
            pointers[count++] = copy_understand(at).from;
        break;
    case POINT_LIBRARY:
        pointers[count++] = library_understand(at).pointer;
        break;
    case POINT_CALL:
        for (unsigned i = 0; i < LLVMGetNumArgOperands(at) && count < OBJECTS_MAX; i++)
            if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(at, i))) == LLVMPointerTypeKind)
                pointers[count++] = LLVMGetArgOperand(at, i);
        break;
    default:
        break;
    }
    return count;
}

static LLVMValueRef objects_of(struct work *work, const struct point *point, unsigned *made)
{
    LLVMValueRef pointers[OBJECTS_MAX];
    unsigned count = pointers_of(point, pointers);

    return types_objects(work->pass, pointers, count, made);
}

static LLVMValueRef site_make(struct work *work, const struct point *point, LLVMValueRef table)
{
    struct pass *pass = work->pass;
    LLVMValueRef at = point->instruction, site;
    bool located = LLVMInstructionGetDebugLoc(at) != NULL;
    unsigned objects;
    LLVMValueRef object_rows = objects_of(work, point, &objects);
    LLVMValueRef fields[SITE_FIELDS] = {
        file_text(pass, at),
        function_text(work),
        text(pass, point_what(work, point)),
        constant_i32(pass, located ? LLVMGetDebugLocLine(at) : 0),
        constant_i32(pass, located ? LLVMGetDebugLocColumn(at) : 0),
        constant_i32(pass, point->live_count),
        constant_i32(pass, point_flags(work, point)),
        table,
        constant_i64(pass, point->residual),
        object_rows,
        point->kind == POINT_CALL ? types_result(pass, at) : LLVMConstPointerNull(pass->pointer),
        constant_i64(pass, objects),
    };

    site = private_constant(pass, LLVMConstNamedStruct(pass->site_type, fields, SITE_FIELDS),
                            "__raddle_site");
    /* the row's address is the site's name: equal rows must stay apart */
    LLVMSetUnnamedAddress(site, LLVMNoUnnamedAddr);
    LLVMSetSection(site, "raddle_sites");
    LLVMSetAlignment(site, 8); /* so that the rows lie side by side */
    return site;
}

void sites_make(struct work *work)
{
    LLVMValueRef table = NULL;

    for (uint32_t i = 0; i < work->points.count; i++) {
        struct point *point = &work->points.at[i];

        if (i == 0 || !same_live(point, point - 1))
            table = live_table(work, point);
        point->site = site_make(work, point, table);
    }
}

LLVMValueRef site_of_return(struct work *work, LLVMValueRef instruction)
{
    struct point point = {.instruction = instruction, .kind = POINT_RETURN};

    return site_make(work, &point, LLVMConstPointerNull(work->pass->pointer));
}
