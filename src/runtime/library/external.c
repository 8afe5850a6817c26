#include "runtime/library/external.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/fingerprint.h"
#include "runtime/core/image.h"
#include "runtime/core/symbols.h"
#include "runtime/gate/chance.h"
#include "runtime/library/library.h"
#include "runtime/program/native.h"
#include "runtime/program/spin.h"
#include "runtime/signals/signals.h"

#define HOOK __attribute__((visibility("default")))

#define KERNEL_READY                                                                               \
    ((size_t)64 << 20)   /* bytes that a restart may copy for the sake of such calls */
#define STACK_WIPED 1024 /* bytes: as deep as the frames between a call and spin.c */

/* What a function that was called turned out to be. */
struct external {
    enum external_kind {
        EXTERNAL_SEEN, /* instrumented, or a function of libc that only accesses memory */
        EXTERNAL_IMPURE, /* interposed, known to keep state, or trusted: a loop with it does more than wait */
        EXTERNAL_UNSEEN, /* `unseen` says which */
    } kind;
    bool framed;                   /* instrumented, and has a frame */
    bool ours;                     /* a function of the runtime */
    bool hides;                    /* what it leaves behind, in libc or elsewhere, is not known */
    const struct library_row *row; /* that it follows, or NULL */
    uint32_t unseen;               /* index into session.unseen */
};

#define RECENT  256u /* a power of two */
#define STARTED 16u  /* likewise */

static struct {
    VEC(struct external) known; /* what a function is never changes: grows in a search */
    struct map indices;         /* address of a row or of a function -> index into known */
    struct {
        const void *key;
        uint32_t index;
    } recent[RECENT];
    const void *started; /* the last function that a thread has begun with, for a run of the same */
    const void *fine[STARTED]; /* instrumented ones that threads have begun with: they stay so */
    bool hides; /* such a function was called in this run, since it had more than one thread */
} externals;

static void restart(void)
{
    externals.hides = false;
}

static void open_map(void)
{
    map_open(&externals.indices, &native.memory);
}

/* ---- what an address is */

static bool is_in_module_of(const void *function, const void *other)
{
    Dl_info a, b;

    return function && dladdr(function, &a) && dladdr(other, &b) && a.dli_fbase == b.dli_fbase;
}

struct definition {
    const char *name;
    const void *found;
};

static int definition_look(struct dl_phdr_info *info, size_t size, void *context)
{
    struct definition *definition = context;
    void *library;

    (void)size;
    if (!info->dlpi_name[0])
        return 0; /* the program: there is only the way to it */
    library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return 0;
    definition->found = dlsym(library, definition->name);
    return definition->found != NULL;
}

/* In a program at a fixed address, the address of a library's function is that of a jump to it in the program. */
static const void *behind_jump(const char *name, const void *function)
{
    struct definition definition = {.name = name};
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    if (!dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        symbol->st_shndx != SHN_UNDEF || info.dli_saddr != function)
        return function;
    dl_iterate_phdr(definition_look, &definition);
    return definition.found ? definition.found : function;
}

