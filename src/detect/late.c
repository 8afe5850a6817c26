#include "detect/late.h"

#include "detect/detect.h"

struct told *late_first(struct world *world)
{
    struct late *late = &detector.late;

    if (!late->told)
        late->told = arena_alloc(&detector.arena, LATE_MAX * sizeof *late->told);
    late_settle_all();
    late->world = world;
    detector.now = EPOCH_NEVER; /* nothing is known to have been accessed then */
    detect_publish();
    return &late->told[late->count++];
}

void late_restart(void)
{
    detector.late.dropped += detector.late.count;
    detector.late.count = 0;
    detector.late.kinds = 0;
}

void late_settle_all(void)
{
    struct late *late = &detector.late;
    uint32_t count = late->count;

    if (count == 0)
        return;
    late->count = 0;
    late->judged += count;
    late->settling = true;
    for (uint32_t i = 0; i < count; i++)
        late->told[i].judge(late->world, &late->told[i]);
    late->settling = false;
    detect_run(detector.thread);
}

void late_end(void)
{
    if (detector.late.kinds & (detector.late.kinds - 1))
        late_settle_all();
}
