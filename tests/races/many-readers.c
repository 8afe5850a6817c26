// Several who read, then one who writes without waiting for all of them.
// EXPECT(all): safe
// EXPECT(all -DMISSING=0): data-race
// EXPECT(all -DMISSING=1): data-race
// EXPECT(all -DMISSING=2): data-race
#include "races.h"

#define READERS 3
#ifndef MISSING
#define MISSING -1
#endif

static int x;
static int seen[READERS];

static void *reader(void *i)
{
    seen[(intptr_t)i] = x;
    return NULL;
}

int main(void)
{
    pthread_t threads[READERS];

    for (intptr_t i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, (void *)i);
    for (int i = 0; i < READERS; i++)
        if (i != MISSING)
            pthread_join(threads[i], NULL);
    x = 1;
    for (int i = 0; i < READERS; i++)
        if (i == MISSING)
            pthread_join(threads[i], NULL);
    return 0;
}
