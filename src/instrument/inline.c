#include <ctype.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"

/* std::atomic is made of small functions of a header, which pass orders, old values and what a compare-exchange expects to each other. What the
 * pass has to know of an atomic operation (is its result used? does the value at a loop's head come from it?) can be seen only where they are
 * called. So their calls are replaced by what they do, as an optimiser would do it, but nothing else of the program is touched.
 *
 * LLVM's own pass does it, to calls that have the attribute `alwaysinline`. For the time being all that have it in the program lose it. */

#define INSTRUCTIONS_MAX 400 /* of a function that is put in place of a call */

struct inliner {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMAttributeRef always;
    unsigned attr_always, attr_noreturn;
    unsigned tag;  /* of all that was in functions of atomics, also in its new place */
    unsigned kept; /* of calls that had the attribute */
    bool any_kept;
    struct arena arena;
    VEC(struct callee) callees;    /* the functions of atomics that are called */
    struct map callee_of;          /* function -> index into callees */
    VEC(LLVMValueRef) callers;     /* of them, among them some callees */
    VEC(LLVMValueRef) always_ours; /* the functions that had the attribute */
};

struct callee {
    LLVMValueRef function;
    bool leaf;    /* it calls none that is to be put in place */
    bool refused; /* by LLVM */
};

/* ---- which functions */

static bool take(const char **text, const char *prefix)
{
    if (!starts_with(*text, prefix))
        return false;
    *text += strlen(prefix);
    return true;
}

static bool contains(const char *text, size_t length, const char *part)
{
    return memmem(text, length, part, strlen(part)) != NULL;
}

/* "N identifier" of a mangled name: takes it off, and returns the identifier's length, which is before `name` then; 0 if there is none. */
static size_t identifier_take(const char **name)
{
    char *behind;
    size_t length = isdigit((unsigned char)**name) ? strtoul(*name, &behind, 10) : 0;

    if (length == 0 || length > strlen(behind))
        return 0;
    *name = behind + length;
    return length;
}

/* Members of classes of std that have "atomic" in their names, functions of std that have, and what these compute memory orders by. */
static bool is_of_atomics(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);

    if (take(&name, "_ZN")) {
        take(&name, "V");
        take(&name, "K");
    } else if (!take(&name, "_Z")) {
        return false;
    }
    if (!take(&name, "St"))
        return false;
    if (starts_with(name, "anSt12memory_order") || starts_with(name, "orSt12memory_order"))
        return true;
    length = identifier_take(&name);
    if (length == 3 && starts_with(name - length, "__1"))
        length = identifier_take(&name);
    return contains(name - length, length, "atomic") ||
           contains(name - length, length, "cmpexch") ||
           contains(name - length, length, "is_constant_evaluated");
}

static bool is_pad(LLVMValueRef instruction)
{
    return LLVMIsALandingPadInst(instruction) || LLVMIsACatchPadInst(instruction) ||
           LLVMIsACleanupPadInst(instruction) || LLVMIsACatchSwitchInst(instruction);
}

static bool does_not_return(const struct inliner *all, LLVMValueRef call)
{
    LLVMValueRef function = called_function(call);

    return call_has_attribute(call, (unsigned)LLVMAttributeFunctionIndex, all->attr_noreturn) ||
           (function && function_has_attribute(function, all->attr_noreturn));
}

/* It calls nothing, but for what a failed assertion of the header does, and is not long. */
static bool is_leaf(const struct inliner *all, LLVMValueRef function, bool *pads)
{
    unsigned count = 0;
    bool leaf = true;

    *pads = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (is_call(i) && !intrinsic_name(i) && !does_not_return(all, i))
                leaf = false;
            *pads |= is_pad(i);
            count++;
        }
    return leaf && !*pads && count <= INSTRUCTIONS_MAX;
}

/* All that have become leaves by what was put in their calls' place. */
static void leaves_find(struct inliner *all)
{
    for (uint32_t i = 0; i < all->callees.count; i++) {
        struct callee *callee = &all->callees.at[i];
        bool pads;

        if (callee->leaf)
            continue;
        callee->leaf = is_leaf(all, callee->function, &pads);
        if (!pads && LLVMHasPersonalityFn(callee->function))
            LLVMSetPersonalityFn(callee->function, NULL);
    }
}

/* ---- preparations */

