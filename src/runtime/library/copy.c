#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/fingerprint.h"
#include "runtime/hooks/plain.h"
#include "runtime/library/library.h"
#include "runtime/program/native.h"

/* Plain accesses as steps of their own: what a function would read is read by steps into a copy, the function works on copies, and what
 * it wrote is written from there by steps. What cannot be copied (a piece of an unknown text, memory of libc's own) is named. */

#define COPIES_MAX 24

/* Private memory in the place of an argument. */
struct copy {
    char *at;
    size_t room; /* bytes allocated */
    size_t size; /* bytes that mean something */
    char *original;
    uint32_t arg;
    size_t from, written;                /* what goes back: first byte and number */
    const struct library_access *writes; /* says after the call how much that is, or NULL */
};

/* Of each thread. */
struct copies {
    struct copy at[COPIES_MAX];
    uint32_t count;
};

static struct copies *copies_of(const struct native_thread *thread)
{
    return thread->own[PART_COPIES];
}

static void copies_free(struct copies *copies)
{
    while (copies->count > 0) {
        copies->count--;
        arena_free(&native.memory, copies->at[copies->count].at, copies->at[copies->count].room);
    }
}

/* What was kept for the calls of threads that never came back. */
static void restart(void)
{
    for (uint32_t i = 0; i < native.threads.count; i++)
        copies_free(copies_of(native.threads.at[i]));
}

/* ---- steps: eight bytes at a time where they lie so, as the hooks for struct copies have it */

static void bytes_load(char *to, const char *from, size_t size, const struct raddle_site *site)
{
    for (size_t done = 0; done < size;) {
        if (((uintptr_t)from + done) % 8 == 0 && size - done >= 8) {
            uint64_t word = __raddle_load8(from + done, HOOK_PLAIN, site);

            memcpy(to + done, &word, sizeof word);
            done += sizeof word;
        } else {
            to[done] = (char)__raddle_load1(from + done, HOOK_PLAIN, site);
            done++;
        }
    }
}

static void bytes_store(char *to, const char *from, size_t size, const struct raddle_site *site)
{
    for (size_t done = 0; done < size;) {
        if (((uintptr_t)to + done) % 8 == 0 && size - done >= 8) {
            uint64_t word;

            memcpy(&word, from + done, sizeof word);
            __raddle_store8(to + done, word, HOOK_PLAIN, site);
            done += sizeof word;
        } else {
            __raddle_store1(to + done, (uint8_t)from[done], HOOK_PLAIN, site);
            done++;
        }
    }
}

/* ---- memory that never changes needs no steps */

#define CONSTANTS_MAX 256

static struct {
    struct {
        uintptr_t low, high;
    } at[CONSTANTS_MAX];
    uint32_t count;
    bool known;
} constants; /* outlives a run: modules stay where they are */

static int constants_add(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; i < info->dlpi_phnum && constants.count < CONSTANTS_MAX; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type != PT_LOAD || header->p_flags & PF_W)
            continue;
        constants.at[constants.count].low = info->dlpi_addr + header->p_vaddr;
        constants.at[constants.count].high = constants.at[constants.count].low + header->p_memsz;
        constants.count++;
    }
    return 0;
}

static bool is_private(const void *at)
{
    if (native_direct(at))
        return true;
    if (!constants.known)
        dl_iterate_phdr(constants_add, NULL);
    constants.known = true;
    for (uint32_t i = 0; i < constants.count; i++)
        if ((uintptr_t)at >= constants.at[i].low && (uintptr_t)at < constants.at[i].high)
            return true;
    return false;
}

/* ---- in */

struct copying {
    struct library_call *call;
    struct copies *copies;
    bool impossible; /* something could not be copied */
};

static struct copy *copy_find(const struct copying *copying, uint32_t arg)
{
    for (uint32_t i = 0; i < copying->copies->count; i++)
        if (copying->copies->at[i].arg == arg)
            return &copying->copies->at[i];
    return NULL;
}

