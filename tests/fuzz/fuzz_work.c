/* Any bytes: the reader of work refuses them with a reason, or gives work that comes out the same when it is written, read and written again. Chance does not
 * find checksums, so each input is also tried as what is behind a good header. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/work.h"

static const struct work_identity identity = {1, 2};

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_work: %s\n", what);
        abort();
    }
}

static void again(const struct work *work, struct arena *arena)
{
    struct bytes first, second;
    struct work read;
    struct work_error error;

    bytes_open(&first, arena);
    bytes_open(&second, arena);
    work_write(work, &identity, &first);
    require(work_read(&read, arena, first.data.at, first.data.count, &identity, NULL, &error),
            "what was written is refused");
    work_write(&read, &identity, &second);
    require(first.data.count == second.data.count &&
                memcmp(first.data.at, second.data.at, first.data.count) == 0,
            "written twice, two texts");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct work work;
    struct work_error error;
    struct bytes_reader in = {.at = data, .end = data + size};

    require(arena_open(&arena, (size_t)1 << 36) == 0, "no memory");
    error.text[0] = '\0';
    if (work_read(&work, &arena, data, size, NULL, NULL, &error))
        again(&work, &arena);
    else
        require(error.text[0] != '\0', "refused without a reason");
    if (work_read_inner(&work, &arena, &in))
        again(&work, &arena);
    arena_close(&arena);
    return 0;
}
