#include "script/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "script/mnemonic.h"
#include "script/name_table.h"
#include "script/text_lex.h"

struct printer {
    FILE *stream;
    const struct program *program;
    const struct thread_code *thread; /* whose rows are printed */
    struct name_table decls;          /* names that registers must not take */
};

/* ---- names */

static bool name_readable(const char *name)
{
    size_t length = strlen(name);
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return length > 0 && length <= NAME_LENGTH_MAX && (name[0] < '0' || name[0] > '9') &&
           strspn(name, letters) == length && !text_word_reserved(name, length);
}

static void print_name(const struct printer *printer, const char *name, const char *substitute,
                       uint32_t index)
{
    if (name_readable(name))
        fputs(name, printer->stream);
    else
        fprintf(printer->stream, "_%s%" PRIu32, substitute, index);
}

static void print_decl_name(const struct printer *printer, uint32_t decl)
{
    print_name(printer, printer->program->decls[decl].name, "decl", decl);
}

static void print_thread_name(const struct printer *printer, uint32_t thread)
{
    print_name(printer, printer->program->threads[thread].name, "thread", thread);
}

static void print_reg(const struct printer *printer, reg_id reg)
{
    const char *name = printer->thread->regs[reg].name;

    if (name_table_find(&printer->decls, name, strlen(name)))
        name = ""; /* not readable as a register */
    print_name(printer, name, "reg", (uint32_t)reg);
}

/* Names of programs may hold anything but what would end them: see name_character in text.c. */
static void print_program_name(const struct printer *printer)
{
    const char *name = printer->program->name;
    size_t length = name ? strnlen(name, NAME_LENGTH_MAX) : 0;

    if (length == 0)
        return;
    fputs("program ", printer->stream);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        bool inside = i > 0 && i + 1 < length;
        bool readable = (c > ' ' && c < 0x7f && c != '#') || (c == ' ' && inside);
        fputc(readable ? c : '_', printer->stream);
    }
    fputs("\n\n", printer->stream);
}

/* ---- operands */

static void print_offset(const struct printer *printer, int64_t offset)
{
    if (offset != 0)
        fprintf(printer->stream, "%+" PRId64, offset);
}

static void print_address(const struct printer *printer, const struct operand *address)
{
    const struct decl *decl = &printer->program->decls[address->decl];
    int64_t element = address->number / decl->size;

    if (address->number == 0) {
        fputc('&', printer->stream);
        print_decl_name(printer, address->decl);
    } else if (decl->is_array && address->number % decl->size == 0 && element > 0 &&
               element <= decl->count) {
        fputc('&', printer->stream);
        print_decl_name(printer, address->decl);
        fprintf(printer->stream, "[%" PRId64 "]", element);
    } else {
        fputs("&[", printer->stream);
        print_decl_name(printer, address->decl);
        print_offset(printer, address->number);
        fputc(']', printer->stream);
    }
}

static void print_operand(const struct printer *printer, const struct operand *operand)
{
    if (operand->kind == OPERAND_REG)
        print_reg(printer, operand->reg);
    else if (operand->kind == OPERAND_ADDRESS)
        print_address(printer, operand);
    else
        fprintf(printer->stream, "%" PRId64, operand->number);
}

static bool is_number(const struct operand *operand, int64_t number)
{
    return operand->kind == OPERAND_NUMBER && operand->number == number;
}

static void print_place(const struct printer *printer, const struct place *place)
{
    if (place->kind == PLACE_POINTER) {
        fputc('[', printer->stream);
        print_operand(printer, &place->index);
        print_offset(printer, place->offset);
        fputc(']', printer->stream);
        return;
    }
    print_decl_name(printer, place->decl);
    if (printer->program->decls[place->decl].is_array || !is_number(&place->index, 0)) {
        fputc('[', printer->stream);
        print_operand(printer, &place->index);
        fputc(']', printer->stream);
    }
    print_offset(printer, place->offset);
}

static void print_expression(const struct printer *printer, const struct insn *insn)
{
    bool prefix = insn->alu == ALU_SEXT || insn->alu == ALU_ZEXT;

    if (prefix)
        fprintf(printer->stream, "%s ", alu_kind_names[insn->alu]);
    print_operand(printer, &insn->a);
    if (prefix)
        fputs(", ", printer->stream);
    else
        fprintf(printer->stream, " %s ", alu_kind_names[insn->alu]);
    print_operand(printer, &insn->b);
}

/* ---- rows */

static void print_part(const struct printer *printer, const struct insn *insn, char part)
{
    switch (part) {
    case 'p':
        print_place(printer, &insn->place);
        break;
    case 'm':
        print_place(printer, &insn->mutex);
        break;
    case 'a':
        print_operand(printer, &insn->a);
        break;
    case 'b':
        print_operand(printer, &insn->b);
        break;
    case 'e':
        print_expression(printer, insn);
        break;
    case 't':
        print_thread_name(printer, insn->thread);
        break;
    }
}

