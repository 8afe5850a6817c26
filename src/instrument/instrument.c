#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"

#define FUNCTION_RESERVE ((size_t)1 << 34) /* address space for one function's tables */

static bool option(const char *text, const char *name, bool preset)
{
    size_t length = strlen(name);

    for (const char *at = text; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at[length + 1] != '0';
    }
    return preset;
}

static void options_read(struct options *options)
{
    const char *text = getenv("RADDLE_PASS_OPTIONS");

    options->frames = option(text, "frames", true);
    options->live = options->frames && option(text, "live", true);
    options->residual = option(text, "residual", true);
    options->quick = option(text, "quick", true);
    options->spans = options->quick && options->frames && option(text, "spans", true);
    options->plain = option(text, "plain", true);
    options->heads = options->live && option(text, "heads", true);
    options->verify = option(text, "verify", false);
}

static unsigned attribute(const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    CHECK(kind != 0, "LLVM has no attribute %s", name);
    return kind;
}

static void attributes_find(struct pass *pass)
{
    pass->attr_byval = attribute("byval");
    pass->attr_elementtype = attribute("elementtype");
    pass->attr_memory = attribute("memory");
    pass->attr_zeroext = attribute("zeroext");
    pass->attr_nounwind = attribute("nounwind");
    pass->attr_noreturn = attribute("noreturn");
    pass->attr_returns_twice = attribute("returns_twice");
    pass->attr_naked = attribute("naked");
    pass->attr_unsanitized = attribute("disable_sanitizer_instrumentation");
    pass->attr_willreturn = attribute("willreturn");
    pass->attr_coroutine = attribute("presplitcoroutine");
    pass->attr_sret = attribute("sret");
    pass->attr_alwaysinline = attribute("alwaysinline");
    pass->attr_nonlazybind = attribute("nonlazybind");
    pass->attr_noinline = attribute("noinline");
    pass->attr_returned = attribute("returned");
}

/* The structs of runtime/hooks.h. */
static void types_make(struct pass *pass)
{
    LLVMTypeRef p = pass->pointer, i32 = pass->i32, i64 = pass->i64, i8 = pass->i8;
    LLVMTypeRef site[] = {p, p, p, i32, i32, i32, i32, p, i64, p, p, i64};
    LLVMTypeRef live[] = {p, i32, i32, i8, i8, i8, p};

    pass->site_type = LLVMStructCreateNamed(pass->context, "raddle_site");
    LLVMStructSetBody(pass->site_type, site, SITE_FIELDS, 0);
    pass->live_type = LLVMStructCreateNamed(pass->context, "raddle_live");
    LLVMStructSetBody(pass->live_type, live, LIVE_FIELDS, 0);
}

static void pass_open(struct pass *pass, LLVMModuleRef module)
{
    memset(pass, 0, sizeof *pass);
    pass->module = module;
    pass->context = LLVMGetModuleContext(module);
    pass->layout = LLVMGetModuleDataLayout(module);
    pass->builder = LLVMCreateBuilderInContext(pass->context);
    pass->pointer = LLVMPointerTypeInContext(pass->context, 0);
    pass->i1 = LLVMInt1TypeInContext(pass->context);
    pass->nothing = LLVMVoidTypeInContext(pass->context);
    for (int i = 0; i < SIZE_CLASSES; i++)
        pass->integer[i] = LLVMIntTypeInContext(pass->context, 8u << i);
    pass->i8 = pass->integer[0];
    pass->i32 = pass->integer[2];
    pass->i64 = pass->integer[3];
    CHECK(arena_open(&pass->arena, FUNCTION_RESERVE) == 0, "no address space for the pass");
    map_open(&pass->plain_of, &pass->arena);
    map_open(&pass->closed_groups, &pass->arena);
    map_open(&pass->code_of, &pass->arena);
    map_open(&pass->bare_of, &pass->arena);
    map_open(&pass->kept_of, &pass->arena);
    options_read(&pass->options);
    attributes_find(pass);
    types_make(pass);
    types_open(pass);
}

static bool has_coroutines(LLVMModuleRef module)
{
    size_t length;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (starts_with(LLVMGetValueName2(f, &length), "llvm.coro."))
            return true;
    return false;
}

static bool is_resolver(LLVMModuleRef module, LLVMValueRef function)
{
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i; i = LLVMGetNextGlobalIFunc(i))
        if (LLVMGetGlobalIFuncResolver(i) == function)
            return true; /* runs before the program is linked: no hook can be called */
    return false;
}

