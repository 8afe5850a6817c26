#ifndef RADDLE_INSTRUMENT_INSTRUMENT_H
#define RADDLE_INSTRUMENT_INSTRUMENT_H

/* Ground rules of the room `instrument`: it runs inside clang, at the start of the pipeline, and
 * turns what other threads could notice into calls of the hooks in runtime/hooks.h. It is plain
 * C on the LLVM-C API; register.cpp announces it, and copies functions, for which LLVM-C has nothing. What it does not understand it leaves
 * alone and says so to the runtime: never silence.
 *
 * A function is done in this order, because each step needs the code as the one before left it:
 * escape (what is private), heads (of loops), points (what is visible), live (what is alive at each point), sites,
 * frame (stores of live values), and at last the rewriting of the points, which replaces values
 * everywhere, in the frame's stores, too. */

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#define SIZE_CLASSES 5 /* accesses of 1, 2, 4, 8 and 16 bytes */
#define NO_CLASS     (-1)
#define NO_VALUE     UINT32_MAX
#define QUICK_CHECK  "__raddle_knows_" /* names of checks begin so */
#define SITE_FIELDS  12                /* of struct raddle_site */
#define LIVE_FIELDS  7

/* From the environment: RADDLE_PASS_OPTIONS=live=0,residual=0,frames=0,quick=0,spans=0,plain=0,heads=0,verify=1 */
struct options {
    bool live;     /* record live values */
    bool frames;   /* link frames at all */
    bool residual; /* fingerprints of the code that may still run */
    bool quick;    /* code checks plain accesses by itself */
    bool spans;    /* loops of them are told as a whole */
    bool plain;    /* functions have code without hooks, too */
    bool heads;    /* heads of loops that may only wait are marked */
    bool verify;   /* check the module afterwards */
};

/* A function, and its copy without hooks. */
struct plain {
    LLVMValueRef function, copy;
};

/* What types.c, place.c and variables.c know of the module's debug information. */
struct types {
    bool full; /* there is more than lines */
    bool is_c; /* and not C++ */
    LLVMTypeRef row_type;
    struct map row_of; /* type -> index into rows */
    VEC(LLVMValueRef) rows;
    LLVMValueRef no_expression; /* of a record whose value is that of the variable */
    unsigned kind_debug, kind_assign, kind_allocates, kind_associated; /* of metadata */
};

/* The module being instrumented. */
struct pass {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    struct options options;
    bool optimises;
    bool coroutines; /* there are some: then frames do not show all functions that are called */
    LLVMTypeRef pointer, i1, i8, i32, i64;
    LLVMTypeRef nothing;               /* void */
    LLVMTypeRef integer[SIZE_CLASSES]; /* by log2 of the bytes */
    LLVMTypeRef site_type, live_type;
    struct types types;
    unsigned attr_byval, attr_elementtype, attr_memory, attr_zeroext, attr_nounwind, attr_noreturn;
    unsigned attr_returns_twice, attr_naked, attr_unsanitized, attr_willreturn, attr_coroutine;
    unsigned attr_sret, attr_alwaysinline, attr_nonlazybind, attr_noinline, attr_returned;
    struct arena arena;
    VEC(struct plain) plains;
    struct map plain_of;      /* function -> index into plains */
    struct map closed_groups; /* comdat -> 0: has members that only the others in it can name */
    VEC(uint64_t) codes;      /* what functions do, as numbers */
    struct map code_of;       /* function -> index into codes */
    struct map
        bare_of; /* block -> 0: it has no hooks (span_make.c), or 1 + an index into the next */
    VEC(LLVMValueRef)
    trips_known;        /* whether it is known how often the loop that begins there goes round */
    struct map kept_of; /* accesses in blocks without hooks that have theirs all the same */
};

/* A pointer that this function makes: a local variable in memory, or a merge of pointers. It is
 * private while nobody outside the function can know it. */
struct origin {
    LLVMValueRef value; /* alloca, byval argument, phi or select */
    bool escaped;
    bool merged;  /* reached through a phi or select: not told apart from others there */
    bool dynamic; /* an alloca whose size or number is known only when it runs */
};

