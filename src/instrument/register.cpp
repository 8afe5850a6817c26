// LLVM lets a plugin into its pipeline through C++ alone, and has no function of C that copies a function. This is all the C++ of raddle.
#include <llvm/Analysis/LazyCallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

// instrument.h is for C
extern "C" void raddle_instrument(LLVMModuleRef module, bool optimises);
extern "C" bool raddle_wants(LLVMValueRef function, const char *pass, size_t length);
extern "C" void raddle_rate_again(LLVMValueRef function);
extern "C" void raddle_finish(LLVMModuleRef module, bool debugged);
extern "C" bool raddle_is_expanded(LLVMValueRef function);

namespace
{
// Whether a debugger is to know variables.
bool is_debugged(const llvm::Module &module)
{
    for (const llvm::DICompileUnit *unit : module.debug_compile_units())
        if (unit->getEmissionKind() == llvm::DICompileUnit::FullDebug)
            return true;
    return false;
}

// The code generator, which comes after all of this, is to do without something, unless the user has said otherwise.
void option_drop(const char *name)
{
    auto &options = llvm::cl::getRegisteredOptions();
    auto option = options.find(name);

    if (option != options.end() && option->second->getNumOccurrences() == 0)
        option->second->addOccurrence(0, name, "false");
}

struct raddle_pass : llvm::PassInfoMixin<raddle_pass> {
    bool optimises;
    explicit raddle_pass(bool what) : optimises(what)
    {
    }
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &)
    {
        raddle_instrument(llvm::wrap(&module), optimises);
        if (!optimises && is_debugged(module))
            option_drop("fast-isel"); // it loses arguments that are in registers, as ours are
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired() // at -O0, too
    {
        return true;
    }
};

struct raddle_finish_pass : llvm::PassInfoMixin<raddle_finish_pass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &)
    {
        bool debugged = is_debugged(module);

        if (!debugged)
            option_drop("experimental-debug-variable-locations"); // takes time even if there are none
        raddle_finish(llvm::wrap(&module), debugged);
        return llvm::PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

void at_pipeline_start(llvm::ModulePassManager &manager, llvm::OptimizationLevel level)
{
    manager.addPass(raddle_pass(level != llvm::OptimizationLevel::O0));
}

// What inlining checks has left to do, in functions that have some.
struct expanded_only : llvm::PassInfoMixin<expanded_only> {
    llvm::FunctionPassManager passes;
    explicit expanded_only(llvm::FunctionPassManager &&what) : passes(std::move(what))
    {
    }
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses)
    {
        return raddle_is_expanded(llvm::wrap(&function)) ? passes.run(function, analyses)
                                                         : llvm::PreservedAnalyses::all();
    }
};

void at_pipeline_end(llvm::ModulePassManager &manager, llvm::OptimizationLevel level)
{
    llvm::FunctionPassManager behind;

    if (level == llvm::OptimizationLevel::O0)
        return;
    manager.addPass(raddle_finish_pass());
    manager.addPass(llvm::AlwaysInlinerPass());
    behind.addPass(llvm::SimplifyCFGPass());
    behind.addPass(llvm::EarlyCSEPass(true));
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(expanded_only(std::move(behind))));
}

// What it is about, or null: more than one function.
const llvm::Function *function_of(const llvm::Any &unit)
{
    if (auto *function = llvm::any_cast<const llvm::Function *>(&unit))
        return *function;
    if (auto *loop = llvm::any_cast<const llvm::Loop *>(&unit))
        return (*loop)->getHeader()->getParent();
    return nullptr;
}

bool before_pass(llvm::StringRef pass, llvm::Any unit)
{
    const llvm::Function *function = function_of(unit);

    return !function || raddle_wants(llvm::wrap(function), pass.data(), pass.size());
}

void after_pass(llvm::StringRef pass, llvm::Any unit, const llvm::PreservedAnalyses &)
{
    auto *component = llvm::any_cast<const llvm::LazyCallGraph::SCC *>(&unit);

    if (component && pass == "InlinerPass")
        for (llvm::LazyCallGraph::Node &node : **component)
            raddle_rate_again(llvm::wrap(&node.getFunction()));
}

void announce(llvm::PassBuilder &builder)
{
    llvm::PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();

    builder.registerPipelineStartEPCallback(at_pipeline_start);
    builder.registerOptimizerLastEPCallback(at_pipeline_end);
    if (callbacks) {
        callbacks->registerShouldRunOptionalPassCallback(before_pass);
        callbacks->registerAfterPassCallback(after_pass);
    }
}
} // namespace

extern "C" LLVMValueRef function_clone(LLVMValueRef function)
{
    llvm::ValueToValueMapTy map;

    return llvm::wrap(llvm::CloneFunction(llvm::unwrap<llvm::Function>(function), map));
}

static bool calls(const llvm::Loop &loop)
{
    for (const llvm::BasicBlock *block : loop.blocks())
        for (const llvm::Instruction &instruction : *block)
            if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction))
                return true;
    return false;
}

extern "C" bool function_has_silent_loop(LLVMValueRef function)
{
    llvm::DominatorTree tree(*llvm::unwrap<llvm::Function>(function));
    llvm::LoopInfo loops(tree);

    for (const llvm::Loop *loop : loops.getLoopsInPreorder())
        if (loop->isInnermost() && !calls(*loop))
            return true;
    return false;
}

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "raddle", "1", announce};
}