static void print_op(const struct printer *printer, const struct insn *insn)
{
    const struct op_shape *shape = &op_shapes[insn->op];
    const char *separator = " ";

    if (insn->dst != REG_NONE) {
        print_reg(printer, insn->dst);
        fputs(" = ", printer->stream);
    }
    fputs(mnemonic_word(insn), printer->stream);
    if (shape->cell && shape->result && !insn->sign)
        fputc('u', printer->stream);
    if (shape->cell && insn->size != 0)
        fprintf(printer->stream, "%u", insn->size);
    if (shape->ordered && insn->order != shape->order)
        fprintf(printer->stream, ".%s", memory_order_names[insn->order]);
    for (const char *part = shape->operands; *part; part++) {
        fputs(separator, printer->stream);
        print_part(printer, insn, *part);
        separator = ", ";
    }
}

static void print_row(const struct printer *printer, const struct insn *insn)
{
    fputs("  ", printer->stream);
    if (insn->kind == INSN_OP) {
        print_op(printer, insn);
    } else if (insn->kind == INSN_LET) {
        fputs("let ", printer->stream);
        print_reg(printer, insn->dst);
        fputs(" = ", printer->stream);
        if (insn->alu == ALU_ADD && is_number(&insn->b, 0))
            print_operand(printer, &insn->a);
        else
            print_expression(printer, insn);
    } else {
        if (insn->alu != ALU_EQ || !is_number(&insn->a, 0) || !is_number(&insn->b, 0)) {
            fputs("if ", printer->stream);
            print_expression(printer, insn);
            fputc(' ', printer->stream);
        }
        fprintf(printer->stream, "goto L%" PRIu32, insn->jump);
    }
    fputc('\n', printer->stream);
}

/* ---- declarations and threads */

/* All registers in their order: read back, they get the same numbers. */
static void print_regs(const struct printer *printer)
{
    const char *separator = "  reg ";

    for (uint32_t i = 0; i < printer->thread->reg_count; i++) {
        const struct operand *init = &printer->thread->regs[i].init;
        fputs(separator, printer->stream);
        print_reg(printer, (reg_id)i);
        if (!is_number(init, 0)) {
            fputs(" = ", printer->stream);
            print_operand(printer, init);
        }
        separator = ", ";
    }
    if (printer->thread->reg_count > 0)
        fputc('\n', printer->stream);
}

static void print_thread(struct printer *printer, uint32_t index)
{
    const struct thread_code *thread = &printer->program->threads[index];
    bool *labels = calloc((size_t)thread->insn_count + 1, sizeof(*labels));

    if (!labels) {
        fputs("raddle: out of memory while printing a scripted program\n", stderr);
        abort();
    }
    printer->thread = thread;
    for (uint32_t i = 0; i < thread->insn_count; i++)
        if (thread->insns[i].kind == INSN_BRANCH)
            labels[thread->insns[i].jump] = true;
    fputs("\nthread ", printer->stream);
    print_thread_name(printer, index);
    fputc('\n', printer->stream);
    print_regs(printer);
    for (uint32_t i = 0; i <= thread->insn_count; i++) {
        if (labels[i])
            fprintf(printer->stream, "L%" PRIu32 ":\n", i);
        if (i < thread->insn_count)
            print_row(printer, &thread->insns[i]);
    }
    free(labels);
}

static void print_decl(const struct printer *printer, uint32_t index)
{
    const struct decl *decl = &printer->program->decls[index];
    uint32_t values = decl->init ? (decl->kind == OBJECT_CELL ? decl->count : 1) : 0;

    while (decl->kind == OBJECT_CELL && values > 0 && is_number(&decl->init[values - 1], 0))
        values--; /* zeros at the end need not be said */
    fputs(text_kind_word(decl->kind), printer->stream);
    if (decl->kind == OBJECT_CELL && decl->size != 8)
        fprintf(printer->stream, "%u", decl->size);
    fputc(' ', printer->stream);
    print_decl_name(printer, index);
    if (decl->is_array)
        fprintf(printer->stream, "[%" PRIu32 "]", decl->count);
    if (values > 0)
        fputs(" =", printer->stream);
    for (uint32_t i = 0; i < values; i++) {
        fputc(' ', printer->stream);
        print_operand(printer, &decl->init[i]);
    }
    fputc('\n', printer->stream);
}

void text_print(const struct program *program, FILE *stream)
{
    struct printer printer = {.stream = stream, .program = program};

    print_program_name(&printer);
    for (uint32_t i = 0; i < program->decl_count; i++) {
        const char *name = program->decls[i].name;
        struct name_entry entry = {name, (uint32_t)strlen(name), i, 0};
        if (!name_table_find(&printer.decls, name, entry.length))
            name_table_add(&printer.decls, entry);
        print_decl(&printer, i);
    }
    for (uint32_t i = 0; i < program->thread_count; i++)
        print_thread(&printer, i);
    name_table_free(&printer.decls);
}
