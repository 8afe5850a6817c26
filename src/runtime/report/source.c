#include "runtime/report/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mangled.h"
#include "runtime/core/heap.h"
#include "runtime/core/symbols.h"
#include "runtime/program/native.h"

#define NAME_MAX_OWN 96
#define FRAMES_MAX   200

/* ---- what lies in an object */

static bool is_flexible(const struct raddle_type *type)
{
    const struct raddle_member *members = type->parts;

    return type->kind == HOOK_TYPE_ARRAY
               ? type->count == 0
               : type->kind == HOOK_TYPE_STRUCT && type->count > 0 &&
                     members[type->count - 1].type && is_flexible(members[type->count - 1].type);
}

/* Whether just these bytes are something that has a name there. */
static bool has_exactly(const struct raddle_type *type, uint64_t offset, uint64_t size)
{
    const struct raddle_member *members = type->parts;
    const struct raddle_type *element = type->kind == HOOK_TYPE_ARRAY ? type->parts : NULL;

    if (offset == 0 && size == type->size)
        return true;
    if (element && element->size)
        return has_exactly(element, offset % element->size, size);
    for (uint32_t i = 0; type->kind == HOOK_TYPE_STRUCT && i < type->count; i++)
        if (members[i].type && offset >= members[i].offset &&
            offset - members[i].offset < members[i].type->size &&
            has_exactly(members[i].type, offset - members[i].offset, size))
            return true;
    return false;
}

/* The smallest member that has all of these bytes, of a union several may; one in which they have a name of their own, if there is one. */
static const struct raddle_member *member_at(const struct raddle_type *type, uint64_t offset,
                                             uint64_t size)
{
    const struct raddle_member *members = type->parts, *best = NULL;
    bool exact, best_exact = false;

    for (uint32_t i = 0; i < type->count; i++) {
        const struct raddle_member *m = &members[i];

        if (!m->type || offset < m->offset)
            continue;
        if (offset - m->offset + size > m->type->size && !is_flexible(m->type))
            continue;
        exact = has_exactly(m->type, offset - m->offset, size);
        if (best && (exact != best_exact ? best_exact : m->type->size >= best->type->size))
            continue;
        best = m;
        best_exact = exact;
    }
    return best;
}

/* ---- base classes */

/* The name of the type without "struct" and scopes, or of the pointer without what it is a member of. */
static const char *name_last(const char *name)
{
    const char *last = name;

    for (const char *at = name; *at && *at != '<'; at++)
        if (strchr(" :.>", *at) && at[1])
            last = at + 1;
    return last;
}

/* Whether the object has a member of that name, of its own or of a base class. */
static bool has_member(const struct raddle_type *type, const char *name)
{
    const struct raddle_member *members = type->parts;

    for (uint32_t i = 0; type->kind == HOOK_TYPE_STRUCT && i < type->count; i++)
        if (members[i].name ? strcmp(members[i].name, name) == 0
                            : members[i].type && has_member(members[i].type, name))
            return true;
    return false;
}

/* The name that those bytes would go on with inside a base class; NULL: none. */
static const char *inner_name(const struct raddle_type *type, uint64_t offset, uint64_t size)
{
    const struct raddle_member *member;

    while (type->kind == HOOK_TYPE_STRUCT && (member = member_at(type, offset, size))) {
        if (member->name)
            return member->name;
        offset -= member->offset;
        type = member->type;
    }
    return NULL;
}

/* Adds "base::" if `type` has a member of the same name elsewhere. Returns what stands before the member then. */
static const char *add_base(struct text *t, const struct raddle_type *type,
                            const struct raddle_member *base, uint64_t offset, uint64_t size,
                            const char *dot)
{
    const struct raddle_member *members = type->parts;
    const char *name = inner_name(base->type, offset - base->offset, size);
    const char *scope = base->type->name;
    bool ambiguous = false;

    for (uint32_t i = 0; name && i < type->count; i++)
        ambiguous |= &members[i] != base && members[i].type &&
                     (members[i].name ? strcmp(members[i].name, name) == 0
                                      : has_member(members[i].type, name));
    if (!ambiguous || !scope)
        return dot;
    scope = name_last(scope);
    text_add(t, "%s%.*s::", dot, (int)strcspn(scope, "<"), scope);
    return "";
}

