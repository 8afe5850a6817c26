#ifndef RADDLE_RUNTIME_CHANNELS_WATCH_H
#define RADDLE_RUNTIME_CHANNELS_WATCH_H

/* What poll, select and epoll have in common. A wait with a timeout times out if nothing is ready when its turn comes: to wait
 * longer is to have its turn later. */

#include <signal.h>
#include <time.h>

#include "runtime/channels/channels.h"
#include "runtime/channels/outside.h"

/* What is ready of what. */
struct watch_look {
    uint32_t count;
    uint32_t *events; /* in the order of the items */
    struct outside_wait outside[OUTSIDE_POLL_MAX + 1];
    uint32_t outside_count;
};

/* The events of all items: those of the program as they are; if there are none, other processes get the time that there is. */
struct watch_look watch_look(const struct channel_item *items, uint32_t count, int64_t timeout);
void watch_look_free(const struct watch_look *look);

/* Waits until something of the list is ready, or only looks; of a set if there is one. False: a signal has ended the call. */
bool watch_wait(struct description *set, channel_list_id list, bool waits);

/* `timeout` nanoseconds pass for the running thread, if that is above 0. False: a signal has ended the call. */
bool watch_time_passes(int64_t timeout);

/* A timeout: none, since a signal is there that ends the call if nothing is ready. */
#define WATCH_DUE INT64_MAX

/* Before a call that waits with a mask of its own, if that is not NULL: its timeout may become WATCH_DUE. Returns what signals_mask_end
 * wants. */
uint64_t watch_mask_begin(const sigset_t *mask, int64_t *timeout);

/* Below 0 if there is none. */
int64_t watch_nanoseconds(const struct timespec *time);

/* Whether the program has such a descriptor. */
bool watch_is_open(int fd);

#endif