/* Their variables are nobody's business in the new place. */
static void tag_all(struct inliner *all, LLVMValueRef function)
{
    LLVMValueRef mark =
        LLVMMetadataAsValue(all->context, LLVMMDNodeInContext2(all->context, NULL, 0));
    LLVMValueRef next;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsADbgInfoIntrinsic(i))
                LLVMInstructionEraseFromParent(i);
            else
                LLVMSetMetadata(i, all->tag, mark);
        }
}

/* Whether the call is of such a function, which is known then. */
static bool callee_add(struct inliner *all, LLVMValueRef called)
{
    if (!called || LLVMIsDeclaration(called) || is_replaceable(called) || !is_of_atomics(called))
        return false;
    if (map_get(&all->callee_of, value_key(called)) == MAP_ABSENT) {
        map_add(&all->callee_of, value_key(called), all->callees.count);
        vec_push(&all->arena, &all->callees, ((struct callee){.function = called}));
    }
    return true;
}

static void caller_look(struct inliner *all, LLVMValueRef function)
{
    bool any = false;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            any |= is_call(i) && callee_add(all, called_function(i));
    if (any)
        vec_push(&all->arena, &all->callers, function);
}

/* Those that the rest of the program calls, and those that these call. */
static void callees_find(struct inliner *all)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(all->module); f; f = LLVMGetNextFunction(f))
        if (!is_of_atomics(f))
            caller_look(all, f);
    for (uint32_t i = 0; i < all->callees.count; i++)
        caller_look(all, all->callees.at[i].function);
}

static void call_keep(struct inliner *all, LLVMValueRef call)
{
    unsigned index = (unsigned)LLVMAttributeFunctionIndex;

    if (!call_has_attribute(call, index, all->attr_always))
        return;
    all->any_kept = true;
    LLVMRemoveCallSiteEnumAttribute(call, index, all->attr_always);
    LLVMSetMetadata(call, all->kept,
                    LLVMMetadataAsValue(all->context, LLVMMDNodeInContext2(all->context, NULL, 0)));
}

static void attributes_take(struct inliner *all)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(all->module); f; f = LLVMGetNextFunction(f)) {
        if (function_has_attribute(f, all->attr_always)) {
            vec_push(&all->arena, &all->always_ours, f);
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, all->attr_always);
        }
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (is_call(i))
                    call_keep(all, i);
    }
}

static void marks_drop(struct inliner *all, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMGetMetadata(i, all->kept))
                LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, all->always);
            LLVMSetMetadata(i, all->kept, NULL);
            LLVMSetMetadata(i, all->tag, NULL);
        }
}

/* Before any function is dropped. */
static void attributes_give_back(struct inliner *all)
{
    for (uint32_t i = 0; i < all->always_ours.count; i++)
        LLVMAddAttributeAtIndex(all->always_ours.at[i], LLVMAttributeFunctionIndex, all->always);
    for (uint32_t i = 0; i < all->callees.count; i++)
        marks_drop(all, all->callees.at[i].function);
    for (uint32_t i = 0; i < all->callers.count; i++)
        marks_drop(all, all->callers.at[i]);
    if (!all->any_kept)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(all->module); f; f = LLVMGetNextFunction(f))
        marks_drop(all, f);
}

/* ---- rounds */

static struct callee *callee_of(struct inliner *all, LLVMValueRef call)
{
    uint32_t index = map_get(&all->callee_of, value_key(LLVMGetCalledValue(call)));

    return index == MAP_ABSENT ? NULL : &all->callees.at[index];
}

/* Marks the function's calls of leaves. */
static bool calls_mark(struct inliner *all, LLVMValueRef function)
{
    bool any = false;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            struct callee *callee = is_call(i) ? callee_of(all, i) : NULL;

            if (!callee || !callee->leaf || callee->refused)
                continue;
            LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, all->always);
            any = true;
        }
    return any;
}

static void marked_replace(struct inliner *all)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(all->module, "always-inline", NULL, options);

    CHECK(!error, "LLVM does not know the pass always-inline");
    LLVMDisposePassBuilderOptions(options);
}

/* What is in its place is where the call was, for all that reports tell. */
static void location_settle(struct inliner *all, LLVMValueRef instruction)
{
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(instruction);
    LLVMMetadataRef call = place ? LLVMDILocationGetInlinedAt(place) : NULL;

    if (call)
        LLVMInstructionSetDebugLoc(
            instruction, LLVMDIBuilderCreateDebugLocation(all->context, LLVMDILocationGetLine(call),
                                                          LLVMDILocationGetColumn(call),
                                                          LLVMDILocationGetScope(call),
                                                          LLVMDILocationGetInlinedAt(call)));
}

