#include "runtime/core/place_maps.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/core/kernel.h"

/* "low-high rwxp offset device inode path": where a line stands. False: it is none. */
static bool line_read(const char *line, struct place_mapping *mapping, char rights[5])
{
    char *end;

    mapping->low = strtoul(line, &end, 16);
    if (*end != '-')
        return false;
    mapping->high = strtoul(end + 1, &end, 16);
    if (strlen(end) < 6)
        return false;
    memcpy(rights, end + 1, 4);
    rights[4] = '\0';
    strtoul(end + 6, &end, 16); /* the offset */
    while (*end == ' ')
        end++;
    while (*end && *end != ' ') /* the device */
        end++;
    mapping->of_file = strtoul(end, NULL, 10) != 0;
    return true;
}

static bool line_visit(const char *line, void *context)
{
    bool (**visit)(const struct place_mapping *mapping) = context;
    struct place_mapping mapping;
    char rights[5];

    if (!line_read(line, &mapping, rights))
        return false;
    return rights[1] != 'w' || rights[3] != 'p' || (*visit)(&mapping);
}

bool place_mappings(bool (*visit)(const struct place_mapping *mapping))
{
    return kernel_maps(line_visit, &visit);
}

bool place_ranges_add(struct place_ranges *ranges, uintptr_t low, uintptr_t high)
{
    struct place_mapping *next = &ranges->at[ranges->count];

    if (ranges->count > 0 && next[-1].high == low) {
        next[-1].high = high;
        return true;
    }
    if (ranges->count == PLACE_RANGES_MAX)
        return false;
    *next = (struct place_mapping){.low = low, .high = high};
    ranges->count++;
    return true;
}

/* The first that does not end before `at`, or their number. */
static uint32_t range_find(const struct place_ranges *ranges, uintptr_t at)
{
    uint32_t low = 0, high = ranges->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (ranges->at[middle].high <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool place_ranges_have(const struct place_ranges *ranges, uintptr_t at)
{
    uint32_t i = range_find(ranges, at);

    return i < ranges->count && ranges->at[i].low <= at;
}

void place_ranges_within(const struct place_ranges *ranges, uintptr_t low, uintptr_t high,
                         void (*visit)(uintptr_t low, uintptr_t high))
{
    for (uint32_t i = range_find(ranges, low); i < ranges->count && ranges->at[i].low < high; i++) {
        const struct place_mapping *range = &ranges->at[i];

        visit(low > range->low ? low : range->low, high < range->high ? high : range->high);
    }
}
