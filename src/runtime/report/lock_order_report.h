#ifndef RADDLE_RUNTIME_REPORT_LOCK_ORDER_REPORT_H
#define RADDLE_RUNTIME_REPORT_LOCK_ORDER_REPORT_H

#include "model/watch.h"

/* Who is to watch the execution that begins: `next`, and before it the look at the order of locks, if the session wants that. What is found is
 * in session.lock_orders, each pair of places once. */
const struct watch_ops *lock_order_begin(const struct watch_ops *next);

#endif
