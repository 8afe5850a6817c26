#include "runtime/report/lock_order_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "detect/lock_order.h"
#include "runtime/program/native.h"
#include "runtime/report/names.h"

#define TOLD_MAX 20 /* more help nobody */

static const struct raddle_site *site_of(const struct lock_order_lock *lock)
{
    return (const struct raddle_site *)(uintptr_t)lock->site;
}

static void add_lock(struct text *t, const struct lock_order_lock *lock)
{
    char name[300];

    names_address(lock->addr, 1, site_of(lock), name, sizeof name);
    text_add(t, "%s%s", name, lock->reads ? " (to read)" : "");
}

static void add_place(struct text *t, const char *before, const struct raddle_site *site)
{
    const char *slash = site && site->file ? strrchr(site->file, '/') : NULL;

    if (!site || !site->file)
        return;
    text_add(t, " %s %s", before, slash ? slash + 1 : site->file);
    if (site->line)
        text_add(t, ":%" PRIu32, site->line);
}

static session_text message_of(const struct lock_order_step *steps, uint32_t count)
{
    char buffer[2000];
    struct text t = text_open(buffer, sizeof buffer);

    for (uint32_t i = 0; i < count; i++) {
        text_add(&t, "%s", i ? "; " : "");
        native_thread_words(&t, steps[i].thread);
        text_add(&t, " takes ");
        add_lock(&t, &steps[i].held);
        text_add(&t, ", then ");
        add_lock(&t, &steps[i].wanted);
    }
    return native_text(buffer);
}

static session_text detail_of(const struct lock_order_step *steps, uint32_t count)
{
    char buffer[4000];
    struct text t = text_open(buffer, sizeof buffer);

    for (uint32_t i = 0; i < count; i++) {
        text_add(&t, "  ");
        native_thread_words(&t, steps[i].thread);
        text_add(&t, " takes ");
        add_lock(&t, &steps[i].wanted);
        add_place(&t, "at", site_of(&steps[i].wanted));
        text_add(&t, ", holding ");
        add_lock(&t, &steps[i].held);
        add_place(&t, "since", site_of(&steps[i].held));
        text_add(&t, "\n");
    }
    return native_text(buffer);
}

/* The same whichever thread comes first. */
static uint64_t key_of(const struct lock_order_step *steps, uint32_t count)
{
    uint64_t key = 0;

    for (uint32_t i = 0; i < count; i++)
        key += mix64(steps[i].wanted.site ^ mix64(steps[i].held.site));
    return key;
}

static void cycle_found(const struct lock_order_step *steps, uint32_t count)
{
    struct session *session = native.session;
    uint64_t key = key_of(steps, count);
    struct session_bug bug = {.kind = BUG_LOCK_ORDER, .thread = steps[0].thread};

    for (uint32_t i = 0; i < session->lock_order_keys.count; i++)
        if (session->lock_order_keys.at[i] == key)
            return;
    if (session->lock_orders.count == TOLD_MAX)
        return;
    vec_push(&session->arena, &session->lock_order_keys, key);
    bug.site = native_session_site(site_of(&steps[0].wanted));
    bug.message = message_of(steps, count);
    bug.detail = detail_of(steps, count);
    vec_push(&session->arena, &session->lock_orders, bug);
}

static uint64_t place_of(uint32_t thread, uint64_t site)
{
    return (uint64_t)(uintptr_t)names_user_site(thread, (const void *)(uintptr_t)site);
}

const struct watch_ops *lock_order_begin(const struct watch_ops *next)
{
    static bool open; /* outlives a run: once in a process */
    const struct session *session = native.session;

    if (!session->lock_order || (session->job != SESSION_EXPLORE && session->job != SESSION_RESUME))
        return next;
    if (!open)
        lock_order_open(&native.memory, cycle_found, place_of);
    open = true;
    return lock_order_watch(next);
}
