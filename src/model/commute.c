#include "model/commute.h"

/* A sum carries from byte to byte: an addition to four bytes and one to eight around them do not commute. What works on bits does. */
static enum access_mode sum_of(unsigned size)
{
    switch (size) {
    case 1:
        return ACCESS_SUM1;
    case 2:
        return ACCESS_SUM2;
    case 4:
        return ACCESS_SUM4;
    default:
        return ACCESS_SUM8;
    }
}

enum access_mode op_addition(const struct world *world, const struct op *op)
{
    if (op->kind != OP_RMW || !(op->expect & RMW_UNUSED) || op->mutex ||
        !(world->commutes & COMMUTE_INCREMENTS) || world->in_section)
        return ACCESS_WRITE;
    if (op->size > 8 || op->addr % op->size) /* two words, or bytes that only overlap */
        return ACCESS_WRITE;
    switch (op->variant) {
    case RMW_ADD:
    case RMW_SUB:
        return sum_of(op->size);
    case RMW_AND:
        return ACCESS_AND;
    case RMW_OR:
        return ACCESS_OR;
    case RMW_XOR:
        return ACCESS_XOR;
    default:
        return ACCESS_WRITE;
    }
}

uint64_t addition_redo(const struct op *op, uint64_t word, uint64_t mask)
{
    unsigned shift = 8 * (op->addr % 8);
    cell_value old = cell_cut(word >> shift, op->size);
    uint64_t redone = (uint64_t)rmw_result(op->variant, old, op->value, op->size) << shift;

    return (word & ~mask) | (redone & mask);
}

bool op_gathers(const struct world *world, const struct op *op)
{
    return world->commutes & COMMUTE_BARRIERS && !(op->size & OBJECT_INTERRUPTIBLE);
}

enum access_mode op_arrival(const struct world *world, const struct op *op)
{
    return op_gathers(world, op) && op->variant & OP_VARIANT_UNUSED && op->expect > 0
               ? ACCESS_ADD
               : ACCESS_WRITE;
}