/* Something visible, or a call from which something visible may be reached. */
struct point {
    LLVMValueRef instruction;
    enum point_kind {
        POINT_ACCESS,   /* load, store, rmw, cmpxchg */
        POINT_FENCE,    /* with `order` */
        POINT_COPY,     /* memory intrinsic or library function of that kind */
        POINT_LIBRARY,  /* libatomic */
        POINT_ASSEMBLY, /* understood */
        POINT_CHANCE,   /* an instruction whose result nobody can foresee */
        POINT_UNSEEN,   /* touches memory in a way that we cannot follow */
        POINT_CALL,
        POINT_HEAD,   /* a call that head.c has put at the head of a loop, or turn.c in it */
        POINT_RETURN, /* from main; no point of its own, but it has a site */
    } kind;
    uint8_t order;        /* of POINT_FENCE */
    bool inside;          /* a call into this module: what is live is what is live after it */
    LLVMValueRef site;    /* its row */
    const uint32_t *live; /* values, by number */
    uint32_t live_count;
    uint64_t residual;

    /* an access that code checks by itself: quick.c */
    bool quick;
    bool asks_write;               /* its check is for writing */
    bool straight;                 /* no code of its own: a hook does it, in its place */
    uint32_t asker;                /* the point whose check holds for it, often itself */
    LLVMValueRef known;            /* that check's result: whether memory is accessed at once */
    LLVMValueRef likely, unlikely; /* the ends of both ways */
};

/* A value of the function that may be live at a point: an argument or the result of an
 * instruction. */
struct local {
    LLVMValueRef value;
    const char *name; /* in the source, or NULL */
    uint32_t block;   /* where it is defined */
    uint32_t slot;    /* in the frame, once it is known to be needed */
    uint32_t memory;  /* of a variable in memory: its number among those; else NO_VALUE */
    bool recorded;    /* live at some point */
    bool busy;        /* defined where checks are in place */
    bool sunk;        /* at quick points only, and recorded there */
    uint32_t uses;    /* how many those are */
};

/* A basic block, for the walks. */
struct node {
    LLVMBasicBlockRef block;
    VEC(uint32_t) before;   /* predecessors */
    VEC(uint32_t) live_out; /* numbers of values */
    uint64_t *touched; /* variables in memory that may have been written when the block starts */
    uint32_t in_stamp, out_stamp;
};

/* The head of a loop that may go round without changing anything. */
struct head {
    LLVMValueRef mark;         /* the call of __raddle_head */
    VEC(LLVMValueRef) fresh;   /* phis that come straight from a read (fresh.c) */
    VEC(LLVMValueRef) sources; /* these reads */
};

/* A call of __raddle_turn. */
struct turn {
    LLVMValueRef call;
    LLVMValueRef mark;     /* of the head */
    LLVMValueRef exchange; /* or NULL: it is before a load */
};

/* The function being instrumented. */
struct work {
    struct pass *pass;
    struct arena arena;
    LLVMValueRef function;
    bool framed;    /* it gets a frame */
    bool whole;     /* what is live at points is all that it needs from there on */
    uint32_t slots; /* in that frame */
    uint32_t instructions;
    VEC(struct origin) origins;
    struct map origin_of; /* value -> origin */
    VEC(struct point) points;
    struct map point_of; /* instruction -> point */
    VEC(struct head) heads;
    VEC(struct turn) turns;
    struct map source_of; /* reads that values at heads come from -> index into sources */
    VEC(bool) sources;    /* whether they are free, for all these heads */
    VEC(struct local) locals;
    struct map local_of; /* value -> local */
    VEC(struct node) nodes;
    struct map node_of;          /* block -> node */
    VEC(uint32_t) memory;        /* the locals that live in memory */
    struct frame *frame;         /* of frame.c, once it is made */
    LLVMValueRef call_arguments; /* of calls that are announced with them, or NULL so far */
    struct map name_of;          /* value -> index into names */
    VEC(const char *) names;
};

static inline uint64_t value_key(const void *value)
{
    return (uint64_t)(uintptr_t)value;
}

/* ---- instrument.c: entered from register.cpp */
/* `optimises`: what the pass makes will be optimised. */
void raddle_instrument(LLVMModuleRef module, bool optimises);
/* Whether the function is to get hooks. */
bool is_ours_to_instrument(const struct pass *pass, LLVMValueRef function);

/* ---- value.c: types, conversions, calls of hooks */

