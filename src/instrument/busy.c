#include <string.h>

#include "base/check.h"
#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Code with hooks is much longer than the code it was made from, and most of it spends its time in the hooks. So it is optimised only where that shows: functions
 * with a loop that calls nothing, or has checks in place (quick_place.c), or a copy without hooks (span_make.c), are *busy*. Others are simplified a little and
 * then translated as without optimisation. Copies that run when the program is not checked (plain.c) are optimised as ever.
 *
 * A function is rated when it has its hooks, and again whenever others may have been inlined into it: an attribute of its own says what it is. */

static const char mark[] = "raddle-rated", busy[] = "busy", seldom[] = "seldom",
                  expanded[] = "expanded";

/* What is of use in functions that are not busy: it makes them shorter. */
static const char *const wanted[] = {"SimplifyCFGPass", "SROAPass", "EarlyCSEPass"};

/* What is of no use in busy ones: their loops need none of it, and all else is full of calls. */
static const char *const unwanted[] = {
    "SLPVectorizerPass",         "VectorCombinePass",      "ConstraintEliminationPass",
    "SpeculativeExecutionPass",  "JumpThreadingPass",      "CorrelatedValuePropagationPass",
    "AggressiveInstCombinePass", "LibCallsShrinkWrapPass", "MergedLoadStoreMotionPass",
    "LoopLoadEliminationPass",   "LoopDistributePass",     "DSEPass"};

#define FEW_HOOKS 6 /* in a function that may be inlined: a frame, and a few accesses */

static bool is_choice(LLVMValueRef instruction)
{
    LLVMValueRef function = is_call(instruction) ? called_function(instruction) : NULL;
    size_t length;
    const char *name = function ? LLVMGetValueName2(function, &length) : "";

    return starts_with(name, QUICK_CHECK) || strcmp(name, "__raddle_bare") == 0;
}

static bool is_busy(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_choice(i))
                return true;
    return function_has_silent_loop(function);
}

static LLVMAttributeRef rating(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, mark,
                                         sizeof mark - 1);
}

static bool is_rated(LLVMValueRef function, const char *as)
{
    LLVMAttributeRef attribute = rating(function);
    unsigned length;

    return attribute &&
           strncmp(LLVMGetStringAttributeValue(attribute, &length), as, strlen(as)) == 0;
}

static void rate_as(LLVMValueRef function, const char *as)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(context, mark, sizeof mark - 1, as, (unsigned)strlen(as)));
}

static unsigned attribute_kind(const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    CHECK(kind != 0, "LLVM has no attribute %s", name);
    return kind;
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       attribute_kind(name)) != NULL;
}

static void attribute_drop(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute_kind(name));
}

static void attribute_set(LLVMValueRef function, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, attribute_kind(name), 0));
}

static uint32_t hooks_in(LLVMValueRef function)
{
    uint32_t count = 0;
    size_t length;

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef called = is_call(i) ? called_function(i) : NULL;

            count += called && starts_with(LLVMGetValueName2(called, &length), "__raddle_");
        }
    return count;
}

/* Next to what its hooks or its loops take, a call of it takes no time; and inlined it makes much code of its callers, which become busy if it is. */
static bool stands_alone(LLVMValueRef function)
{
    return !has_attribute(function, "alwaysinline") &&
           (is_rated(function, busy) || hooks_in(function) > FEW_HOOKS);
}

void function_rate(LLVMValueRef function)
{
    rate_as(function, is_busy(function) ? busy : seldom);
    if (stands_alone(function))
        attribute_set(function, "noinline");
}

void raddle_rate_again(LLVMValueRef function)
{
    if (is_rated(function, seldom) && is_busy(function))
        rate_as(function, busy);
}

static bool is_among(const char *name, size_t length, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

bool raddle_wants(LLVMValueRef function, const char *pass, size_t length)
{
    if (!rating(function))
        return true;
    return is_rated(function, seldom)
               ? is_among(pass, length, wanted, sizeof wanted / sizeof *wanted)
               : !is_among(pass, length, unwanted, sizeof unwanted / sizeof *unwanted);
}

/* Sparing registers is of no use here, and the quick way to translate a call does not know it. Whom it calls spares them all the same. That
 * the call then is not like the function it calls would count as a mistake for passes that optimise: none of them looks at functions with
 * optnone. */
static void calls_spare_nothing(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_call(i) && LLVMGetInstructionCallConv(i) == LLVMPreserveMostCallConv)
                LLVMSetInstructionCallConv(i, LLVMCCallConv);
}

/* The code generator is to go over it as without optimisation. */
static void function_leave(LLVMValueRef function)
{
    calls_spare_nothing(function);
    attribute_drop(function, "alwaysinline");
    attribute_drop(function, "optsize");
    attribute_drop(function, "minsize");
    attribute_set(function, "noinline");
    attribute_set(function, "optnone");
}

/* From now on it is inlined, wherever it is called. */
static void check_expand(LLVMValueRef check)
{
    attribute_drop(check, "noinline");
    attribute_set(check, "alwaysinline");
    for (LLVMUseRef use = LLVMGetFirstUse(check); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);

        rate_as(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), expanded);
    }
}

/* Without optimisation the code generator loses variables that earlier passes have put into registers: not where a debugger is to know them. */
void raddle_finish(LLVMModuleRef module, bool debugged)
{
    size_t length;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        raddle_rate_again(f); /* what must be inlined was so by another pass */
        if (is_rated(f, seldom) && !debugged)
            function_leave(f);
        else if (starts_with(LLVMGetValueName2(f, &length), QUICK_CHECK))
            check_expand(f);
    }
}

bool raddle_is_expanded(LLVMValueRef function)
{
    return is_rated(function, expanded);
}
