#include "runtime/core/tls.h"

#include <asm/prctl.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/kernel.h"
#include "runtime/core/part.h"

#define PAGE           ((size_t)4096)
#define HWCAP_FSGSBASE 2                 /* in AT_HWCAP2 */
#define STATIC_MAX     ((size_t)1 << 20) /* variables farther away were not there at the start */
#define SURPLUS        PAGE              /* for libraries that are loaded later */
#define DTV_SPARE      64                /* rows for those, and for what they load */
#define DTV_OFFSET     8    /* from the thread pointer to the pointer to the table of variables */
#define KEPT_MIN       2304 /* bytes that every libc of this machine keeps of a thread */
#define RSEQ_MIN       32   /* bytes that the kernel may write there */
#define WORDS_MAX      256

/* A row of libc's table of where each module's variables are: the first is the number of rows, the second, to which its pointer
 * points, the number of changes that it knows of; then one for each module. */
struct dtv {
    uintptr_t at;
    void *to_free;
};

#define DTV_ABSENT UINTPTR_MAX /* not made yet */

struct tls tls;

/* A block as a new thread finds it: the table, room, variables, and from `pointer` on what libc keeps. */
static struct {
    char *start;
    char *pointer;
    struct dtv *table;
    size_t rows;  /* of the table that each run puts back: for the modules of the start */
    size_t align; /* of the thread pointer */
    uint32_t
        words; /* that point into the block itself, as offsets from `start`: those before `pointer` first */
    uint32_t words_before;
    uint32_t word[WORDS_MAX];
    void (*ctype)(
        void);    /* libc's function that sets a thread's tables of characters, from its locale */
    uint32_t ids; /* that hold the thread id */
    uint32_t id[4];
} model; /* outlives a run: made once */

/* Of the main thread, besides its variables. */
static struct {
    char *block; /* what libc keeps */
    struct dtv *table;
    struct dtv *rows; /* what was there, from the row before the one that `table` points to */
    size_t size;      /* of that */
    size_t kernel_low, kernel_high; /* bytes of the block that are the kernel's to write */
} saved;                            /* outlives a run: made once */

void tls_set(void *pointer)
{
    CHECK(syscall(SYS_arch_prctl, ARCH_SET_FS, pointer) == 0, "no thread pointer");
}

static struct dtv *dtv_of(const char *pointer)
{
    struct dtv *table;

    memcpy(&table, pointer + DTV_OFFSET, sizeof table);
    return table;
}

/* ---- what blocks look like */

static size_t static_size(void)
{
    void (*ask)(size_t *, size_t *) =
        (void (*)(size_t *, size_t *))dlsym(RTLD_DEFAULT, "_dl_get_tls_static_info");
    size_t size = STATIC_MAX, align;

    if (ask)
        ask(&size, &align);
    return size;
}

/* The modules whose variables are in the block of the calling thread. */
static int module_measure(struct dl_phdr_info *info, size_t size, void *limit)
{
    uintptr_t pointer = (uintptr_t)__builtin_thread_pointer();
    uintptr_t at = (uintptr_t)info->dlpi_tls_data;

    (void)size;
    if (info->dlpi_tls_modid >= model.rows)
        model.rows = info->dlpi_tls_modid + 1;
    if (!at || at >= pointer || pointer - at > *(size_t *)limit)
        return 0;
    if (pointer - at > tls.below)
        tls.below = pointer - at;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_phdr[i].p_align > model.align)
            model.align = info->dlpi_phdr[i].p_align;
    return 0;
}

