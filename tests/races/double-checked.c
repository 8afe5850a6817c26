// Double-checked locking: the quick look must be an acquire load.
// EXPECT(all): safe
// EXPECT(all -DRELAXED): data-race
// EXPECT(all -DPLAIN): data-race
#include "races.h"

struct thing {
    int value;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#ifdef PLAIN
static struct thing *thing;
#define LOOK     thing
#define PUT(new) (thing = (new))
#else
static struct thing *_Atomic thing;
#ifdef RELAXED
#define LOOK     load(thing, relaxed)
#define PUT(new) store(thing, new, relaxed)
#else
#define LOOK     load(thing, acquire)
#define PUT(new) store(thing, new, release)
#endif
#endif

static struct thing *get(void)
{
    struct thing *found = LOOK;

    if (found)
        return found;
    pthread_mutex_lock(&m);
    found = LOOK;
    if (!found) {
        found = malloc(sizeof *found);
        found->value = 7;
        PUT(found);
    }
    pthread_mutex_unlock(&m);
    return found;
}

static void *work(void *_)
{
    assert(get()->value == 7);
    return _;
}

int main(void)
{
    run2(work, work);
    return 0;
}
