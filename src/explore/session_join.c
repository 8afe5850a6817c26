#include <string.h>
#include <xxhash.h>

#include "explore/session.h"

/* Several searches of one program, each with a session of its own: what they know, together. */

/* ---- texts */

static const char *keep(struct arena *arena, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;

    return text ? memcpy(arena_alloc(arena, size), text, size) : NULL;
}

static struct session_site keep_site(struct arena *arena, struct session_site site)
{
    site.file = keep(arena, site.file);
    site.function = keep(arena, site.function);
    site.what = keep(arena, site.what);
    return site;
}

static bool texts_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* ---- what was found */

static bool bug_is_known(const struct session *session, const struct session_bug *bug)
{
    for (uint32_t i = 0; i < session->bugs.count; i++) {
        const struct session_bug *known = &session->bugs.at[i];

        if (known->kind == bug->kind && known->site.line == bug->site.line &&
            texts_equal(known->site.file, bug->site.file) &&
            texts_equal(known->message, bug->message))
            return true;
    }
    return false;
}

static void threads_join(struct session *all, const struct session *one)
{
    for (uint32_t i = all->threads.count; i < one->threads.count; i++) {
        struct session_thread thread = one->threads.at[i];

        thread.name = keep(&all->arena, thread.name);
        thread.created = keep_site(&all->arena, thread.created);
        vec_push(&all->arena, &all->threads, thread);
    }
}

/* Those that `all` can make again: with no more exposed memory and facts than it has. */
static void bugs_join(struct session *all, const struct session *one)
{
    struct arena *arena = &all->arena;

    for (uint32_t i = 0; i < one->bugs.count; i++) {
        struct session_bug bug = one->bugs.at[i];
        uint32_t first = bug.schedule_first;

        if (bug_is_known(all, &bug) || bug.exposed > all->exposed.count ||
            bug.facts > all->facts.count)
            continue;
        bug.site = keep_site(arena, bug.site);
        bug.message = keep(arena, bug.message);
        bug.detail = keep(arena, bug.detail);
        bug.refused = keep(arena, bug.refused);
        bug.schedule_first = all->schedules.count;
        for (uint32_t k = 0; k < bug.schedule_count; k++)
            vec_push(arena, &all->schedules, one->schedules.at[first + k]);
        vec_push(arena, &all->bugs, bug);
    }
}

static void unsupported_join(struct session *all, const struct session *one)
{
    for (uint32_t i = 0; i < one->unsupported.count; i++) {
        uint32_t k = 0;

        while (k < all->unsupported.count &&
               !texts_equal(all->unsupported.at[k], one->unsupported.at[i]))
            k++;
        if (k == all->unsupported.count)
            vec_push(&all->arena, &all->unsupported, keep(&all->arena, one->unsupported.at[i]));
    }
}

static void unseen_join(struct session *all, const struct session *one)
{
    for (uint32_t i = 0; i < one->unseen.count; i++) {
        struct session_unseen unseen = one->unseen.at[i];
        uint32_t k = 0;

        while (k < all->unseen.count && !texts_equal(all->unseen.at[k].name, unseen.name))
            k++;
        if (k < all->unseen.count) {
            all->unseen.at[k].shared |= unseen.shared;
            continue;
        }
        unseen.name = keep(&all->arena, unseen.name);
        unseen.library = keep(&all->arena, unseen.library);
        unseen.site = keep_site(&all->arena, unseen.site);
        vec_push(&all->arena, &all->unseen, unseen);
    }
}

/* How many pairs of places are new. */
static uint64_t pairs_join(struct session *all, const struct session *one)
{
    uint64_t added = 0;

    for (uint32_t i = 0; i < one->race_pairs.count; i++) {
        uint32_t k = 0;

        while (k < all->race_pairs.count && all->race_pairs.at[k] != one->race_pairs.at[i])
            k++;
        if (k < all->race_pairs.count)
            continue;
        vec_push(&all->arena, &all->race_pairs, one->race_pairs.at[i]);
        added++;
    }
    return added;
}

static void found_join(struct session *all, const struct session *one)
{
    threads_join(all, one);
    bugs_join(all, one);
    unsupported_join(all, one);
    unseen_join(all, one);
    if (!all->untold)
        all->untold = keep(&all->arena, one->untold);
    if (!all->endless)
        all->endless = keep(&all->arena, one->endless);
    if (!all->divergence)
        all->divergence = keep(&all->arena, one->divergence);
    all->poor |= one->poor;
    all->relaxed |= one->relaxed;
}