static void copy_enlarge(struct copy *copy, size_t room)
{
    struct arena *arena = &native.memory;
    char *at;

    if (room <= copy->room)
        return;
    at = arena_alloc(arena, room);
    memcpy(at, copy->at, copy->size);
    arena_free(arena, copy->at, copy->room);
    copy->at = at;
    copy->room = room;
}

/* Whether what the argument points to is used after the call, too. */
static bool is_kept(const struct library_row *row, uint32_t arg)
{
    for (const struct library_access *access = row->accesses; access->kind; access++)
        if (access->kind == ACCESS_KEEPS && access->arg == arg)
            return true;
    return false;
}

/* A new copy, with nothing in it, for the memory that the argument points to; NULL: none is needed or possible. */
static struct copy *copy_new(struct copying *copying, uint32_t arg, size_t room)
{
    struct copies *copies = copying->copies;
    char *original = library_pointer(copying->call, arg);
    struct copy *copy;

    if (!original || is_private(original))
        return NULL;
    if (copies->count == COPIES_MAX || copying->call->open || is_kept(copying->call->row, arg)) {
        copying->impossible = true;
        return NULL;
    }
    copy = &copies->at[copies->count++];
    *copy = (struct copy){.original = original, .arg = arg, .room = room ? room : 1};
    copy->at = arena_alloc(&native.memory, copy->room);
    return copy;
}

static void copy_use(const struct copying *copying, const struct copy *copy)
{
    copying->call->arguments[copy->arg] = (uintptr_t)copy->at;
}

static void copy_append(const struct copying *copying, struct copy *copy)
{
    if (copy->size + 1 > copy->room)
        copy_enlarge(copy, 2 * copy->room + 16);
    copy->at[copy->size] =
        (char)__raddle_load1(copy->original + copy->size, HOOK_PLAIN, copying->call->site);
    copy->size++;
}

/* Characters of `width` bytes up to a 0, or to `stop` if that is not less than 0; at most `most` of them. */
static void text_in(struct copying *copying, uint32_t arg, size_t most, unsigned width, int stop)
{
    struct copy *copy = copy_new(copying, arg, 64);

    if (!copy)
        return;
    for (size_t i = 0; i < most; i++) {
        static const char zeros[sizeof(int)];

        for (unsigned k = 0; k < width; k++)
            copy_append(copying, copy);
        if (memcmp(copy->at + copy->size - width, zeros, width) == 0)
            break;
        if (stop >= 0 && copy->at[copy->size - 1] == (char)stop)
            break;
    }
    copy_enlarge(copy, copy->size + width);
    memset(copy->at + copy->size, 0, width); /* nobody may read on */
    copy_use(copying, copy);
}

static void bytes_in(struct copying *copying, uint32_t arg, size_t size)
{
    struct copy *copy = copy_new(copying, arg, size);

    if (!copy)
        return;
    bytes_load(copy->at, copy->original, size, copying->call->site);
    copy->size = size;
    copy_use(copying, copy);
}

static void seek_in(struct copying *copying, uint32_t arg, int byte, size_t most)
{
    struct copy *copy = copy_new(copying, arg, 64);

    if (!copy)
        return;
    while (copy->size < most) {
        copy_append(copying, copy);
        if (copy->at[copy->size - 1] == (char)byte)
            break;
    }
    copy_enlarge(copy, most < ((size_t)1 << 30) ? most : copy->size);
    copy_use(copying, copy);
}

static void read_in(struct copying *copying, const struct library_access *access)
{
    const struct library_call *call = copying->call;
    size_t a = library_argument(call, access->a), b = library_argument(call, access->b);
    size_t any = SIZE_MAX / 8;

    switch ((enum library_size)access->size) {
    case SIZE_TEXT:
        text_in(copying, access->arg, any, 1, -1);
        break;
    case SIZE_TEXT_UPTO:
        text_in(copying, access->arg, a, 1, -1);
        break;
    case SIZE_WIDE:
        text_in(copying, access->arg, any, sizeof(wchar_t), -1);
        break;
    case SIZE_WIDE_UPTO:
        text_in(copying, access->arg, a, sizeof(wchar_t), -1);
        break;
    case SIZE_SEEK_TEXT:
        text_in(copying, access->arg, any, 1, (unsigned char)a);
        break;
    case SIZE_SEEK:
        seek_in(copying, access->arg, (int)a, b);
        break;
    default:
        bytes_in(copying, access->arg, library_room(call, access));
    }
}