/* Adds the way to those bytes of an object; `dot` stands before its first member. Returns the type of what is there, if it is all of it. */
static const struct raddle_type *add_path(struct text *t, const struct raddle_type *type,
                                          uint64_t offset, uint64_t size, const char *dot)
{
    for (;;) {
        bool whole = size == 0 && offset == 0; /* of a pointer: to all that begins there */
        const struct raddle_type *element = type->kind == HOOK_TYPE_ARRAY ? type->parts : NULL;
        const struct raddle_member *member = type->kind == HOOK_TYPE_STRUCT && !whole
                                                 ? member_at(type, offset, size ? size : 1)
                                                 : NULL;

        if (element && element->size && size <= element->size) {
            text_add(t, "[%" PRIu64 "]", offset / element->size);
            offset %= element->size;
            type = element;
            dot = ".";
        } else if (member) {
            if (member->name) {
                text_add(t, "%s%s", dot, member->name);
                dot = ".";
            } else {
                dot = add_base(t, type, member, offset, size ? size : 1, dot);
            }
            offset -= member->offset;
            type = member->type;
        } else {
            break;
        }
    }
    if (offset)
        text_add(t, "+%" PRIu64, offset);
    return offset == 0 && (size == 0 || size == type->size || type->kind == HOOK_TYPE_OBJECT)
               ? type
               : NULL;
}

/* ---- variables */

static const struct raddle_variable *variable_find(uint64_t addr)
{
    const struct raddle_variable *rows;
    uint64_t count;

    for (unsigned i = 0; symbols_section(i, HOOK_VARIABLES_SECTION, (const void **)&rows, &count);
         i++)
        for (uint64_t k = 0; k < count / sizeof *rows; k++)
            if (rows[k].type && addr - (uint64_t)(uintptr_t)rows[k].address < rows[k].type->size)
                return &rows[k];
    return NULL;
}

/* Whether another variable, at another place, has that name. */
static bool variable_is_ambiguous(const struct raddle_variable *variable)
{
    const struct raddle_variable *rows;
    uint64_t count;

    for (unsigned i = 0; symbols_section(i, HOOK_VARIABLES_SECTION, (const void **)&rows, &count);
         i++)
        for (uint64_t k = 0; k < count / sizeof *rows; k++)
            if (rows[k].address != variable->address && rows[k].name &&
                strcmp(rows[k].name, variable->name) == 0)
                return true;
    return false;
}

static bool add_variable(struct text *t, uint64_t addr, unsigned size,
                         const struct raddle_type **type)
{
    const struct raddle_variable *variable = variable_find(addr);

    if (!variable || !variable->name)
        return false;
    if (variable->where && variable_is_ambiguous(variable))
        text_add(t, "%s:", variable->where);
    text_add(t, "%s", variable->name);
    *type = add_path(t, variable->type, addr - (uint64_t)(uintptr_t)variable->address, size, ".");
    return true;
}

const char *source_variable(uint64_t addr)
{
    const struct raddle_variable *variable = variable_find(addr);

    return variable ? variable->name : NULL;
}

bool source_is_poor(void)
{
    const struct raddle_variable *rows;
    uint64_t count;

    for (unsigned i = 0; symbols_section(i, HOOK_VARIABLES_SECTION, (const void **)&rows, &count);
         i++)
        for (uint64_t k = 0; k < count / sizeof *rows; k++)
            if (rows[k].where)
                return false;
    return true;
}

/* ---- blocks of the heap */

/* What a block is called in reports, once it has been named. */
struct label {
    const void *start;
    const void *made; /* its site: another run may have another block there */
    const struct raddle_type *type;
    char name[NAME_MAX_OWN];
};

