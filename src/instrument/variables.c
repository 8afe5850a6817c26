#include <llvm-c/Comdat.h>
#include <string.h>

#include "base/check.h"
#include "instrument/debug.h"
#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Rows of the module's variables, and of functions. */

struct rows {
    VEC(LLVMValueRef) of;
};

static LLVMValueRef row_add(struct pass *pass, struct rows *rows, LLVMValueRef *fields)
{
    LLVMValueRef initial = LLVMConstStructInContext(pass->context, fields, 4, 0);
    LLVMValueRef row = LLVMAddGlobal(pass->module, LLVMTypeOf(initial), "__raddle_variable");

    LLVMSetInitializer(row, initial);
    LLVMSetLinkage(row, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(row, 1);
    LLVMSetSection(row, HOOK_VARIABLES_SECTION);
    LLVMSetAlignment(row, 8);
    vec_push(&pass->arena, &rows->of, row);
    return row;
}

/* It goes if the linker drops the variable. */
static void variable_add(struct pass *pass, struct rows *rows, LLVMValueRef global,
                         const char *name, const char *where, LLVMValueRef type)
{
    LLVMValueRef fields[] = {global, name_constant(pass, name), name_constant(pass, where), type};
    LLVMValueRef row = row_add(pass, rows, fields);
    LLVMMetadataRef with = LLVMValueAsMetadata(global);

    LLVMSetComdat(row, LLVMGetComdat(global));
    LLVMGlobalSetMetadata(row, pass->types.kind_associated,
                          LLVMMDNodeInContext2(pass->context, &with, 1));
}

/* The function that the scope is in, or NULL. */
static LLVMMetadataRef scope_function(const struct pass *pass, LLVMMetadataRef scope)
{
    while (node_is(scope, LLVMDILexicalBlockMetadataKind) ||
           node_is(scope, LLVMDILexicalBlockFileMetadataKind))
        scope = node_operand(pass, scope, SCOPE_ABOVE);
    return node_is(scope, LLVMDISubprogramMetadataKind) ? scope : NULL;
}

/* A function, or the file without its directory. */
static const char *variable_where(struct pass *pass, LLVMMetadataRef variable)
{
    LLVMMetadataRef scope = node_operand(pass, variable, VARIABLE_SCOPE);
    LLVMMetadataRef function = scope_function(pass, scope);
    LLVMMetadataRef file = node_operand(pass, variable, VARIABLE_FILE);
    const char *path, *slash;

    if (function)
        return node_text(pass, function, SCOPE_NAME);
    path = file ? node_text(pass, file, FILE_NAME) : "";
    slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void described_add(struct pass *pass, struct rows *rows, LLVMValueRef global)
{
    LLVMMetadataRef variable = variable_of_global(pass, global);

    if (!variable)
        return;
    variable_add(pass, rows, global,
                 qualified_name(pass, node_operand(pass, variable, VARIABLE_SCOPE),
                                node_text(pass, variable, VARIABLE_NAME)),
                 variable_where(pass, variable),
                 type_row(pass, node_operand(pass, variable, VARIABLE_TYPE)));
}

/* Without full debug information: what the linker's name stands for, and how large it is. */
static void demangled_add(struct pass *pass, struct rows *rows, LLVMValueRef global)
{
    size_t length;
    const char *mangled = LLVMGetValueName2(global, &length);
    const char *name;

    if (LLVMIsGlobalConstant(global) || !starts_with(mangled, "_Z"))
        return;
    name = demangled_name(pass, mangled);
    variable_add(
        pass, rows, global, name ? name : mangled, "",
        type_row_unknown(pass, LLVMABISizeOfType(pass->layout, LLVMGlobalGetValueType(global))));
}

/* Whether anything but calls uses it. */
static bool is_pointed_to(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (!LLVMIsAInstruction(user) || !is_call(user))
            return true;
        for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
            if (LLVMGetArgOperand(user, i) == function)
                return true;
    }
    return false;
}

/* Only of those that pointers point to anyway: a row is a pointer, too. */
static void functions_add(struct pass *pass, struct rows *rows)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *symbol = LLVMGetValueName2(f, &length);
        const char *name = LLVMIsDeclaration(f) ||
                                   LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage ||
                                   !starts_with(symbol, "_Z") || !is_pointed_to(f)
                               ? NULL
                               : demangled_pointer_name(pass, symbol);

        if (name)
            variable_add(pass, rows, f, name, "", LLVMConstPointerNull(pass->pointer));
    }
}

/* All that is in the list already stays there. */
static void used_append(struct pass *pass, struct rows *rows)
{
    static const char name[] = "llvm.compiler.used";
    LLVMValueRef list = LLVMGetNamedGlobal(pass->module, name);
    LLVMValueRef old = list ? LLVMGetInitializer(list) : NULL;
    struct rows all = {0};

    for (unsigned i = 0; old && i < (unsigned)LLVMGetNumOperands(old); i++)
        vec_push(&pass->arena, &all.of, LLVMGetOperand(old, i));
    for (uint32_t i = 0; i < rows->of.count; i++)
        vec_push(&pass->arena, &all.of, rows->of.at[i]);
    if (list)
        LLVMDeleteGlobal(list);
    old = LLVMConstArray2(pass->pointer, all.of.at, all.of.count);
    list = LLVMAddGlobal(pass->module, LLVMTypeOf(old), name);
    LLVMSetInitializer(list, old);
    LLVMSetLinkage(list, LLVMAppendingLinkage);
    LLVMSetSection(list, "llvm.metadata");
}

static bool is_our_variable(LLVMValueRef global)
{
    return !LLVMIsDeclaration(global) && !LLVMIsThreadLocal(global) &&
           LLVMGetLinkage(global) != LLVMAvailableExternallyLinkage;
}

void types_variables(struct pass *pass)
{
    LLVMValueRef none = LLVMConstPointerNull(pass->pointer), last;
    struct rows rows = {0};

    last = LLVMGetLastGlobal(pass->module); /* what is behind it are rows */
    for (LLVMValueRef g = LLVMGetFirstGlobal(pass->module); g;
         g = g == last ? NULL : LLVMGetNextGlobal(g)) {
        if (!is_our_variable(g))
            continue;
        if (pass->types.full)
            described_add(pass, &rows, g);
        else
            demangled_add(pass, &rows, g);
    }
    if (pass->types.full &&
        rows.of.count == 0) { /* that there are rows says that there is debug information */
        LLVMValueRef fields[] = {none, none, name_constant(pass, "-"), none};

        row_add(pass, &rows, fields);
    }
    functions_add(pass, &rows);
    if (rows.of.count)
        used_append(pass, &rows);
}
