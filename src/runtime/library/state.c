#include "runtime/library/state.h"

#include <stdio.h>
#include <string.h>

#include "base/fingerprint.h"
#include "runtime/files/files.h"
#include "runtime/program/native.h"

/* Of the part, but apart: reports name what is read and changed by its symbol. */
#define CELL(id, name) static uint64_t state_of_##name;
LIBRARY_CELLS
#undef CELL

static uint64_t *const cells[] = {
#define CELL(id, name) [id] = &state_of_##name,
    LIBRARY_CELLS
#undef CELL
};

#define STREAM_CELLS 64

/* Of the part, but apart: reports name what is read and changed by its symbol. */
static uint64_t state_of_streams[STREAM_CELLS];

static struct {
    bool used; /* any of these cells */
} library;

/* libc's state as at the start. */
static void restart(void)
{
    if (!library.used)
        return;
    for (int i = 0; i < LIBRARY_CELL_COUNT; i++)
        *cells[i] = 0;
    memset(state_of_streams, 0, sizeof state_of_streams);
    library.used = false;
}

static void cell_use(const struct library_call *call, uint64_t *cell)
{
    library.used = true;
    __raddle_rmw8(cell, 1, 4 | HOOK_ADD << 8, call->site);
}

static void plain_cell_use(const struct library_call *call, uint64_t *cell, bool writes)
{
    if (writes)
        __raddle_store8(cell, 0, HOOK_PLAIN, call->site);
    else
        __raddle_load8(cell, HOOK_PLAIN, call->site);
}

/* ---- streams and directories */

/* Functions that do not lock the stream; the last two are called by what the headers of libc make of such ones. */
static bool is_unlocked(const char *name)
{
    return strstr(name, "_unlocked") || strcmp(name, "__overflow") == 0 ||
           strcmp(name, "__uflow") == 0;
}

static void in_order(const struct library_call *call, const void *stream)
{
    cell_use(call, &state_of_streams[mix64((uint64_t)(uintptr_t)stream) % STREAM_CELLS]);
}

static void directory_use(const struct library_call *call, const void *directory)
{
    if (!directory)
        return;
    library_stream_touch(directory, true, true);
    if (!native.alone)
        in_order(call, directory);
}

/* What the program prints it never sees, so the order of that does not matter. Nor does that of what takes no lock, if there is no race. */
static void stream_use(const struct library_call *call, const FILE *stream, bool asks)
{
    bool unlocked = is_unlocked(call->row->name);

    if (!stream)
        return;
    library_stream_touch(stream, !unlocked, !asks);
    streams_unlock((FILE *)stream);
    if (native.alone || stream == stdout || stream == stderr)
        return;
    files_stream(stream);
    if (!unlocked || !native.detects)
        in_order(call, stream);
}

static void standard_use(const struct library_call *call, enum library_access_kind kind)
{
    library_variables_use(STANDARD, LIBRARY_ASKS);
    stream_use(call,
               kind == ACCESS_STREAM_INPUT    ? stdin
               : kind == ACCESS_STREAM_OUTPUT ? stdout
                                              : stderr,
               false);
}

/* ---- the rest */

static void hidden_use(const struct library_call *call, const struct library_access *access)
{
    enum library_cell cell = access->a;

    if (cell == ENVIRONMENT && (access->kind == ACCESS_RACY || access->kind == ACCESS_HIDDEN_READ))
        library_environment_use(call, access->kind == ACCESS_RACY);
    switch ((enum library_access_kind)access->kind) {
    case ACCESS_HIDDEN:
        cell_use(call, cells[cell]);
        library_variables_use(cell, LIBRARY_SETS_LOCKED);
        break;
    case ACCESS_HIDDEN_READ:
        plain_cell_use(call, cells[cell], false);
        library_variables_use(cell, LIBRARY_ASKS);
        break;
    case ACCESS_RACY:
        plain_cell_use(call, cells[cell], true);
        library_variables_use(cell, LIBRARY_SETS);
        break;
    case ACCESS_SETS:
        library_variables_use(cell, LIBRARY_SETS);
        break;
    case ACCESS_SETS_LOCKED:
        library_variables_use(cell, LIBRARY_SETS_LOCKED);
        break;
    default:
        break;
    }
}

/* The order in which threads come here shows, so it is a step of its own. */
static void shared_use(const struct library_call *call, const struct library_access *access)
{
    switch ((enum library_access_kind)access->kind) {
    case ACCESS_LOOKS_UP:
    case ACCESS_CHANGES:
    case ACCESS_LISTS:
    case ACCESS_OPENS:
    case ACCESS_OPENS_STREAM:
        library_path_use(call, access);
        break;
    case ACCESS_USES_FILE:
    case ACCESS_WRITES_FILE:
    case ACCESS_CHANGES_FILE:
        library_file_use(call, access);
        break;
    default:
        hidden_use(call, access);
        break;
    }
}

void library_state_use(const struct library_call *call)
{
    for (const struct library_access *access = call->row->accesses; access->kind; access++)
        switch ((enum library_access_kind)access->kind) {
        case ACCESS_STREAM:
        case ACCESS_STREAM_ASKS:
            stream_use(call, library_pointer(call, access->arg),
                       access->kind == ACCESS_STREAM_ASKS);
            break;
        case ACCESS_STREAM_FIXED:
            if (library_pointer(call, access->arg))
                library_stream_touch(library_pointer(call, access->arg), true, false);
            break;
        case ACCESS_DIRECTORY:
            directory_use(call, library_pointer(call, access->arg));
            break;
        case ACCESS_STREAM_INPUT:
        case ACCESS_STREAM_OUTPUT:
        case ACCESS_STREAM_ERROR:
            standard_use(call, access->kind);
            break;
        default:
            if (!native.alone)
                shared_use(call, access);
            break;
        }
}

/* Each use counts as a step, which the world knows; what it has left in libc nobody knows. */
static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !library.used;
}

const struct part library_part = {.name = "library",
                                  .state = &library,
                                  .size = sizeof library,
                                  .open = library_variables_open,
                                  .restart = restart,
                                  .fingerprint = fingerprint};