static VEC(struct label) labels; /* outlives a run: blocks are at the same places in every one */

static bool name_is_taken(const char *name)
{
    for (uint32_t i = 0; i < labels.count; i++)
        if (strcmp(labels.at[i].name, name) == 0)
            return true;
    return false;
}

/* "p" and the like say less than the type. */
static bool name_says_little(const char *name)
{
    static const char *const little[] = {"new",  "ptr",    "tmp",   "ret",    "res",
                                         "self", "this",   "fresh", "result", "block",
                                         "mem",  "memory", "data"};

    for (size_t i = 0; i < sizeof little / sizeof *little; i++)
        if (strcmp(name, little[i]) == 0)
            return true;
    return strlen(name) < 3 || name[0] == '_'; /* a library's own */
}

static void label_name(struct label *label, const struct raddle_object *object)
{
    const char *name = object->name ? name_last(object->name) : "";
    char text[NAME_MAX_OWN];

    if (name_says_little(name) && object->type->name && object->type->kind == HOOK_TYPE_STRUCT)
        name = name_last(object->type->name);
    if (!*name || name[0] == '_')
        name = "block";
    snprintf(text, sizeof text - 8, "%.80s", name);
    text[strcspn(text, "[")] = '\0';
    snprintf(label->name, sizeof label->name, "%s", text);
    for (unsigned i = 2; name_is_taken(label->name) && i < 100000; i++)
        snprintf(label->name, sizeof label->name, "%.80s#%u", text, i);
}

/* Whether the object can be the block, or one of the elements that it has. A pointer into the middle of a struct points to no element. */
static bool object_fits(const struct heap_block *block, const struct raddle_object *object,
                        uint64_t addr)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)block->start;
    bool elements = object->type && object->type->size && block->size % object->type->size == 0;

    if (!object->type || !object->type->size || object->type->size > block->size)
        return false;
    if (object->offset == HOOK_OFFSET_UNKNOWN)
        return elements;
    if (object->offset < 0 || at < (uint64_t)object->offset)
        return false;
    at -= (uint64_t)object->offset; /* where the object begins */
    return at == 0
               ? elements || object->type->kind == HOOK_TYPE_STRUCT
               : elements && object->type->kind == HOOK_TYPE_STRUCT && at % object->type->size == 0;
}

/* What the code that made it calls its result; else what the code that uses it calls it. */
static const struct raddle_object *object_of(const struct heap_block *block, uint64_t addr,
                                             const struct raddle_site *site)
{
    const struct raddle_site *made = block->alloc_site;
    struct raddle_object whole;

    if (made && made->result) {
        whole = *made->result;
        whole.offset = 0;
        if (object_fits(block, &whole, (uint64_t)(uintptr_t)block->start))
            return made->result;
    }
    for (uint64_t i = 0; site && i < site->object_count; i++)
        if (object_fits(block, &site->objects[i], addr))
            return &site->objects[i];
    return NULL;
}

static const struct label *label_of(const struct heap_block *block, uint64_t addr,
                                    const struct raddle_site *site)
{
    struct label label = {.start = block->start, .made = block->alloc_site};
    const struct raddle_object *object;
    struct label *old = NULL;

    for (uint32_t i = 0; i < labels.count && !old; i++)
        if (labels.at[i].start == block->start)
            old = &labels.at[i];
    if (old && old->made == block->alloc_site)
        return old;
    object = object_of(block, addr, site);
    if (!object)
        return NULL;
    label.type = object->type;
    if (old)
        old->name[0] = '\0';
    label_name(&label, object);
    if (old) {
        *old = label;
        return old;
    }
    vec_push(&native.memory, &labels, label);
    return &vec_last(&labels);
}