/* log2 of `bytes`, or NO_CLASS. */
int size_class(uint64_t bytes);
uint64_t type_bytes(const struct pass *pass, LLVMTypeRef type);
/* True if a value of that type becomes an integer of its size by one or two casts. */
bool type_is_castable(const struct pass *pass, LLVMTypeRef type);
LLVMValueRef value_to_integer(struct pass *pass, LLVMValueRef value, LLVMTypeRef integer);
/* Whether anything comes of it. What is only computed from it, and not used itself, does not count: without optimisation `x += 1` computes the sum
 * once more. */
bool value_is_used(LLVMValueRef value);

LLVMValueRef value_from_integer(struct pass *pass, LLVMValueRef value, LLVMTypeRef type);
LLVMValueRef constant_i32(const struct pass *pass, uint64_t n);
LLVMValueRef constant_i64(const struct pass *pass, uint64_t n);
/* A local variable of the function that only our own code uses. */
LLVMValueRef scratch(struct work *work, LLVMTypeRef type);
/* Calls a hook at the builder's place, declaring it on its first use. */
LLVMValueRef hook_call(struct pass *pass, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                       unsigned count);
/* The same for the hooks that exist for each size: `stem` is "load", "rmw" … */
LLVMValueRef hook_call_sized(struct pass *pass, const char *stem, int class, LLVMTypeRef result,
                             LLVMValueRef *args, unsigned count);
/* Puts the builder before `instruction`, with its place in the source. */
void builder_before(struct pass *pass, LLVMValueRef instruction);
void replace(LLVMValueRef old, LLVMValueRef by);
/* Puts an instruction that is nowhere to the builder's place. It keeps its name; its place in the source becomes the builder's, if that has one. */
void instruction_put(struct pass *pass, LLVMValueRef instruction);
/* The same with one that is somewhere. */
void instruction_move(struct pass *pass, LLVMValueRef instruction);
/* Gives the name of one to the other, and takes it from the first. */
void name_pass_on(LLVMValueRef from, LLVMValueRef to);
/* The text as a private constant; equal texts give the same one. NULL gives a null pointer. */
LLVMValueRef text_constant(struct pass *pass, const char *text, size_t length);
/* A private constant with this initial value. */
LLVMValueRef private_constant(struct pass *pass, LLVMValueRef initial, const char *name);
bool call_has_attribute(LLVMValueRef call, unsigned index, unsigned kind);
bool function_has_attribute(LLVMValueRef function, unsigned kind);
/* The function that a call calls by name, or NULL. */
LLVMValueRef called_function(LLVMValueRef call);
bool is_call(LLVMValueRef instruction);
/* Whether the linker may put another definition in the place of this one. */
bool is_replaceable(LLVMValueRef global);
/* The name of the intrinsic without "llvm.", or NULL if the call is of something else. */
const char *intrinsic_name(LLVMValueRef call);
bool starts_with(const char *text, const char *prefix);

/* ---- escape.c */
void escape_find(struct work *work);
/* True if nobody but this call of the function can reach what `pointer` points to, or it never
 * changes. */
bool escape_is_private(const struct work *work, LLVMValueRef pointer);
/* ---- joins.c */

/* Whether the instruction joins a thread, and between it and the next join of this call of the function, if there is one, nothing happens that another thread could
 * notice. */
bool join_goes_on(struct work *work, LLVMValueRef call);

/* Where the pointer comes from, through address arithmetic. */
LLVMValueRef pointer_base(LLVMValueRef pointer);
const struct origin *origin_find(const struct work *work, LLVMValueRef value);

/* ---- access.c, atomic.c, copy.c, assembly.c: rewriting. The instruction is gone afterwards,
 * except for calls. */
void access_rewrite(struct work *work, const struct point *point);
/* Whether one call of a hook is made of it. */
bool access_is_single(const struct pass *pass, LLVMValueRef access);
bool rmw_is_single(LLVMValueRef rmw);
void rmw_rewrite(struct work *work, const struct point *point);
void cmpxchg_rewrite(struct work *work, const struct point *point);
uint32_t order_flags(LLVMAtomicOrdering ordering);

