#include "detect/knowledge.h"

#include <string.h>

#include "detect/detect.h"

/* Bytes that may have been accessed: beyond that it takes too long. */
#define KNOWLEDGE_BYTES 4096

typedef VEC(uint64_t) word_vec;

/* Adds a word to a sorted set. False if it was there. */
static bool set_add(struct arena *arena, word_vec *set, uint64_t word)
{
    uint32_t place = set->count;

    while (place > 0 && set->at[place - 1] >= word)
        place--;
    if (place < set->count && set->at[place] == word)
        return false;
    vec_reserve(arena, set, 1);
    memmove(&set->at[place + 1], &set->at[place], (set->count++ - place) * sizeof *set->at);
    set->at[place] = word;
    return true;
}

/* What a path is about. Outlives a run: only in its places in memory. */
static struct {
    word_vec passages, holders, bytes;
} path_sets;

/* Each byte of an atomic variable hands on what its own store has released. */
static void holder_add(holder h)
{
    if (holder_kind(h) == HOLDER_UNDER_WAY)
        return;
    for (uint32_t k = 0; k < 8; k++)
        if (holder_bytes(h) >> k & 1)
            set_add(&detector.arena, &path_sets.holders, (h & ~(uint64_t)0xff) | (uint64_t)1 << k);
}

static bool segment_add_bytes(const struct futures *f, uint32_t segment)
{
    uint32_t words;
    const uint64_t *at = intern_words(&f->segments, segment, &words);

    for (uint32_t i = 0; i < words; i += 2) {
        struct passage_span span = {at[i], at[i + 1]};
        uint64_t addr = passage_addr(&span), size = span.end - span.at;

        if (path_sets.bytes.count + size > KNOWLEDGE_BYTES)
            return false;
        for (uint64_t k = 0; k < size; k++)
            set_add(&detector.arena, &path_sets.bytes, addr + k);
    }
    return true;
}

static bool passage_gather(const struct futures *f, passage_id passage)
{
    uint32_t words;
    const uint64_t *steps = intern_words(&f->passages, passage, &words);

    for (uint32_t i = 0; i < words; i += PASSAGE_STEP_WORDS) {
        holder_add(steps[i + 1]);
        if (steps[i] == PASSAGE_ACCESSES && !segment_add_bytes(f, (uint32_t)steps[i + 2]))
            return false;
    }
    return true;
}

/* Whether who knows of `thread` as much as the holder, and all of everybody else, could access the byte. */
static bool holder_knows(holder h, uint32_t thread, uint64_t byte, enum shadow_kind kind)
{
    struct shadow_who who = {.clock = &detector.asked};
    uint32_t known;

    clock_clear(&detector.space, &detector.asked);
    sync_gather(h, &detector.asked);
    known = clock_get(&detector.space, &detector.asked, thread);
    for (uint32_t t = 0; t < detector.sync.threads.count; t++)
        clock_set(&detector.space, &detector.asked, t, t == thread ? known : EPOCH_CLOCK_MAX);
    return shadow_is_ordered(&who, byte, 1, kind);
}

/* What all know makes no difference to anybody. */
static void byte_add(uint64_t byte, enum shadow_kind kind, uint32_t thread,
                     struct fingerprint *into)
{
    struct fingerprint known = {byte, (uint64_t)thread << 8 | kind};
    bool all = true;

    for (uint32_t i = 0; i < path_sets.holders.count; i++)
        if (holder_knows(path_sets.holders.at[i], thread, byte, kind))
            fingerprint_word(&known, path_sets.holders.at[i]);
        else
            all = false;
    if (!all)
        fingerprint_plus(into, known);
}

bool knowledge_of_path(const passage_id *path, uint32_t count, struct fingerprint *into)
{
    const struct futures *f = detector.futures;
    struct fingerprint sum = {0, 0};

    path_sets.passages.count = path_sets.holders.count = path_sets.bytes.count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (set_add(&detector.arena, &path_sets.passages, path[i]) && !passage_gather(f, path[i]))
            return false;
    for (uint32_t i = 0; i < path_sets.bytes.count; i++)
        for (uint32_t thread = 0; thread < detector.sync.threads.count; thread++)
            for (unsigned kind = SHADOW_READ; kind <= SHADOW_ATOMIC_WRITE; kind++)
                byte_add(path_sets.bytes.at[i], (enum shadow_kind)kind, thread, &sum);
    fingerprint_bytes(into, &sum, sizeof sum);
    return true;
}
