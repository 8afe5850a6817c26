#include <stdlib.h>
#include <string.h>

#include "instrument/instrument.h"

/* The code that may still run from each point, as a number. The function is first translated
 * into a flat list of words; the walk from a point then visits the rest of its block and every
 * block that can be reached, in the order in which they are first mentioned, and hashes the
 * words with locals and blocks numbered in that order. So two points have the same number if
 * their residual code is the same but for the names of locals and labels (or by an accident of
 * 64 bits).
 *
 * The same numbers sort the live values of a point: equal numbers stand for each other in the
 * bijection.
 *
 * A function that is called counts by its own code, not by its name (residual_functions). */

#define VISITS_MAX                                                                                 \
    20000000u /* instructions looked at in one function, before we give up on fingerprints */

enum word_kind { WORD_FIXED, WORD_LOCAL, WORD_BLOCK, WORD_CALLED };

struct word {
    enum word_kind kind;
    uint64_t what; /* hash; number of the local; number of the block; index into pass.codes */
};

/* One instruction in words: what it is, its operands, and behind the last one of a block, for
 * each block that may follow: which, and what its phis get from here. */
struct code {
    uint64_t hash;
    uint32_t first, count; /* words */
    uint32_t defines;      /* number of the local, or NO_VALUE */
};

struct residual {
    struct work *work;
    struct map ids; /* any argument or instruction -> number */
    uint32_t id_count;
    struct map constants; /* constant or type -> index into hashes */
    VEC(uint64_t) hashes;
    VEC(struct word) words;
    VEC(struct code) codes;
    VEC(uint32_t) block_first; /* index into codes; one more at the end */
    struct map code_of;        /* instruction -> index into codes */
    uint32_t *rank, *stamp;    /* of a local in this walk */
    uint32_t *block_rank, *block_stamp;
    VEC(uint32_t) order; /* blocks, as mentioned */
    uint32_t walk;       /* number of this walk */
    uint32_t next;       /* rank */
};

static uint64_t text_hash(const char *text, size_t length, uint64_t seed)
{
    uint64_t hash = seed ^ length;

    for (size_t i = 0; i < length; i++)
        hash = mix64(hash ^ (unsigned char)text[i]) + i;
    return hash;
}

static uint64_t remember(struct residual *r, const void *what, uint64_t hash)
{
    map_add(&r->constants, value_key(what), r->hashes.count);
    vec_push(&r->work->arena, &r->hashes, hash);
    return hash;
}

static uint64_t type_hash(struct residual *r, LLVMTypeRef type)
{
    uint32_t known = map_get(&r->constants, value_key(type));
    char *text;
    uint64_t hash;

    if (known != MAP_ABSENT)
        return r->hashes.at[known];
    text = LLVMPrintTypeToString(type);
    hash = text_hash(text, strlen(text), 1);
    LLVMDisposeMessage(text);
    return remember(r, type, hash);
}

/* Globals by name; one that only this module knows, together with the module's name. */
static uint64_t global_hash(struct residual *r, LLVMValueRef global)
{
    LLVMLinkage linkage = LLVMGetLinkage(global);
    size_t length;
    const char *text = LLVMGetValueName2(global, &length);
    uint64_t hash = text_hash(text, length, 2);

    if (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) {
        text = LLVMGetModuleIdentifier(r->work->pass->module, &length);
        hash = text_hash(text, length, hash);
    }
    return hash;
}

static uint64_t assembly_hash(LLVMValueRef code)
{
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(code, &length);
    uint64_t hash = text_hash(text, length, 3);

    text = LLVMGetInlineAsmConstraintString(code, &length);
    return text_hash(text, length, hash);
}

static uint64_t constant_hash(struct residual *r, LLVMValueRef value)
{
    uint32_t known = map_get(&r->constants, value_key(value));
    uint64_t hash;
    char *text;

    if (known != MAP_ABSENT)
        return r->hashes.at[known];
    if (LLVMIsAGlobalValue(value)) {
        hash = global_hash(r, value);
    } else if (LLVMIsAInlineAsm(value)) {
        hash = assembly_hash(value);
    } else {
        text = LLVMPrintValueToString(value);
        hash = text_hash(text, strlen(text), 4);
        LLVMDisposeMessage(text);
    }
    return remember(r, value, hash);
}

/* ---- translation */

static bool is_note(LLVMValueRef instruction)
{
    const char *name = LLVMIsACallInst(instruction) ? intrinsic_name(instruction) : NULL;

    return name && (starts_with(name, "dbg.") || starts_with(name, "lifetime."));
}

