#include "runtime/library/state.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <wchar.h>

#include "runtime/core/image.h"
#include "runtime/files/files.h"
#include "runtime/hooks/plain.h"
#include "runtime/hooks/written.h"
#include "runtime/program/native.h"

/* ---- the table */

enum {
    PURE = EFFECT_PURE,
    STATE = EFFECT_STATE,
    CHANCE = EFFECT_CHANCE,
    NO_ARG = LIBRARY_NO_ARG,
};

#define NOTHING                  {ACCESS_END, 0, SIZE_BYTES, 0, 0}
#define READS(arg, size)         {ACCESS_READS, arg, size},
#define WRITES(arg, size)        {ACCESS_WRITES, arg, size},
#define APPENDS(arg, size)       {ACCESS_APPENDS, arg, size},
#define COMPARES(arg, other, n)  {ACCESS_COMPARES, arg, SIZE_BYTES, other, n},
#define FOLDED(arg, other, n)    {ACCESS_COMPARES, arg, SIZE_TEXT, other, n},
#define COMPARES_WIDE(a, b, n)   {ACCESS_COMPARES, a, SIZE_WIDE, b, n},
#define PRINTS(f)                {ACCESS_PRINTS, f, SIZE_TEXT, 0, 0},
#define VPRINTS(f)               {ACCESS_VPRINTS, f, SIZE_TEXT, 0, 0},
#define SCANS(f)                 {ACCESS_SCANS, f, SIZE_TEXT, 0, 0},
#define VSCANS(f)                {ACCESS_VSCANS, f, SIZE_TEXT, 0, 0},
#define STREAM(arg)              {ACCESS_STREAM, arg, SIZE_BYTES, 0, 0},
#define STREAM_ASKS(arg)         {ACCESS_STREAM_ASKS, arg, SIZE_BYTES, 0, 0},
#define STREAM_FIXED(arg)        {ACCESS_STREAM_FIXED, arg, SIZE_BYTES, 0, 0},
#define DIRECTORY(arg)           {ACCESS_DIRECTORY, arg, SIZE_BYTES, 0, 0},
#define STREAM_INPUT             {ACCESS_STREAM_INPUT, NO_ARG, SIZE_BYTES, 0, 0},
#define STREAM_OUTPUT            {ACCESS_STREAM_OUTPUT, NO_ARG, SIZE_BYTES, 0, 0},
#define STREAM_ERROR             {ACCESS_STREAM_ERROR, NO_ARG, SIZE_BYTES, 0, 0},
#define HIDDEN(cell)             {ACCESS_HIDDEN, NO_ARG, SIZE_BYTES, cell, 0},
#define HIDDEN_READ(cell)        {ACCESS_HIDDEN_READ, NO_ARG, SIZE_BYTES, cell, 0},
#define RACY(cell)               {ACCESS_RACY, NO_ARG, SIZE_BYTES, cell, 0},
#define SETS(cell)               {ACCESS_SETS, NO_ARG, SIZE_BYTES, cell, 0},
#define SETS_LOCKED(cell)        {ACCESS_SETS_LOCKED, NO_ARG, SIZE_BYTES, cell, 0},
#define GIVES(n)                 {ACCESS_GIVES, NO_ARG, SIZE_BYTES, n, 0},
#define GIVES_TEXT               {ACCESS_GIVES_TEXT, NO_ARG, SIZE_BYTES, 0, 0},
#define ENDS(arg, text)          {ACCESS_ENDS, arg, SIZE_BYTES, text, 0},
#define TOKEN(arg)               {ACCESS_TOKEN, arg, SIZE_BYTES, 0, 0},
#define LINE(line, room)         {ACCESS_LINE, line, SIZE_BYTES, room, 0},
#define READS_VECTORS(v, n)      {ACCESS_READS_VECTORS, v, SIZE_BYTES, n, 0},
#define WRITES_VECTORS(v, n)     {ACCESS_WRITES_VECTORS, v, SIZE_BYTES, n, 0},
#define READS_MESSAGE(m)         {ACCESS_READS_VECTORS, m, SIZE_BYTES, NO_ARG, 0},
#define WRITES_MESSAGE(m)        {ACCESS_WRITES_VECTORS, m, SIZE_BYTES, NO_ARG, 0},
#define LOOKS_UP(path)           {ACCESS_LOOKS_UP, path, SIZE_BYTES, 0, 0},
#define CHANGES(path)            {ACCESS_CHANGES, path, SIZE_BYTES, 0, 0},
#define LISTS(path)              {ACCESS_LISTS, path, SIZE_BYTES, 0, 0},
#define USES_FILE(fd)            {ACCESS_USES_FILE, fd, SIZE_BYTES, 0, 0},
#define WRITES_FILE(fd)          {ACCESS_WRITES_FILE, fd, SIZE_BYTES, 0, 0},
#define CHANGES_FILE(path, at)   {ACCESS_CHANGES_FILE, path, SIZE_BYTES, at, 0},
#define OPENS(path, flags)       {ACCESS_OPENS, path, SIZE_BYTES, flags, 0},
#define OPENS_STREAM(path, mode) {ACCESS_OPENS_STREAM, path, SIZE_BYTES, mode, 0},
#define SETS_JUMP(buffer, mask)  {ACCESS_SETS_JUMP, buffer, SIZE_BYTES, mask, 0},
#define KEEPS(arg)               {ACCESS_KEEPS, arg, SIZE_BYTES, 0, 0},
#define OWN                      {ACCESS_OWN, NO_ARG, SIZE_BYTES, 0, 0},
#define OBJECT(arg)              {ACCESS_OBJECT, arg, SIZE_BYTES, 0, 0},
#define VARIES(arg)              {ACCESS_VARIES, arg, SIZE_BYTES, 0, 0},
#define FREES(arg)               {ACCESS_FREES, arg, SIZE_BYTES, 0, 0},
#define ALLOCATES                {ACCESS_ALLOCATES, NO_ARG, SIZE_BYTES, 0, 0},
#define BYTES(n)                 SIZE_BYTES, n, 0
#define ARG(a)                   SIZE_ARG, a, 1
#define TIMES(a, n)              SIZE_ARG, a, n
#define PRODUCT(a, b)            SIZE_PRODUCT, a, b
#define TEXT                     SIZE_TEXT, 0, 0
#define TEXT_UPTO(a)             SIZE_TEXT_UPTO, a, 0
#define WIDE                     SIZE_WIDE, 0, 0
#define WIDE_UPTO(a)             SIZE_WIDE_UPTO, a, 0
#define LIKE(a)                  SIZE_LIKE, a, 0
#define LIKE_UPTO(a, b)          SIZE_LIKE_UPTO, a, b
#define LIKE_WIDE(a)             SIZE_LIKE_WIDE, a, 0
#define SEEK(byte, n)            SIZE_SEEK, byte, n
#define LIKE_SEEK(a)             SIZE_LIKE_SEEK, a, 0
#define SEEK_TEXT(byte)          SIZE_SEEK_TEXT, byte, 0
#define SEEK_WIDE(character)     SIZE_SEEK_WIDE, character, 0
#define FAMILY(a)                SIZE_FAMILY, a, 0
#define PRINTED_WIDE(room)       SIZE_PRINTED_WIDE, room, 0
#define GOT(room)                SIZE_GOT, room, 0
#define GOT_BYTES(n)             SIZE_GOT_BYTES, n, 0
#define GOT_ITEMS(size, room)    SIZE_GOT_ITEMS, size, room
#define GOT_TEXT(room)           SIZE_GOT_TEXT, room, 0
#define GOT_TEXT_BYTES(n)        SIZE_GOT_TEXT_BYTES, n, 0
#define DONE_TEXT(room)          SIZE_DONE_TEXT, room, 0
#define PRINTED(room)            SIZE_PRINTED, room, 0
#define PRINTED_BY(f)            SIZE_PRINTED_BY, f, 0
#define GOT_EACH(n, room)        SIZE_GOT_EACH, n, room
#define DONE(n)                  SIZE_DONE, n, 0
#define DONE_ARG(a)              SIZE_DONE_ARG, a, 0
#define MADE(n)                  SIZE_MADE, n, 0
#define HELD(p)                  SIZE_HELD, p, 0

