#include "trace/conflicts.h"

#include "base/map.h"

#define NOBODY UINT32_MAX

/* Of one step: no access is larger. */
#define BYTES_MAX 16

/* The latest accesses to a byte of memory. */
struct byte {
    uint32_t write; /* step, or NOBODY */
    uint32_t
        reads; /* the latest reads since: index of the first into `reads`, one for each thread */
};

struct finder {
    const struct trace *trace;
    struct arena *arena;
    conflict_vec *conflicts;
    struct map map; /* address -> byte */
    VEC(struct byte) bytes;
    VEC(uint32_t) reads; /* steps or NOBODY; trace.threads.count for each byte */
};

static struct byte *byte_of(struct finder *f, uint64_t key)
{
    uint32_t index = map_get(&f->map, key);

    if (index == MAP_ABSENT) {
        index = f->bytes.count;
        map_add(&f->map, key, index);
        vec_push(f->arena, &f->bytes, (struct byte){NOBODY, f->reads.count});
        for (uint32_t i = 0; i < f->trace->threads.count; i++)
            vec_push(f->arena, &f->reads, NOBODY);
    }
    return &f->bytes.at[index];
}

static bool overlap(const struct trace_step *a, const struct trace_step *b)
{
    return a->cell - b->cell < b->size || b->cell - a->cell < a->size;
}

static void conflict_add(struct finder *f, uint32_t first, uint32_t second)
{
    const struct trace_step *steps = f->trace->steps.at;

    if (first == NOBODY || steps[first].thread == steps[second].thread ||
        !overlap(&steps[first], &steps[second]))
        return;
    for (uint32_t i = f->conflicts->count; i-- > 0 && f->conflicts->at[i].second == second;)
        if (f->conflicts->at[i].first == first)
            return; /* found at a byte before */
    vec_push(f->arena, f->conflicts, (struct trace_conflict){first, second});
}

static void byte_access(struct finder *f, uint64_t key, uint32_t index)
{
    const struct trace_step *step = &f->trace->steps.at[index];
    struct byte *byte = byte_of(f, key);
    uint32_t *reads = f->reads.at + byte->reads;

    conflict_add(f, byte->write, index);
    if (!step->writes) {
        reads[step->thread] = index;
        return;
    }
    for (uint32_t i = 0; i < f->trace->threads.count; i++) {
        conflict_add(f, reads[i], index);
        reads[i] = NOBODY;
    }
    byte->write = index;
}

void conflicts_find(const struct trace *trace, struct arena *arena, conflict_vec *conflicts)
{
    struct finder f = {.trace = trace, .arena = arena, .conflicts = conflicts};

    map_open(&f.map, arena);
    for (uint32_t i = 0; i < trace->steps.count; i++) {
        const struct trace_step *step = &trace->steps.at[i];

        if (!step->cell || !step->size || (!step->reads && !step->writes) ||
            (step->buffered && !step->is_buffer))
            continue;
        for (uint64_t at = 0; at < step->size && at < BYTES_MAX; at++)
            byte_access(&f, step->cell + at, i);
    }
}
