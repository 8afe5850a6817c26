#include "runtime/core/part.h"

#include <stdint.h>

#include "base/fingerprint.h"

/* Restarts, and the beginning of each thread, are a large part of a short run: the loops go only over those that do something. */
static struct {
    void (*restart[PART_COUNT])(void);
    void (*begins[PART_COUNT])(struct native_thread *);
    void (*ends[PART_COUNT])(void);
    uint8_t tell[PART_COUNT], tell_thread[PART_COUNT]; /* enum part_id */
    uint32_t restarts, begin, end, tells, tells_thread;
} listed; /* outlives a run: what parts do never changes */

static struct {
    uint64_t count[PART_COUNT];
    const char *first;
} untold; /* outlives a run: it is about the search */

void parts_open(void)
{
    listed.restarts = listed.begin = listed.end = listed.tells = listed.tells_thread = 0;
    for (unsigned i = 0; i < PART_COUNT; i++) {
        if (parts[i]->restart)
            listed.restart[listed.restarts++] = parts[i]->restart;
        if (parts[i]->thread_begins)
            listed.begins[listed.begin++] = parts[i]->thread_begins;
        if (parts[i]->thread_ends)
            listed.ends[listed.end++] = parts[i]->thread_ends;
        if (!parts[i]->stateless)
            listed.tell[listed.tells++] = (uint8_t)i;
        if (parts[i]->fingerprint_thread)
            listed.tell_thread[listed.tells_thread++] = (uint8_t)i;
    }
    for (unsigned i = 0; i < PART_COUNT; i++)
        if (parts[i]->open)
            parts[i]->open();
}

void parts_restart(void)
{
    for (uint32_t i = 0; i < listed.restarts; i++)
        listed.restart[i]();
}

void parts_thread_begins(struct native_thread *thread)
{
    for (uint32_t i = 0; i < listed.begin; i++)
        listed.begins[i](thread);
}

void parts_thread_ends(void)
{
    for (uint32_t i = 0; i < listed.end; i++)
        listed.ends[i]();
}

bool parts_cannot_tell(const char *why)
{
    if (!untold.first)
        untold.first = why;
    return false;
}

static bool is_untold(unsigned part)
{
    untold.count[part]++;
    return parts_cannot_tell(parts[part]->name);
}

/* Most parts have nothing to tell at most times, so what one tells must bear its name. */
static void mark(unsigned part, struct fingerprint before, struct fingerprint *into)
{
    if (!fingerprint_equal(before, *into))
        fingerprint_word(into, part);
}

bool parts_fingerprint(struct fingerprint *into)
{
    for (uint32_t i = 0; i < listed.tells; i++) {
        const struct part *part = parts[listed.tell[i]];
        struct fingerprint before = *into;

        if (!part->fingerprint || !part->fingerprint(into))
            return is_untold(listed.tell[i]);
        mark(listed.tell[i], before, into);
    }
    return true;
}

static bool part_is_alike(const struct part *part, const struct native_thread *a,
                          const struct native_thread *b)
{
    struct fingerprint x = {0}, y = {0};

    if (part->alike)
        return part->alike(a, b);
    return part->fingerprint_thread(a, &x) && part->fingerprint_thread(b, &y) &&
           fingerprint_equal(x, y);
}

const char *parts_differ(const struct native_thread *a, const struct native_thread *b)
{
    for (uint32_t i = 0; i < listed.tells_thread; i++)
        if (!part_is_alike(parts[listed.tell_thread[i]], a, b))
            return parts[listed.tell_thread[i]]->name;
    return NULL;
}

bool parts_fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    for (uint32_t i = 0; i < listed.tells_thread; i++) {
        struct fingerprint before = *into;

        if (!parts[listed.tell_thread[i]]->fingerprint_thread(thread, into))
            return is_untold(listed.tell_thread[i]);
        mark(listed.tell_thread[i], before, into);
    }
    return true;
}

uint64_t parts_untold(enum part_id part)
{
    return untold.count[part];
}

const char *parts_first_untold(void)
{
    return untold.first;
}

bool parts_fork(const char **why)
{
    for (unsigned i = 0; i < PART_COUNT; i++)
        if (parts[i]->forks && !parts[i]->forks(why))
            return false;
    return true;
}

bool parts_save(struct part_copies *into)
{
    for (unsigned i = 0; i < PART_COUNT; i++)
        if (!parts[i]->save || !parts[i]->restore || !parts[i]->save(into))
            return false;
    return true;
}

void parts_restore(struct part_copies *from)
{
    for (unsigned i = 0; i < PART_COUNT; i++)
        parts[i]->restore(from);
}
