#include <time.h>

#include "explore/checkpoint.h"
#include "explore/session.h"

/* What of a session belongs to a checkpoint, besides the search: what was found, and what is known about the program. */

/* ---- flags */

#define SESSION_FLAGS 15

/* In a fixed order. */
static void flags_list(struct session *session, bool *at[SESSION_FLAGS])
{
    bool *list[SESSION_FLAGS] = {&session->cancels,       &session->tries_to_join,
                                 &session->tries_to_lock, &session->looks_by_lock,
                                 &session->reads_clock,   &session->remembers,
                                 &session->poor,          &session->crowded,
                                 &session->rounds.off,    &session->rounds.informal,
                                 &session->rounds.cut,    &session->rounds.cut_plain,
                                 &session->joins_matter,  &session->outside,
                                 &session->relaxed};

    memcpy(at, list, sizeof list);
}

/* ---- places, choices, bugs */

static void site_write(const struct session_site *site, struct bytes *out)
{
    bytes_text(out, site->file);
    bytes_text(out, site->function);
    bytes_text(out, site->what);
    bytes_number(out, site->line);
    bytes_number(out, site->column);
}

static struct session_site site_read(struct bytes_reader *in, struct arena *arena)
{
    struct session_site site = {0};

    site.file = bytes_read_text(in, arena);
    site.function = bytes_read_text(in, arena);
    site.what = bytes_read_text(in, arena);
    site.line = bytes_read_below(in, UINT32_MAX);
    site.column = bytes_read_below(in, UINT32_MAX);
    return site;
}

static void session_choice_write(const struct session_choice *choice, struct bytes *out)
{
    bytes_number(out, (uint64_t)choice->thread << 1 | choice->is_buffer);
    bytes_number(out, choice->addr);
    bytes_number(out, choice->outcome);
}

static struct session_choice session_choice_read(struct bytes_reader *in, uint32_t threads)
{
    uint32_t word = bytes_read_below(in, (uint64_t)threads << 1);
    struct session_choice choice = {.thread = word >> 1, .is_buffer = word & 1};

    choice.addr = bytes_read_number(in);
    choice.outcome = bytes_read_below(in, (uint64_t)UINT32_MAX + 1);
    return choice;
}

static void bug_write(const struct session_bug *bug, struct bytes *out)
{
    bytes_number(out, bug->kind);
    bytes_number(out, bug->thread);
    site_write(&bug->site, out);
    bytes_text(out, bug->message);
    bytes_text(out, bug->detail);
    bytes_number(out, bug->schedule_first);
    bytes_number(out, bug->schedule_count);
    bytes_number(out, bug->exposed);
    bytes_number(out, bug->facts);
    bytes_number(out, bug->commutes);
    bytes_text(out, bug->refused);
}

/* All that it refers to must have been read before. */
static struct session_bug bug_read(const struct session *session, struct bytes_reader *in,
                                   struct arena *arena)
{
    struct session_bug bug = {.kind = (uint8_t)bytes_read_below(in, BUG_KIND_COUNT)};

    bug.thread = bytes_read_below(in, session->threads.count ? session->threads.count : 1);
    bug.site = site_read(in, arena);
    bug.message = bytes_read_text(in, arena);
    bug.detail = bytes_read_text(in, arena);
    bug.schedule_first = bytes_read_below(in, (uint64_t)session->schedules.count + 1);
    bug.schedule_count =
        bytes_read_below(in, (uint64_t)session->schedules.count - bug.schedule_first + 1);
    bug.exposed = bytes_read_below(in, (uint64_t)session->exposed.count + 1);
    bug.facts = bytes_read_below(in, (uint64_t)session->facts.count + 1);
    bug.commutes = (uint8_t)bytes_read_below(in, 256);
    bug.refused = bytes_read_text(in, arena);
    in->failed |= !bug.message;
    return bug;
}

/* ---- writing */

