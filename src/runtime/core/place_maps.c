#include "runtime/core/place_maps.h"

#include <fcntl.h>
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

static bool line_visit(const char *line, bool (*visit)(const struct place_mapping *mapping))
{
    struct place_mapping mapping;
    char rights[5];

    if (!line_read(line, &mapping, rights))
        return false;
    return rights[1] != 'w' || rights[3] != 'p' || visit(&mapping);
}

/* Lines are short at their beginning, which is all that counts. */
bool place_mappings(bool (*visit)(const struct place_mapping *mapping))
{
    char buffer[4096], line[128];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC), got;
    bool good = fd >= 0;
    size_t used = 0;

    while (good && (got = syscall(SYS_read, fd, buffer, sizeof buffer)) != 0) {
        good = got > 0;
        for (long i = 0; good && i < got; i++) {
            if (buffer[i] != '\n') {
                if (used + 1 < sizeof line)
                    line[used++] = buffer[i];
                continue;
            }
            line[used] = '\0';
            used = 0;
            good = line_visit(line, visit);
        }
    }
    if (fd >= 0)
        kernel_close((int)fd);
    return good;
}
