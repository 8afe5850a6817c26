#include <string.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Instructions whose result nobody can foresee: random numbers and counters of the processor. The runtime gives one in their place, the same
 * in each run. */

static const struct {
    const char *name; /* begins so */
    uint32_t what;    /* enum hook_chance */
} instructions[] = {
    {"x86.rdrand.", HOOK_CHANCE_NUMBER},      {"x86.rdseed.", HOOK_CHANCE_NUMBER},
    {"x86.rdtsc", HOOK_CHANCE_CYCLES},        {"x86.rdtscp", HOOK_CHANCE_CYCLES},
    {"readcyclecounter", HOOK_CHANCE_CYCLES}, {"readsteadycounter", HOOK_CHANCE_CYCLES},
    {"x86.rdpmc", HOOK_CHANCE_CYCLES},        {"x86.rdpid", HOOK_CHANCE_PROCESSOR},
};

static int row_of(LLVMValueRef call)
{
    const char *name = intrinsic_name(call);

    for (size_t i = 0; name && i < sizeof instructions / sizeof *instructions; i++)
        if (starts_with(name, instructions[i].name))
            return (int)i;
    return -1;
}

bool chance_is_instruction(LLVMValueRef call)
{
    return row_of(call) >= 0;
}

bool chance_is_in_text(const char *text)
{
    static const char *const words[] = {"rdtsc", "rdrand", "rdseed", "rdpmc", "rdpid"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

bool chance_is_told_back(LLVMValueRef call)
{
    static const char *const functions[] = {"kill",    "sigqueue",  "tgkill",      "waitpid",
                                            "prlimit", "prlimit64", "setpriority", "getpriority"};

    LLVMValueRef asked = called_function(call);
    size_t asked_length;

    if (!asked || strcmp(LLVMGetValueName2(asked, &asked_length), "getpid") != 0)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), function = NULL;
        const char *name = "";
        bool found = false;
        size_t length;

        if (LLVMIsAInstruction(user) && is_call(user))
            function = called_function(user);
        if (function)
            name = LLVMGetValueName2(function, &length);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            found |= strcmp(name, functions[i]) == 0;
        if (!found)
            return false;
    }
    return true;
}

/* Two results: the number, and whether there was one, or the processor. */
static LLVMValueRef pair_build(struct pass *pass, LLVMTypeRef type, LLVMValueRef number,
                               uint64_t second)
{
    LLVMTypeRef first = LLVMStructGetTypeAtIndex(type, 0);
    LLVMTypeRef other = LLVMStructGetTypeAtIndex(type, 1);
    LLVMValueRef value = LLVMBuildIntCast2(pass->builder, number, first, 0, "");

    value = LLVMBuildInsertValue(pass->builder, LLVMGetPoison(type), value, 0, "");
    return LLVMBuildInsertValue(pass->builder, value, LLVMConstInt(other, second, 0), 1, "");
}

void chance_rewrite(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    LLVMTypeRef type = LLVMTypeOf(point->instruction);
    uint32_t what = instructions[row_of(point->instruction)].what;
    LLVMValueRef args[] = {constant_i32(pass, what), point->site};
    LLVMValueRef number = hook_call(pass, "__raddle_chance", pass->i64, args, 2);

    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        number = pair_build(pass, type, number, what == HOOK_CHANCE_NUMBER);
    else
        number = LLVMBuildIntCast2(pass->builder, number, type, 0, "");
    replace(point->instruction, number);
}
