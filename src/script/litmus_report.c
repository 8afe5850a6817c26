#include "script/litmus_report.h"

#include <inttypes.h>

#include "base/map.h"
#include "script/litmus_memory.h"

/* Address space for the tables; memory is taken as they grow. */
#define REPORT_RESERVE ((size_t)1 << 36)

struct litmus_report {
    const struct litmus *litmus;
    struct arena arena;
    struct map states;     /* hash of the values -> the last state with that hash */
    struct map signatures; /* those counted */
    int64_t *values;       /* of the states, observed_count each */
    uint32_t *next;        /* by state: an older one with the same hash, or LITMUS_NONE */
    uint32_t state_count;
    uint64_t positive, negative;
};

struct litmus_report *litmus_report_open(const struct litmus *litmus)
{
    struct litmus_report *report = litmus_realloc(NULL, 1, sizeof(*report));

    memset(report, 0, sizeof(*report));
    report->litmus = litmus;
    CHECK(arena_open(&report->arena, REPORT_RESERVE) == 0, "no address space for the report");
    map_open(&report->states, &report->arena);
    map_open(&report->signatures, &report->arena);
    return report;
}

void litmus_report_close(struct litmus_report *report)
{
    arena_close(&report->arena);
    free(report->values);
    free(report->next);
    free(report);
}

static const int64_t *state_values(const struct litmus_report *report, uint32_t state)
{
    return report->values + (size_t)state * report->litmus->observed_count;
}

static uint64_t hash_values(const int64_t *values, uint32_t count)
{
    uint64_t hash = count;

    for (uint32_t i = 0; i < count; i++)
        hash = mix64(hash * 31 + (uint64_t)values[i]);
    return hash;
}

/* Adds the state whose values stand at the end of the table, unless it is there already. */
static void add_state(struct litmus_report *report)
{
    uint32_t count = report->litmus->observed_count;
    const int64_t *values = state_values(report, report->state_count);
    uint64_t hash = hash_values(values, count);
    uint32_t first = map_get(&report->states, hash);

    /* A collision of hashes hides a state from the map, never from the list behind it. */
    for (uint32_t i = first; i != MAP_ABSENT; i = report->next[i]) {
        if (count == 0 || memcmp(state_values(report, i), values, count * sizeof(*values)) == 0)
            return;
    }
    report->next = litmus_grow(report->next, report->state_count, sizeof(*report->next));
    report->next[report->state_count] = MAP_ABSENT;
    if (first == MAP_ABSENT) {
        map_add(&report->states, hash, report->state_count);
    } else {
        report->next[report->state_count] = report->next[first];
        report->next[first] = report->state_count;
    }
    report->state_count++;
}

void litmus_report_add(struct litmus_report *report, litmus_value_fn value, void *context,
                       uint64_t signature)
{
    const struct litmus *litmus = report->litmus;

    if (!litmus_keeps(litmus, value, context))
        return;
    report->values = litmus_grow(report->values, report->state_count,
                                 (litmus->observed_count + 1) * sizeof(*report->values));
    int64_t *values = report->values + (size_t)report->state_count * litmus->observed_count;
    for (uint32_t i = 0; i < litmus->observed_count; i++)
        values[i] = litmus_value(&litmus->locations[litmus->observed[i]], value, context);
    add_state(report);
    if (map_get(&report->signatures, signature) != MAP_ABSENT)
        return;
    map_add(&report->signatures, signature, 0);
    if (litmus_holds(litmus, value, context))
        report->positive++;
    else
        report->negative++;
}

uint32_t litmus_report_states(const struct litmus_report *report)
{
    return report->state_count;
}

uint64_t litmus_report_positive(const struct litmus_report *report)
{
    return report->positive;
}

uint64_t litmus_report_negative(const struct litmus_report *report)
{
    return report->negative;
}

bool litmus_report_ok(const struct litmus_report *report)
{
    switch (report->litmus->quantifier) {
    case LITMUS_EXISTS:
        return report->positive > 0;
    case LITMUS_NOT_EXISTS:
        return report->positive == 0;
    default:
        return report->negative == 0;
    }
}