/* libc keeps what it knows of a thread at the end of its stack, and says for debuggers how large that is. */
static size_t size_above(const char *pointer)
{
    const uint32_t *told = dlsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread");
    int (*attributes_of)(pthread_t, pthread_attr_t *) =
        (int (*)(pthread_t, pthread_attr_t *))dlsym(RTLD_NEXT, "pthread_getattr_np");
    pthread_t (*self)(void) = (pthread_t(*)(void))dlsym(RTLD_NEXT, "pthread_self");
    pthread_attr_t attributes;
    void *low;
    size_t size, known = told ? *told : KEPT_MIN;

    CHECK(attributes_of && self && attributes_of(self(), &attributes) == 0, "no attributes");
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    size = (size_t)((char *)low + size - pointer);
    return size < known ? size : known;
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* ---- the model */

static void word_add(size_t offset)
{
    CHECK(model.words < WORDS_MAX, "too many pointers in thread-local memory");
    model.word[model.words++] = (uint32_t)offset;
}

/* What points into the block of that thread points to the same place in each copy. */
static void words_find(const char *pointer, char *from, const char *end)
{
    for (char *at = from; at + sizeof(uintptr_t) <= end; at += sizeof(uintptr_t)) {
        uintptr_t word;

        memcpy(&word, at, sizeof word);
        if (word - (uintptr_t)(pointer - tls.below) >= tls.below + tls.above)
            continue;
        word += (uintptr_t)model.pointer - (uintptr_t)pointer;
        memcpy(at, &word, sizeof word);
        word_add((size_t)(at - model.start));
    }
}

/* Where the block of this thread has its id and that of the main thread has the other one. A number of the process may be the half of some
 * pointer, but not in both. */
static void ids_find(pid_t id, pid_t id_of_main)
{
    const char *theirs = tls.main;

    for (char *at = model.pointer; at + sizeof id <= model.pointer + tls.above; at += sizeof id)
        if (memcmp(at, &id, sizeof id) == 0 &&
            memcmp(theirs + (at - model.pointer), &id_of_main, sizeof id) == 0 &&
            model.ids < sizeof model.id / sizeof *model.id) {
            memcpy(at, &id_of_main, sizeof id);
            model.id[model.ids++] = (uint32_t)(at - model.pointer);
        }
}

/* Variables that are not in the block itself are made when they are first used. */
static void table_fill(const char *pointer)
{
    const struct dtv *theirs = dtv_of(pointer);

    model.table = (struct dtv *)model.start + 1;
    model.table[-1].at = model.rows + DTV_SPARE - 2;
    model.table[0] = theirs[0];
    for (size_t i = 1; i < model.rows + DTV_SPARE - 1; i++)
        model.table[i].at = DTV_ABSENT;
    for (size_t i = 1; i < model.rows && i <= theirs[-1].at; i++) {
        if (theirs[i].at - (uintptr_t)(pointer - tls.below) >= tls.below)
            continue;
        model.table[i].at = theirs[i].at + (uintptr_t)model.pointer - (uintptr_t)pointer;
        word_add((size_t)((char *)&model.table[i].at - model.start));
    }
}

/* On the thread that shows how one begins. */
static void *model_make(void *id_of_process)
{
    const char *pointer = __builtin_thread_pointer();
    size_t limit = static_size(), before;

    model.align = 64;
    model.rows = 1;
    dl_iterate_phdr(module_measure, &limit);
    tls.below = round_up(tls.below, sizeof(uintptr_t));
    tls.above = size_above(pointer);
    before = round_up((model.rows + DTV_SPARE) * sizeof(struct dtv) + tls.below + SURPLUS, PAGE);
    tls.room = before + round_up(tls.above, PAGE);
    model.start = kernel_map(NULL, tls.room);
    if (!model.start)
        return NULL;
    model.pointer = model.start + before;
    memcpy(model.pointer - tls.below, pointer - tls.below, tls.below + tls.above);
    table_fill(pointer);
    words_find(pointer, model.pointer - tls.below, model.pointer);
    model.words_before = model.words;
    words_find(pointer, model.pointer, model.pointer + tls.above);
    memcpy(model.pointer + DTV_OFFSET, &model.table, sizeof model.table);
    word_add((size_t)(model.pointer + DTV_OFFSET - model.start));
    ids_find((pid_t)syscall(SYS_gettid), *(pid_t *)id_of_process);
    return model.start;
}

/* libc's own function: ours would make a thread of the program. */
static int model_open(void)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    int (*join)(pthread_t, void **) = (int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join");
    pid_t id = (pid_t)syscall(SYS_gettid);
    pthread_t thread;
    void *made = NULL;
    int error;

    CHECK(create && join, "libc has no threads");
    error = create(&thread, NULL, model_make, &id);
    if (!error)
        error = join(thread, &made);
    if (error)
        errno = error;
    return error || !made ? -1 : 0;
}

int tls_open(void)
{
    char *engine;

    tls.quick = getauxval(AT_HWCAP2) & HWCAP_FSGSBASE;
    tls.now = tls.main = __builtin_thread_pointer();
    model.ctype = (void (*)(void))dlsym(RTLD_DEFAULT, "__ctype_init");
    if (model_open() != 0)
        return -1;
    CHECK(model.align <= PAGE, "thread-local variables at multiples of %zu bytes", model.align);
    engine = kernel_map(NULL, tls.room);
    if (!engine)
        return -1;
    tls.engine = tls_make(engine + tls.room);
    return 0;
}

/* ---- blocks */

static void words_set(char *start, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t *word = (uintptr_t *)(start + model.word[i]);

        *word += (uintptr_t)start - (uintptr_t)model.start;
    }
}