static void word_add(struct residual *r, enum word_kind kind, uint64_t what)
{
    vec_push(&r->work->arena, &r->words, (struct word){kind, what});
}

static void operand_add(struct residual *r, LLVMValueRef operand)
{
    uint32_t id;

    if (LLVMValueIsBasicBlock(operand)) {
        word_add(r, WORD_BLOCK,
                 map_get(&r->work->node_of, value_key(LLVMValueAsBasicBlock(operand))));
        return;
    }
    id = map_get(&r->ids, value_key(operand));
    if (id != MAP_ABSENT)
        word_add(r, WORD_LOCAL, id);
    else if (!LLVMIsAMDNode(operand) &&
             LLVMGetTypeKind(LLVMTypeOf(operand)) != LLVMMetadataTypeKind)
        word_add(r, WORD_FIXED, constant_hash(r, operand));
}

/* What an instruction is besides its operands. */
static uint64_t instruction_hash(struct residual *r, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    uint64_t hash = mix64(type_hash(r, LLVMTypeOf(i)) + (uint64_t)opcode);

    switch (opcode) {
    case LLVMICmp:
        return mix64(hash + (uint64_t)LLVMGetICmpPredicate(i));
    case LLVMFCmp:
        return mix64(hash + (uint64_t)LLVMGetFCmpPredicate(i));
    case LLVMAlloca:
        return mix64(hash ^ type_hash(r, LLVMGetAllocatedType(i)));
    case LLVMGetElementPtr:
        return mix64(hash ^ type_hash(r, LLVMGetGEPSourceElementType(i)));
    case LLVMLoad:
    case LLVMStore:
    case LLVMFence:
        hash += (uint64_t)LLVMGetOrdering(i);
        return mix64(hash + (opcode != LLVMFence && LLVMGetVolatile(i) ? 64 : 0));
    case LLVMAtomicRMW:
        return mix64(hash + (uint64_t)LLVMGetOrdering(i) + 16 * (uint64_t)LLVMGetAtomicRMWBinOp(i));
    case LLVMAtomicCmpXchg:
        return mix64(hash + (uint64_t)LLVMGetCmpXchgSuccessOrdering(i) +
                     16 * (uint64_t)LLVMGetWeak(i) +
                     32 * (uint64_t)LLVMGetCmpXchgFailureOrdering(i));
    case LLVMCall:
    case LLVMInvoke:
        return mix64(hash ^ type_hash(r, LLVMGetCalledFunctionType(i)));
    case LLVMExtractValue:
    case LLVMInsertValue:
        for (unsigned n = 0; n < LLVMGetNumIndices(i); n++)
            hash = mix64(hash + LLVMGetIndices(i)[n]);
        return hash;
    case LLVMShuffleVector:
        for (unsigned n = 0; n < LLVMGetNumMaskElements(i); n++)
            hash = mix64(hash + (uint64_t)LLVMGetMaskValue(i, n));
        return hash;
    default:
        return hash;
    }
}

/* Behind a terminator: where it goes, and what the phis there get on that way. */
static void edges_add(struct residual *r, LLVMValueRef last, LLVMBasicBlockRef from)
{
    for (unsigned s = 0; s < LLVMGetNumSuccessors(last); s++) {
        LLVMBasicBlockRef to = LLVMGetSuccessor(last, s);

        operand_add(r, LLVMBasicBlockAsValue(to));
        for (LLVMValueRef phi = LLVMGetFirstInstruction(to); phi && LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi))
            for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
                if (LLVMGetIncomingBlock(phi, i) == from) {
                    operand_add(r, LLVMGetIncomingValue(phi, i));
                    break;
                }
    }
}

/* The number of the function that an instruction calls by name, if its code is known here, or MAP_ABSENT. */
static uint32_t called_code(const struct residual *r, LLVMValueRef i)
{
    LLVMValueRef function =
        LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? LLVMGetCalledValue(i) : NULL;

    return function && LLVMIsAFunction(function)
               ? map_get(&r->work->pass->code_of, value_key(function))
               : MAP_ABSENT;
}

static void translate(struct residual *r, LLVMValueRef i, LLVMBasicBlockRef block)
{
    struct code code = {.hash = instruction_hash(r, i), .first = r->words.count};
    bool is_void = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind;

    code.defines = is_void ? NO_VALUE : map_get(&r->ids, value_key(i));
    for (int n = 0; !LLVMIsAPHINode(i) && n < LLVMGetNumOperands(i); n++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)n);
        bool is_called = n + 1 == LLVMGetNumOperands(i); /* of a call */

        if (is_called && called_code(r, i) != MAP_ABSENT)
            word_add(r, WORD_CALLED, called_code(r, i));
        else if (operand && !LLVMValueIsBasicBlock(operand))
            operand_add(r, operand);
    }
    if (LLVMIsATerminatorInst(i))
        edges_add(r, i, block);
    code.count = r->words.count - code.first;
    map_add(&r->code_of, value_key(i), r->codes.count);
    vec_push(&r->work->arena, &r->codes, code);
}

