#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/instrument.h"
#include "runtime/hooks.h"

/* Inline assembly as old lock-free code has it: fences, and one locked instruction on one memory
 * operand. What is recognised is taken literally; anything else that touches memory is reported
 * as unseen. */

#define OPERANDS_MAX   16
#define STATEMENTS_MAX 4
#define TEXT_MAX       256

struct operand {
    char text[24]; /* constraint without = & * */
    bool output;
    bool indirect;
    int tied;           /* input that shares the register of this output, or -1 */
    LLVMValueRef value; /* the call's argument, NULL for a direct output */
    unsigned argument;  /* its number */
    int result;         /* direct output: its place in the result */
    LLVMValueRef set;   /* direct output: what it gets */
};

struct assembly {
    char text[TEXT_MAX]; /* lower case, cut into statements */
    char *statements[STATEMENTS_MAX];
    bool locked[STATEMENTS_MAX];
    int statement_count;
    struct operand operands[OPERANDS_MAX];
    int operand_count;
    bool clobbers_memory;
    bool too_long;
    bool by_chance; /* its result cannot be foreseen */
    int memory;     /* the operand in memory, or -1 */
    int class;      /* its size */
};

/* ---- reading */

static void statement_add(struct assembly *as, char *statement, bool *lock)
{
    size_t length;

    while (isspace((unsigned char)*statement))
        statement++;
    length = strlen(statement);
    while (length && isspace((unsigned char)statement[length - 1]))
        statement[--length] = 0;
    if (strncmp(statement, "lock", 4) == 0 && !isalpha((unsigned char)statement[4])) {
        *lock = true;
        if (statement[4])
            statement_add(as, statement + 4, lock);
        return;
    }
    if (!*statement || *statement == '#')
        return;
    if (as->statement_count == STATEMENTS_MAX) {
        as->too_long = true;
        return;
    }
    as->locked[as->statement_count] = *lock;
    as->statements[as->statement_count++] = statement;
    *lock = false;
}

static void statements_read(struct assembly *as, const char *text, size_t length)
{
    char *start = as->text;
    bool lock = false;

    if (length >= TEXT_MAX) {
        as->too_long = true;
        return;
    }
    for (size_t i = 0; i <= length; i++) {
        char c = i < length ? (char)tolower((unsigned char)text[i]) : '\n';

        as->text[i < length ? i : length] = c;
        if (c == ';' || c == '\n') {
            as->text[i] = 0;
            statement_add(as, start, &lock);
            start = as->text + i + 1;
        }
    }
}

static void constraint_read(struct assembly *as, const char *text, size_t length, LLVMValueRef call,
                            unsigned *argument, int *results)
{
    struct operand *operand = &as->operands[as->operand_count];

    if (length && *text == '~') {
        as->clobbers_memory |= length >= 9 && memcmp(text, "~{memory}", 9) == 0;
        return;
    }
    if (length == 0 || *text == '!' || as->operand_count == OPERANDS_MAX) {
        as->too_long = true;
        return;
    }
    *operand = (struct operand){.tied = -1, .result = -1};
    for (; length && strchr("=&*+%", *text); text++, length--) {
        operand->output |= *text == '=';
        operand->indirect |= *text == '*';
    }
    if (length >= sizeof operand->text)
        length = sizeof operand->text - 1;
    memcpy(operand->text, text, length);
    if (!operand->output || operand->indirect) {
        if (*argument >= LLVMGetNumArgOperands(call)) {
            as->too_long = true;
            return;
        }
        operand->argument = *argument;
        operand->value = LLVMGetArgOperand(call, (*argument)++);
    } else {
        operand->result = (*results)++;
    }
    if (!operand->output && isdigit((unsigned char)*operand->text) &&
        atoi(operand->text) < as->operand_count)
        as->operands[atoi(operand->text)].tied = as->operand_count;
    as->operand_count++;
}

static void constraints_read(struct assembly *as, const char *text, size_t length,
                             LLVMValueRef call)
{
    unsigned argument = 0;
    int results = 0;
    size_t start = 0;

    if (length == 0)
        return;
    for (size_t i = 0; i <= length; i++)
        if (i == length || text[i] == ',') {
            constraint_read(as, text + start, i - start, call, &argument, &results);
            start = i + 1;
        }
}