/* What a memory intrinsic, or a library function like it, does. */
struct copy {
    enum copy_kind {
        COPY_NONE,
        COPY_MEMCPY,
        COPY_MEMMOVE,
        COPY_MEMSET,
        COPY_LIST, /* va_start: makes what it stores */
    } kind;
    LLVMValueRef to, from, byte, length; /* `from` or `byte` is NULL, or both */
    bool returns_end;                    /* mempcpy; else it returns `to`, or nothing */
};
struct copy copy_understand(LLVMValueRef call);
void copy_rewrite(struct work *work, const struct point *point);
/* Structs passed by value are copied out of shared memory first. */
void copy_byval_arguments(struct work *work, const struct point *point);
bool has_shared_byval(const struct work *work, LLVMValueRef call);

/* A call of libatomic. Addresses of what is passed by address if not `by_value`. */
struct library {
    enum library_kind { LIBRARY_NONE, LIBRARY_LOAD, LIBRARY_STORE, LIBRARY_RMW, LIBRARY_CAS } kind;
    bool by_value;
    int class; /* NO_CLASS: too large for a hook */
    uint8_t operation;
    uint32_t order;
    LLVMValueRef pointer, operand, result, expected; /* NULL if there is none */
};
/* ---- external.c: calls of what is not compiled here */

/* Whether the function is one of this module that gets hooks. */
bool is_instrumented(const struct pass *pass, LLVMValueRef function);
/* Marks a function that has hooks, for the runtime. */
void external_brand(struct pass *pass, LLVMValueRef function);
/* Whether it is known by its name to be of a function that does nothing of its own accord. */
bool external_is_harmless(const struct pass *pass, LLVMValueRef call);
/* Announces the call, unless it is known to be of instrumented code or harmless. */
void external_mark(struct work *work, const struct point *point);

struct library library_understand(LLVMValueRef call);
void library_rewrite(struct work *work, const struct point *point);

/* What to do about inline assembly: false if nothing. */
bool assembly_classify(struct work *work, LLVMValueRef call, struct point *point);
void assembly_rewrite(struct work *work, const struct point *point);

/* ---- chance.c */

/* Whether the call is of such an instruction; and whether assembly names one. */
bool chance_is_instruction(LLVMValueRef call);
bool chance_is_in_text(const char *text);
/* Whether the call asks for the number of the process, only to tell it to the system: then it does not matter which it is. Before the frame is made. */
bool chance_is_told_back(LLVMValueRef call);
void chance_rewrite(struct work *work, const struct point *point);

/* ---- span.c, span_make.c: loops of plain accesses that are told as a whole (span.h) */

/* After escape_find. The work is to be done anew: blocks were made. */
void spans_make(struct work *work);
static inline bool is_bare(const struct pass *pass, LLVMBasicBlockRef block)
{
    return map_get(&pass->bare_of, value_key(block)) == 0;
}
/* Whether an instruction of such a block gets a hook. */
static inline bool is_kept(const struct pass *pass, LLVMValueRef instruction)
{
    return map_get(&pass->kept_of, value_key(instruction)) != MAP_ABSENT;
}

/* ---- quick.c: plain accesses that code checks by itself */

/* Marks them, and what is recorded there only. */
void quick_find(struct work *work);
/* Puts each between a check and its two ways; the access stays on the likely one. After the frame is made, and before any point
 * is rewritten. */
void quick_fork(struct work *work);
void quick_rewrite(struct work *work, const struct point *point);

/* ---- quick_place.c: after they are marked */

/* Finds out which ones are straight, and where checks are in place. */
void quick_places(struct work *work);

/* ---- busy.c: which functions with hooks are worth optimising */

/* Says so in an attribute. After the function has got its hooks. */
void function_rate(LLVMValueRef function);
/* Entered from register.cpp: of a function that others may have been inlined into; whether the optional pass of LLVM, by the name of its class, is to go over the
 * function; and what is left to be said to the code generator, when all of them have. `debugged`: a debugger is to know variables. */
void raddle_rate_again(LLVMValueRef function);
bool raddle_wants(LLVMValueRef function, const char *pass, size_t length);
void raddle_finish(LLVMModuleRef module, bool debugged);
bool raddle_is_expanded(LLVMValueRef function);

/* ---- quick_check.c: functions of the module that quick accesses call; made at the first use */

/* Tells whether an access of 1 << class bytes adds nothing to what is known. Is inlined, behind all other passes if there are some: until
 * then it is one call to go over. */
LLVMValueRef quick_check_function(struct pass *pass, int class, bool writes);