/* ---- what is known about the program */

/* What one has written another one may have read in a round that it left out, or the first to learn of others without being ordered is another one. */
static bool rounds_join(struct session_rounds *all, const struct session_rounds *one)
{
    struct session_rounds before = *all;
    bool meet = false;

    all->off |= one->off;
    all->informal |= one->informal;
    all->cut |= one->cut;
    all->cut_plain |= one->cut_plain;
    for (uint32_t i = 0; i < ROUNDS_WORDS; i++) {
        all->read[i] |= one->read[i];
        all->written[i] |= one->written[i];
        meet |= (all->read[i] & all->written[i]) != 0;
    }
    all->off |= all->informal && meet;
    return (all->off && ((!one->off && one->cut) || (!before.off && before.cut))) ||
           (all->informal &&
            ((!one->informal && one->cut_plain) || (!before.informal && before.cut_plain)));
}

static bool map_has(const struct map *map, uint64_t key)
{
    return map->arena && map_get(map, key) != MAP_ABSENT;
}

/* Keys of additions: eight bytes of memory, with 0 if something is added there and 1 if that is waited for (runtime/program/additions.c). */
static bool is_awaited(uint64_t key)
{
    return key & 1;
}

/* Where one has added as if nobody waited for it, another one waits. */
static bool additions_join(struct session *all, const struct map *one)
{
    bool wrong = false;

    for (uint32_t i = 0; one->arena && i <= one->mask; i++) {
        uint64_t key = one->slots[i].key;

        if (one->slots[i].value == MAP_ABSENT || map_has(&all->additions, key))
            continue;
        if (!all->additions.arena)
            map_open(&all->additions, &all->arena);
        map_add(&all->additions, key, 0);
        if (is_awaited(key) ? map_has(&all->additions, key ^ 1) || map_has(one, key ^ 1)
                            : map_has(&all->additions, key ^ 1) && !map_has(one, key ^ 1))
            wrong = true;
    }
    return wrong;
}

static bool locks_join(struct session *all, const struct session *one)
{
    bool both = all->tries_to_lock && all->looks_by_lock;

    all->tries_to_lock |= one->tries_to_lock;
    all->looks_by_lock |= one->looks_by_lock;
    return !both && all->tries_to_lock && all->looks_by_lock &&
           !(one->tries_to_lock && one->looks_by_lock);
}

bool session_join(struct session *all, const struct session *one, uint64_t *pairs)
{
    uint64_t added = pairs_join(all, one), more = one->suppressed - *pairs;
    bool wrong = rounds_join(&all->rounds, &one->rounds);

    wrong |= additions_join(all, &one->additions);
    wrong |= locks_join(all, one);
    found_join(all, one);
    all->hands_out_again |= one->hands_out_again;
    all->suppressed += more < added ? more : added; /* another one may have told them */
    *pairs = one->suppressed;
    return wrong;
}

void session_begin_with(struct session *one, const struct session *all)
{
    rounds_join(&one->rounds, &all->rounds);
    additions_join(one, &all->additions);
    locks_join(one, all);
    found_join(one, all);
}

/* ---- what is new */

uint64_t session_sum(const struct session *session)
{
    uint64_t words[20] = {session->bugs.count,
                          session->unsupported.count,
                          session->unseen.count,
                          session->race_pairs.count,
                          session->suppressed,
                          session->untold != NULL,
                          session->endless != NULL,
                          session->divergence != NULL,
                          session->begin_anew,
                          session->outside || session->undo.outside,
                          session->facts.count,
                          session->exposed.count,
                          session->tries_to_lock,
                          session->looks_by_lock,
                          session->additions.arena ? session->additions.count : 0,
                          session->rounds.off,
                          session->rounds.informal,
                          session->rounds.cut,
                          session->rounds.cut_plain};

    for (uint32_t i = 0; i < session->unseen.count; i++)
        words[19] += session->unseen.at[i].shared;
    return XXH3_64bits_withSeed(
        words, sizeof words,
        session->rounds.on ? XXH3_64bits(session->rounds.read, sizeof session->rounds.read +
                                                                   sizeof session->rounds.written)
                           : 0);
}