static void assembly_read(struct assembly *as, LLVMValueRef call)
{
    LLVMValueRef code = LLVMGetCalledValue(call);
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(code, &length);

    memset(as, 0, sizeof *as);
    as->memory = -1;
    statements_read(as, text, length);
    for (int i = 0; i < as->statement_count; i++)
        as->by_chance |= chance_is_in_text(as->statements[i]);
    text = LLVMGetInlineAsmConstraintString(code, &length);
    constraints_read(as, text, length, call);
}

/* ---- recognising */

/* "$2" and "${2:w}" as 2; else -1. */
static int operand_number(const struct assembly *as, const char *text)
{
    int number;

    if (*text != '$')
        return -1;
    text += text[1] == '{' ? 2 : 1;
    if (!isdigit((unsigned char)*text))
        return -1;
    number = atoi(text);
    return number < as->operand_count ? number : -1;
}

static bool word_is(const char *text, const char *word)
{
    size_t length = strlen(word);

    /* with the suffix of the operand size, or without */
    if (strncmp(text, word, length) != 0)
        return false;
    text += length;
    if (*text && strchr("bwlq", *text))
        text++;
    return *text == 0 || isspace((unsigned char)*text);
}

static const char *after_word(const char *text)
{
    while (*text && !isspace((unsigned char)*text))
        text++;
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* The order of a fence, or -1. */
static int statement_fence(const struct assembly *as, int i)
{
    const char *s = as->statements[i];
    const char *to = strchr(s, ',');

    if (strcmp(s, "mfence") == 0)
        return 4;
    if (strcmp(s, "lfence") == 0)
        return 1;
    if (strcmp(s, "sfence") == 0)
        return 2;
    if (as->locked[i] && to && (word_is(s, "add") || word_is(s, "or")) &&
        starts_with(after_word(s), "$$0") && (strstr(to, "(%rsp)") || strstr(to, "(%esp)")))
        return 4;
    return -1;
}

static bool statement_is_idle(const char *s)
{
    return strcmp(s, "pause") == 0 || strcmp(s, "nop") == 0 || strcmp(s, "rep") == 0 ||
           strcmp(s, "rep nop") == 0;
}

static bool memory_operand_find(struct assembly *as, struct work *work, LLVMValueRef call)
{
    LLVMAttributeRef type = NULL;

    for (int i = 0; i < as->operand_count; i++) {
        struct operand *operand = &as->operands[i];

        if (!operand->indirect)
            continue;
        if (as->memory >= 0) {
            if (as->operands[as->memory].value != operand->value)
                return false;
            continue;
        }
        as->memory = i;
        type =
            LLVMGetCallSiteEnumAttribute(call, operand->argument + 1, work->pass->attr_elementtype);
    }
    if (!type)
        return false;
    as->class = size_class(type_bytes(work->pass, LLVMGetTypeAttributeValue(type)));
    return as->class != NO_CLASS;
}

static bool is_memory_operand(const struct assembly *as, int number)
{
    return number >= 0 && as->operands[number].indirect;
}

/* What the instruction reads from an operand in a register, or NULL. */
static LLVMValueRef register_input(struct work *work, const struct assembly *as, int number)
{
    const struct operand *operand = number >= 0 ? &as->operands[number] : NULL;
    LLVMTypeRef type;

    if (operand && operand->output)
        operand = operand->tied >= 0 ? &as->operands[operand->tied] : NULL;
    if (!operand || operand->indirect)
        return NULL;
    type = LLVMTypeOf(operand->value);
    if (!type_is_castable(work->pass, type) || type_bytes(work->pass, type) != (uint64_t)1
                                                                                   << as->class)
        return NULL;
    return operand->value;
}

/* One locked instruction, taken apart. */
struct locked {
    enum { LOCKED_NONE, LOCKED_RMW, LOCKED_CAS } kind;
    uint32_t operation;   /* enum hook_rmw */
    LLVMValueRef operand; /* NULL: the constant */
    uint64_t constant;
    LLVMValueRef expected; /* of a compare-exchange */
    int old;               /* output that gets the old value, or -1 */
    int success;           /* output that gets whether it was exchanged, or -1 */
};

static bool two_operands(const struct assembly *as, const char *s, int *first, int *second)
{
    const char *comma = strchr(s, ',');

    if (!comma)
        return false;
    *first = operand_number(as, after_word(s));
    comma++;
    while (isspace((unsigned char)*comma))
        comma++;
    *second = operand_number(as, comma);
    return true;
}

static int find_output(const struct assembly *as, const char *constraint)
{
    for (int i = 0; i < as->operand_count; i++)
        if (as->operands[i].output && !as->operands[i].indirect &&
            strstr(as->operands[i].text, constraint))
            return i;
    return -1;
}

static struct locked understand_cas(struct work *work, const struct assembly *as)
{
    struct locked locked = {.kind = LOCKED_NONE, .old = find_output(as, "{ax}"), .success = -1};
    int from, to;

    if (!two_operands(as, as->statements[0], &from, &to) || !is_memory_operand(as, to))
        return locked;
    locked.operand = register_input(work, as, from);
    locked.expected = register_input(work, as, locked.old);
    for (int i = 0; !locked.expected && i < as->operand_count; i++)
        if (!as->operands[i].output && strstr(as->operands[i].text, "{ax}"))
            locked.expected = register_input(work, as, i);
    locked.success = find_output(as, "{@ccz}");
    if (locked.success < 0)
        locked.success = find_output(as, "{@cce}");
    if (as->statement_count == 2) {
        if (!word_is(as->statements[1], "sete") && !word_is(as->statements[1], "setz"))
            return locked;
        locked.success = operand_number(as, after_word(as->statements[1]));
        if (locked.success < 0)
            return locked;
    }
    if (as->statement_count <= 2 && locked.operand && locked.expected)
        locked.kind = LOCKED_CAS;
    return locked;
}

static struct locked understand_exchange(struct work *work, const struct assembly *as,
                                         uint32_t operation)
{
    struct locked locked = {.kind = LOCKED_NONE, .operation = operation, .success = -1};
    int first, second;

    if (as->statement_count != 1 || !two_operands(as, as->statements[0], &first, &second))
        return locked;
    if (operation == HOOK_XCHG && is_memory_operand(as, first)) {
        int swap = first;

        first = second;
        second = swap;
    }
    locked.old = first;
    locked.operand = register_input(work, as, first);
    if (is_memory_operand(as, second) && locked.operand && as->operands[first].output)
        locked.kind = LOCKED_RMW;
    return locked;
}

static struct locked understand_update(struct work *work, const struct assembly *as,
                                       uint32_t operation)
{
    struct locked locked = {.kind = LOCKED_NONE, .operation = operation, .old = -1, .success = -1};
    const char *argument = after_word(as->statements[0]);
    int first = -1, second = -1;

    if (as->statement_count != 1)
        return locked;
    if (word_is(as->statements[0], "inc") || word_is(as->statements[0], "dec")) {
        locked.constant = 1;
        if (is_memory_operand(as, operand_number(as, argument)))
            locked.kind = LOCKED_RMW;
        return locked;
    }
    if (!two_operands(as, as->statements[0], &first, &second) || !is_memory_operand(as, second))
        return locked;
    if (starts_with(argument, "$$") && isdigit((unsigned char)argument[2])) {
        locked.constant = strtoull(argument + 2, NULL, 0);
        locked.kind = LOCKED_RMW;
    } else {
        locked.operand = register_input(work, as, first);
        if (locked.operand)
            locked.kind = LOCKED_RMW;
    }
    return locked;
}

static struct locked understand_statement(struct work *work, const struct assembly *as)
{
    static const struct {
        const char *word;
        uint32_t operation;
    } updates[] = {{"add", HOOK_ADD}, {"sub", HOOK_SUB}, {"and", HOOK_AND}, {"or", HOOK_OR},
                   {"xor", HOOK_XOR}, {"inc", HOOK_ADD}, {"dec", HOOK_SUB}};
    const char *s = as->statements[0];

    if (word_is(s, "xchg")) /* locked with or without the prefix */
        return understand_exchange(work, as, HOOK_XCHG);
    if (as->locked[0] && word_is(s, "xadd"))
        return understand_exchange(work, as, HOOK_ADD);
    if (as->locked[0] && word_is(s, "cmpxchg"))
        return understand_cas(work, as);
    for (size_t i = 0; as->locked[0] && i < sizeof updates / sizeof *updates; i++)
        if (word_is(s, updates[i].word))
            return understand_update(work, as, updates[i].operation);
    return (struct locked){.kind = LOCKED_NONE};
}

/* Every direct output must be one that we can set. */
static struct locked understand(struct work *work, struct assembly *as, LLVMValueRef call)
{
    struct locked locked = {.kind = LOCKED_NONE};

    if (as->statement_count == 0 || as->too_long || !LLVMIsACallInst(call) ||
        !memory_operand_find(as, work, call))
        return locked;
    locked = understand_statement(work, as);
    for (int i = 0; i < as->operand_count; i++)
        if (as->operands[i].result >= 0 && i != locked.old && i != locked.success)
            locked.kind = LOCKED_NONE;
    return locked;
}

static bool touches_shared(const struct work *work, const struct assembly *as)
{
    if (as->clobbers_memory)
        return true;
    for (int i = 0; i < as->operand_count; i++)
        if (as->operands[i].indirect && !escape_is_private(work, as->operands[i].value))
            return true;
    return false;
}

bool assembly_classify(struct work *work, LLVMValueRef call, struct point *point)
{
    struct assembly as;
    bool idle = true;

    assembly_read(&as, call);
    for (int i = 0; i < as.statement_count; i++)
        idle &= statement_is_idle(as.statements[i]);
    if (idle && !as.too_long)
        return false; /* for the compiler or the processor's comfort only */
    if (as.statement_count == 1 && LLVMIsACallInst(call) && statement_fence(&as, 0) >= 0) {
        point->kind = POINT_FENCE;
        point->order = (uint8_t)statement_fence(&as, 0);
        return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind;
    }
    if (understand(work, &as, call).kind != LOCKED_NONE) {
        point->kind = POINT_ASSEMBLY; /* of private memory, too: it is a fence */
        return true;
    }
    point->kind = POINT_UNSEEN;
    return as.too_long || as.by_chance || touches_shared(work, &as);
}

/* ---- rewriting */

static LLVMValueRef result_build(struct pass *pass, const struct assembly *as, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    bool several = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    LLVMValueRef result = LLVMGetTypeKind(type) == LLVMVoidTypeKind ? NULL : LLVMGetPoison(type);

    for (int i = 0; i < as->operand_count; i++) {
        const struct operand *operand = &as->operands[i];

        if (!operand->set)
            continue;
        result = several ? LLVMBuildInsertValue(pass->builder, result, operand->set,
                                                (unsigned)operand->result, "")
                         : operand->set;
    }
    return result;
}

static LLVMTypeRef output_type(const struct assembly *as, LLVMValueRef call, int number)
{
    LLVMTypeRef type = LLVMTypeOf(call);

    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return LLVMStructGetTypeAtIndex(type, (unsigned)as->operands[number].result);
    return type;
}

void assembly_rewrite(struct work *work, const struct point *point)
{
    struct pass *pass = work->pass;
    struct assembly as;
    struct locked locked;
    LLVMValueRef pointer, operand, old, expected = NULL;
    LLVMTypeRef integer;

    assembly_read(&as, point->instruction);
    locked = understand(work, &as, point->instruction);
    integer = pass->integer[as.class];
    pointer = as.operands[as.memory].value;
    operand = locked.operand ? value_to_integer(pass, locked.operand, integer)
                             : LLVMConstInt(integer, locked.constant, 0);
    if (locked.kind == LOCKED_CAS) {
        expected = value_to_integer(pass, locked.expected, integer);
        old = hook_call_sized(pass, "cas", as.class, integer,
                              (LLVMValueRef[]){pointer, expected, operand,
                                               constant_i32(pass, 4 | 4 << HOOK_FAILURE_SHIFT),
                                               point->site},
                              5);
    } else {
        old = hook_call_sized(
            pass, "rmw", as.class, integer,
            (LLVMValueRef[]){
                pointer, operand,
                constant_i32(pass, 4 | locked.operation << 8 | (locked.old < 0 ? HOOK_UNUSED : 0)),
                point->site},
            4);
    }
    if (locked.old >= 0)
        as.operands[locked.old].set =
            value_from_integer(pass, old, output_type(&as, point->instruction, locked.old));
    if (locked.success >= 0)
        as.operands[locked.success].set = LLVMBuildIntCast2(
            pass->builder, LLVMBuildICmp(pass->builder, LLVMIntEQ, old, expected, ""),
            output_type(&as, point->instruction, locked.success), 0, "");
    replace(point->instruction, result_build(pass, &as, point->instruction));
}
