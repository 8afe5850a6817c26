// What LLVM-C 19 has no function for: new control flow in the middle of a block.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <llvm-c/Core.h>

// instrument.h has the contract.
extern "C" void block_fork(LLVMValueRef condition, LLVMValueRef before, LLVMValueRef *likely, LLVMValueRef *unlikely)
{
    auto *at = llvm::unwrap<llvm::Instruction>(before);
    llvm::Instruction *yes = nullptr, *no = nullptr;
    llvm::MDNode *weights = llvm::MDBuilder(at->getContext()).createLikelyBranchWeights();

    llvm::SplitBlockAndInsertIfThenElse(llvm::unwrap(condition), at->getIterator(), &yes, &no, weights);
    *likely = llvm::wrap(yes);
    *unlikely = llvm::wrap(no);
}