/* Whether the image looks after the variables, too: if they are many. */
static bool variables_are_tracked(void)
{
    return tls.below > PAGE;
}

void *tls_make(char *end)
{
    char *start = end - tls.room;
    char *pointer = start + (model.pointer - model.start);

    memcpy(start, model.start, tls.room);
    words_set(start, model.words);
    return pointer;
}

int tls_track(void *pointer)
{
    char *start = (char *)pointer - (model.pointer - model.start);

    if (image_add_late(pointer, (size_t)(start + tls.room - (char *)pointer)) != 0)
        return -1;
    return variables_are_tracked() ? image_add_late(start, (size_t)((char *)pointer - start)) : 0;
}

/* Rows of the table behind those count as unknown, as the number of changes goes back. */
void tls_renew(void *pointer)
{
    char *start = (char *)pointer - (model.pointer - model.start);

    if (variables_are_tracked())
        return;
    memcpy((char *)pointer - tls.below, model.pointer - tls.below, tls.below);
    memcpy(start, model.start, (model.rows + 1) * sizeof(struct dtv));
    words_set(start, model.words_before);
}

void tls_begin(void)
{
    if (model.ctype)
        model.ctype();
}

void tls_adopt(void *pointer)
{
    pid_t id = (pid_t)syscall(SYS_gettid);

    for (uint32_t i = 0; i < model.ids; i++)
        memcpy((char *)pointer + model.id[i], &id, sizeof id);
    tls_set(pointer);
}

/* ---- the main thread */

/* The processor that a thread runs on. */
static void kernel_part_find(void)
{
    const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
    const unsigned *size = dlsym(RTLD_DEFAULT, "__rseq_size");

    if (!offset || !size || *offset < 0 || (size_t)*offset >= tls.above)
        return;
    saved.kernel_low = (size_t)*offset;
    saved.kernel_high = saved.kernel_low + (*size > RSEQ_MIN ? *size : RSEQ_MIN);
    if (saved.kernel_high > tls.above)
        saved.kernel_high = tls.above;
    CHECK(saved.kernel_high - saved.kernel_low <= sizeof(struct tls_kernel),
          "the kernel writes %zu bytes of thread-local memory",
          saved.kernel_high - saved.kernel_low);
}

void tls_save(void)
{
    kernel_part_find();
    saved.table = dtv_of(tls.main);
    saved.size = (saved.table[-1].at + 2) * sizeof(struct dtv);
    saved.rows = kernel_map(NULL, round_up(saved.size, PAGE));
    saved.block = kernel_map(NULL, round_up(tls.above, PAGE));
    CHECK(saved.rows && saved.block, "no memory for thread-local variables");
    memcpy(saved.rows, saved.table - 1, saved.size);
    memcpy(saved.block, tls.main, tls.above);
}

void tls_kernel_keep(struct tls_kernel *into)
{
    memcpy(into->bytes, (char *)tls.main + saved.kernel_low, saved.kernel_high - saved.kernel_low);
}

void tls_kernel_back(const struct tls_kernel *from)
{
    memcpy((char *)tls.main + saved.kernel_low, from->bytes, saved.kernel_high - saved.kernel_low);
}

void tls_again(void)
{
    if (tls.quick)
        __asm__ volatile("wrfsbase %0" : : "r"(tls.now) : "memory");
    else
        tls_set(tls.now);
}

static void restart(void)
{
    char *block = tls.main;

    memcpy(block, saved.block, saved.kernel_low);
    memcpy(block + saved.kernel_high, saved.block + saved.kernel_high,
           tls.above - saved.kernel_high);
    memcpy(saved.table - 1, saved.rows, saved.size);
}

const struct part tls_part = {.name = "thread-local memory",
                              .state = &tls,
                              .size = sizeof tls,
                              .restart = restart,
                              .stateless = true};
