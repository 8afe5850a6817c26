#include "explore/visible.h"

#include <string.h>

void visibles_open(struct visibles *v, struct arena *arena)
{
    memset(v, 0, sizeof *v);
    v->arena = arena;
    map_open(&v->by_hash, arena);
    map_open(&v->set_by_hash, arena);
    vec_push(arena, &v->sets, (struct opset_range){0, 0});
}

/* ---- operations */

static uint64_t visible_hash(const struct visible *op, const struct access *accesses)
{
    uint64_t hash = mix64((uint64_t)op->agent << 32 | (uint64_t)op->op.kind << 1 | op->held_back);

    for (uint32_t i = 0; i < op->access_count; i++)
        hash = mix64(hash + ((uint64_t)accesses[i].loc << 16 | (uint64_t)accesses[i].bytes << 8 |
                             accesses[i].mode));
    hash = mix64(hash + op->op.addr);
    return mix64(hash + op->op.mutex + op->op.variant + (uint64_t)op->op.expect);
}

static bool op_same(const struct op *a, const struct op *b)
{
    return a->kind == b->kind && a->size == b->size && a->order == b->order &&
           a->variant == b->variant && a->stores == b->stores && a->addr == b->addr &&
           a->mutex == b->mutex && a->value == b->value && a->expect == b->expect;
}

static bool visible_same(const struct visibles *v, const struct visible *a, const struct visible *b,
                         const struct access *accesses)
{
    if (a->agent != b->agent || a->access_count != b->access_count ||
        a->held_back != b->held_back || !op_same(&a->op, &b->op))
        return false;
    for (uint32_t i = 0; i < a->access_count; i++) {
        const struct access *kept = &v->accesses.at[a->accesses + i];

        if (kept->loc != accesses[i].loc || kept->bytes != accesses[i].bytes ||
            kept->mode != accesses[i].mode)
            return false;
    }
    return true;
}

/* What of an operation counts: see above. Its place in the program never does. */
static struct op op_essence(const struct op *op)
{
    struct op essence = {.kind = op->kind};

    if (op_waits_for_one(op)) {
        essence = *op;
        essence.site = 0;
        essence.value = 0; /* it changes nothing about the wait */
    } else if (op_is_retry(op)) {
        essence.mutex =
            1; /* that it may have to wait: what else was read in its round is gone by then */
    }
    return essence;
}

visible_id visible_of(struct visibles *v, const struct suspect *suspect,
                      const struct access *accesses, uint32_t count)
{
    struct visible op = {.agent = suspect->agent,
                         .accesses = v->accesses.count,
                         .access_count = count,
                         .held_back = !suspect->accesses,
                         .op = op_essence(suspect->op)};
    uint64_t key = visible_hash(&op, accesses);
    visible_id id;

    while ((id = map_get(&v->by_hash, key)) != MAP_ABSENT) {
        if (visible_same(v, &v->ops.at[id], &op, accesses))
            return id;
        key++; /* another one with the same hash */
    }
    id = v->ops.count;
    for (uint32_t i = 0; i < count; i++)
        vec_push(v->arena, &v->accesses, accesses[i]);
    vec_push(v->arena, &v->ops, op);
    map_add(&v->by_hash, key, id);
    return id;
}

/* ---- sets */

/* The number of the set that is in `scratch`. */
static opset_id opset_intern(struct visibles *v)
{
    uint64_t key = v->scratch.count;
    opset_id id;

    for (uint32_t i = 0; i < v->scratch.count; i++)
        key = mix64(key + v->scratch.at[i].bits + mix64(v->scratch.at[i].index));
    while ((id = map_get(&v->set_by_hash, key)) != MAP_ABSENT) {
        const struct opset_range *range = &v->sets.at[id];
        uint32_t i = 0;

        while (range->count == v->scratch.count && i < range->count &&
               v->words.at[range->first + i].bits == v->scratch.at[i].bits &&
               v->words.at[range->first + i].index == v->scratch.at[i].index)
            i++;
        if (range->count == v->scratch.count && i == range->count)
            return id;
        key++;
    }
    id = v->sets.count;
    vec_push(v->arena, &v->sets, (struct opset_range){v->words.count, v->scratch.count});
    for (uint32_t i = 0; i < v->scratch.count; i++)
        vec_push(v->arena, &v->words, v->scratch.at[i]);
    map_add(&v->set_by_hash, key, id);
    return id;
}

opset_id opset_of(struct visibles *v, visible_id member)
{
    v->scratch.count = 0;
    vec_push(v->arena, &v->scratch, (struct opset_word){(uint64_t)1 << member % 64, member / 64});
    return opset_intern(v);
}

static void merge(struct visibles *v, struct opset_range a, struct opset_range b)
{
    uint32_t i = 0, j = 0;

    v->scratch.count = 0;
    while (i < a.count || j < b.count) {
        struct opset_word word;

        if (j == b.count ||
            (i < a.count && v->words.at[a.first + i].index < v->words.at[b.first + j].index)) {
            word = v->words.at[a.first + i++];
        } else {
            word = v->words.at[b.first + j++];
            if (i < a.count && v->words.at[a.first + i].index == word.index)
                word.bits |= v->words.at[a.first + i++].bits;
        }
        vec_push(v->arena, &v->scratch, word);
    }
}

opset_id opset_union(struct visibles *v, opset_id a, opset_id b)
{
    struct opset_union *known;

    if (a == b || b == OPSET_EMPTY)
        return a;
    if (a == OPSET_EMPTY)
        return b;
    known = &v->unions[(a * 0x9e3779b1u ^ b) % OPSET_UNIONS];
    if (known->a != a || known->b != b) {
        merge(v, v->sets.at[a], v->sets.at[b]);
        *known = (struct opset_union){a, b, opset_intern(v)};
    }
    return known->both;
}

void opset_each(const struct visibles *v, opset_id set,
                void (*each)(void *context, const struct visible *op), void *context)
{
    struct opset_range range = v->sets.at[set];

    for (uint32_t i = 0; i < range.count; i++) {
        const struct opset_word *word = &v->words.at[range.first + i];

        for (uint64_t bits = word->bits; bits; bits &= bits - 1)
            each(context, &v->ops.at[word->index * 64 + (unsigned)__builtin_ctzll(bits)]);
    }
}

uint64_t visibles_bytes(const struct visibles *v)
{
    return (uint64_t)v->ops.room * sizeof *v->ops.at +
           (uint64_t)v->accesses.room * sizeof *v->accesses.at +
           (uint64_t)v->words.room * sizeof *v->words.at +
           (uint64_t)v->sets.room * sizeof *v->sets.at +
           (uint64_t)(v->by_hash.mask + v->set_by_hash.mask + 2) * sizeof(struct map_slot);
}
