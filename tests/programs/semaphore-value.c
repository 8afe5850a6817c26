// sem_getvalue tells the value.
// EXPECT: safe
#include "common.h"
#include <semaphore.h>

int main(void)
{
    sem_t sem;
    int value = -1;

    sem_init(&sem, 0, 3);
    sem_wait(&sem);
    assert(sem_getvalue(&sem, &value) == 0);
    assert(value == 2);
    return 0;
}
