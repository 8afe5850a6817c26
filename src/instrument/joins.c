#include <string.h>

#include "instrument/instrument.h"

/* Joins in a row: `for (i = 0; i < n; i++) pthread_join(threads[i], NULL);`. Between two of them nothing happens that another thread could notice, so the order in which they are joined does not
 * tell threads apart (explore/symmetry.h). Between them there may be arithmetic, local variables that nobody else knows, and loads of the handles, from memory that holds nothing else. */

static bool calls(LLVMValueRef instruction, const char *name, const char *or_name)
{
    LLVMValueRef function = LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction)
                                ? called_function(instruction)
                                : NULL;
    size_t length;
    const char *called = function ? LLVMGetValueName2(function, &length) : "";

    return strcmp(called, name) == 0 || strcmp(called, or_name) == 0;
}

static bool is_join(LLVMValueRef instruction)
{
    return calls(instruction, "pthread_join", "thrd_join");
}

/* ---- memory that holds handles, and nothing else */

static bool holds_handles(LLVMValueRef function, LLVMValueRef pointer);

/* Whether the use of the address does nothing but to let handles be written when threads are made, and to read them. */
static bool use_is_of_handles(LLVMValueRef function, LLVMValueRef user, LLVMValueRef pointer)
{
    const char *intrinsic;

    if (LLVMIsAConstantExpr(user) || LLVMIsAGetElementPtrInst(user))
        return holds_handles(function, user);
    if (!LLVMIsAInstruction(user) ||
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != function)
        return false;
    if (LLVMIsALoadInst(user))
        return LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic && !LLVMGetVolatile(user);
    if (LLVMIsAICmpInst(user))
        return true;
    if (!LLVMIsACallInst(user))
        return false;
    if (calls(user, "pthread_create", "thrd_create")) {
        for (unsigned i = 1; i < LLVMGetNumArgOperands(user); i++)
            if (LLVMGetArgOperand(user, i) == pointer)
                return false;
        return true;
    }
    intrinsic = intrinsic_name(user);
    return calls(user, "free", "free") ||
           (intrinsic && (starts_with(intrinsic, "lifetime.") || starts_with(intrinsic, "dbg.")));
}

static bool holds_handles(LLVMValueRef function, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use))
        if (!use_is_of_handles(function, LLVMGetUser(use), pointer))
            return false;
    return true;
}

/* A local variable or a block of the heap that the function makes; or, in main, which only one thread runs, a variable that only this module knows. */
static bool is_own(const struct work *work, LLVMValueRef base)
{
    size_t length;
    LLVMLinkage linkage;

    if (LLVMIsAAllocaInst(base) || (LLVMIsACallInst(base) && calls(base, "malloc", "calloc")))
        return true;
    if (!LLVMIsAGlobalVariable(base) ||
        strcmp(LLVMGetValueName2(work->function, &length), "main") != 0)
        return false;
    linkage = LLVMGetLinkage(base);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

/* ---- what may stand between two joins */

static bool is_arithmetic(LLVMValueRef i)
{
    return LLVMIsAPHINode(i) || LLVMIsACmpInst(i) || LLVMIsABinaryOperator(i) ||
           LLVMIsACastInst(i) || LLVMIsAGetElementPtrInst(i) || LLVMIsASelectInst(i) ||
           LLVMIsABranchInst(i) || LLVMIsASwitchInst(i) || LLVMIsAExtractValueInst(i) ||
           LLVMIsAInsertValueInst(i) || LLVMIsAFreezeInst(i);
}

static bool is_quiet(const struct work *work, LLVMValueRef i)
{
    LLVMValueRef pointer;
    const char *intrinsic = LLVMIsACallInst(i) ? intrinsic_name(i) : NULL;

    if (intrinsic)
        return starts_with(intrinsic, "dbg.") || starts_with(intrinsic, "lifetime.");
    if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
        return is_arithmetic(i);
    if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic || LLVMGetVolatile(i))
        return false;
    pointer = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
    if (escape_is_private(work, pointer))
        return true;
    pointer = pointer_base(pointer);
    return LLVMIsALoadInst(i) && is_own(work, pointer) && holds_handles(work->function, pointer);
}

/* ---- the walk */

/* Blocks still to be looked at, each once. */
struct walk {
    struct work *work;
    uint8_t *seen; /* by number */
    uint32_t *todo;
    uint32_t count;
};

static struct walk walk_open(struct work *work)
{
    uint32_t count = work->nodes.count;
    struct walk walk = {.work = work,
                        .seen = arena_alloc(&work->arena, count + 1),
                        .todo = arena_alloc(&work->arena, (count + 1) * sizeof *walk.todo)};

    memset(walk.seen, 0, count + 1);
    return walk;
}

static void walk_on(struct walk *walk, LLVMValueRef last)
{
    for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++) {
        uint32_t block = map_get(&walk->work->node_of, value_key(LLVMGetSuccessor(last, s)));

        if (!walk->seen[block])
            walk->todo[walk->count++] = block;
        walk->seen[block] = 1;
    }
}

/* The first instruction of the next block, or NULL. */
static LLVMValueRef walk_next(struct walk *walk)
{
    return walk->count
               ? LLVMGetFirstInstruction(walk->work->nodes.at[walk->todo[--walk->count]].block)
               : NULL;
}

/* Whether a join may come after the instruction, in this call of the function. */
static bool reaches_join(struct work *work, LLVMValueRef i)
{
    struct walk walk = walk_open(work);

    for (; i; i = walk_next(&walk))
        for (; i; i = LLVMGetNextInstruction(i)) {
            if (is_join(i))
                return true;
            if (LLVMIsATerminatorInst(i))
                walk_on(&walk, i);
        }
    return false;
}

bool join_goes_on(struct work *work, LLVMValueRef call)
{
    struct walk walk = walk_open(work);

    if (work->nodes.count == 0 || !LLVMIsACallInst(call) || !is_join(call) ||
        !LLVMIsAConstantPointerNull(LLVMGetArgOperand(call, 1)))
        return false;
    for (LLVMValueRef i = LLVMGetNextInstruction(call); i; i = walk_next(&walk))
        for (; i && !is_join(i); i = LLVMGetNextInstruction(i)) {
            if (!is_quiet(work, i)) {
                if (reaches_join(work, i))
                    return false;
                break;
            }
            if (LLVMIsATerminatorInst(i))
                walk_on(&walk, i);
        }
    return true;
}