static bool add_heap(struct text *t, uint64_t addr, unsigned size, const struct raddle_site *site,
                     const struct raddle_type **type)
{
    const struct heap_block *block = heap_find((const void *)(uintptr_t)addr);
    const struct label *label = block ? label_of(block, addr, site) : NULL;
    uint64_t at = block ? addr - (uint64_t)(uintptr_t)block->start : 0;
    char words[200];
    struct text path = text_open(words, sizeof words);
    bool single;

    if (!label || at >= block->size)
        return false;
    single = block->size < 2 * label->type->size || is_flexible(label->type);
    if (size > label->type->size && !is_flexible(label->type)) {
        text_add(t, "*%s", label->name); /* more than one element: as a whole */
        if (at)
            text_add(t, "+%" PRIu64, at);
        return true;
    }
    if (single) {
        *type = add_path(&path, label->type, at, size, "->");
        text_add(t, "%s%s%s", path.used && words[0] != '+' ? "" : "*", label->name, words);
        return true;
    }
    text_add(t, "%s[%" PRIu64 "]", label->name, at / label->type->size);
    *type = add_path(t, label->type, at % label->type->size, size, ".");
    return true;
}

bool source_block(struct text *t, uint64_t addr)
{
    const struct heap_block *block = heap_find((const void *)(uintptr_t)addr);
    const struct label *label = block ? label_of(block, addr, NULL) : NULL;
    const struct raddle_site *made = block ? block->alloc_site : NULL;
    const char *file = made && made->file ? strrchr(made->file, '/') : NULL;

    if (!label || !label->type->name)
        return false;
    text_add(t, "%s", label->type->name);
    if (made && made->file)
        text_add(t, " from %s, %s:%" PRIu32, made->function, file ? file + 1 : made->file,
                 made->line);
    return true;
}

/* ---- local variables of functions that are running */

/* The program may have written over its own stack: only what can be a frame is believed. */
static bool frame_is_believed(const struct native_thread *thread, const struct raddle_frame *frame)
{
    uintptr_t low = (uintptr_t)thread->stack.low;

    return frame && (uintptr_t)frame % sizeof(void *) == 0 &&
           (uintptr_t)frame - low <= thread->stack.size - sizeof *frame &&
           symbols_in_section((uint64_t)(uintptr_t)frame->site, "raddle_sites");
}

static const struct raddle_live *local_in(const struct raddle_frame *frame, uint64_t addr,
                                          uint64_t *offset)
{
    for (uint32_t i = 0; i < frame->site->live_count; i++) {
        const struct raddle_live *live = &frame->site->live[i];
        uint64_t size = live->size ? live->size : frame->slots[live->slot + 1];

        *offset = addr - frame->slots[live->slot];
        if (live->in_memory && live->name && *offset < size)
            return live;
    }
    return NULL;
}

static const struct raddle_frame *frames_of(const struct native_thread *thread)
{
    return native.current == thread ? __raddle_frames : thread->frames;
}

/* Whether several functions that run, or one several times, have a variable of that name. */
static bool local_is_ambiguous(const struct native_thread *thread, const char *name)
{
    const struct raddle_frame *frame = frames_of(thread);
    unsigned count = 0, depth = 0;

    for (; depth < FRAMES_MAX && frame_is_believed(thread, frame); frame = frame->up, depth++)
        for (uint32_t i = 0; i < frame->site->live_count; i++)
            if (frame->site->live[i].in_memory && frame->site->live[i].name &&
                strcmp(frame->site->live[i].name, name) == 0)
                count++;
    return count > 1;
}

static bool add_local(struct text *t, uint64_t addr, unsigned size, const struct raddle_type **type)
{
    const struct native_thread *thread;
    const struct raddle_frame *frame;
    uint64_t offset;
    uint32_t number;
    unsigned depth = 0;

    if (native_owner((const void *)(uintptr_t)addr, &number) != STACK_INSIDE ||
        native_has_ended(number))
        return false;
    thread = native.threads.at[number];
    frame = frames_of(thread);
    for (; depth < FRAMES_MAX && frame_is_believed(thread, frame); frame = frame->up, depth++) {
        const struct raddle_live *live = local_in(frame, addr, &offset);

        if (!live || (frame->up && frame->up <= frame))
            continue;
        text_add(t, "%s", live->name);
        if (live->type)
            *type = add_path(t, live->type, offset, size, ".");
        else if (offset)
            text_add(t, "+%" PRIu64, offset);
        text_add(t, " of T%" PRIu32, number);
        if (local_is_ambiguous(thread, live->name))
            text_add(t, ", %u frames up", depth);
        return true;
    }
    return false;
}

