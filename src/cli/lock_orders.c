#include <stdio.h>
#include <string.h>

#include "cli/bug_print.h"
#include "cli/native_check.h"

/* Orders of locks that no run has shown to be a deadlock. */

/* Whether somebody waits at each of the places of the warning ("… at q.c:12, holding …") in that deadlock. */
static bool is_closed_by(const char *warning, const char *deadlock)
{
    static const char behind[] = ", holding ";
    char place[300];

    for (const char *end = strstr(warning, behind); end; end = strstr(end + 1, behind)) {
        const char *at = end;

        while (at > warning && strncmp(at, " at ", 4) != 0)
            at--;
        snprintf(place, sizeof place, "%.*s\n", (int)(end - at), at);
        if (!strstr(deadlock, place))
            return false;
    }
    return true;
}

static bool is_closed(const struct session *session, const struct session_bug *order)
{
    for (uint32_t i = 0; i < session->bugs.count; i++) {
        const struct session_bug *bug = &session->bugs.at[i];

        if (bug->kind == BUG_DEADLOCK && bug->detail && is_closed_by(order->detail, bug->detail))
            return true;
    }
    return false;
}

void lock_orders_take(struct native_check *check)
{
    const struct session *session = check->driver.session;

    check->lock_orders =
        arena_alloc(&check->arena, (session->lock_orders.count + 1) * sizeof *check->lock_orders);
    for (uint32_t i = 0; i < session->lock_orders.count; i++) {
        struct session_bug order = session->lock_orders.at[i];

        if (is_closed(session, &order))
            continue;
        order.message = report_text(&check->report, order.message);
        order.detail = report_text(&check->report, order.detail);
        if (order.site.file)
            order.site.file = report_text(&check->report, order.site.file);
        check->lock_orders[check->lock_order_count++] = order;
    }
}

void lock_orders_report(struct native_check *check)
{
    FILE *out = report_stream(check->settings);

    for (uint32_t i = 0; i < check->lock_order_count; i++) {
        const struct session_bug *order = &check->lock_orders[i];

        bug_print(out, "warning: ", order, NULL, NULL);
        vec_push(&check->arena, &check->report.warnings,
                 (struct report_bug){.kind = order->kind,
                                     .thread = order->thread,
                                     .line = order->site.line,
                                     .file = order->site.file,
                                     .message = order->message});
    }
    if (check->lock_order_count)
        fprintf(out, "note: no explored run ends in such a deadlock; only locks were looked at, so "
                     "something else in the program may rule it out\n");
}
