#include "model/op.h"
#include "model/object.h"

#include <string.h>

const struct op_info op_infos[OP_KIND_COUNT] = {
#define OP(name, object, mode, sync, flags, text)                                                  \
    {#name, text, OBJECT_##object, ACCESS_##mode, SYNC_##sync, flags},
#include "model/ops.def"
#undef OP
};

const char *const object_kind_names[OBJECT_KIND_COUNT] = {
    "nothing", "cell",    "mutex",  "spin",    "rwlock", "cond",
    "sem",     "barrier", "thread", "channel", "slot",
};

const char *const memory_order_names[5] = {"rlx", "acq", "rel", "ar", "sc"};
const char *const memory_order_words[5] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};

const char *const wait_end_texts[WAIT_END_COUNT] = {"", "woken by nobody", "cancelled",
                                                    "interrupted by a signal"};

const char *const rmw_kind_names[RMW_KIND_COUNT] = {
    "xchg", "add",  "sub",  "and",  "or",   "xor",  "nand", "max",
    "min",  "umax", "umin", "fadd", "fsub", "fmax", "fmin",
};

static __int128 cell_signed(cell_value value, unsigned size)
{
    unsigned unused = 128 - 8 * size;

    return (__int128)(value << unused) >> unused;
}

static double cell_float(cell_value value, unsigned size)
{
    double wide = 0;
    float narrow;

    if (size == 8) {
        memcpy(&wide, &value, sizeof wide);
        return wide;
    }
    memcpy(&narrow, &value, sizeof narrow);
    return narrow;
}

static cell_value float_cell(double number, unsigned size)
{
    float narrow = (float)number;
    cell_value value = 0;

    if (size == 8)
        memcpy(&value, &number, sizeof number);
    else
        memcpy(&value, &narrow, sizeof narrow);
    return value;
}

static cell_value float_result(enum rmw_kind rmw, cell_value old, cell_value operand, unsigned size)
{
    double a = cell_float(old, size), b = cell_float(operand, size);

    switch (rmw) {
    case RMW_FADD:
        return float_cell(a + b, size);
    case RMW_FSUB:
        return float_cell(a - b, size);
    case RMW_FMAX:
        return float_cell(a > b ? a : b, size);
    default:
        return float_cell(a < b ? a : b, size);
    }
}

cell_value rmw_result(enum rmw_kind rmw, cell_value old, cell_value operand, unsigned size)
{
    __int128 a = cell_signed(old, size), b = cell_signed(operand, size);
    cell_value ua = cell_cut(old, size), ub = cell_cut(operand, size);

    switch (rmw) {
    case RMW_XCHG:
        return ub;
    case RMW_ADD:
        return cell_cut(ua + ub, size);
    case RMW_SUB:
        return cell_cut(ua - ub, size);
    case RMW_AND:
        return ua & ub;
    case RMW_OR:
        return ua | ub;
    case RMW_XOR:
        return ua ^ ub;
    case RMW_NAND:
        return cell_cut(~(ua & ub), size);
    case RMW_MAX:
        return a > b ? ua : ub;
    case RMW_MIN:
        return a < b ? ua : ub;
    case RMW_UMAX:
        return ua > ub ? ua : ub;
    case RMW_UMIN:
        return ua < ub ? ua : ub;
    default:
        return float_result(rmw, old, operand, size);
    }
}
