#include "instrument/instrument.h"
#include "runtime/hooks.h"

uint32_t order_flags(LLVMAtomicOrdering ordering)
{
    switch (ordering) {
    case LLVMAtomicOrderingNotAtomic:
        return HOOK_PLAIN;
    case LLVMAtomicOrderingAcquire:
        return 1;
    case LLVMAtomicOrderingRelease:
        return 2;
    case LLVMAtomicOrderingAcquireRelease:
        return 3;
    case LLVMAtomicOrderingSequentiallyConsistent:
        return 4;
    default: /* monotonic, unordered */
        return 0;
    }
}

static uint32_t access_flags(LLVMValueRef access)
{
    return order_flags(LLVMGetOrdering(access)) | (LLVMGetVolatile(access) ? HOOK_VOLATILE : 0);
}

static void memory_copy(struct pass *pass, LLVMValueRef to, LLVMValueRef from, uint64_t bytes,
                        LLVMValueRef site)
{
    hook_call(pass, "__raddle_memcpy", pass->nothing,
              (LLVMValueRef[]){to, from, constant_i64(pass, bytes), site}, 4);
}

static LLVMValueRef load_integer(struct pass *pass, int class, LLVMValueRef pointer, uint32_t flags,
                                 LLVMValueRef site)
{
    return hook_call_sized(pass, "load", class, pass->integer[class],
                           (LLVMValueRef[]){pointer, constant_i32(pass, flags), site}, 3);
}

static void store_integer(struct pass *pass, int class, LLVMValueRef pointer, LLVMValueRef value,
                          uint32_t flags, LLVMValueRef site)
{
    hook_call_sized(pass, "store", class, pass->nothing,
                    (LLVMValueRef[]){pointer, value, constant_i32(pass, flags), site}, 4);
}

static void load_rewrite(struct work *work, LLVMValueRef load, LLVMValueRef site)
{
    struct pass *pass = work->pass;
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMValueRef pointer = LLVMGetOperand(load, 0), local;
    uint64_t bytes = type_bytes(pass, type);
    int class = size_class(bytes);
    uint32_t flags = access_flags(load) | (LLVMGetFirstUse(load) ? 0 : HOOK_UNUSED);

    if (class != NO_CLASS && type_is_castable(pass, type)) {
        replace(load,
                value_from_integer(pass, load_integer(pass, class, pointer, flags, site), type));
        return;
    }
    local = scratch(work, type);
    if (class != NO_CLASS)
        LLVMBuildStore(pass->builder, load_integer(pass, class, pointer, flags, site), local);
    else
        memory_copy(pass, local, pointer, bytes, site);
    replace(load, LLVMBuildLoad2(pass->builder, type, local, ""));
}

static void store_rewrite(struct work *work, LLVMValueRef store, LLVMValueRef site)
{
    struct pass *pass = work->pass;
    LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1), local;
    LLVMTypeRef type = LLVMTypeOf(value);
    uint64_t bytes = type_bytes(pass, type);
    int class = size_class(bytes);
    uint32_t flags = access_flags(store);

    if (class != NO_CLASS && type_is_castable(pass, type)) {
        value = value_to_integer(pass, value, pass->integer[class]);
        store_integer(pass, class, pointer, value, flags, site);
    } else {
        local = scratch(work, type);
        LLVMBuildStore(pass->builder, value, local);
        if (class != NO_CLASS) {
            value = LLVMBuildLoad2(pass->builder, pass->integer[class], local, "");
            store_integer(pass, class, pointer, value, flags, site);
        } else {
            memory_copy(pass, pointer, local, bytes, site);
        }
    }
    replace(store, NULL);
}

bool access_is_single(const struct pass *pass, LLVMValueRef access)
{
    LLVMTypeRef type;

    if (LLVMIsAAtomicRMWInst(access))
        return rmw_is_single(access);
    type = LLVMIsAStoreInst(access) ? LLVMTypeOf(LLVMGetOperand(access, 0)) : LLVMTypeOf(access);
    return LLVMIsAAtomicCmpXchgInst(access) || size_class(type_bytes(pass, type)) != NO_CLASS;
}

void access_rewrite(struct work *work, const struct point *point)
{
    switch (LLVMGetInstructionOpcode(point->instruction)) {
    case LLVMLoad:
        load_rewrite(work, point->instruction, point->site);
        break;
    case LLVMStore:
        store_rewrite(work, point->instruction, point->site);
        break;
    case LLVMAtomicRMW:
        rmw_rewrite(work, point);
        break;
    default:
        cmpxchg_rewrite(work, point);
        break;
    }
}