/* The file name of the library that holds it, "" for the program itself. */
static const char *library_of(const void *function)
{
    Dl_info info;
    const char *slash;

    if (!function || !dladdr(function, &info) || !info.dli_fname ||
        is_in_module_of(function, (const void *)native.main))
        return "";
    slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static const char *name_of(const void *function)
{
    static char text[64]; /* outlives a run: it is what is returned */
    Dl_info info;
    uint64_t offset;
    const char *name;
    bool named = dladdr(function, &info) && info.dli_sname && info.dli_saddr == function;

    if (named && library_find(info.dli_sname))
        return info.dli_sname;
    name = library_name_of(function); /* it may have several, of which one has a row */
    if (name)
        return name;
    if (named)
        return info.dli_sname;
    name = symbols_find((uint64_t)(uintptr_t)function, &offset);
    if (name && offset == 0)
        return name;
    snprintf(text, sizeof text, "code at %p", function);
    return text;
}

/* ---- what to do about it */

static bool is_trusted(const char *name, const char *library)
{
    const struct session *session = native.session;

    for (uint32_t i = 0; i < session->trust.count; i++)
        if (fnmatch(session->trust.at[i], name, 0) == 0 ||
            (library[0] && fnmatch(session->trust.at[i], library, 0) == 0))
            return true;
    return false;
}

static uint32_t unseen_add(const char *name, const char *library, const struct raddle_site *site,
                           bool trusted)
{
    struct session *session = native.session;
    struct session_unseen unseen = {.name = native_text(name), .trusted = trusted};

    for (uint32_t i = 0; i < session->unseen.count; i++)
        if (strcmp(session->unseen.at[i].name, name) == 0)
            return i;
    if (library[0])
        unseen.library = native_text(library);
    if (site) {
        unseen.site.file = native_text(site->file);
        unseen.site.function = native_text(site->function);
        unseen.site.line = site->line;
        unseen.site.column = site->column;
    }
    vec_push(&session->arena, &session->unseen, unseen);
    return session->unseen.count - 1;
}

/* What libc asks of the kernel for it may be written to any memory of the program, and a call that finds a page that is watched for the first write fails.
 * So none is from now on. */
static void kernel_may_write(const char *library)
{
    if (strncmp(library, "libc.so", strlen("libc.so")) != 0)
        return;
    if (image_stats().bytes <= KERNEL_READY)
        image_touch(NULL, SIZE_MAX);
    else
        native_unsupported(
            "a call that may fail because the program's variables are too many to let the "
            "kernel write to all of them");
}

static struct external unseen_decide(const char *name, const void *function,
                                     const struct raddle_site *site)
{
    const char *library = library_of(function);
    bool trusted = is_trusted(name, library);
    struct external external = {.kind = trusted ? EXTERNAL_IMPURE : EXTERNAL_UNSEEN};

    external.unseen = unseen_add(name, library, site, trusted);
    kernel_may_write(library);
    return external;
}

/* Interposed functions that do nothing but their operations, which spin.h judges one by one, or tell it themselves when they do more. */
static bool is_operation(const char *name)
{
    static const char *const names[] = {
#define OPERATION(name) #name,
#include "runtime/library/operations.def"
#undef OPERATION
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* What a call writes is noted before it (hooks/written.h), if it is known by then. */
static bool writes_elsewhere(const struct library_row *row)
{
    for (const struct library_access *access = row->accesses; access->kind; access++)
        if (access->kind == ACCESS_SCANS || access->kind == ACCESS_VSCANS ||
            access->kind == ACCESS_TOKEN || access->kind == ACCESS_LINE ||
            access->kind == ACCESS_GIVES || access->kind == ACCESS_GIVES_TEXT ||
            access->kind == ACCESS_WRITES_VECTORS)
            return true;
    return false;
}

/* Whether libc's function is one that has an effect beyond what its row says. Some are not pure only because they write, or allocate. */
static bool is_hiding(const struct library_row *row)
{
    static const char *const fine[] = {"pthread_attr_init",
                                       "pthread_attr_destroy",
                                       "pthread_attr_setdetachstate",
                                       "pthread_mutexattr_",
                                       "pthread_condattr_",
                                       "pthread_attr_setstacksize",
                                       "pthread_rwlockattr_",
                                       "pthread_barrierattr_",
                                       "_setjmp",
                                       "setjmp",
                                       "__sigsetjmp"};

    if (library_duplicates(row))
        return false;

    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (strncmp(row->name, fine[i], strlen(fine[i])) == 0)
            return false;
    return row->effect != EFFECT_PURE || writes_elsewhere(row);
}

/* The program may have a function of its own with the name of one of libc's: what has hooks comes first. */
static struct external decide(const char *name, const void *function,
                              const struct raddle_site *site)
{
    const struct library_row *row = library_find(name);
    struct external external = {.kind = EXTERNAL_SEEN};

    if (function)
        function = behind_jump(name, function);
    if (!function || image_is_instrumented_code(function)) {
        external.framed = function && image_is_framed_code(function);
        return external;
    }
    external.row = row;
    external.ours = is_in_module_of(function, &native);
    external.hides = !external.ours && (!row || is_hiding(row));
    if (row && row->effect == EFFECT_PURE)
        return external;
    external.kind = EXTERNAL_IMPURE;
    if (external.ours) {
        if (is_operation(name))
            external.kind = EXTERNAL_SEEN;
        return external;
    }
    if (row)
        return external;
    external = unseen_decide(name, function, site);
    external.hides = true;
    return external;
}

static uint32_t external_add(const void *key, const char *name, const void *function,
                             const struct raddle_site *site)
{
    struct native_thread *thread = native.current;
    struct external external;

    native.current = NULL; /* the dynamic linker keeps what it allocates */
    if (!name)             /* of those that have hooks nobody asks */
        name = function && image_is_instrumented_code(function) ? "" : name_of(function);
    external = decide(name, function, site);
    native.current = thread;
    map_add(&externals.indices, (uint64_t)(uintptr_t)key, externals.known.count);
    vec_push(&native.memory, &externals.known, external);
    return externals.known.count - 1;
}

/* A constructor calls it, perhaps again and again. */
static void note_before_start(const char *name, const void *function)
{
    static const void *fine[RECENT]; /* outlives a run: before the first */
    uint32_t slot = (uint32_t)(mix64((uint64_t)(uintptr_t)function) % RECENT);
    const struct library_row *row;
    const void *target;
    Dl_info info;

    if (!constructors_inside || !function || fine[slot] == function)
        return;
    row = name ? library_find(name) : NULL;
    if (row && row->effect == EFFECT_CHANCE)
        constructors_leave();
    target = name ? behind_jump(name, function) : function;
    if (is_in_module_of(target, &native))
        constructors_call(name                                      ? name
                          : dladdr(target, &info) && info.dli_sname ? info.dli_sname
                                                                    : "");
    fine[slot] = function;
}

/* Notes the call; the row of the table that it follows, or NULL. */
static const struct library_row *note(const void *key, const char *name, const void *function,
                                      const struct raddle_site *site)
{
    uint32_t slot = (uint32_t)((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u >> 56) % RECENT;
    const struct external *external;

    if (!native.current) {
        note_before_start(name, function);
        return NULL;
    }
    if (externals.recent[slot].key != key) {
        uint32_t index = map_get(&externals.indices, (uint64_t)(uintptr_t)key);

        externals.recent[slot].index =
            index == MAP_ABSENT ? external_add(key, name, function, site) : index;
        externals.recent[slot].key = key;
    }
    external = &externals.known.at[externals.recent[slot].index];
    native.current->asked_others |= !external->framed && !external->ours;
    if (external->kind != EXTERNAL_SEEN)
        spin_forget();
    if (external->kind == EXTERNAL_UNSEEN && !native.alone)
        native.session->unseen.at[external->unseen].shared = true;
    externals.hides |= external->hides && native.phase > 0;
    if (__raddle_frames) {
        native.current->came_from = __raddle_frames->into;
        __raddle_frames->into = external->framed ? site
                                : external->ours ? hook_into_runtime(site)
                                                 : NULL;
    }
    if (external->row && external->row->effect == EFFECT_CHANCE)
        chance_named(external->row->name);
    return external->row;
}

void external_unseen(const char *name, const void *function)
{
    struct native_thread *thread = native.current;
    const struct raddle_site *site = native_site();
    struct external external;

    native.current = NULL;
    external = unseen_decide(name, function, site);
    native.current = thread;
    externals.hides |= native.phase > 0;
    if (external.kind == EXTERNAL_UNSEEN && !native.alone)
        native.session->unseen.at[external.unseen].shared = true;
}

/* Notes a function in which a thread starts; it runs beside the thread that creates it, whoever else there is. */
static void note_beside(const void *function)
{
    const struct external *external;

    note(function, NULL, function, native_site());
    external = &externals.known.at[map_get(&externals.indices, (uint64_t)(uintptr_t)function)];
    if (external->kind == EXTERNAL_UNSEEN)
        native.session->unseen.at[external->unseen].shared = true;
}

/* A thread starts in a function that no instrumented code calls, as main does. There are routines that start the functions of others: libstdc++ has
 * one for std::thread. */
static void thread_begins(struct native_thread *thread)
{
    const void *function = (const void *)thread->start;
    uint32_t slot = (uint32_t)(mix64((uint64_t)(uintptr_t)function) % STARTED);

    if (!function || function == externals.started)
        return;
    externals.started = function;
    if (!image_is_instrumented_code((const void *)native.main))
        note_beside((const void *)native.main);
    if (externals.fine[slot] == function)
        return;
    if (image_is_instrumented_code(function))
        externals.fine[slot] = function;
    else if (!is_in_module_of(function, &native) && !strstr(library_of(function), "libstdc++.so"))
        note_beside(function);
}

/* ---- hooks */

/* What hooks leave below the stack of the program differs from one round of a loop to the next (it has clocks in it), and shows where the
 * function called now leaves a gap in its frame. Then spin.c would not see that the thread comes back in the same state. */
static __attribute__((noinline)) void stack_wipe(void)
{
    char below[STACK_WIPED];

    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

HOOK void __raddle_external(const struct raddle_external *what, const struct raddle_site *site)
{
    note(what, what->name, what->function, site);
    if (native.current && !native.alone)
        stack_wipe();
}

static void call_begin(const struct library_row *row, uint64_t *arguments, uint32_t count,
                       const struct raddle_site *site)
{
    struct library_call call = {.row = row,
                                .arguments = arguments,
                                .count = count & ~HOOK_CALL_OPEN,
                                .open = (count & HOOK_CALL_OPEN) != 0,
                                .site = site};

    if (row && row->accesses[0].kind == ACCESS_SETS_JUMP)
        signals_jump_set(library_pointer(&call, 0), library_argument(&call, 1) != 0);
    if (row)
        library_before(&call);
}

static uint64_t call_end(const struct library_row *row, uint64_t *arguments, uint32_t count,
                         uint64_t result, const struct raddle_site *site)
{
    struct library_call call = {
        .row = row, .arguments = arguments, .count = count, .result = result, .site = site};

    if (row)
        library_after(&call);
    return call.result;
}

HOOK void __raddle_call(const struct raddle_external *what, uint64_t *arguments, uint32_t count,
                        const struct raddle_site *site)
{
    call_begin(note(what, what->name, what->function, site), arguments, count, site);
}

HOOK uint64_t __raddle_called(const struct raddle_external *what, uint64_t *arguments,
                              uint32_t count, uint64_t result, const struct raddle_site *site)
{
    return call_end(note(what, what->name, what->function, site), arguments, count, result, site);
}

HOOK void __raddle_indirect(const void *function, uint64_t *arguments, uint32_t count,
                            const struct raddle_site *site)
{
    call_begin(note(function, NULL, function, site), arguments, count, site);
}

HOOK uint64_t __raddle_indirected(const void *function, uint64_t *arguments, uint32_t count,
                                  uint64_t result, const struct raddle_site *site)
{
    return call_end(note(function, NULL, function, site), arguments, count, result, site);
}

static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return !externals.hides;
}

const struct part external_part = {.name = "code that is not seen",
                                   .state = &externals,
                                   .size = sizeof externals,
                                   .open = open_map,
                                   .restart = restart,
                                   .thread_begins = thread_begins,
                                   .fingerprint = fingerprint};