static void additions_write(const struct map *map, struct bytes *out)
{
    bytes_number(out, map->arena ? map->count : 0);
    for (uint32_t i = 0; map->arena && i <= map->mask; i++)
        if (map->slots[i].value != MAP_ABSENT) {
            bytes_number(out, map->slots[i].key);
            bytes_number(out, map->slots[i].value);
        }
}

static void program_write(const struct session *session, struct bytes *out)
{
    bytes_number(out, session->threads.count);
    for (uint32_t i = 0; i < session->threads.count; i++) {
        const struct session_thread *thread = &session->threads.at[i];

        bytes_number(out, thread->parent);
        bytes_number(out, thread->rank);
        bytes_text(out, thread->name);
        site_write(&thread->created, out);
    }
    bytes_number(out, session->shared_stacks.count);
    for (uint32_t i = 0; i < session->shared_stacks.count; i++)
        bytes_number(out, session->shared_stacks.at[i]);
    bytes_number(out, session->facts.count);
    for (uint32_t i = 0; i < session->facts.count; i++) {
        bytes_number(out, session->facts.at[i].key);
        bytes_number(out, session->facts.at[i].value);
    }
    bytes_number(out, session->exposed.count);
    for (uint32_t i = 0; i < session->exposed.count; i++)
        bytes_number(out, session->exposed.at[i]);
    bytes_number(out, session->race_pairs.count);
    for (uint32_t i = 0; i < session->race_pairs.count; i++)
        bytes_number(out, session->race_pairs.at[i]);
    additions_write(&session->additions, out);
    for (uint32_t i = 0; i < ROUNDS_WORDS; i++) {
        bytes_number(out, session->rounds.read[i]);
        bytes_number(out, session->rounds.written[i]);
    }
}

static void found_write(const struct session *session, struct bytes *out)
{
    bytes_number(out, session->suppressed);
    bytes_number(out, session->schedules.count);
    for (uint32_t i = 0; i < session->schedules.count; i++)
        session_choice_write(&session->schedules.at[i], out);
    bytes_number(out, session->bugs.count);
    for (uint32_t i = 0; i < session->bugs.count; i++)
        bug_write(&session->bugs.at[i], out);
    bytes_number(out, session->unsupported.count);
    for (uint32_t i = 0; i < session->unsupported.count; i++)
        bytes_text(out, session->unsupported.at[i]);
    bytes_number(out, session->unseen.count);
    for (uint32_t i = 0; i < session->unseen.count; i++) {
        const struct session_unseen *unseen = &session->unseen.at[i];

        bytes_text(out, unseen->name);
        bytes_text(out, unseen->library);
        site_write(&unseen->site, out);
        bytes_number(out, (uint64_t)unseen->shared << 1 | unseen->trusted);
    }
    bytes_text(out, session->untold);
    bytes_text(out, session->endless);
    bytes_text(out, session->divergence);
}

static double checkpoint_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void session_write(struct session *session, struct bytes *out)
{
    bool *flags[SESSION_FLAGS];

    bytes_number(out, session->pid);
    flags_list(session, flags);
    for (unsigned i = 0; i < SESSION_FLAGS; i++)
        bytes_number(out, *flags[i]);
    program_write(session, out);
    found_write(session, out);
}

void session_checkpoint_take(struct session *session)
{
    struct session_checkpoint *checkpoint = &session->checkpoint;
    struct bytes *out = &checkpoint->at[(checkpoint->number + 1) % 2];
    struct arena *scratch = &checkpoint->scratch;
    double since = checkpoint_clock();

    out->data.count = 0;
    session_write(session, out);
    checkpoint_write(&session->explorer, scratch, out);
    memset(scratch->base, 0, scratch->used); /* as new, for the next one */
    arena_place(scratch, scratch->base, scratch->reserve);
    checkpoint->cost = checkpoint_clock() - since;
    __atomic_store_n(&checkpoint->number, checkpoint->number + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&checkpoint->wanted, 0, __ATOMIC_RELEASE);
}

/* ---- reading */