static const struct library_row rows[] = {
#define LIBRARY(name, effect, accesses) {#name, effect, {accesses}},
#include "runtime/library/library.def"
#undef LIBRARY
};

const struct library_row *library_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

const char *library_name_of(const void *function)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (dlsym(RTLD_DEFAULT, rows[i].name) == function)
            return rows[i].name;
    return NULL;
}

bool library_duplicates(const struct library_row *row)
{
    static const char *const names[] = {"strdup", "__strdup", "strndup", "__strndup", "wcsdup"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(row->name, names[i]) == 0)
            return true;
    return false;
}

/* ---- arguments and sizes */

uint64_t library_argument(const struct library_call *call, unsigned arg)
{
    return arg < call->count ? call->arguments[arg] : 0;
}

void *library_pointer(const struct library_call *call, unsigned arg)
{
    return (void *)(uintptr_t)library_argument(call, arg);
}

static size_t text_size(const char *text, size_t most)
{
    size_t length = text ? strnlen(text, most) : 0;

    return text && length < most ? length + 1 : length;
}

static size_t wide_size(const wchar_t *text, size_t most)
{
    size_t length = text ? wcsnlen(text, most) : 0;

    return (text && length < most ? length + 1 : length) * sizeof *text;
}

static size_t seek_size(const char *at, int byte, size_t most, bool text)
{
    for (size_t i = 0; i < most; i++)
        if (at[i] == (char)byte || (text && !at[i]))
            return i + 1;
    return most;
}

