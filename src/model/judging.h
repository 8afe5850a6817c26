#ifndef RADDLE_MODEL_JUDGING_H
#define RADDLE_MODEL_JUDGING_H

#include "model/await.h"
#include "model/touch.h"

/* What touch.c and touch_sync.c share; nobody else includes it. */

/* One operation being judged, and what was found so far. */
struct judging {
    struct world *world;
    const struct view *view;
    agent_id agent;
    const struct op *op;
    struct footprint *footprint;
    const char *rule;
};

void judging_add(struct judging *j, loc_id loc, uint8_t bytes, enum access_mode mode);

/* Touches an object if the operation can run; all but TOUCH_DONE change nothing, and so read. */
enum touch touch_object(struct judging *j, loc_id loc, enum touch touch);

uint64_t object_state(struct judging *j, enum object_kind kind, uint64_t addr, loc_id *loc);

/* Touches what an await waits for, and tells whether any of it has changed. */
bool touch_awaited(struct judging *j, const struct await *await);

/* Whether there is a signal for the thread that it lets in; reads that. */
bool touch_signalled(struct judging *j);

/* Always possible, always succeeds: the row in ops.def says the rest. */
enum touch touch_plain(struct judging *j);

/* ---- touch_sync.c */

enum touch touch_init(struct judging *j);
enum touch touch_destroy(struct judging *j);
enum touch touch_lock(struct judging *j);
enum touch touch_unlock(struct judging *j);
enum touch touch_consistent(struct judging *j);
enum touch touch_rwlock(struct judging *j);
enum touch touch_rwlock_want(struct judging *j);
enum touch touch_rwunlock(struct judging *j);
enum touch touch_cond_wait(struct judging *j);
enum touch touch_cond_timeout(struct judging *j);
enum touch touch_cond_wake(struct judging *j);
enum touch touch_barrier_wait(struct judging *j);
enum touch touch_barrier_interrupt(struct judging *j);
enum touch touch_sem_wait(struct judging *j);
enum touch touch_sem_post(struct judging *j);
enum touch touch_alive(struct judging *j);
enum touch touch_channel(struct judging *j);
enum touch touch_channel_close(struct judging *j);
enum touch touch_channel_ends(struct judging *j);
enum touch touch_channel_poll(struct judging *j);
enum touch touch_file(struct judging *j);
enum touch touch_descriptor_open(struct judging *j);
enum touch touch_descriptor_set(struct judging *j);
enum touch touch_create(struct judging *j);
enum touch touch_join(struct judging *j);
enum touch touch_detach(struct judging *j);
enum touch touch_cancel(struct judging *j);
enum touch touch_testcancel(struct judging *j);

#endif