bool is_ours_to_instrument(const struct pass *pass, LLVMValueRef function)
{
    return is_instrumented(pass, function) && !is_resolver(pass->module, function);
}

/* "Reads no memory" is no longer true of functions with hooks in them. */
static void memory_attributes_drop(const struct pass *pass, LLVMValueRef function)
{
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, pass->attr_memory);
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsAInstruction(user) && is_call(user) && LLVMGetCalledValue(user) == function)
            LLVMRemoveCallSiteEnumAttribute(user, LLVMAttributeFunctionIndex, pass->attr_memory);
    }
}

static void fence_rewrite(struct work *work, const struct point *point)
{
    LLVMValueRef args[] = {constant_i32(work->pass, point->order), point->site};

    hook_call(work->pass, "__raddle_fence", work->pass->nothing, args, 2);
    replace(point->instruction, NULL);
}

static void unseen_add(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    LLVMValueRef function = called_function(point->instruction);
    size_t length;
    const char *what = function ? LLVMGetValueName2(function, &length) : "inline assembly";
    LLVMValueRef args[] = {text_constant(pass, what, strlen(what)), point->site};

    hook_call(pass, "__raddle_unseen", pass->nothing, args, 2);
}

static void point_rewrite(struct work *work, const struct point *point)
{
    if (point->quick) {
        quick_rewrite(work, point);
        return;
    }
    builder_before(work->pass, point->instruction);
    switch (point->kind) {
    case POINT_ACCESS:
        access_rewrite(work, point);
        break;
    case POINT_FENCE:
        fence_rewrite(work, point);
        break;
    case POINT_COPY:
        copy_rewrite(work, point);
        break;
    case POINT_LIBRARY:
        library_rewrite(work, point);
        break;
    case POINT_ASSEMBLY:
        assembly_rewrite(work, point);
        break;
    case POINT_CHANCE:
        chance_rewrite(work, point);
        break;
    case POINT_UNSEEN:
        unseen_add(work, point);
        break;
    case POINT_HEAD:
        head_rewrite(work, point);
        break;
    case POINT_RETURN:
        break;
    case POINT_CALL:
        copy_byval_arguments(work, point);
        external_mark(work, point);
        break;
    }
}

void work_open(struct work *work, struct pass *pass, LLVMValueRef function)
{
    memset(work, 0, sizeof *work);
    work->pass = pass;
    work->function = function;
    CHECK(arena_open(&work->arena, FUNCTION_RESERVE) == 0, "no address space for the pass");
    map_open(&work->origin_of, &work->arena);
    map_open(&work->point_of, &work->arena);
    map_open(&work->source_of, &work->arena);
    map_open(&work->local_of, &work->arena);
    map_open(&work->node_of, &work->arena);
    map_open(&work->name_of, &work->arena);
}

static void loops_copy(struct pass *pass, LLVMValueRef function)
{
    struct work work;

    work_open(&work, pass, function);
    escape_find(&work);
    spans_make(&work);
    arena_close(&work.arena);
}

static void function_instrument(struct pass *pass, LLVMValueRef function)
{
    struct work work;

    if (pass->optimises && pass->options.spans &&
        !function_has_attribute(function, pass->attr_coroutine))
        loops_copy(pass, function);
    work_open(&work, pass, function);
    escape_find(&work);
    /* a coroutine's locals leave the stack between two steps: no frame can follow them */
    work.framed = pass->options.frames && !function_has_attribute(function, pass->attr_coroutine);
    if (work.framed && pass->options.heads)
        heads_find(&work);
    points_find(&work);
    if (work.points.count) {
        memory_attributes_drop(pass, function);
        names_find(&work);
        if (work.framed && pass->options.live) {
            live_find(&work);
            slots_assign(&work);
            if (pass->options.residual)
                residual_find(&work);
        }
        if (work.framed && pass->options.quick)
            quick_find(&work);
        sites_make(&work);
        if (work.framed)
            frame_make(&work);
        quick_fork(&work);
        for (uint32_t i = 0; i < work.points.count; i++)
            point_rewrite(&work, &work.points.at[i]);
    }
    main_return_mark(&work);
    arena_close(&work.arena);
}

static void section_call(struct pass *pass, const char *name, LLVMValueRef before)
{
    builder_before(pass, before);
    hook_call(pass, name, pass->nothing, NULL, 0);
}

