#include <ctype.h>
#include <string.h>
#include <wchar.h>

#include "runtime/library/library.h"
#include "runtime/program/native.h"

/* Formats of printf and scanf: which of the arguments point to memory, and how much of it. The arguments are words in an
 * array, or a va_list. */

#define NUMBER_MOST 32  /* characters of a whole number, without padding */
#define FLOAT_MOST  400 /* of a floating one, without precision */

struct reader {
    const struct library_call *call;
    const char *at;      /* in the format */
    bool listed;         /* arguments are in `list` */
    uint32_t next, base; /* else: the next one in the array, and the first */
    va_list list;
    bool scans;
    uint32_t assigned; /* conversions of scanf so far that count */
    size_t most;       /* that can be printed */
};

struct spec {
    uint32_t position; /* "%2$s": 2; 0: none */
    bool skips;        /* "%*d" of scanf: nothing is stored */
    bool allocates;    /* "%ms" */
    size_t width;
    size_t precision; /* SIZE_MAX: none */
    enum length {
        LENGTH_NONE,
        LENGTH_HH,
        LENGTH_H,
        LENGTH_L,
        LENGTH_LL,
        LENGTH_LONG_DOUBLE
    } length;
    char conversion;
};

/* Of scanf, which is looked at when the call has read the list to its end. */
/* Of each thread: a copy of the list that its call was given. */
struct lists_thread {
    va_list list;
};

static struct lists_thread *lists_of(const struct native_thread *thread)
{
    return thread->own[PART_LISTS];
}

const struct part lists_part = {
    .name = "lists of arguments", .thread_size = sizeof(struct lists_thread), .stateless = true};

void library_list_keep(const struct library_call *call, const struct library_access *access)
{
    va_copy(lists_of(native.current)->list, *(va_list *)library_pointer(call, access->arg + 1u));
}

static uint64_t word_next(struct reader *reader, uint32_t *arg)
{
    *arg = LIBRARY_NO_ARG;
    if (reader->listed)
        return va_arg(reader->list, uint64_t);
    *arg = reader->next++;
    return library_argument(reader->call, *arg);
}

static void float_skip(struct reader *reader, const struct spec *spec)
{
    if (!reader->listed)
        reader->next++;
    else if (spec->length == LENGTH_LONG_DOUBLE)
        (void)va_arg(reader->list, long double);
    else
        (void)va_arg(reader->list, double);
}

static size_t number_read(struct reader *reader)
{
    size_t number = 0;

    while (isdigit((unsigned char)*reader->at) && number < ((size_t)1 << 40))
        number = number * 10 + (size_t)(*reader->at++ - '0');
    return number;
}

/* A width or precision, which may be an argument. */
static size_t measure_read(struct reader *reader)
{
    uint32_t arg;
    int value;

    if (*reader->at != '*')
        return number_read(reader);
    reader->at++;
    value = (int)word_next(reader, &arg);
    return value < 0 ? (size_t)-(int64_t)value : (size_t)value;
}

static enum length length_read(struct reader *reader)
{
    enum length length = LENGTH_NONE;

    for (;; reader->at++)
        switch (*reader->at) {
        case 'h':
            length = length == LENGTH_H ? LENGTH_HH : LENGTH_H;
            break;
        case 'l':
            length = length == LENGTH_L ? LENGTH_LL : LENGTH_L;
            break;
        case 'q':
        case 'j':
        case 'z':
        case 'Z':
        case 't':
            length = LENGTH_LL;
            break;
        case 'L':
            length = LENGTH_LONG_DOUBLE;
            break;
        default:
            return length;
        }
}

static uint32_t position_read(struct reader *reader)
{
    const char *start = reader->at;
    size_t number = number_read(reader);

    if (reader->at > start && *reader->at == '$') {
        reader->at++;
        return (uint32_t)number;
    }
    reader->at = start;
    return 0;
}

static struct spec spec_read(struct reader *reader)
{
    struct spec spec = {.position = position_read(reader), .precision = SIZE_MAX};

    if (reader->scans) {
        spec.skips = *reader->at == '*';
        reader->at += spec.skips;
        reader->at += *reader->at == '\'';
        spec.allocates = *reader->at == 'm';
        reader->at += spec.allocates;
        spec.width = number_read(reader);
        reader->at += *reader->at == 'm' && (spec.allocates = true);
    } else {
        reader->at += strspn(reader->at, "-+ #0'I");
        spec.width = measure_read(reader);
        if (*reader->at == '.') {
            reader->at++;
            /* a negative one is none, which reads more */
            spec.precision = *reader->at == '-' ? SIZE_MAX : measure_read(reader);
        }
    }
    spec.length = length_read(reader);
    spec.conversion = *reader->at;
    reader->at += *reader->at != '\0';
    return spec;
}

/* ---- printf */

