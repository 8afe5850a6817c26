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