/* SV-COMP: the body of a function whose name begins so is one atomic section. */
static void section_make(struct pass *pass, LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

    if (!starts_with(name, "__VERIFIER_atomic_") || !strcmp(name, "__VERIFIER_atomic_begin") ||
        !strcmp(name, "__VERIFIER_atomic_end"))
        return;
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    section_call(pass, "raddle_atomic_begin", first);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);

        if (LLVMIsAReturnInst(last))
            section_call(pass, "raddle_atomic_end", last);
    }
}

static bool is_locked_store(LLVMValueRef instruction)
{
    return LLVMIsAStoreInst(instruction) &&
           LLVMGetOrdering(instruction) == LLVMAtomicOrderingSequentiallyConsistent &&
           LLVMIsAAllocaInst(pointer_base(LLVMGetOperand(instruction, 1)));
}

/* Without optimisation a sequentially consistent store to a local variable is a locked instruction like any other: it must not leave
 * with the variable. */
static void keep_locked_stores(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (is_locked_store(i))
                    LLVMSetVolatile(i, 1);
}

/* A pair of malloc and free may be dropped by who knows them; then a leak or a use of it would be, too. clang itself must know them, for
 * programs that do not declare them. */
static void allocations_keep(LLVMModuleRef module)
{
    static const char *const kept[] = {"no-builtin-malloc", "no-builtin-calloc",
                                       "no-builtin-realloc", "no-builtin-free",
                                       "no-builtin-aligned_alloc"};
    LLVMContextRef context = LLVMGetModuleContext(module);

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (size_t i = 0; i < sizeof kept / sizeof *kept && LLVMGetIntrinsicID(f) == 0; i++)
            LLVMAddAttributeAtIndex(
                f, LLVMAttributeFunctionIndex,
                LLVMCreateStringAttribute(context, kept[i], (unsigned)strlen(kept[i]), "", 0));
}

/* More than that are told apart by their names alone: the tables of all of them are needed at once. */
#define CODES_MAX 4096

static void functions_number(struct pass *pass)
{
    VEC(LLVMValueRef) ours = {0};

    for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
        if (is_ours_to_instrument(pass, f))
            vec_push(&pass->arena, &ours, f);
    if (pass->options.live && pass->options.residual && ours.count <= CODES_MAX)
        residual_functions(pass, ours.at, ours.count);
}

static void functions_rate(struct pass *pass)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
        if (is_ours_to_instrument(pass, f))
            function_rate(f);
}

/* Locals whose address nobody takes leave memory before we look. */
static void promote_locals(LLVMModuleRef module)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, "function(sroa)", NULL, options);

    CHECK(!error, "LLVM does not know the pass sroa");
    LLVMDisposePassBuilderOptions(options);
}

static void module_verify(LLVMModuleRef module)
{
    char *message = NULL;
    bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);

    CHECK(!broken, "the instrumented module is broken: %s", message);
    LLVMDisposeMessage(message);
}

void raddle_instrument(LLVMModuleRef module, bool optimises)
{
    static const char mark[] = "raddle.instrumented";
    bool records = LLVMIsNewDbgInfoFormat(module);
    struct pass pass;

    if (LLVMGetNamedMetadata(module, mark, strlen(mark)))
        return; /* bitcode that was compiled by us */
    LLVMGetOrInsertNamedMetadata(module, mark, strlen(mark));
    if (!optimises)
        keep_locked_stores(module);
    allocations_keep(module);
    promote_locals(module);
    if (atomics_inline(module)) { /* which may have kept variables in memory */
        if (!optimises)
            keep_locked_stores(module);
        promote_locals(module);
    }
    /* LLVM-C 19 has no way to read debug records; as intrinsics they are ordinary calls */
    LLVMSetIsNewDbgInfoFormat(module, 0);
    pass_open(&pass, module);
    pass.optimises = optimises;
    pass.coroutines = has_coroutines(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_ours_to_instrument(&pass, f))
            section_make(&pass, f);
    functions_number(&pass);
    if (pass.options.plain)
        plain_copy(&pass);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_ours_to_instrument(&pass, f)) {
            function_instrument(&pass, f);
            external_brand(&pass, f);
        }
    types_variables(&pass);
    plain_switch(&pass);
    if (optimises)
        functions_rate(&pass);
    constructors_rewrite(&pass);
    LLVMSetIsNewDbgInfoFormat(module, records);
    if (pass.options.verify)
        module_verify(module);
    LLVMDisposeBuilder(pass.builder);
    arena_close(&pass.arena);
}
