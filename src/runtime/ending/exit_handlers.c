#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fingerprint.h"
#include "runtime/core/image.h"
#include "runtime/core/kernel.h"
#include "runtime/ending/ending.h"

/* What runs when the process or a thread ends: handlers of atexit and on_exit, destructors of C++, of modules, and of
 * thread-local variables. */

#define EXIT_HANDLERS      4096
#define QUICK_HANDLERS     64
#define MODULE_DESTRUCTORS 256

enum handler_kind { HANDLER_PLAIN, HANDLER_TAKING, HANDLER_STATUS };

struct exit_handler {
    enum handler_kind kind;
    union {
        void (*plain)(void);
        void (*taking)(void *);
        void (*status)(int, void *);
    } call;
    void *argument;
};

static struct {
    struct exit_handler at[EXIT_HANDLERS];
    uint32_t count, of_start;
    bool full; /* before the session was there to tell it to */
    void (*quick[QUICK_HANDLERS])(void *);
    uint32_t quick_count, quick_of_start;
    void (*modules[MODULE_DESTRUCTORS])(void);
    uint32_t module_count;
    uint32_t threads_left; /* that have ended in this execution, otherwise than by exit */
} exit_handlers;

/* Runs at the end of a thread that has made that object, a thread-local variable of C++. */
struct destructor {
    void (*call)(void *);
    void *object;
};

/* Of each thread. */
struct exit_handlers_thread {
    VEC(struct destructor) destructors;
};

static struct exit_handlers_thread *handlers_of(const struct native_thread *thread)
{
    return thread->own[PART_EXIT_HANDLERS];
}

/* ---- registration */

static int handler_add(struct exit_handler handler)
{
    if (exit_handlers.count == EXIT_HANDLERS) {
        exit_handlers.full = true;
        if (native.session)
            native_refused("more handlers of atexit");
        return -1;
    }
    exit_handlers.at[exit_handlers.count++] = handler;
    return 0;
}

INTERPOSE int atexit(void (*handler)(void))
{
    return handler_add((struct exit_handler){HANDLER_PLAIN, {.plain = handler}, NULL});
}

INTERPOSE int on_exit(void (*handler)(int, void *), void *argument)
{
    return handler_add((struct exit_handler){HANDLER_STATUS, {.status = handler}, argument});
}

static int module_is_own(struct dl_phdr_info *info, size_t size, void *address)
{
    (void)size;
    return image_holds(info, (uintptr_t)address) ? (image_is_instrumented(info) ? 1 : -1) : 0;
}

/* Of libraries, too. What those that raddle did not compile register before the start stays theirs and is never called:
 * processes of ours end without ceremony. A program at a fixed address passes NULL. */
INTERPOSE int __cxa_atexit(void (*handler)(void *), void *argument, void *library)
{
    if (!native.current && library && dl_iterate_phdr(module_is_own, library) != 1)
        return 0;
    return handler_add((struct exit_handler){HANDLER_TAKING, {.taking = handler}, argument});
}

/* ---- thread-local variables with destructors */

INTERPOSE int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library)
{
    struct destructor new = {destructor, object};

    if (!native.current)
        return __cxa_atexit(destructor, object, library);
    vec_push(&native.memory, &handlers_of(native.current)->destructors, new);
    return 0;
}

/* The same for compilers; libstdc++ has it call the one above. */
INTERPOSE int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *library)
{
    return __cxa_thread_atexit_impl(destructor, object, library);
}

void exit_handlers_thread_variables(void)
{
    struct exit_handlers_thread *own = handlers_of(native.current);

    while (own->destructors.count > 0) {
        struct destructor last = vec_last(&own->destructors);

        own->destructors.count--;
        last.call(last.object);
    }
}

/* ---- destructors of modules */

/* Finds what the module has in its DT_FINI_ARRAY that raddle compiled; what else stands there is the compiler's, and of no
 * concern to the program. They are called from the last to the first. */
static int module_destructors_add(struct dl_phdr_info *info, size_t size, void *context)
{
    const ElfW(Dyn) *entry = NULL;
    void (**functions)(void) = NULL;
    size_t count = 0;

    (void)size;
    (void)context;
    if (!image_is_instrumented(info))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_FINI_ARRAY)
            functions = (void (**)(void))(info->dlpi_addr + entry->d_un.d_ptr);
        else if (entry->d_tag == DT_FINI_ARRAYSZ)
            count = entry->d_un.d_val / sizeof *functions;
    }
    while (functions && count-- > 0) {
        if (!image_is_instrumented_code((const void *)(uintptr_t)functions[count]))
            continue;
        if (exit_handlers.module_count == MODULE_DESTRUCTORS)
            native_unsupported("more destructors of modules");
        else
            exit_handlers.modules[exit_handlers.module_count++] = functions[count];
    }
    return 0;
}

/* ---- the end of the process */

static void handler_call(const struct exit_handler *handler, int status)
{
    switch (handler->kind) {
    case HANDLER_PLAIN:
        handler->call.plain();
        break;
    case HANDLER_TAKING:
        handler->call.taking(handler->argument);
        break;
    case HANDLER_STATUS:
        handler->call.status(status, handler->argument);
        break;
    }
}

