// What fails only because raddle does not model it: a bug that comes after it says so.
// EXPECT(sc -DFORK): assertion says=before that, fork failed, which raddle does not model
// EXPECT(sc -DSYSTEM): deadlock says=before that, system failed, which raddle does not model
// EXPECT(sc -DHANDLED): incomplete says=not modelled: fork
#include "common.h"
#include <semaphore.h>
#include <unistd.h>

int main(void)
{
#ifdef SYSTEM
    sem_t done;

    sem_init(&done, 0, 0);
    if (system("true") == 0)
        sem_post(&done);
    sem_wait(&done);
#else
    pid_t child = fork();

#ifdef HANDLED
    if (child < 0)
        return 1;
#endif
    assert(child >= 0);
#endif
    return 0;
}
