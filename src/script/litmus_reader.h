#ifndef RADDLE_SCRIPT_LITMUS_READER_H
#define RADDLE_SCRIPT_LITMUS_READER_H

/* What the parts of the litmus reader share; for the files litmus*.c only. Errors leave by
 * litmus_lexer_fail, from any depth. */

#include "script/litmus.h"
#include "script/litmus_lex.h"

/* Bounds against hostile input. Real tests stay far below them. */
enum {
    LITMUS_BYTES_MAX = 1 << 20,
    LITMUS_THREADS_MAX = 32,
    LITMUS_DECLS_MAX = 256,
    LITMUS_ELEMENTS_MAX = 1024, /* of one array */
    LITMUS_REGS_MAX = 256,      /* named ones, a thread */
    LITMUS_TEMPS_MAX = 256,     /* hidden ones, a thread */
    LITMUS_ROWS_MAX = 1 << 16,  /* a thread */
    LITMUS_NODES_MAX = 4096,
    LITMUS_DEPTH_MAX = 200, /* nested parentheses, blocks… */
};

/* A type of C, as far as litmus tests need it: an integer behind some pointers. */
struct litmus_type {
    uint8_t size; /* of the integer */
    bool sign;
    bool lock;     /* a spinlock or mutex */
    uint8_t stars; /* how many pointers */
};

/* What is known of a memory location besides its decl; one for each decl. */
struct litmus_symbol {
    struct litmus_type type;
    bool typed;        /* the test gives the type; else it follows from use */
    struct token name; /* in the initial state, for messages */
};

/* "0:EAX=5" in the initial state: applied when the code is known. */
struct litmus_reg_init {
    int64_t thread;
    struct token name;
    bool typed;
    struct litmus_type type;
    struct operand value;
};

struct litmus_reader {
    struct litmus_lexer lexer;
    struct litmus *out;
    const struct litmus_arch *arch;
    struct litmus_symbol *symbols; /* by decl */
    struct litmus_reg_init *reg_inits;
    uint32_t reg_init_count;
    uint32_t depth; /* of the recursion */
    void *code;     /* the part for one architecture keeps its own things here */
};

/* One supported architecture. */
struct litmus_arch {
    const char *name;
    uint8_t pointer_size;
    bool c_comments;
    bool regs_unsigned; /* registers hold narrow values zero-extended, else sign-extended */
    /* Reads the code: from the '}' of the initial state, which is the current token, to the first
     * token after the code. */
    void (*read)(struct litmus_reader *reader);
    /* The register of `thread` called `name`; fails if there can be none. Fills reg, size, sign,
     * pointer, rank; and name, allocated, to be shown after "0:". */
    void (*find_reg)(struct litmus_reader *reader, uint32_t thread, const struct token *name,
                     struct litmus_location *location);
    /* Frees reader->code. */
    void (*close)(struct litmus_reader *reader);
};

extern const struct litmus_arch litmus_arch_x86, litmus_arch_x86_64, litmus_arch_c;

/* litmus_reader.c */

/* Enters one level of recursion, or fails; leave with reader->depth--. */
void litmus_reader_enter(struct litmus_reader *reader);

/* The decl with that name, or LITMUS_NONE. */
uint32_t litmus_reader_find(const struct litmus_reader *reader, const struct token *name);

/* The decl with that name, made (a zero int) if need be. */
uint32_t litmus_reader_decl(struct litmus_reader *reader, const struct token *name);

/* Gives a decl its type, unless it has one already. */
void litmus_reader_set_type(struct litmus_reader *reader, uint32_t decl, struct litmus_type type);

/* The number after P in "P12" if the token has that form, else -1. */
int64_t litmus_reader_thread_number(const struct token *token);

/* Adds the thread that the current token names; it must be the next in order. */
uint32_t litmus_reader_thread(struct litmus_reader *reader);

/* Bytes that a value of this type takes. */
uint8_t litmus_type_size(const struct litmus_reader *reader, struct litmus_type type);

/* Whether the current token starts a type; reads one, without and with the stars behind it. */
bool litmus_type_starts(const struct litmus_reader *reader);
struct litmus_type litmus_type_read(struct litmus_reader *reader);
void litmus_type_read_stars(struct litmus_reader *reader, struct litmus_type *type);

/* litmus_init.c: the initial state, from '{' to '}', which stays the current token because another
 * language follows; and its registers, once the code is known. */
void litmus_init_read(struct litmus_reader *reader);
void litmus_init_apply(struct litmus_reader *reader);

/* litmus_condition.c: everything after the code. */
void litmus_condition_read(struct litmus_reader *reader);

#endif
