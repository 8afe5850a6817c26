#include "model/op.h"

const struct op_info op_infos[OP_KIND_COUNT] = {
#define OP(name, object, mode, flags, text) {#name, text, OBJECT_##object, ACCESS_##mode, flags},
#include "model/ops.def"
#undef OP
};

const char *const object_kind_names[OBJECT_KIND_COUNT] = {
    "nothing", "cell", "mutex", "spin", "rwlock", "cond", "sem", "barrier", "thread", "slot",
};

const char *const memory_order_names[5] = {"rlx", "acq", "rel", "ar", "sc"};

const char *const rmw_kind_names[RMW_KIND_COUNT] = {"xchg", "add", "sub", "and", "or", "xor"};

uint64_t rmw_result(enum rmw_kind rmw, uint64_t old, uint64_t operand, unsigned size)
{
    const uint64_t results[RMW_KIND_COUNT] = {
        [RMW_XCHG] = operand,      [RMW_ADD] = old + operand, [RMW_SUB] = old - operand,
        [RMW_AND] = old & operand, [RMW_OR] = old | operand,  [RMW_XOR] = old ^ operand,
    };

    return results[rmw] & (UINT64_MAX >> (64 - 8 * size));
}