/* ---- all of them */

bool source_name(struct text *t, uint64_t addr, unsigned size, const struct raddle_site *site,
                 const struct raddle_type **type)
{
    const struct raddle_type *unused;

    if (!type)
        type = &unused;
    *type = NULL;
    return add_heap(t, addr, size, site, type) || add_variable(t, addr, size, type) ||
           add_local(t, addr, size, type);
}

size_t source_text(uint64_t addr, unsigned bytes, const struct raddle_site *site, char *text,
                   size_t size)
{
    struct text t = text_open(text, size);

    return source_name(&t, addr, bytes, site, NULL) ? t.used : 0;
}

bool source_pointer(struct text *t, uint64_t addr)
{
    const struct heap_block *block = heap_find((const void *)(uintptr_t)addr);
    const struct label *label = block ? label_of(block, addr, NULL) : NULL;
    const struct raddle_type *type;
    uint64_t offset;
    const char *symbol;
    char name[256];
    struct text inner = text_open(name, sizeof name);

    if (label && addr == (uint64_t)(uintptr_t)block->start) {
        text_add(t, "%s", label->name);
        return true;
    }
    if (source_name(&inner, addr, 0, NULL, &type)) {
        text_add(t, "&%s", name);
        return true;
    }
    symbol = native_function_name(addr);
    if (symbol) {
        text_add(t, "%s", symbol);
        return true;
    }
    symbol = mangled_name(symbols_find(addr, &offset), name, sizeof name);
    if (!symbol || offset || strncmp(symbol, "__raddle", 8) == 0 || strncmp(symbol, "_Z", 2) == 0)
        return false; /* the last: a name that nobody can read */
    text_add(t, "%s%s", variable_find(addr) ? "&" : "", symbol);
    return true;
}

static bool add_enumerator(struct text *t, const struct raddle_type *type, uint64_t value)
{
    const struct raddle_enumerator *all = type->parts;
    unsigned unused = type->size && type->size < 8 ? 64 - 8 * (unsigned)type->size : 0;

    for (uint32_t i = 0; i < type->count; i++)
        if ((uint64_t)all[i].value << unused == value << unused) {
            text_add(t, "%s", all[i].name);
            return true;
        }
    return false;
}

static bool add_float(struct text *t, const struct raddle_type *type, uint64_t value)
{
    float narrow;
    double wide;
    char digits[64];

    if (type->size == sizeof narrow)
        memcpy(&narrow, &value, sizeof narrow), wide = narrow;
    else if (type->size == sizeof wide)
        memcpy(&wide, &value, sizeof wide);
    else
        return false;
    snprintf(digits, sizeof digits, "%.9g", wide);
    text_add(t, "%s", digits);
    return true;
}

bool source_value(struct text *t, const struct raddle_type *type, uint64_t value)
{
    if (!type)
        return false;
    switch (type->kind) {
    case HOOK_TYPE_BOOL:
        text_add(t,
                 (uint8_t)value == 0   ? "false"
                 : (uint8_t)value == 1 ? "true"
                                       : "%" PRIu64,
                 value);
        return true;
    case HOOK_TYPE_ENUM:
        return add_enumerator(t, type, value);
    case HOOK_TYPE_FLOAT:
        return add_float(t, type, value);
    case HOOK_TYPE_UNSIGNED:
        if (value > UINT32_MAX)
            return false;
        text_add(t, "%" PRIu64, value);
        return true;
    case HOOK_TYPE_POINTER:
        if (value == 0)
            text_add(t, "NULL");
        return value == 0 || source_pointer(t, value);
    default:
        return false;
    }
}