static size_t wide_seek_size(const wchar_t *at, wchar_t character)
{
    size_t i = 0;

    while (at[i] != character && at[i])
        i++;
    return (i + 1) * sizeof *at;
}

static size_t printed_room(const struct library_call *call, unsigned format)
{
    for (const struct library_access *access = call->row->accesses; access->kind; access++)
        if ((access->kind == ACCESS_PRINTS || access->kind == ACCESS_VPRINTS) &&
            access->arg == format)
            return library_format(call, access, library_pointer(call, format), NULL, NULL) + 1;
    return 0;
}

size_t library_room(const struct library_call *call, const struct library_access *access)
{
    const void *at = library_pointer(call, access->arg), *other = library_pointer(call, access->a);
    uint64_t a = library_argument(call, access->a), b = library_argument(call, access->b);

    switch ((enum library_size)access->size) {
    case SIZE_BYTES:
    case SIZE_GOT_BYTES:
    case SIZE_GOT_TEXT_BYTES:
    case SIZE_DONE:
    case SIZE_MADE:
        return access->a;
    case SIZE_ARG:
        return (int64_t)a < 0 ? 0 : a * access->b;
    case SIZE_GOT:
    case SIZE_GOT_TEXT:
    case SIZE_DONE_TEXT:
    case SIZE_PRINTED:
    case SIZE_DONE_ARG:
        return (int64_t)a < 0 ? 0 : a;
    case SIZE_GOT_EACH:
        return (int64_t)b < 0 ? 0 : b * access->a;
    case SIZE_PRODUCT:
    case SIZE_GOT_ITEMS:
        return __builtin_mul_overflow(a, b, &a) || (int64_t)a < 0 ? 0 : a;
    case SIZE_TEXT:
        return text_size(at, SIZE_MAX);
    case SIZE_TEXT_UPTO:
        return text_size(at, a);
    case SIZE_WIDE:
        return wide_size(at, SIZE_MAX / sizeof(wchar_t));
    case SIZE_WIDE_UPTO:
        return wide_size(at, a);
    case SIZE_LIKE:
        return text_size(other, SIZE_MAX);
    case SIZE_LIKE_UPTO:
        return strnlen(other, b) + 1;
    case SIZE_LIKE_WIDE:
        return wide_size(other, SIZE_MAX / sizeof(wchar_t));
    case SIZE_SEEK:
        return seek_size(at, (int)a, b, false);
    case SIZE_LIKE_SEEK:
        return seek_size(other, (int)library_argument(call, access->a + 1u),
                         library_argument(call, access->a + 2u), false);
    case SIZE_SEEK_TEXT:
        return seek_size(at, (int)a, SIZE_MAX, true);
    case SIZE_PRINTED_BY:
        return printed_room(call, access->a);
    case SIZE_PRINTED_WIDE:
        return (int64_t)a < 0 ? 0 : a * sizeof(wchar_t);
    case SIZE_SEEK_WIDE:
        return wide_seek_size(at, (wchar_t)a);
    case SIZE_FAMILY:
        return a == AF_INET6 ? 16 : 4;
    case SIZE_HELD:
        return 0;
    }
    return 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t library_written(const struct library_call *call, const struct library_access *access)
{
    /* not of what a format prints: its va_list has been read to the end by now */
    size_t room = access->size == SIZE_PRINTED_BY ? 0 : library_room(call, access);
    const char *at = library_pointer(call, access->arg);
    /* what gives a length, an int for most, is less than 0 when it fails; what gives a pointer, NULL */
    int64_t result = (int64_t)call->result;

    switch ((enum library_size)access->size) {
    case SIZE_GOT:
    case SIZE_GOT_BYTES:
        return result > 0 ? least((size_t)result, room) : 0;
    case SIZE_GOT_ITEMS:
        return least((size_t)call->result * library_argument(call, access->a), room);
    case SIZE_GOT_TEXT:
    case SIZE_GOT_TEXT_BYTES:
        return call->result == (uintptr_t)at ? text_size(at, room) : 0;
    case SIZE_DONE_TEXT:
        return call->result == 0 ? text_size(at, room) : 0;
    case SIZE_PRINTED:
        return result >= 0 ? least((size_t)result + 1, room) : 0;
    case SIZE_PRINTED_BY:
        return result >= 0 ? (size_t)result + 1 : 0;
    case SIZE_PRINTED_WIDE:
        return result >= 0 ? least(((size_t)result + 1) * sizeof(wchar_t), room) : 0;
    case SIZE_GOT_EACH:
        return result > 0 ? least((size_t)result * access->a, room) : 0;
    case SIZE_DONE:
    case SIZE_DONE_ARG:
        return result == 0 ? room : 0;
    case SIZE_MADE:
        return result > 0 ? room : 0;
    default:
        return room;
    }
}

/* ---- checked for races */

#define RANGES_MAX 40

struct ranges {
    struct native_range at[RANGES_MAX];
    size_t count;
    uint64_t result; /* of scanf */
};

static void range_add(struct ranges *ranges, const void *at, size_t size, bool writes)
{
    if (!at || size == 0)
        return;
    if (ranges->count == RANGES_MAX) {
        native_touches(ranges->at, ranges->count);
        ranges->count = 0;
    }
    ranges->at[ranges->count++] = (struct native_range){at, size, writes};
}

static void conversion_add(void *context, const struct library_conversion *conversion)
{
    struct ranges *ranges = context;
    size_t size = conversion->size;

    if (conversion->text)
        size = conversion->wide ? wide_size(conversion->at, size) : text_size(conversion->at, size);
    if (!conversion->writes || (int64_t)ranges->result >= (int64_t)conversion->assigned)
        range_add(ranges, conversion->at, size, conversion->writes);
}

/* A va_list is passed by its address, and read on by the call. */
static void list_add(struct ranges *ranges, const struct library_call *call,
                     const struct library_access *access)
{
    if (access->kind == ACCESS_VPRINTS || access->kind == ACCESS_VSCANS)
        range_add(ranges, library_pointer(call, access->arg + 1u), sizeof(va_list), true);
}

size_t library_character(const struct library_access *access)
{
    return access->size == SIZE_WIDE ? sizeof(wchar_t) : 1;
}

bool library_is_same(const struct library_access *access, const void *a, const void *b)
{
    if (access->size == SIZE_TEXT)
        return tolower(*(const unsigned char *)a) == tolower(*(const unsigned char *)b);
    return memcmp(a, b, library_character(access)) == 0;
}

/* Up to the first difference, or the end of both, in bytes; at most so many characters. */
static size_t common_size(const struct library_access *access, const char *a, const char *b,
                          size_t most)
{
    static const wchar_t end;
    size_t width = library_character(access), i = 0;

    while (i < most) {
        const char *one = a + i * width;

        i++;
        if (!library_is_same(access, one, b + (i - 1) * width) || memcmp(one, &end, width) == 0)
            break;
    }
    return i * width;
}

static void compared_add(struct ranges *ranges, const struct library_call *call,
                         const struct library_access *access)
{
    const char *a = library_pointer(call, access->arg), *b = library_pointer(call, access->a);
    size_t size = common_size(access, a, b,
                              access->b == NO_ARG ? SIZE_MAX : library_argument(call, access->b));

    range_add(ranges, a, size, false);
    range_add(ranges, b, size, false);
}

/* The pieces, in which no more than `most` bytes count; and the descriptions of them. */
static void vectors_add(struct ranges *ranges, const struct library_call *call,
                        const struct library_access *access, size_t most)
{
    bool writes = access->kind == ACCESS_WRITES_VECTORS;
    const struct msghdr *message = library_pointer(call, access->arg);
    const struct iovec *vectors = library_pointer(call, access->arg);
    size_t count = library_argument(call, access->a);

    if (access->a == NO_ARG) {
        range_add(ranges, message, sizeof *message, false);
        range_add(ranges, message->msg_name, message->msg_namelen, writes);
        range_add(ranges, message->msg_control, message->msg_controllen, writes);
        vectors = message->msg_iov;
        count = message->msg_iovlen;
    }
    range_add(ranges, vectors, count * sizeof *vectors, false);
    for (size_t i = 0; i < count && most > 0; i++) {
        size_t size = least(vectors[i].iov_len, most);

        range_add(ranges, vectors[i].iov_base, size, writes);
        most -= size;
    }
}

static void before_add(struct ranges *ranges, const struct library_call *call,
                       const struct library_access *access)
{
    const char *at = library_pointer(call, access->arg);

    switch ((enum library_access_kind)access->kind) {
    case ACCESS_READS:
        range_add(ranges, at, at ? library_room(call, access) : 0, false);
        break;
    case ACCESS_WRITES:
        if (access->size < SIZE_RESULT || call->open)
            range_add(ranges, at, at ? library_room(call, access) : 0, true);
        break;
    case ACCESS_APPENDS:
        range_add(ranges, at, text_size(at, SIZE_MAX), false);
        range_add(ranges, at + strlen(at), library_room(call, access), true);
        break;
    case ACCESS_COMPARES:
        compared_add(ranges, call, access);
        break;
    case ACCESS_READS_VECTORS:
        vectors_add(ranges, call, access, SIZE_MAX);
        break;
    case ACCESS_PRINTS:
    case ACCESS_VPRINTS:
        range_add(ranges, at, text_size(at, SIZE_MAX), false);
        list_add(ranges, call, access);
        library_format(call, access, at, conversion_add, ranges);
        break;
    case ACCESS_SCANS:
    case ACCESS_VSCANS:
        range_add(ranges, at, text_size(at, SIZE_MAX), false);
        list_add(ranges, call, access);
        break;
    case ACCESS_ENDS:
        range_add(ranges, at, sizeof(char *), true);
        break;
    case ACCESS_LINE:
        range_add(ranges, at, sizeof(char *), true);
        range_add(ranges, library_pointer(call, access->a), sizeof(size_t), true);
        break;
    default:
        break;
    }
}

/* The piece, and the byte that was made its end: that behind the last character is read only if the text ends there. */
static void token_add(struct ranges *ranges, const struct library_call *call,
                      const struct library_access *access)
{
    const char *token = (const char *)(uintptr_t)call->result;
    const char *from = library_pointer(call, access->arg);
    size_t length;

    if (!token)
        return;
    length = strlen(token);
    if (access->arg == NO_ARG || !from || from > token)
        from = token;
    range_add(ranges, from, (size_t)(token - from) + length + 1, false);
    range_add(ranges, token + length, 1, true);
}

static void after_add(struct ranges *ranges, const struct library_call *call,
                      const struct library_access *access)
{
    const char *at = library_pointer(call, access->arg);
    const char *result = (const char *)(uintptr_t)call->result;

    switch ((enum library_access_kind)access->kind) {
    case ACCESS_WRITES:
        if (access->size >= SIZE_RESULT)
            range_add(ranges, at, at ? library_written(call, access) : 0, true);
        break;
    case ACCESS_SCANS:
    case ACCESS_VSCANS:
        ranges->result = call->result;
        library_format(call, access, at, conversion_add, ranges);
        break;
    case ACCESS_WRITES_VECTORS:
        if ((int64_t)call->result > 0)
            vectors_add(ranges, call, access, call->result);
        break;
    case ACCESS_GIVES:
        range_add(ranges, result, access->a, true);
        break;
    case ACCESS_GIVES_TEXT:
        range_add(ranges, result, text_size(result, SIZE_MAX), true);
        break;
    case ACCESS_TOKEN:
        token_add(ranges, call, access);
        break;
    case ACCESS_LINE:
        if ((int64_t)call->result > 0)
            range_add(ranges, *(char **)library_pointer(call, access->arg), call->result + 1, true);
        break;
    default:
        break;
    }
}

static void touch(const struct library_call *call,
                  void add(struct ranges *, const struct library_call *,
                           const struct library_access *))
{
    struct ranges ranges;

    ranges.count = 0;
    ranges.result = 0;
    for (const struct library_access *access = call->row->accesses; access->kind; access++)
        add(&ranges, call, access);
    if (ranges.count)
        native_touches(ranges.at, ranges.count);
}

/* What only the result tells is checked behind the call, when it has been written, and functions of ours may give way before they write. */
static void rooms_note(const struct library_call *call)
{
    for (const struct library_access *access = call->row->accesses; access->kind; access++) {
        void *at = library_pointer(call, access->arg);

        if (access->kind == ACCESS_WRITES && at)
            written_room(at, library_room(call, access));
    }
}

/* Alone, only the heap's rules can be broken; otherwise steps check those themselves. */
static bool is_checked(void)
{
    return native.detects || native.alone;
}

/* The function tells of its accesses itself. */
static bool is_own(const struct library_call *call)
{
    return call->row->accesses[0].kind == ACCESS_OWN;
}

/* The kernel may write there for libc, and would fail where a page is watched. */
static void kernel_may_write(const struct library_call *call)
{
    for (const struct library_access *access = call->row->accesses; access->kind; access++)
        if (access->kind == ACCESS_WRITES && library_pointer(call, access->arg))
            image_touch(library_pointer(call, access->arg), library_room(call, access));
}

void library_before(struct library_call *call)
{
    if (is_own(call))
        return;
    if (call->row->effect != EFFECT_PURE)
        kernel_may_write(call);
    for (const struct library_access *access = call->row->accesses; access->kind; access++)
        if (access->kind == ACCESS_VSCANS)
            library_list_keep(call, access);
    library_state_use(call);
    if (!is_checked()) {
        library_copy_in(call);
        return;
    }
    touch(call, before_add);
    written_rooms_end(); /* of a call that was left by a jump, or has nothing behind it */
    if (native_compares())
        rooms_note(call);
}

void library_after(struct library_call *call)
{
    if (is_own(call))
        return;
    written_rooms_end();
    if (written.on && library_duplicates(call->row))
        written_block_filled((const void *)(uintptr_t)call->result);
    if (is_checked())
        touch(call, after_add);
    else
        library_copy_out(call);
}
