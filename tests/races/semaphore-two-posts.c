// With two who post, one wait is let through by either: only one of them has written.
// EXPECT(all): data-race
// EXPECT(all -DBOTH): safe
#include "races.h"

static int x[2];
static sem_t ready;

static void *poster(void *i)
{
    x[(intptr_t)i] = 1;
    sem_post(&ready);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    sem_init(&ready, 0, 0);
    pthread_create(&a, NULL, poster, (void *)0);
    pthread_create(&b, NULL, poster, (void *)1);
    sem_wait(&ready);
#ifdef BOTH
    sem_wait(&ready);
#endif
    x[0] = x[1] = 2;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
