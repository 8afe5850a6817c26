// Spinlocks order as mutexes do.
// EXPECT(all): safe executions=2
// EXPECT(all -DTRY): safe
// EXPECT(all -DOUTSIDE): data-race
#include "races.h"

static int x;
static pthread_spinlock_t lock;

static void *work(void *_)
{
#ifdef TRY
    if (pthread_spin_trylock(&lock) != 0)
        return _;
#else
    pthread_spin_lock(&lock);
#endif
    x++;
    pthread_spin_unlock(&lock);
#ifdef OUTSIDE
    x++;
#endif
    return _;
}

int main(void)
{
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    run2(work, work);
    return 0;
}
