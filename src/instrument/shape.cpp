// What LLVM-C 19 has no function for: new control flow, and copies of functions.
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <llvm-c/Core.h>

// instrument.h has the contracts.
extern "C" void block_fork(LLVMValueRef condition, LLVMValueRef before, LLVMValueRef *likely, LLVMValueRef *unlikely)
{
    auto *at = llvm::unwrap<llvm::Instruction>(before);
    llvm::Instruction *yes = nullptr, *no = nullptr;
    llvm::MDNode *weights = llvm::MDBuilder(at->getContext()).createLikelyBranchWeights();

    llvm::SplitBlockAndInsertIfThenElse(llvm::unwrap(condition), at->getIterator(), &yes, &no, weights);
    *likely = llvm::wrap(yes);
    *unlikely = llvm::wrap(no);
}

extern "C" bool function_can_be_copied(LLVMValueRef function)
{
    for (const llvm::BasicBlock &block : *llvm::unwrap<llvm::Function>(function))
        if (block.hasAddressTaken())
            return false;
    return true;
}

extern "C" LLVMValueRef function_copy(LLVMValueRef function, const char *name)
{
    auto *original = llvm::unwrap<llvm::Function>(function);
    llvm::ValueToValueMapTy map;
    llvm::Function *copy = llvm::CloneFunction(original, map);

    copy->setName(name);
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copy->setVisibility(llvm::GlobalValue::DefaultVisibility);
    copy->setDLLStorageClass(llvm::GlobalValue::DefaultStorageClass);
    copy->setDSOLocal(true);
    copy->setComdat(original->getComdat());
    return llvm::wrap(copy);
}

// The same function with the same arguments, and whatever comes in place of "...".
static void call_instead(llvm::IRBuilder<> &builder, llvm::Function *from, llvm::Function *other)
{
    llvm::SmallVector<llvm::Value *, 8> arguments;
    llvm::SmallVector<llvm::AttributeSet, 8> attributes;

    for (llvm::Argument &argument : from->args()) {
        arguments.push_back(&argument);
        attributes.push_back(from->getAttributes().getParamAttrs(argument.getArgNo()));
    }
    llvm::CallInst *call = builder.CreateCall(other, arguments);
    call->setCallingConv(other->getCallingConv());
    call->setAttributes(llvm::AttributeList::get(from->getContext(), llvm::AttributeSet(),
                                                 from->getAttributes().getRetAttrs(), attributes));
    call->setTailCallKind(llvm::CallInst::TCK_MustTail);
    if (from->getReturnType()->isVoidTy())
        builder.CreateRetVoid();
    else
        builder.CreateRet(call);
}

// Variables of fixed size must be in the first block, or they are taken for others.
extern "C" void function_switch(LLVMValueRef function, LLVMValueRef flag, LLVMValueRef other)
{
    auto *of = llvm::unwrap<llvm::Function>(function);
    llvm::LLVMContext &context = of->getContext();
    llvm::BasicBlock *body = &of->getEntryBlock();
    llvm::BasicBlock *first = llvm::BasicBlock::Create(context, "", of, body);
    llvm::BasicBlock *instead = llvm::BasicBlock::Create(context, "", of);
    llvm::IRBuilder<> builder(first);

    for (llvm::Instruction &instruction : llvm::make_early_inc_range(*body))
        if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
            if (llvm::isa<llvm::ConstantInt>(variable->getArraySize()))
                variable->moveBefore(*first, first->end());
    if (llvm::DISubprogram *program = of->getSubprogram())
        builder.SetCurrentDebugLocation(
            llvm::DILocation::get(context, program->getScopeLine(), 0, program));
    llvm::Value *checks = builder.CreateLoad(builder.getInt8Ty(), llvm::unwrap(flag));
    builder.CreateCondBr(builder.CreateICmpNE(checks, builder.getInt8(0)), body, instead);
    builder.SetInsertPoint(instead);
    call_instead(builder, of, llvm::unwrap<llvm::Function>(other));
}
