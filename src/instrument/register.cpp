// The only C++ of raddle: LLVM lets a plugin into its pipeline through C++ alone.
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

extern "C" void raddle_instrument(LLVMModuleRef module);

namespace
{
struct raddle_pass : llvm::PassInfoMixin<raddle_pass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &)
    {
        raddle_instrument(llvm::wrap(&module));
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired() // at -O0, too
    {
        return true;
    }
};

void at_pipeline_start(llvm::ModulePassManager &manager, llvm::OptimizationLevel)
{
    manager.addPass(raddle_pass());
}
} // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "raddle", "1", [](llvm::PassBuilder &builder) {
                builder.registerPipelineStartEPCallback(at_pipeline_start);
            }};
}
