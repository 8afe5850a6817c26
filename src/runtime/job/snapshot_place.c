#include <link.h>

#include "runtime/core/image.h"
#include "runtime/core/kernel.h"
#include "runtime/core/place.h"
#include "runtime/core/state_place.h"
#include "runtime/gate/gate.h"
#include "runtime/job/snapshot_kinds.h"
#include "runtime/program/native.h"

/* Snapshots within the process: its private memory, and what the kernel keeps for it, are put back. The engine runs on a stack of its own, and its memory is shared: so
 * it simply goes on. */

_Static_assert(PLACE_SLOTS >= SNAPSHOTS_MAX, "a moment for each snapshot");

/* Pages that are written to find out what a fault costs. */
#define TRIAL_PAGES 8
#define PAGE        4096

/* What it takes to make one, or to go back to it, before that was measured. In nanoseconds. */
#define GUESS 100000

/* Bytes. */
#define AHEAD ((size_t)512 << 10)

/* All in memory that stays as it is. */
struct snapshot_places {
    struct state_place states[SNAPSHOTS_MAX]; /* by slot */
    struct state_holds holds;
    size_t ahead;   /* of the session's arena: up to here memory is there */
    uint64_t once;  /* nanoseconds for what is done once */
    uint64_t going; /* to go back, on average */
    uint64_t fault; /* for one */
    uint64_t
        faults; /* of the process, when a state was last kept or gone back to, or it was asked; 0: never */
    char *trial;
};

static struct snapshot_places *places; /* outlives a run: set once */

/* ---- what it costs */

/* Less what was done once, which says nothing of the next time. */
static uint64_t place_computed(void *context)
{
    (void)context;
    return snapshot_time() - places->once;
}

static uint64_t place_copying(void *context)
{
    uint64_t since = places->faults, now = snapshot_faults();

    (void)context;
    places->faults = now;
    return since ? (now - since) * places->fault : 0;
}

static uint64_t place_going(void *context, uint64_t making)
{
    (void)context;
    (void)making;
    return places->going;
}

/* Each of these pages is protected now, if all memory was just looked at. */
static void trial_measure(void)
{
    uint64_t before = snapshot_time();

    for (int i = 0; i < TRIAL_PAGES; i++)
        ((volatile char *)places->trial)[(size_t)i * PAGE]++;
    places->fault = (snapshot_time() - before) / TRIAL_PAGES;
}

/* Memory of the search that it will use next is made to be there. Whoever uses a page for the first time takes a fault; and if there were none, memory need not be
 * searched for pages that were written. */
static void search_ahead(void)
{
    struct arena *arena = &native.session->arena;
    size_t from = (arena->used + PAGE - 1) & ~(size_t)(PAGE - 1);

    if (from + AHEAD / 4 <= places->ahead || arena->reserve - from < AHEAD)
        return;
    kernel_populate_written(arena->base + from, AHEAD);
    places->ahead = from + AHEAD;
}

/* ---- what the search asks for */

static bool can_keep(void)
{
    const char *why = "";
    bool good = true;

    if (!place_is_known()) {
        uint64_t before = snapshot_time();

        good = place_begin(&why);
        if (!places->fault)
            trial_measure();
        if (!places->once) /* if mappings change again and again, that is what a snapshot costs */
            places->once = snapshot_time() - before;
    }
    return (good && parts_fork(&why)) || snapshot_refused(why);
}

static enum snapshot_role place_keep_state(void *context, uint32_t slot)
{
    (void)context;
    if (!can_keep())
        return SNAPSHOT_NONE;
    if (!state_place_keep(&places->states[slot], &places->holds)) {
        snapshot_refused("descriptors or limits that cannot be brought back");
        return SNAPSHOT_NONE;
    }
    search_ahead();
    if (!place_keep(slot)) {
        snapshot_refused("too much memory");
        return SNAPSHOT_NONE;
    }
    places->faults = snapshot_faults();
    return SNAPSHOT_GOES_ON;
}

static bool place_go_to_state(void *context, uint32_t slot)
{
    uint64_t before = snapshot_time(), took;

    (void)context;
    gate_restart(); /* it was so when the state was kept */
    if (!place_is_there(slot) || !state_signals_can_go_back())
        return false;
    if (!state_place_back(&places->states[slot], &places->holds)) {
        native_unsupported("descriptors or signals that cannot be brought back");
        return false;
    }
    search_ahead();
    if (!place_go(slot))
        return false;
    state_place_reserve(&places->holds);
    if (!state_fork_restores())
        native_unsupported("open files that cannot be brought back to where they were");
    took = snapshot_time() - before;
    places->going += took / 8 - places->going / 8;
    places->faults = snapshot_faults();
    return true;
}

static void place_drop_state(void *context, uint32_t slot)
{
    (void)context;
    state_place_drop(&places->states[slot], &places->holds);
    place_drop(slot);
}

/* ---- opening */

static int sanitizer_find(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    *(bool *)found |= image_is_sanitizer(info->dlpi_name);
    return 0;
}

/* What a sanitizer knows of the stack of the engine must not go back. */
static bool is_sanitized(void)
{
    bool found = false;

    dl_iterate_phdr(sanitizer_find, &found);
    return found;
}

const struct snapshot_ops *snapshot_in_place(void)
{
    static const struct snapshot_ops ops = {.name = "place",
                                            .keep = place_keep_state,
                                            .go = place_go_to_state,
                                            .drop = place_drop_state,
                                            .copying = place_copying,
                                            .computed = place_computed,
                                            .going = place_going,
                                            .guess = GUESS};

    if (places)
        return &ops;
    if (is_sanitized() || !place_open(native.argv))
        return NULL;
    places = place_stays(sizeof *places);
    places->going = GUESS;
    places->trial = kernel_map(NULL, (size_t)TRIAL_PAGES * PAGE);
    for (int i = 0; places->trial && i < TRIAL_PAGES; i++)
        ((volatile char *)places->trial)[(size_t)i * PAGE]++;
    return places->trial ? &ops : NULL;
}