/* A state as it is sorted: by its values, but addresses after numbers and by name, so that the
 * order does not depend on where cells are. */
struct sorted {
    uint32_t state;
    uint32_t count;
    int64_t *keys;
};

static int compare_states(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;

    for (uint32_t i = 0; i < x->count; i++) {
        if (x->keys[i] != y->keys[i])
            return x->keys[i] < y->keys[i] ? -1 : 1;
    }
    return 0;
}

static int64_t sort_key(const struct litmus *litmus, uint32_t observed, int64_t number,
                        litmus_value_fn value, void *context)
{
    const struct litmus_location *location = &litmus->locations[litmus->observed[observed]];
    struct litmus_location where;
    int64_t rank = 0;

    if (!litmus_address_find(litmus, location, number, value, context, &where))
        return number;
    for (uint32_t i = 0; i < litmus->program.decl_count; i++)
        rank += strcmp(litmus->program.decls[i].name, litmus->program.decls[where.decl].name) < 0;
    return INT64_MAX - INT32_MAX + rank * UINT16_MAX + where.index;
}

static void print_states(const struct litmus_report *report, litmus_value_fn value, void *context,
                         FILE *out)
{
    const struct litmus *litmus = report->litmus;
    uint32_t count = litmus->observed_count;
    struct sorted *order = litmus_realloc(NULL, report->state_count, sizeof(*order));
    int64_t *keys = litmus_realloc(NULL, (size_t)report->state_count * count, sizeof(*keys));

    for (uint32_t i = 0; i < report->state_count; i++) {
        order[i] = (struct sorted){i, count, keys + (size_t)i * count};
        for (uint32_t j = 0; j < count; j++)
            order[i].keys[j] = sort_key(litmus, j, state_values(report, i)[j], value, context);
    }
    qsort(order, report->state_count, sizeof(*order), compare_states);
    fprintf(out, "States %u\n", report->state_count);
    for (uint32_t i = 0; i < report->state_count; i++) {
        litmus_state_print(litmus, state_values(report, order[i].state), value, context, out);
        fputc('\n', out);
    }
    free(order);
    free(keys);
}

static const char *observation(const struct litmus_report *report)
{
    if (report->positive == 0)
        return "Never";
    return report->negative == 0 ? "Always" : "Sometimes";
}

void litmus_report_print(const struct litmus_report *report, const struct litmus_summary *summary,
                         litmus_value_fn value, void *context, FILE *out)
{
    static const char *const kinds[] = {
        [LITMUS_EXISTS] = "Allowed",
        [LITMUS_NOT_EXISTS] = "Forbidden",
        [LITMUS_FORALL] = "Required",
    };
    const struct litmus *litmus = report->litmus;
    bool swap = litmus->quantifier == LITMUS_NOT_EXISTS; /* witnesses of what the test claims */

    fprintf(out, "Test %s %s\n", litmus->name, kinds[litmus->quantifier]);
    print_states(report, value, context, out);
    fprintf(out, "%s\nWitnesses\n", litmus_report_ok(report) ? "Ok" : "No");
    fprintf(out, "Positive: %" PRIu64 " Negative: %" PRIu64 "\n",
            swap ? report->negative : report->positive, swap ? report->positive : report->negative);
    fputs("Condition ", out);
    litmus_condition_print(litmus, out);
    fprintf(out, "\nObservation %s %s %" PRIu64 " %" PRIu64 "\n", litmus->name, observation(report),
            report->positive, report->negative);
    fprintf(out, "Time %s %.2f\n", litmus->name, summary->seconds);
    fprintf(out, "Executions %s %" PRIu64 " (%s, model %s)\n", litmus->name, summary->executions,
            summary->way, summary->model);
    if (summary->incomplete)
        fprintf(out, "Incomplete %s %s\n", litmus->name, summary->incomplete);
    fputc('\n', out);
}
