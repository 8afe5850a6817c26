#include "script/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const alu_kind_names[ALU_KIND_COUNT] = {
    [ALU_ADD] = "+", [ALU_SUB] = "-",   [ALU_MUL] = "*",   [ALU_DIV] = "/",     [ALU_MOD] = "%",
    [ALU_AND] = "&", [ALU_OR] = "|",    [ALU_XOR] = "^",   [ALU_SHL] = "<<",    [ALU_SHR] = ">>",
    [ALU_EQ] = "==", [ALU_NE] = "!=",   [ALU_LT] = "<",    [ALU_LE] = "<=",     [ALU_GT] = ">",
    [ALU_GE] = ">=", [ALU_ULT] = "ult", [ALU_ULE] = "ule", [ALU_SEXT] = "sext", [ALU_ZEXT] = "zext",
};

/* Programs are made once, before any search: running out of memory here is not worth a code path. */
static void *allocated(void *memory)
{
    if (!memory) {
        fputs("raddle: out of memory while building a scripted program\n", stderr);
        abort();
    }
    return memory;
}

/* Room for one more element after `count`. The capacity is not stored: it is `count` rounded up to a
 * power of two, so an array is full exactly when its count is one. */
static void *grown(void *array, uint32_t count, size_t size)
{
    if (count & (count - 1))
        return array;
    return allocated(realloc(array, (count ? (size_t)count * 2 : 1) * size));
}

static char *copied(const char *name)
{
    return allocated(strdup(name));
}

void program_free(struct program *program)
{
    for (uint32_t i = 0; i < program->decl_count; i++) {
        free(program->decls[i].name);
        free(program->decls[i].init);
    }
    for (uint32_t i = 0; i < program->thread_count; i++) {
        struct thread_code *thread = &program->threads[i];
        for (uint32_t r = 0; r < thread->reg_count; r++)
            free(thread->regs[r].name);
        free(thread->regs);
        free(thread->insns);
        free(thread->name);
    }
    free(program->decls);
    free(program->threads);
    free(program->name);
    *program = (struct program){0};
}

uint32_t program_add_decl(struct program *program, const char *name, enum object_kind kind,
                          uint32_t count)
{
    program->decls = grown(program->decls, program->decl_count, sizeof(*program->decls));
    program->decls[program->decl_count] = (struct decl){
        .name = copied(name),
        .kind = (uint8_t)kind,
        .size = kind == OBJECT_CELL ? 8 : 0,
        .count = count,
        .is_array = count != 1,
    };
    return program->decl_count++;
}

uint32_t program_decl(struct program *program, const char *name, enum object_kind kind,
                      uint32_t count)
{
    for (uint32_t i = 0; i < program->decl_count; i++)
        if (strcmp(program->decls[i].name, name) == 0)
            return i;
    return program_add_decl(program, name, kind, count);
}

void decl_set_init(struct decl *decl, uint32_t element, struct operand value)
{
    if (!decl->init) {
        size_t values = decl->kind == OBJECT_CELL ? decl->count : 1;
        decl->init = allocated(calloc(values, sizeof(*decl->init))); /* all zero: the number 0 */
    }
    decl->init[element] = value;
}

uint32_t program_add_thread(struct program *program, const char *name)
{
    program->threads = grown(program->threads, program->thread_count, sizeof(*program->threads));
    program->threads[program->thread_count] = (struct thread_code){.name = copied(name)};
    return program->thread_count++;
}

uint32_t program_thread(struct program *program, const char *name)
{
    for (uint32_t i = 0; i < program->thread_count; i++)
        if (strcmp(program->threads[i].name, name) == 0)
            return i;
    return program_add_thread(program, name);
}

reg_id thread_code_add_reg(struct thread_code *thread, const char *name)
{
    if (thread->reg_count >= PROGRAM_REGS_MAX)
        return REG_NONE;
    thread->regs = grown(thread->regs, thread->reg_count, sizeof(*thread->regs));
    thread->regs[thread->reg_count] = (struct reg){.name = copied(name)};
    return (reg_id)thread->reg_count++;
}

reg_id thread_code_reg(struct thread_code *thread, const char *name)
{
    for (uint32_t i = 0; i < thread->reg_count; i++)
        if (strcmp(thread->regs[i].name, name) == 0)
            return (reg_id)i;
    return thread_code_add_reg(thread, name);
}

struct insn *thread_code_add(struct thread_code *thread, enum insn_kind kind)
{
    thread->insns = grown(thread->insns, thread->insn_count, sizeof(*thread->insns));

    struct insn *insn = &thread->insns[thread->insn_count++];
    *insn = (struct insn){.kind = (uint8_t)kind, .dst = REG_NONE, .sign = true};
    return insn;
}

struct operand operand_number(int64_t number)
{
    return (struct operand){.kind = OPERAND_NUMBER, .reg = REG_NONE, .number = number};
}

struct operand operand_reg(reg_id reg)
{
    return (struct operand){.kind = OPERAND_REG, .reg = reg};
}

struct operand operand_address(uint32_t decl, int64_t offset)
{
    return (struct operand){
        .kind = OPERAND_ADDRESS, .reg = REG_NONE, .decl = decl, .number = offset};
}

struct place place_element(uint32_t decl, struct operand index)
{
    return (struct place){.kind = PLACE_DECL, .decl = decl, .index = index};
}

struct place place_decl(uint32_t decl)
{
    return place_element(decl, operand_number(0));
}

void program_mark_created(struct program *program)
{
    for (uint32_t i = 0; i < program->thread_count; i++)
        program->threads[i].created = false;
    for (uint32_t i = 0; i < program->thread_count; i++) {
        const struct thread_code *thread = &program->threads[i];
        for (uint32_t row = 0; row < thread->insn_count; row++) {
            const struct insn *insn = &thread->insns[row];
            if (insn->kind == INSN_OP && insn->op == OP_THREAD_CREATE &&
                insn->thread < program->thread_count)
                program->threads[insn->thread].created = true;
        }
    }
}