static void id_add(struct residual *r, LLVMValueRef value)
{
    map_add(&r->ids, value_key(value), r->id_count++);
}

static void translate_all(struct residual *r)
{
    struct work *work = r->work;

    for (unsigned i = 0; i < LLVMCountParams(work->function); i++)
        id_add(r, LLVMGetParam(work->function, i));
    for (uint32_t b = 0; b < work->nodes.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(work->nodes.at[b].block); i;
             i = LLVMGetNextInstruction(i))
            id_add(r, i);
    for (uint32_t b = 0; b < work->nodes.count; b++) {
        LLVMBasicBlockRef block = work->nodes.at[b].block;

        vec_push(&work->arena, &r->block_first, r->codes.count);
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            if (!is_note(i))
                translate(r, i, block);
    }
    vec_push(&work->arena, &r->block_first, r->codes.count);
}

/* ---- the walk */

static uint32_t local_rank(struct residual *r, uint32_t id)
{
    if (r->stamp[id] != r->walk) {
        r->stamp[id] = r->walk;
        r->rank[id] = r->next++;
    }
    return r->rank[id];
}

static uint32_t block_rank(struct residual *r, uint32_t block)
{
    if (r->block_stamp[block] != r->walk) {
        r->block_stamp[block] = r->walk;
        r->block_rank[block] = r->order.count;
        vec_push(&r->work->arena, &r->order, block);
    }
    return r->block_rank[block];
}

static uint64_t walk_codes(struct residual *r, uint32_t first, uint32_t end, uint64_t hash)
{
    for (uint32_t c = first; c < end; c++) {
        const struct code *code = &r->codes.at[c];

        hash = mix64(hash ^ code->hash);
        for (uint32_t w = code->first; w < code->first + code->count; w++) {
            const struct word *word = &r->words.at[w];
            uint64_t what = word->kind == WORD_LOCAL    ? local_rank(r, (uint32_t)word->what)
                            : word->kind == WORD_BLOCK  ? block_rank(r, (uint32_t)word->what)
                            : word->kind == WORD_CALLED ? r->work->pass->codes.at[word->what]
                                                        : word->what;

            hash = mix64(mix64(hash + what) + (uint64_t)word->kind);
        }
        if (code->defines != NO_VALUE)
            local_rank(r, code->defines);
    }
    return mix64(hash + 1); /* the end of a block */
}

static void walk_begin(struct residual *r)
{
    r->walk++;
    r->next = 0;
    r->order.count = 0;
}

/* The rest of a block, and all that it leads to. */
static uint64_t walk_all(struct residual *r, uint32_t first, uint32_t end, uint64_t hash)
{
    hash = walk_codes(r, first, end, hash);
    for (uint32_t i = 0; i < r->order.count; i++)
        hash = walk_codes(r, r->block_first.at[r->order.at[i]],
                          r->block_first.at[r->order.at[i] + 1], hash);
    return hash ? hash : 1; /* 0 says that it is not known */
}

static uint64_t walk_from(struct residual *r, const struct point *point)
{
    struct work *work = r->work;
    uint32_t block =
        map_get(&work->node_of, value_key(LLVMGetInstructionParent(point->instruction)));
    uint32_t first = map_get(&r->code_of, value_key(point->instruction));
    uint64_t hash = type_hash(r, LLVMTypeOf(point->instruction));

    walk_begin(r);
    /* Of a call into this module only what comes after it is still to run here. */
    if (point->inside && !LLVMIsATerminatorInst(point->instruction)) {
        if (r->codes.at[first].defines != NO_VALUE)
            local_rank(r, r->codes.at[first].defines);
        first++;
    }
    return walk_all(r, first, r->block_first.at[block + 1], hash);
}

/* A live value by its rank, to be sorted. Those that the code does not mention (variables that
 * others may use) come last, in the function's order. */
struct ranked {
    uint64_t rank;
    uint32_t local;
};

static int by_rank(const void *a, const void *b)
{
    uint64_t x = ((const struct ranked *)a)->rank, y = ((const struct ranked *)b)->rank;

    return x < y ? -1 : x > y;
}

