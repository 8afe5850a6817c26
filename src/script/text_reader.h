#ifndef RADDLE_SCRIPT_TEXT_READER_H
#define RADDLE_SCRIPT_TEXT_READER_H

/* What the files of the text reader share; nobody else includes this.
 *
 * Two passes over the source: the first declares objects and threads (text_decl.c), so that the
 * second, which reads everything, may meet their names before their lines. Labels are local to a
 * thread and resolved at its end. Every function returns false after setting the error; a text_read_*
 * starts at the current token and leaves the one after what it read. */

#include "script/name_table.h"
#include "script/program.h"
#include "script/text_lex.h"

/* A branch whose label is not known yet. */
struct jump {
    uint32_t row;
    struct text_token label;
};

struct text_reader {
    struct text_lexer lexer;
    struct program *program;
    struct thread_code *thread; /* whose rows are being read, or NULL */
    struct name_table decls;    /* -> index into program.decls */
    struct name_table threads;  /* -> index into program.threads */
    struct name_table regs;     /* of `thread` -> reg_id */
    struct name_table labels;   /* of `thread` -> row */
    struct jump *jumps;         /* of `thread` */
    uint32_t jump_count;
    uint32_t jump_capacity;
    uint64_t cell_bytes;    /* declared so far */
    uint64_t objects;       /* declared so far, without cells */
    uint64_t init_elements; /* of the arrays with initial values so far */
    uint32_t rows;          /* of all threads so far */
};

/* text_operand.c */
bool text_take(struct text_reader *reader, const char *symbol);   /* passes it if it is there */
bool text_expect(struct text_reader *reader, const char *symbol); /* passes it or fails */
bool text_read_new_name(struct text_reader *reader, const char *what, struct text_token *name);
bool text_read_number(struct text_reader *reader, int64_t *number);
bool text_read_register(struct text_reader *reader, reg_id *reg);
bool text_read_value(struct text_reader *reader,
                     struct operand *value); /* a number or an address */
bool text_read_operand(struct text_reader *reader, struct operand *operand);
bool text_read_expression(struct text_reader *reader, struct insn *insn, enum alu_kind alone);
bool text_read_place(struct text_reader *reader, const struct text_token *verb,
                     enum object_kind kind, struct place *place);
bool text_read_thread(struct text_reader *reader, uint32_t *thread);
void text_token_copy(const struct text_token *token, char name[NAME_LENGTH_MAX + 1]);

/* text_decl.c */
bool text_declare_all(struct text_reader *reader); /* the first pass */
/* Whether the line is a row, not a declaration: `barrier b`, without a number, in a thread. */
bool text_is_arrival(const struct text_lexer *lexer, bool in_thread);
bool text_decl_word(const struct text_token *word, uint8_t *kind, uint8_t *size);
bool text_read_decl(struct text_reader *reader); /* the second: its initial values */

#endif