/* Both a byte at a time, up to where they differ. */
static void compared_in(struct copying *copying, const struct library_access *access)
{
    const struct library_call *call = copying->call;
    size_t most = access->b == LIBRARY_NO_ARG ? SIZE_MAX / 8 : library_argument(call, access->b);
    const char *texts[2] = {library_pointer(call, access->arg), library_pointer(call, access->a)};
    static const wchar_t end;
    size_t width = library_character(access);
    struct copy *copies[2];
    uint32_t first = copying->copies->count;

    copy_new(copying, access->arg, 64);
    copy_new(copying, access->a, 64);
    for (int k = 0; k < 2; k++)
        copies[k] = NULL;
    for (uint32_t i = first; i < copying->copies->count; i++)
        copies[copying->copies->at[i].arg == access->arg ? 0 : 1] = &copying->copies->at[i];
    for (size_t i = 0; i < most && !copying->impossible; i++) {
        const char *characters[2];

        for (int k = 0; k < 2; k++) {
            for (size_t byte = 0; copies[k] && byte < width; byte++)
                copy_append(copying, copies[k]);
            characters[k] = (copies[k] ? copies[k]->at : texts[k]) + i * width;
        }
        if (!library_is_same(access, characters[0], characters[1]) ||
            memcmp(characters[0], &end, width) == 0)
            break;
    }
    for (int k = 0; k < 2; k++)
        if (copies[k]) {
            copy_enlarge(copies[k], copies[k]->size + width);
            memset(copies[k]->at + copies[k]->size, 0, width);
            copy_use(copying, copies[k]);
        }
}

/* Room for what will be written, on top of what was read there, if it was. */
static void write_in(struct copying *copying, const struct library_access *access)
{
    size_t room = library_room(copying->call, access);
    struct copy *copy = copy_find(copying, access->arg);

    if (!copy) {
        copy = copy_new(copying, access->arg, room);
        if (!copy)
            return;
        memcpy(copy->at, copy->original, room); /* what stays is never looked at */
        copy->size = room;
    }
    copy_enlarge(copy, room);
    copy->writes = access;
    copy_use(copying, copy);
}

static void append_in(struct copying *copying, const struct library_access *access)
{
    struct copy *copy;
    size_t more = library_room(copying->call, access);

    text_in(copying, access->arg, SIZE_MAX / 8, 1, -1);
    copy = copy_find(copying, access->arg);
    if (!copy)
        return;
    copy->from = copy->size - 1;
    copy->written = more;
    copy_enlarge(copy, copy->size + more);
    copy_use(copying, copy);
}

static void conversion_in(void *context, const struct library_conversion *conversion)
{
    struct copying *copying = context;

    if (is_private(conversion->at))
        return;
    if (conversion->arg == LIBRARY_NO_ARG || conversion->writes)
        copying->impossible = true;
    else
        text_in(copying, conversion->arg, conversion->size, conversion->wide ? sizeof(wchar_t) : 1,
                -1);
}

/* The arguments change while the format is walked through, but only those that it has passed. */
static void format_in(struct copying *copying, const struct library_access *access)
{
    text_in(copying, access->arg, SIZE_MAX / 8, 1, -1);
    library_format(copying->call, access, library_pointer(copying->call, access->arg),
                   conversion_in, copying);
}

static void end_in(struct copying *copying, const struct library_access *access)
{
    struct copy *copy = copy_new(copying, access->arg, sizeof(char *));

    if (!copy)
        return;
    copy->size = copy->written = sizeof(char *);
    copy_use(copying, copy);
}

