#ifndef RADDLE_MODEL_DOING_H
#define RADDLE_MODEL_DOING_H

#include "model/effect.h"
#include "model/object.h"
#include "model/world.h"

/* What effect.c and effect_sync.c share; nobody else includes it. */

/* One operation being carried out. `op` is a copy: the pending one may be replaced meanwhile. */
struct doing {
    struct world *world;
    agent_id thread;
    struct op op;
    enum touch touch;
    outcome_id outcome;
};

static inline void state_set(struct doing *d, enum object_kind kind, uint64_t addr, uint64_t state)
{
    world_object_set(d->world, kind, addr, state);
}

static inline uint64_t state_get(struct doing *d, enum object_kind kind, uint64_t addr)
{
    return world_state(d->world, world_location(d->world, kind, addr));
}

static inline void result_set(struct doing *d, cell_value result)
{
    d->world->step.result = result;
}

/* ---- effect_sync.c */

enum sequel do_lock(struct doing *d);
enum sequel do_init(struct doing *d);
enum sequel do_destroy(struct doing *d);
enum sequel do_unlock(struct doing *d);
enum sequel do_abandon(struct doing *d);
enum sequel do_consistent(struct doing *d);
enum sequel do_rwlock_want(struct doing *d);
enum sequel do_rwlock(struct doing *d);
enum sequel do_rwunlock(struct doing *d);
enum sequel do_cond_resume(struct doing *d);
enum sequel do_cond_wait(struct doing *d);
enum sequel do_cond_timeout(struct doing *d);
enum sequel do_cond_relock(struct doing *d);
enum sequel do_cond_signal(struct doing *d);
enum sequel do_cond_broadcast(struct doing *d);
enum sequel do_sem_value(struct doing *d);
enum sequel do_sem_wait(struct doing *d);
enum sequel do_sem_post(struct doing *d);
enum sequel do_barrier_resume(struct doing *d);
enum sequel do_barrier_wait(struct doing *d);
enum sequel do_barrier_leave(struct doing *d);

#endif
