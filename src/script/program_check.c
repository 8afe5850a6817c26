#include "script/mnemonic.h"
#include "script/program.h"

/* Every function here returns NULL or what is wrong, in words. Tables may come from hostile input, so
 * nothing is used as an index before it was compared with its array. */

static bool size_valid(unsigned size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool offset_valid(int64_t offset)
{
    return offset >= -PROGRAM_OFFSET_MAX && offset <= PROGRAM_OFFSET_MAX;
}

static const char *check_address(const struct program *program, const struct operand *operand)
{
    if (operand->decl >= program->decl_count)
        return "the address of an unknown declaration";
    if (program->decls[operand->decl].kind != OBJECT_CELL)
        return "only cells have an address";
    if (!offset_valid(operand->number))
        return "an address too far from its cell";
    return NULL;
}

static const char *check_operand(const struct program *program, const struct thread_code *thread,
                                 const struct operand *operand)
{
    switch (operand->kind) {
    case OPERAND_NUMBER:
        return NULL;
    case OPERAND_REG:
        if (operand->reg < 0 || (uint32_t)operand->reg >= thread->reg_count)
            return "an unknown register";
        return NULL;
    case OPERAND_ADDRESS:
        return check_address(program, operand);
    }
    return "an operand of unknown kind";
}

static const char *check_place(const struct program *program, const struct thread_code *thread,
                               const struct place *place, enum object_kind object)
{
    if (place->kind == PLACE_NONE)
        return "the operation needs a place";
    if (place->kind == PLACE_POINTER && object != OBJECT_CELL)
        return "only cells can be accessed by address";
    if (place->kind != PLACE_POINTER && place->kind != PLACE_DECL)
        return "a place of unknown kind";
    if (place->kind == PLACE_DECL) {
        if (place->decl >= program->decl_count)
            return "an unknown declaration";
        if (program->decls[place->decl].kind != object)
            return "the operation does not fit the kind of its object";
        if (place->index.kind == OPERAND_ADDRESS)
            return "an address cannot be an index";
    }
    if (!offset_valid(place->offset) || (place->offset != 0 && object != OBJECT_CELL))
        return "an offset that the place cannot have";
    return check_operand(program, thread, &place->index);
}

static const char *check_alu(const struct program *program, const struct thread_code *thread,
                             const struct insn *insn)
{
    if (insn->alu >= ALU_KIND_COUNT)
        return "an unknown operator";
    if (insn->alu == ALU_SEXT || insn->alu == ALU_ZEXT) {
        if (insn->b.kind != OPERAND_NUMBER || insn->b.number < 1 || insn->b.number > 8 ||
            !size_valid((unsigned)insn->b.number))
            return "sext and zext keep 1, 2, 4 or 8 bytes";
    }
    const char *wrong = check_operand(program, thread, &insn->a);
    return wrong ? wrong : check_operand(program, thread, &insn->b);
}

static const char *check_part(const struct program *program, const struct thread_code *thread,
                              const struct insn *insn, char part)
{
    switch (part) {
    case 'p':
        return check_place(program, thread, &insn->place, op_place_kind(insn->op));
    case 'm':
        return check_place(program, thread, &insn->mutex, OBJECT_MUTEX);
    case 'a':
        return check_operand(program, thread, &insn->a);
    case 'b':
        return check_operand(program, thread, &insn->b);
    case 'e':
        return check_alu(program, thread, insn);
    case 't':
        return insn->thread < program->thread_count ? NULL : "an unknown thread";
    }
    return "an operand of unknown kind";
}

static const char *check_op(const struct program *program, const struct thread_code *thread,
                            const struct insn *insn)
{
    if (insn->op >= OP_KIND_COUNT || (op_infos[insn->op].flags & OP_HIDDEN) ||
        !op_shapes[insn->op].operands)
        return "an operation that programs cannot ask for";

    const struct op_shape *shape = &op_shapes[insn->op];
    if (insn->dst != REG_NONE && !shape->result)
        return "the operation gives no result";
    if (insn->order > ORDER_SEQ_CST || insn->rmw >= RMW_NAND)
        return "an unknown memory order or kind of rmw";
    if (insn->size != 0 && !size_valid(insn->size))
        return "cells have 1, 2, 4 or 8 bytes";
    for (const char *part = shape->operands; *part; part++) {
        const char *wrong = check_part(program, thread, insn, *part);
        if (wrong)
            return wrong;
    }
    if (shape->cell && insn->place.kind == PLACE_POINTER && insn->size == 0)
        return "an access by address needs a size";
    if (insn->op == OP_CHOOSE && insn->a.kind == OPERAND_ADDRESS)
        return "an address cannot be the count of choose";
    if (insn->op == OP_CHOOSE && insn->a.kind == OPERAND_NUMBER &&
        (insn->a.number < 1 || insn->a.number > PROGRAM_CHOICES_MAX))
        return "choose takes 1 to 1024";
    return NULL;
}

const char *program_check_row(const struct program *program, const struct thread_code *thread,
                              const struct insn *insn)
{
    if (insn->dst != REG_NONE && (insn->dst < 0 || (uint32_t)insn->dst >= thread->reg_count))
        return "the result goes to an unknown register";
    switch (insn->kind) {
    case INSN_OP:
        return check_op(program, thread, insn);
    case INSN_LET:
        if (insn->dst == REG_NONE)
            return "let needs a register";
        return check_alu(program, thread, insn);
    case INSN_BRANCH:
        return check_alu(program, thread, insn);
    }
    return "a row of unknown kind";
}

bool cell_number_fits(int64_t number, unsigned size)
{
    if (size == 8)
        return true;
    return number >= -(INT64_C(1) << (8 * size - 1)) && number < INT64_C(1) << (8 * size);
}

static const char *check_cell(const struct program *program, const struct decl *decl,
                              uint64_t *bytes)
{
    if (!size_valid(decl->size))
        return "cells have 1, 2, 4 or 8 bytes";
    *bytes += (uint64_t)decl->size * decl->count;
    if (*bytes > PROGRAM_CELL_BYTES_MAX)
        return "the cells take more than 64 MiB";
    for (uint32_t i = 0; decl->init && i < decl->count; i++) {
        const struct operand *init = &decl->init[i];
        const char *wrong = NULL;
        if (init->kind == OPERAND_ADDRESS)
            wrong = check_address(program, init);
        else if (init->kind != OPERAND_NUMBER)
            wrong = "an initial value is a number or an address";
        else if (!cell_number_fits(init->number, decl->size))
            wrong = "an initial value does not fit its cell";
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *check_counter(const struct decl *decl, int64_t min, int64_t max,
                                 const char *wrong)
{
    if (!decl->init || decl->init->kind != OPERAND_NUMBER || decl->init->number < min ||
        decl->init->number > max)
        return wrong;
    return NULL;
}

static const char *check_decls(const struct program *program)
{
    uint64_t bytes = 0;
    uint64_t objects = 0;

    if (program->decl_count > PROGRAM_DECLS_MAX)
        return "more than 65536 declarations";
    for (uint32_t i = 0; i < program->decl_count; i++) {
        const struct decl *decl = &program->decls[i];
        const char *wrong = NULL;
        if (!decl->name || decl->count == 0)
            return "a declaration without a name or without elements";
        if (decl->kind == OBJECT_CELL)
            wrong = check_cell(program, decl, &bytes);
        else if (decl->kind < OBJECT_MUTEX ||
                 (decl->kind > OBJECT_BARRIER && decl->kind != OBJECT_CHANNEL))
            wrong = "a declaration of unknown kind";
        else if ((objects += decl->count) > PROGRAM_OBJECTS_MAX)
            wrong = "more than 65536 objects that are not cells";
        else if (decl->kind == OBJECT_SEM)
            wrong = check_counter(decl, 0, PROGRAM_SEM_MAX,
                                  "a semaphore needs an initial value from 0 to 2147483647");
        else if (decl->kind == OBJECT_CHANNEL)
            wrong = check_counter(decl, 1, PROGRAM_SEM_MAX,
                                  "a channel needs a size from 1 to 2147483647");
        else if (decl->kind == OBJECT_BARRIER)
            wrong = check_counter(decl, 1, PROGRAM_BARRIER_MAX,
                                  "a barrier needs a count from 1 to 65536");
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *check_regs(const struct program *program, const struct thread_code *thread)
{
    if (thread->reg_count > PROGRAM_REGS_MAX)
        return "a thread has more than 4096 registers";
    for (uint32_t i = 0; i < thread->reg_count; i++) {
        const struct reg *reg = &thread->regs[i];
        const char *wrong = NULL;
        if (!reg->name || reg->init.kind == OPERAND_REG)
            return "a register without a name, or that starts as another register";
        wrong = check_operand(program, thread, &reg->init);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *check_rows(const struct program *program, const struct thread_code *thread,
                              uint32_t *line)
{
    for (uint32_t i = 0; i < thread->insn_count; i++) {
        const struct insn *insn = &thread->insns[i];
        const char *wrong = program_check_row(program, thread, insn);
        *line = insn->line;
        if (wrong)
            return wrong;
        if (insn->kind == INSN_BRANCH && insn->jump > thread->insn_count)
            return "a jump past the end of the thread";
        if (insn->kind == INSN_OP && insn->op == OP_THREAD_CREATE &&
            !program->threads[insn->thread].created)
            return "the created thread is not marked so (program_mark_created)";
    }
    *line = 0;
    return NULL;
}

const char *program_check(const struct program *program, uint32_t *line)
{
    uint64_t rows = 0;
    bool starts = false;
    const char *wrong = check_decls(program);

    *line = 0;
    if (wrong)
        return wrong;
    if (program->thread_count > PROGRAM_THREADS_MAX)
        return "more than 1024 threads";
    for (uint32_t i = 0; i < program->thread_count; i++) {
        const struct thread_code *thread = &program->threads[i];
        starts |= !thread->created;
        rows += thread->insn_count;
        if (!thread->name)
            return "a thread without a name";
        if (rows > PROGRAM_ROWS_MAX)
            return "more than 1048576 rows";
        wrong = check_regs(program, thread);
        if (!wrong)
            wrong = check_rows(program, thread, line);
        if (wrong)
            return wrong;
    }
    return starts ? NULL : "no thread starts by itself";
}