/* That a variable is used only in there is nothing that the program says. */
static bool is_added_lifetime(const struct inliner *all, LLVMValueRef instruction)
{
    const char *intrinsic = LLVMIsACallInst(instruction) ? intrinsic_name(instruction) : NULL;
    LLVMValueRef of;

    if (!intrinsic || !starts_with(intrinsic, "lifetime.") ||
        LLVMGetMetadata(instruction, all->tag))
        return false;
    of = LLVMGetArgOperand(instruction, 1);
    return LLVMIsAAllocaInst(of) && LLVMGetMetadata(of, all->tag);
}

static void instruction_settle(struct inliner *all, LLVMValueRef instruction)
{
    if (is_added_lifetime(all, instruction)) {
        LLVMInstructionEraseFromParent(instruction);
        return;
    }
    if (LLVMGetMetadata(instruction, all->tag))
        location_settle(all, instruction);
    if (is_call(instruction) &&
        call_has_attribute(instruction, (unsigned)LLVMAttributeFunctionIndex, all->attr_always)) {
        LLVMRemoveCallSiteEnumAttribute(instruction, (unsigned)LLVMAttributeFunctionIndex,
                                        all->attr_always);
        callee_of(all, instruction)->refused = true;
    }
}

static void function_settle(struct inliner *all, LLVMValueRef function)
{
    LLVMValueRef next;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
            next = LLVMGetNextInstruction(i);
            instruction_settle(all, i);
        }
    function_fold(all->context, function, all->tag);
}

/* Callees first: replaces the calls of those that call nothing themselves. One that calls itself by others never becomes one. */
static bool round_make(struct inliner *all)
{
    bool *marked = arena_alloc(&all->arena, all->callers.count * sizeof *marked), any = false;

    leaves_find(all);
    for (uint32_t i = 0; i < all->callers.count; i++)
        any |= marked[i] = calls_mark(all, all->callers.at[i]);
    if (any)
        marked_replace(all);
    for (uint32_t i = 0; i < all->callers.count; i++)
        if (marked[i])
            function_settle(all, all->callers.at[i]);
    arena_free(&all->arena, marked, all->callers.count * sizeof *marked);
    return any;
}

static bool unused_drop(LLVMModuleRef module)
{
    LLVMValueRef next;
    bool any = false;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = next) {
        LLVMLinkage linkage = LLVMGetLinkage(f);
        bool may_go = linkage == LLVMLinkOnceAnyLinkage || linkage == LLVMLinkOnceODRLinkage ||
                      linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ||
                      linkage == LLVMAvailableExternallyLinkage;

        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f) || !is_of_atomics(f) || !may_go || LLVMGetFirstUse(f))
            continue;
        LLVMDeleteFunction(f);
        any = true;
    }
    return any;
}

static void inliner_open(struct inliner *all, LLVMModuleRef module)
{
    static const char always[] = "alwaysinline", noreturn[] = "noreturn";
    static const char tag[] = "raddle.inlined", kept[] = "raddle.kept";

    *all = (struct inliner){.module = module, .context = LLVMGetModuleContext(module)};
    all->attr_always = LLVMGetEnumAttributeKindForName(always, strlen(always));
    all->attr_noreturn = LLVMGetEnumAttributeKindForName(noreturn, strlen(noreturn));
    all->always = LLVMCreateEnumAttribute(all->context, all->attr_always, 0);
    all->tag = LLVMGetMDKindIDInContext(all->context, tag, strlen(tag));
    all->kept = LLVMGetMDKindIDInContext(all->context, kept, strlen(kept));
    CHECK(arena_open(&all->arena, (size_t)1 << 34) == 0, "no address space for the pass");
    map_open(&all->callee_of, &all->arena);
}

bool atomics_inline(LLVMModuleRef module)
{
    bool records = LLVMIsNewDbgInfoFormat(module), any = false;
    struct inliner all;

    inliner_open(&all, module);
    callees_find(&all);
    if (all.callees.count) {
        LLVMSetIsNewDbgInfoFormat(module, 0); /* LLVM-C has no way to drop a record */
        for (uint32_t i = 0; i < all.callees.count; i++)
            tag_all(&all, all.callees.at[i].function);
        LLVMSetIsNewDbgInfoFormat(module, records);
        attributes_take(&all);
        while (round_make(&all))
            any = true;
        attributes_give_back(&all);
    }
    while (unused_drop(module))
        continue;
    arena_close(&all.arena);
    return any;
}