/* Counts that many accesses; all of raddle_quick.left is done there. */
LLVMValueRef quick_count_function(struct pass *pass);

/* At the builder's place: a call of a hook that spares registers (HOOK_SPARING); and the note that memory was written at once. */
LLVMValueRef quick_call(struct pass *pass, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                        unsigned count);
void quick_note_write(struct pass *pass);

/* ---- shape.c */

/* Splits the block before that instruction; code goes on there by one of two new blocks, whose ends it returns. Moves the builder. */
void block_fork(struct pass *pass, LLVMValueRef condition, LLVMValueRef before,
                LLVMValueRef *likely, LLVMValueRef *unlikely);

/* A copy of the function in its group, that only this module can call. */
LLVMValueRef function_copy(LLVMValueRef function, const char *name);

/* Gives the function a group of its own: of all files that have it, which is the same in all, the linker takes one. Any function of this module
 * may call it, whatever becomes of the groups that they are in. */
void function_share(LLVMValueRef function);

/* Whether such a copy would do the same: labels whose address is taken lead into the original. */
bool function_can_be_copied(LLVMValueRef function);

/* The function begins with a look at the byte `flag`: if that is 0, it goes on as `other`, which takes the same arguments. Moves the builder. */
void function_switch(struct pass *pass, LLVMValueRef function, LLVMValueRef flag,
                     LLVMValueRef other);

/* ---- register.cpp: what LLVM-C 19 has no way to do besides */

/* Whether a loop of the function, with no other one in it, calls nothing. */
bool function_has_silent_loop(LLVMValueRef function);

/* A copy of the function under another name, with debug information of its own. */
LLVMValueRef function_clone(LLVMValueRef function);

/* ---- inline.c */

/* Puts what the functions of std::atomic do in the place of their calls. Returns whether there were any. The locals of all functions have left memory
 * before, or the memory orders would not be seen. */
bool atomics_inline(LLVMModuleRef module);

/* ---- fold.c */

/* Of the instructions of the function that have metadata of the kind `mark`, and its phis: computes what is known, drops what is not used, lets branches
 * go the only way that they have; then drops the blocks that nothing leads to. */
void function_fold(LLVMContextRef context, LLVMValueRef function, unsigned mark);

/* ---- types.c, place.c, variables.c: rows of what the source says, from full debug information (debug.h) */

void types_open(struct pass *pass);
#define OBJECTS_MAX 8 /* arguments of a call that are looked at */
/* What the pointers, at most OBJECTS_MAX, point to, those that are known: an array of struct raddle_object, and how many there are. */
LLVMValueRef types_objects(struct pass *pass, LLVMValueRef *pointers, unsigned count,
                           unsigned *made);
/* The same of the result of a call, or a null pointer. */
LLVMValueRef types_result(struct pass *pass, LLVMValueRef call);
/* The type of a local variable in memory, or a null pointer. */
LLVMValueRef types_local(struct pass *pass, LLVMValueRef local);
/* Makes the rows of the module's variables, and of functions of C++ that pointers may point to. */
void types_variables(struct pass *pass);

/* ---- demangle.c: names of C++, in the pass's arena; NULL: it is none */

/* With parameters and all: "app::queue<int>::head", "app::put(int)". */
const char *demangled_name(struct pass *pass, const char *symbol);
/* A function as reports call it: "app::put", "lambda in app::start". */
const char *demangled_function_name(struct pass *pass, const char *symbol);
/* The same, but for what std::thread calls: HOOK_THREAD_STATE and what that runs. */
const char *demangled_pointer_name(struct pass *pass, const char *symbol);

/* ---- plain.c: what functions do in a program that is not checked */

/* Copies the functions that will get hooks. Before any does. */
void plain_copy(struct pass *pass);
/* Each begins with a look whether to go on as its copy. After all have got their hooks. */
void plain_switch(struct pass *pass);

/* ---- constructor.c */

/* Lets the runtime call the functions that run before main. After all functions have got their hooks. */
void constructors_rewrite(struct pass *pass);

/* ---- main_return.c */

/* Tells the runtime where main returns, if the function is main. After all points have been rewritten. */
void main_return_mark(struct work *work);

/* ---- graph.c: the blocks of a function, and which of them come before which */