INTERPOSE _Noreturn void exit(int status)
{
    if (!native.current) {
        constructors_leave();
        kernel_exit(status);
    }
    native.current->leaves = true;
    exit_handlers_thread_variables();
    while (exit_handlers.count > 0) {
        struct exit_handler last = exit_handlers.at[--exit_handlers.count];

        handler_call(&last, status);
    }
    for (uint32_t i = 0; i < exit_handlers.module_count; i++)
        exit_handlers.modules[i]();
    if (native.session->leaks)
        memory_bug_leaks();
    native_exit_process(status);
}

INTERPOSE _Noreturn void _exit(int status)
{
    if (!native.current) {
        constructors_leave();
        kernel_exit(status);
    }
    native_exit_process(status);
}

INTERPOSE _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* The handlers of quick_exit are other ones. */

int __cxa_at_quick_exit(void (*handler)(void *), void *library);

INTERPOSE int __cxa_at_quick_exit(void (*handler)(void *), void *library)
{
    (void)library;
    if (exit_handlers.quick_count == QUICK_HANDLERS) {
        native_refused("more handlers of at_quick_exit");
        return -1;
    }
    exit_handlers.quick[exit_handlers.quick_count++] = handler;
    return 0;
}

INTERPOSE int at_quick_exit(void (*handler)(void))
{
    return __cxa_at_quick_exit((void (*)(void *))(uintptr_t)handler, NULL);
}

INTERPOSE _Noreturn void quick_exit(int status)
{
    while (native.current && exit_handlers.quick_count > 0)
        exit_handlers.quick[--exit_handlers.quick_count](NULL);
    _exit(status);
}

/* Waits for the end of that thread and of all that it has made, and they, but for the running one. Who a thread has made is
 * known when it has ended: so the order of waiting does not depend on that of the ends. */
static void await_ends(uint32_t number)
{
    struct op op = native_op(OP_THREAD_JOIN, NULL);
    uint32_t child;

    if (number == native.current->number)
        return;
    op.addr = native.threads.at[number]->agent;
    native_ask(&op);
    for (uint32_t rank = 1; (child = native_child(number, rank)) != NATIVE_NO_THREAD; rank++)
        await_ends(child);
}

static void *exit_after_all(void *unused)
{
    await_ends(0);
    exit(0);
    return unused;
}

/* When main has called pthread_exit, the last thread runs the handlers. Which one that is does not count as a difference between
 * executions: a thread of ours does it when they all are gone. */
void exit_handlers_thread_leaves(void)
{
    uint32_t alive = 0;
    pthread_t handle;

    if (native.current->number == 0 && exit_handlers.count + exit_handlers.module_count > 0) {
        pthread_create(&handle, NULL, exit_after_all, NULL);
        return;
    }
    exit_handlers.threads_left++;
    for (uint32_t i = 0; exit_handlers.count > 0 && i < native.threads.count; i++)
        alive += native.threads.at[i]->agent != AGENT_NONE;
    if (exit_handlers.threads_left == alive)
        native_unsupported("handlers of atexit that are set after main has called pthread_exit");
}

/* ---- the part */

/* The handlers that constructors have registered are those of every execution. */
static void open_handlers(void)
{
    dl_iterate_phdr(module_destructors_add, NULL);
    if (exit_handlers.full)
        native_refused("more handlers of atexit");
    exit_handlers.of_start = exit_handlers.count;
    exit_handlers.quick_of_start = exit_handlers.quick_count;
}

static void restart(void)
{
    exit_handlers.threads_left = 0;
    exit_handlers.count = exit_handlers.of_start;
    exit_handlers.quick_count = exit_handlers.quick_of_start;
}

static void thread_begins(struct native_thread *thread)
{
    handlers_of(thread)->destructors.count = 0;
}

static bool fingerprint(struct fingerprint *into)
{
    fingerprint_word(into, exit_handlers.threads_left);
    for (uint32_t i = exit_handlers.of_start; i < exit_handlers.count; i++) {
        fingerprint_word(into, exit_handlers.at[i].kind);
        fingerprint_word(into, (uint64_t)(uintptr_t)exit_handlers.at[i].call.plain);
        fingerprint_word(into, (uint64_t)(uintptr_t)exit_handlers.at[i].argument);
    }
    for (uint32_t i = exit_handlers.quick_of_start; i < exit_handlers.quick_count; i++)
        fingerprint_word(into, (uint64_t)(uintptr_t)exit_handlers.quick[i]);
    fingerprint_word(into, (uint64_t)exit_handlers.count << 32 | exit_handlers.quick_count);
    return exit_handlers.count >= exit_handlers.of_start;
}

static bool fingerprint_thread(const struct native_thread *thread, struct fingerprint *into)
{
    const struct exit_handlers_thread *own = handlers_of(thread);

    for (uint32_t i = 0; i < own->destructors.count; i++) {
        fingerprint_word(into, (uint64_t)(uintptr_t)own->destructors.at[i].call);
        fingerprint_word(into, (uint64_t)(uintptr_t)own->destructors.at[i].object);
    }
    return true;
}

const struct part exit_handlers_part = {.name = "handlers of exit",
                                        .state = &exit_handlers,
                                        .size = sizeof exit_handlers,
                                        .thread_size = sizeof(struct exit_handlers_thread),
                                        .open = open_handlers,
                                        .restart = restart,
                                        .thread_begins = thread_begins,
                                        .fingerprint = fingerprint,
                                        .fingerprint_thread = fingerprint_thread};
