#include "runtime/core/part.h"

#include <stdint.h>

/* Restarts, and the beginning of each thread, are a large part of a short run: the loops go only over those that do something. */
static struct {
    void (*restart[PART_COUNT])(void);
    void (*begins[PART_COUNT])(struct native_thread *);
    void (*ends[PART_COUNT])(void);
    uint32_t restarts, begin, end;
} listed; /* outlives a run: what parts do never changes */

void parts_open(void)
{
    listed.restarts = listed.begin = listed.end = 0;
    for (unsigned i = 0; i < PART_COUNT; i++) {
        if (parts[i]->restart)
            listed.restart[listed.restarts++] = parts[i]->restart;
        if (parts[i]->thread_begins)
            listed.begins[listed.begin++] = parts[i]->thread_begins;
        if (parts[i]->thread_ends)
            listed.ends[listed.end++] = parts[i]->thread_ends;
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

bool parts_fingerprint(struct fingerprint *into)
{
    for (unsigned i = 0; i < PART_COUNT; i++)
        if (!parts[i]->fingerprint || !parts[i]->fingerprint(into))
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
