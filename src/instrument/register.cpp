// LLVM lets a plugin into its pipeline through C++ alone, and has no function of C that copies a function. This is all the C++ of raddle.
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/Cloning.h>

extern "C" void raddle_instrument(LLVMModuleRef module, bool optimises);

namespace
{
struct raddle_pass : llvm::PassInfoMixin<raddle_pass> {
    bool optimises;
    explicit raddle_pass(bool what) : optimises(what)
    {
    }
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &)
    {
        raddle_instrument(llvm::wrap(&module), optimises);
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired() // at -O0, too
    {
        return true;
    }
};

void at_pipeline_start(llvm::ModulePassManager &manager, llvm::OptimizationLevel level)
{
    manager.addPass(raddle_pass(level != llvm::OptimizationLevel::O0));
}
} // namespace

extern "C" LLVMValueRef function_clone(LLVMValueRef function)
{
    llvm::ValueToValueMapTy map;

    return llvm::wrap(llvm::CloneFunction(llvm::unwrap<llvm::Function>(function), map));
}

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "raddle", "1", [](llvm::PassBuilder &builder) {
                builder.registerPipelineStartEPCallback(at_pipeline_start);
            }};
}