static void access_in(struct copying *copying, const struct library_access *access)
{
    const void *at = library_pointer(copying->call, access->arg);

    switch ((enum library_access_kind)access->kind) {
    case ACCESS_READS:
        read_in(copying, access);
        break;
    case ACCESS_WRITES:
        write_in(copying, access);
        break;
    case ACCESS_APPENDS:
        append_in(copying, access);
        break;
    case ACCESS_COMPARES:
        compared_in(copying, access);
        break;
    case ACCESS_PRINTS:
    case ACCESS_VPRINTS:
    case ACCESS_SCANS:
    case ACCESS_VSCANS:
        format_in(copying, access);
        break;
    case ACCESS_ENDS:
        end_in(copying, access);
        break;
    case ACCESS_READS_VECTORS: /* pieces that are reached through pointers in memory */
    case ACCESS_WRITES_VECTORS:
    case ACCESS_GIVES:
    case ACCESS_GIVES_TEXT:
        copying->impossible = true;
        break;
    case ACCESS_TOKEN: /* where a piece will be cut off nobody knows */
        copying->impossible |= access->arg == LIBRARY_NO_ARG || !at || !is_private(at);
        break;
    case ACCESS_LINE:
        copying->impossible |= !is_private(at) ||
                               !is_private(library_pointer(copying->call, access->a)) ||
                               !is_private(*(void *const *)at);
        break;
    default:
        break;
    }
}

void library_copy_in(struct library_call *call)
{
    struct copying copying = {.call = call, .copies = copies_of(native.current)};
    char text[200];

    copies_free(copying.copies);
    for (const struct library_access *access = call->row->accesses; access->kind; access++)
        access_in(&copying, access);
    if (!copying.impossible)
        return;
    snprintf(text, sizeof text, "%s on memory that others see, with --races=ignore",
             call->row->name);
    native_unsupported(text);
}

/* ---- out */

/* A pointer into a copy as one into what it is a copy of. */
static uint64_t translated(const struct copies *copies, uint64_t pointer)
{
    for (uint32_t i = 0; i < copies->count; i++) {
        const struct copy *copy = &copies->at[i];

        if (pointer >= (uintptr_t)copy->at && pointer <= (uintptr_t)copy->at + copy->size)
            return pointer - (uintptr_t)copy->at + (uintptr_t)copy->original;
    }
    return pointer;
}

static void ends_translate(const struct library_call *call, const struct copies *copies)
{
    for (const struct library_access *access = call->row->accesses; access->kind; access++) {
        char **end = library_pointer(call, access->arg);

        if (access->kind == ACCESS_ENDS && end)
            *end = (char *)(uintptr_t)translated(copies, (uint64_t)(uintptr_t)*end);
    }
}

void library_copy_out(struct library_call *call)
{
    struct copies *copies = copies_of(native.current);

    if (copies->count == 0)
        return;
    ends_translate(call, copies);
    for (uint32_t i = 0; i < copies->count; i++) {
        struct copy *copy = &copies->at[i];

        if (copy->writes)
            copy->written = library_written(call, copy->writes);
        if (copy->written > copy->room - copy->from)
            copy->written = copy->room - copy->from;
        if (copy->size < copy->from + copy->written)
            copy->size = copy->from + copy->written;
    }
    call->result = translated(copies, call->result);
    for (uint32_t i = 0; i < copies->count; i++) /* others may run meanwhile */
        bytes_store(copies->at[i].original + copies->at[i].from,
                    copies->at[i].at + copies->at[i].from, copies->at[i].written, call->site);
    copies_free(copies);
}

static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    (void)into;
    return copies_of(thread)->count == 0;
}

const struct part copies_part = {.name = "copies of arguments",
                                 .thread_size = sizeof(struct copies),
                                 .restart = restart,
                                 .stateless = true,
                                 .fingerprint_thread = fingerprint_thread};
