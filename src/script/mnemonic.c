#include "script/mnemonic.h"

#include <string.h>

#define OBJECT     {.operands = "p"}
#define AMOUNT     {.operands = "pa", .result = true}
#define OBJECT_TRY {.operands = "p", .result = true}

const struct op_shape op_shapes[OP_KIND_COUNT] = {
    [OP_LOAD] = {"p", true, true, true, ORDER_RELAXED},
    [OP_STORE] = {"pa", false, true, true, ORDER_RELAXED},
    [OP_RMW] = {"pa", true, true, true, ORDER_SEQ_CST},
    [OP_CAS] = {"pba", true, true, true, ORDER_SEQ_CST},
    [OP_AWAIT] = {"pa", false, true, false, ORDER_RELAXED},
    [OP_FENCE] = {"", false, false, true, ORDER_SEQ_CST},
    [OP_MUTEX_INIT] = OBJECT,
    [OP_MUTEX_DESTROY] = OBJECT,
    [OP_SPIN_INIT] = OBJECT,
    [OP_SPIN_DESTROY] = OBJECT,
    [OP_RWLOCK_INIT] = OBJECT,
    [OP_RWLOCK_DESTROY] = OBJECT,
    [OP_COND_INIT] = OBJECT,
    [OP_COND_DESTROY] = OBJECT,
    [OP_SEM_INIT] = {.operands = "pa"},
    [OP_SEM_DESTROY] = OBJECT,
    [OP_BARRIER_INIT] = OBJECT,
    [OP_BARRIER_DESTROY] = OBJECT,
    [OP_MUTEX_LOCK] = OBJECT,
    [OP_MUTEX_TRYLOCK] = OBJECT_TRY,
    [OP_MUTEX_UNLOCK] = OBJECT,
    [OP_SPIN_LOCK] = OBJECT,
    [OP_SPIN_TRYLOCK] = OBJECT_TRY,
    [OP_SPIN_UNLOCK] = OBJECT,
    [OP_RWLOCK_WANT] = OBJECT,
    [OP_RWLOCK_RDLOCK] = OBJECT,
    [OP_RWLOCK_WRLOCK] = OBJECT,
    [OP_RWLOCK_TRYRDLOCK] = OBJECT_TRY,
    [OP_RWLOCK_TRYWRLOCK] = OBJECT_TRY,
    [OP_RWLOCK_UNLOCK] = OBJECT,
    [OP_COND_WAIT] = {.operands = "pm", .result = true},
    [OP_COND_TIMEDWAIT] = {.operands = "pm", .result = true},
    [OP_COND_SIGNAL] = OBJECT,
    [OP_COND_BROADCAST] = OBJECT,
    [OP_SEM_WAIT] = OBJECT,
    [OP_SEM_TRYWAIT] = OBJECT_TRY,
    [OP_SEM_POST] = OBJECT,
    [OP_BARRIER_WAIT] = OBJECT_TRY,
    [OP_CHANNEL_GET] = AMOUNT,
    [OP_CHANNEL_TRYGET] = AMOUNT,
    [OP_CHANNEL_PUT] = AMOUNT,
    [OP_CHANNEL_TRYPUT] = AMOUNT,
    [OP_CHANNEL_CLOSE] = OBJECT,
    [OP_THREAD_CREATE] = {.operands = "t"},
    [OP_THREAD_JOIN] = {.operands = "t"},
    [OP_THREAD_EXIT] = {.operands = ""},
    [OP_THREAD_CANCEL] = {.operands = "t"},
    [OP_THREAD_TESTCANCEL] = {.operands = "", .result = true},
    [OP_YIELD] = {.operands = ""},
    [OP_CHOOSE] = {.operands = "a", .result = true},
    [OP_ASSUME] = {.operands = "e"},
    [OP_ASSERT] = {.operands = "e"},
};

enum object_kind op_place_kind(uint8_t op)
{
    return op_shapes[op].cell ? OBJECT_CELL : (enum object_kind)op_infos[op].object;
}

/* Whether `rest`, what follows the plain word, is a sign and size that the operation may have. */
static bool suffix_read(const char *rest, size_t length, struct mnemonic *mnemonic)
{
    const struct op_shape *shape = &op_shapes[mnemonic->op];

    mnemonic->size = 0;
    mnemonic->sign = true;
    if (length > 0 && *rest == 'u' && shape->cell && shape->result) {
        mnemonic->sign = false;
        rest++;
        length--;
    }
    if (length == 1 && shape->cell && *rest != '\0' && strchr("1248", *rest)) {
        mnemonic->size = (uint8_t)(*rest - '0');
        length--;
    }
    return length == 0;
}

static bool word_matches(const char *plain, const char *word, size_t length,
                         struct mnemonic *mnemonic)
{
    size_t plain_length = strlen(plain);

    return length >= plain_length && memcmp(plain, word, plain_length) == 0 &&
           suffix_read(word + plain_length, length - plain_length, mnemonic);
}

bool mnemonic_find(const char *word, size_t length, struct mnemonic *mnemonic)
{
    for (unsigned op = 0; op < OP_KIND_COUNT; op++) {
        *mnemonic = (struct mnemonic){.op = (uint8_t)op};
        if (!op_shapes[op].operands || op == OP_RMW)
            continue;
        if (word_matches(op_infos[op].text, word, length, mnemonic))
            return true;
    }
    for (unsigned rmw = 0; rmw < RMW_NAND; rmw++) {
        *mnemonic = (struct mnemonic){.op = OP_RMW, .rmw = (uint8_t)rmw};
        if (word_matches(rmw_kind_names[rmw], word, length, mnemonic))
            return true;
    }
    return false;
}

const char *mnemonic_word(const struct insn *insn)
{
    return insn->op == OP_RMW ? rmw_kind_names[insn->rmw] : op_infos[insn->op].text;
}