struct graph {
    struct work *work;
    struct map number_of; /* block -> number */
    VEC(LLVMBasicBlockRef) blocks;
    VEC(uint32_t) * before; /* of each: who leads there */
    uint32_t *order;        /* blocks that can be reached, last one first (postorder) */
    uint32_t *rank;         /* place in that order, or NO_VALUE */
    uint32_t *above;        /* immediate dominator */
    uint8_t *does;          /* for head.c */
    uint32_t reached;
};

void graph_open(struct graph *graph, struct work *work);
uint32_t block_number(const struct graph *graph, LLVMBasicBlockRef block);
unsigned block_exits(LLVMBasicBlockRef block);
uint32_t block_exit(const struct graph *graph, uint32_t block, unsigned i);
/* Of blocks that can be reached: whether whoever is at `block` has been at `above`. */
bool dominates(const struct graph *graph, uint32_t above, uint32_t block);
/* Whether a loop begins there: a natural one. */
bool graph_is_head(const struct graph *graph, uint32_t block);

/* ---- head.c: after escape_find, and before the points are looked for */
void heads_find(struct work *work);
void head_rewrite(struct work *work, const struct point *point);

/* ---- fresh.c */
void fresh_find(struct work *work, struct head *head);
/* What decides where the branch or switch goes, or NULL: nothing; and where it goes with that value. */
LLVMValueRef branch_condition(LLVMValueRef last);
LLVMBasicBlockRef branch_choice(LLVMValueRef last, LLVMValueRef constant);
/* Whether the value is such a one at the point. */
bool fresh_is(const struct work *work, const struct point *point, LLVMValueRef value);
/* SITE_SOURCE and SITE_FREE, of the instruction. */
uint32_t fresh_flags(const struct work *work, LLVMValueRef instruction);

/* ---- turn.c */

/* Finds out which sources of the head are free, and marks the loads in the loop behind which it is certain that its next round begins, with nothing new but what they read. */
void turns_find(struct work *work, const struct head *head);
/* Marks compare-exchanges in loops that go round, with nothing new but what was found, if they fail. */
void exchanges_find(struct work *work);
/* The row of such a call, or NULL: it is of a head. */
const struct turn *turn_of(const struct work *work, LLVMValueRef call);
#define TURN_ARGUMENTS 4

/* ---- point.c */
void points_find(struct work *work);
/* Whether the instruction, which is that of the point, is one; then of which kind. */
bool point_classify(struct work *work, LLVMValueRef instruction, struct point *point);

/* ---- name.c */
void names_find(struct work *work);
/* The source variable that the value is, or NULL. */
const char *value_source_name(struct work *work, LLVMValueRef value);
/* What the point is about, in the arena, or NULL. */
const char *point_what(struct work *work, const struct point *point);

/* ---- live.c */
void live_find(struct work *work);

/* Into work->nodes and node_of: its basic blocks. */
void nodes_find(struct work *work);

/* instrument.c: tables for one function; the arena is to be closed. */
void work_open(struct work *work, struct pass *pass, LLVMValueRef function);
/* True if the value is recorded by its address because no two slots can hold it. */
bool local_is_spilled(const struct work *work, const struct local *local);

/* ---- residual.c: sets point.residual, and sorts point.live by the order of appearance. */
void residual_find(struct work *work);

/* Before anything is instrumented: gives each of the functions a number for all of its code (pass.codes). Those that differ in their names only have the same one. */
void residual_functions(struct pass *pass, const LLVMValueRef *functions, uint32_t count);

/* ---- site.c */
void sites_make(struct work *work);
/* The row of the place where main returns; nothing is live there. */
LLVMValueRef site_of_return(struct work *work, LLVMValueRef instruction);
/* The bytes of a local that is in memory, 0 if known only when it runs. */
uint64_t memory_bytes(const struct work *work, LLVMValueRef value);

/* ---- frame.c */
void frame_make(struct work *work);

/* The instruction behind a call and what frame_make has put there: where a hook that follows it belongs. The call is a point. */
LLVMValueRef frame_behind(const struct work *work, LLVMValueRef call);
/* Records the values that are live at a quick point and not recorded where they are defined, before that instruction. */
void frame_record_sunk(struct work *work, const struct point *point, LLVMValueRef before);
/* Gives each recorded value its slots. */
void slots_assign(struct work *work);

#endif