static void live_sort(struct residual *r, struct point *point)
{
    struct work *work = r->work;
    size_t size = point->live_count * sizeof(struct ranked);
    struct ranked *all = arena_alloc(&work->arena, size + 1);
    uint32_t *sorted = arena_alloc(&work->arena, point->live_count * sizeof *sorted + 1);

    for (uint32_t i = 0; i < point->live_count; i++) {
        uint32_t local = point->live[i];
        uint32_t id = map_get(&r->ids, value_key(work->locals.at[local].value));

        all[i].local = local;
        all[i].rank = r->stamp[id] == r->walk ? r->rank[id] : ((uint64_t)1 << 32) + local;
    }
    if (point->live_count)
        qsort(all, point->live_count, sizeof *all, by_rank);
    for (uint32_t i = 0; i < point->live_count; i++)
        sorted[i] = all[i].local;
    point->live = sorted;
    arena_free(&work->arena, all, size + 1);
}

static uint32_t *zeros(struct work *work, uint32_t count)
{
    uint32_t *at = arena_alloc(&work->arena, count * sizeof *at + 1);

    memset(at, 0, count * sizeof *at);
    return at;
}

static void residual_open(struct residual *r, struct work *work)
{
    *r = (struct residual){.work = work};
    map_open(&r->ids, &work->arena);
    map_open(&r->constants, &work->arena);
    map_open(&r->code_of, &work->arena);
    translate_all(r);
    r->rank = zeros(work, r->id_count);
    r->stamp = zeros(work, r->id_count);
    r->block_rank = zeros(work, work->nodes.count);
    r->block_stamp = zeros(work, work->nodes.count);
}

void residual_find(struct work *work)
{
    struct residual r;

    if ((uint64_t)work->points.count * work->instructions > VISITS_MAX)
        return; /* 0: not known; the live values stay in the function's order */
    residual_open(&r, work);
    for (uint32_t i = 0; i < work->points.count; i++) {
        work->points.at[i].residual = walk_from(&r, &work->points.at[i]);
        live_sort(&r, &work->points.at[i]);
    }
}

/* ---- functions by their code */

/* Nobody can put another one in its place. */
static bool is_exact(LLVMValueRef function)
{
    LLVMLinkage linkage = LLVMGetLinkage(function);

    return !LLVMIsDeclaration(function) &&
           (linkage == LLVMExternalLinkage || linkage == LLVMInternalLinkage ||
            linkage == LLVMPrivateLinkage);
}

/* All of its code, with what it calls as it is numbered now. */
static uint64_t walk_function(struct residual *r)
{
    uint64_t hash = type_hash(r, LLVMGlobalGetValueType(r->work->function));

    walk_begin(r);
    for (unsigned i = 0; i < LLVMCountParams(r->work->function); i++)
        local_rank(r, map_get(&r->ids, value_key(LLVMGetParam(r->work->function, i))));
    return walk_all(r, 0, r->block_first.at[1], hash);
}

static uint32_t classes_count(struct pass *pass, struct map *classes)
{
    uint32_t count = 0;

    map_open(classes, &pass->arena);
    for (uint32_t i = 0; i < pass->codes.count; i++)
        if (map_get(classes, pass->codes.at[i]) == MAP_ABSENT) {
            map_add(classes, pass->codes.at[i], 0);
            count++;
        }
    return count;
}

/* First all functions count as the same where they are called; then each by what it was found to be, again and again, until no two are told apart that were not before: then
 * functions with the same number call functions with the same numbers, recursive ones included. */
static void codes_settle(struct pass *pass, struct residual *of)
{
    uint32_t count = pass->codes.count, before, now = 0;
    uint64_t *next = arena_alloc(&pass->arena, count * sizeof *next + 1);
    struct map classes;

    do {
        before = now;
        for (uint32_t i = 0; i < count; i++)
            next[i] = walk_function(&of[i]);
        memcpy(pass->codes.at, next, count * sizeof *next);
        now = classes_count(pass, &classes);
    } while (now > before);
}

void residual_functions(struct pass *pass, const LLVMValueRef *functions, uint32_t count)
{
    struct work *works = arena_alloc(&pass->arena, count * sizeof *works + 1);
    struct residual *of = arena_alloc(&pass->arena, count * sizeof *of + 1);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (is_exact(functions[i])) {
            map_add(&pass->code_of, value_key(functions[i]), pass->codes.count);
            vec_push(&pass->arena, &pass->codes, 0);
        }
    for (uint32_t i = 0; i < count; i++)
        if (is_exact(functions[i])) {
            work_open(&works[kept], pass, functions[i]);
            nodes_find(&works[kept]);
            residual_open(&of[kept], &works[kept]);
            kept++;
        }
    codes_settle(pass, of);
    while (kept > 0)
        arena_close(&works[--kept].arena);
}
