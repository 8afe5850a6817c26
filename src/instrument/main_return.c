#include <string.h>

#include "instrument/instrument.h"

/* Where main returns: when exit is called for it, its frame is gone, and a status other than 0 has a place in the source. */

static void return_mark(struct work *work, LLVMValueRef before)
{
    LLVMValueRef site = site_of_return(work, before);

    builder_before(work->pass, before);
    hook_call(work->pass, "__raddle_main_returns", work->pass->nothing, &site, 1);
}

/* Several statements "return" share one instruction, which takes its value from where it came from: each of those branches knows the
 * line of its statement. */
static void return_mark_all(struct work *work, LLVMValueRef last)
{
    LLVMValueRef value = LLVMGetNumOperands(last) ? LLVMGetOperand(last, 0) : NULL;
    bool merged = value && LLVMIsAPHINode(value) &&
                  LLVMGetInstructionParent(value) == LLVMGetInstructionParent(last);

    if (!merged) {
        return_mark(work, last);
        return;
    }
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
        return_mark(work, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(value, i)));
}

void main_return_mark(struct work *work)
{
    size_t length;

    if (strcmp(LLVMGetValueName2(work->function, &length), "main") != 0)
        return;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(work->function); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);

        if (last && LLVMIsAReturnInst(last))
            return_mark_all(work, last);
    }
}