static void print_text(struct reader *reader, const struct spec *spec, library_visit *visit,
                       void *context)
{
    struct library_conversion conversion = {.text = true, .size = spec->precision};
    size_t length;

    conversion.wide = spec->conversion == 'S' || spec->length == LENGTH_L;
    conversion.at = (void *)(uintptr_t)word_next(reader, &conversion.arg);
    if (!conversion.at) {
        reader->most += sizeof "(null)";
        return;
    }
    length = conversion.wide ? 4 * wcsnlen(conversion.at, spec->precision)
                             : strnlen(conversion.at, spec->precision);
    reader->most += length;
    if (visit)
        visit(context, &conversion);
}

static size_t integer_size(enum length length)
{
    static const size_t sizes[] = {[LENGTH_NONE] = 4, [LENGTH_HH] = 1, [LENGTH_H] = 2,
                                   [LENGTH_L] = 8,    [LENGTH_LL] = 8, [LENGTH_LONG_DOUBLE] = 8};

    return sizes[length];
}

static void print_one(struct reader *reader, const struct spec *spec, library_visit *visit,
                      void *context)
{
    struct library_conversion conversion = {.writes = true, .size = integer_size(spec->length)};

    reader->most += spec->width + (spec->precision == SIZE_MAX ? 0 : spec->precision) + NUMBER_MOST;
    switch (spec->conversion) {
    case '%':
    case 'm':
    case '\0':
        reader->most += 64; /* the text of errno */
        break;
    case 's':
    case 'S':
        print_text(reader, spec, visit, context);
        break;
    case 'n':
        conversion.at = (void *)(uintptr_t)word_next(reader, &conversion.arg);
        if (visit && conversion.at)
            visit(context, &conversion);
        break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        reader->most += spec->length == LENGTH_LONG_DOUBLE ? 5000 : FLOAT_MOST;
        float_skip(reader, spec);
        break;
    default:
        (void)word_next(reader, &conversion.arg);
    }
}

/* ---- scanf */

static size_t scan_size(const struct spec *spec, bool wide)
{
    if (spec->allocates)
        return sizeof(char *);
    switch (spec->conversion) {
    case 'c':
    case 'C':
        return (spec->width ? spec->width : 1) * (wide ? sizeof(wchar_t) : 1);
    case 'p':
        return sizeof(void *);
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        return spec->length == LENGTH_LONG_DOUBLE ? 16 : spec->length == LENGTH_L ? 8 : 4;
    default:
        return integer_size(spec->length);
    }
}

/* Behind the set of a "%[…]", in which a first ] is one of the characters. */
static void set_skip(struct reader *reader)
{
    reader->at += *reader->at == '^';
    reader->at += *reader->at == ']';
    while (*reader->at && *reader->at != ']')
        reader->at++;
    reader->at += *reader->at == ']';
}

static void scan_one(struct reader *reader, const struct spec *spec, library_visit *visit,
                     void *context)
{
    struct library_conversion conversion = {.writes = true};

    if (spec->conversion == '[')
        set_skip(reader);
    if (spec->conversion == '%' || spec->conversion == '\0' || spec->skips)
        return;
    conversion.wide =
        spec->length == LENGTH_L || spec->conversion == 'S' || spec->conversion == 'C';
    conversion.text = !spec->allocates && (spec->conversion == 's' || spec->conversion == 'S' ||
                                           spec->conversion == '[');
    conversion.size = conversion.text ? SIZE_MAX / 8 : scan_size(spec, conversion.wide);
    reader->assigned += spec->conversion != 'n';
    conversion.assigned = reader->assigned;
    conversion.at = (void *)(uintptr_t)word_next(reader, &conversion.arg);
    if (visit && conversion.at)
        visit(context, &conversion);
}

/* ---- both */

static void reader_open(struct reader *reader, const struct library_call *call,
                        const struct library_access *access, const char *text)
{
    memset(reader, 0, sizeof *reader);
    reader->call = call;
    reader->at = text;
    reader->listed = access->kind == ACCESS_VPRINTS || access->kind == ACCESS_VSCANS;
    reader->scans = access->kind == ACCESS_SCANS || access->kind == ACCESS_VSCANS;
    reader->next = reader->base = access->arg + 1u;
    if (reader->scans && reader->listed)
        va_copy(reader->list, lists_of(native.current)->list);
    else if (reader->listed)
        va_copy(reader->list,
                *(va_list *)library_pointer(call, access->arg + 1u)); /* an array: its address */
}

size_t library_format(const struct library_call *call, const struct library_access *access,
                      const char *text, library_visit *visit, void *context)
{
    struct reader reader;

    if (!text)
        return 0;
    reader_open(&reader, call, access, text);
    while (*reader.at) {
        struct spec spec;

        reader.most++;
        if (*reader.at++ != '%')
            continue;
        spec = spec_read(&reader);
        if (spec.position && !reader.listed)
            reader.next = reader.base + spec.position - 1;
        if (reader.scans)
            scan_one(&reader, &spec, visit, context);
        else
            print_one(&reader, &spec, visit, context);
    }
    if (reader.listed)
        va_end(reader.list);
    return reader.most;
}
