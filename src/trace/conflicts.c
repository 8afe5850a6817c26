#include "trace/conflicts.h"

#include "base/map.h"

#define NOBODY UINT32_MAX

/* The latest accesses to eight bytes of memory. One that another one hides is not looked for: so a narrow write hides
 * the write to the bytes beside it. That loses an arrow, never invents one. */
struct granule {
    uint32_t write; /* step, or NOBODY */
    uint32_t
        reads; /* the latest reads since: index of the first into `reads`, one for each thread */
};

struct finder {
    const struct trace *trace;
    struct arena *arena;
    conflict_vec *conflicts;
    struct map map; /* address / 8 -> granule */
    VEC(struct granule) granules;
    VEC(uint32_t) reads; /* steps or NOBODY; trace.threads.count for each granule */
};

static struct granule *granule_of(struct finder *f, uint64_t key)
{
    uint32_t index = map_get(&f->map, key);

    if (index == MAP_ABSENT) {
        index = f->granules.count;
        map_add(&f->map, key, index);
        vec_push(f->arena, &f->granules, (struct granule){NOBODY, f->reads.count});
        for (uint32_t i = 0; i < f->trace->threads.count; i++)
            vec_push(f->arena, &f->reads, NOBODY);
    }
    return &f->granules.at[index];
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
    if (f->conflicts->count && vec_last(f->conflicts).first == first &&
        vec_last(f->conflicts).second == second)
        return; /* found in the granule before */
    vec_push(f->arena, f->conflicts, (struct trace_conflict){first, second});
}

static void granule_access(struct finder *f, uint64_t key, uint32_t index)
{
    const struct trace_step *step = &f->trace->steps.at[index];
    struct granule *granule = granule_of(f, key);
    uint32_t *reads = f->reads.at + granule->reads;

    conflict_add(f, granule->write, index);
    if (!step->writes) {
        reads[step->thread] = index;
        return;
    }
    for (uint32_t i = 0; i < f->trace->threads.count; i++) {
        conflict_add(f, reads[i], index);
        reads[i] = NOBODY;
    }
    granule->write = index;
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
        granule_access(&f, step->cell >> 3, i);
        if ((step->cell + step->size - 1) >> 3 != step->cell >> 3)
            granule_access(&f, (step->cell + step->size - 1) >> 3, i);
    }
}