static void additions_read(struct session *session, struct bytes_reader *in)
{
    uint32_t count = bytes_read_count(in, 2);

    if (count > 0)
        map_open(&session->additions, &session->arena);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        uint64_t key = bytes_read_number(in);
        uint32_t value = bytes_read_below(in, MAP_ABSENT);

        if (map_get(&session->additions, key) == MAP_ABSENT)
            map_add(&session->additions, key, value);
    }
}

static void program_read(struct session *session, struct bytes_reader *in)
{
    struct arena *arena = &session->arena;
    uint32_t count = bytes_read_count(in, 8);

    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct session_thread thread = {.parent = bytes_read_below(in, count)};

        thread.rank = bytes_read_below(in, UINT32_MAX);
        thread.name = bytes_read_text(in, arena);
        thread.created = site_read(in, arena);
        vec_push(arena, &session->threads, thread);
    }
    count = bytes_read_count(in, 1);
    for (uint32_t i = 0; i < count && !in->failed; i++)
        vec_push(arena, &session->shared_stacks, bytes_read_below(in, 2) != 0);
    count = bytes_read_count(in, 2);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct session_fact fact = {.key = bytes_read_number(in)};

        fact.value = bytes_read_below(in, (uint64_t)UINT32_MAX + 1);
        vec_push(arena, &session->facts, fact);
    }
    count = bytes_read_count(in, 1);
    for (uint32_t i = 0; i < count && !in->failed; i++)
        vec_push(arena, &session->exposed, bytes_read_number(in));
    count = bytes_read_count(in, 1);
    for (uint32_t i = 0; i < count && !in->failed; i++)
        vec_push(arena, &session->race_pairs, bytes_read_number(in));
    additions_read(session, in);
    for (uint32_t i = 0; i < ROUNDS_WORDS && !in->failed; i++) {
        session->rounds.read[i] = bytes_read_number(in);
        session->rounds.written[i] = bytes_read_number(in);
    }
}

static void found_read(struct session *session, struct bytes_reader *in)
{
    struct arena *arena = &session->arena;
    uint32_t count;

    session->suppressed = bytes_read_number(in);
    count = bytes_read_count(in, 3);
    for (uint32_t i = 0; i < count && !in->failed; i++)
        vec_push(arena, &session->schedules, session_choice_read(in, session->threads.count));
    count = bytes_read_count(in, 11);
    for (uint32_t i = 0; i < count && !in->failed; i++)
        vec_push(arena, &session->bugs, bug_read(session, in, arena));
    count = bytes_read_count(in, 1);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        vec_push(arena, &session->unsupported, bytes_read_text(in, arena));
        in->failed |= !vec_last(&session->unsupported);
    }
    count = bytes_read_count(in, 8);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        struct session_unseen unseen = {.name = bytes_read_text(in, arena)};
        uint32_t flags;

        unseen.library = bytes_read_text(in, arena);
        unseen.site = site_read(in, arena);
        flags = bytes_read_below(in, 4);
        unseen.shared = flags & 2;
        unseen.trusted = flags & 1;
        in->failed |= !unseen.name;
        vec_push(arena, &session->unseen, unseen);
    }
    session->untold = bytes_read_text(in, arena);
    session->endless = bytes_read_text(in, arena);
    session->divergence = bytes_read_text(in, arena);
}

bool session_read(struct session *session, struct bytes_reader *in)
{
    bool *flags[SESSION_FLAGS];

    session->pid = bytes_read_below(in, UINT32_MAX);
    flags_list(session, flags);
    for (unsigned i = 0; i < SESSION_FLAGS; i++)
        *flags[i] = bytes_read_below(in, 2) != 0;
    program_read(session, in);
    found_read(session, in);
    return !in->failed;
}

bool session_checkpoint_give(struct session *session, struct bytes_reader *in)
{
    struct checkpoint_search search;
    struct bytes_reader copy;

    if (!session_read(session, in))
        return false;
    bytes_add(&session->checkpoint.from, in->at, (size_t)(in->end - in->at));
    copy = *in; /* the process reads it again: now it is only known to be good */
    return checkpoint_is_tree(in) || checkpoint_read(&search, &session->arena, &copy);
}
