// Blocks at the end of the program: only what nothing points to is lost.
// OPTIONS: --leaks
// EXPECT: safe
// EXPECT(sc -DLOST): leak says=80 bytes in 2 blocks are leaked; the first, of 40 bytes, was allocated by T1 \([a-z_0-9]+\) at .*memory-leak.c
// EXPECT(sc -DCYCLE): leak says=32 bytes in 2 blocks are leaked
// EXPECT(sc -DRACY): leak says=8 bytes in 1 block is leaked
// EXPECT(sc -DINNER): safe
#include "common.h"
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;
static char *inside;
static int *published;

static void *adds(void *_)
{
    struct node *node = calloc(1, sizeof *node);

    pthread_mutex_lock(&m);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&m);
#ifdef LOST
    inside = malloc(40);
    inside = NULL;
#endif
#ifdef RACY
    /* who comes second overwrites the only pointer */
    int *mine = malloc(sizeof(int) * 2);
    pthread_mutex_lock(&m);
    published = mine;
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}

int main(void)
{
#ifdef LOST
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        pthread_create(&t, NULL, adds, NULL);
        pthread_join(t, NULL);
    }
#else
    run2(adds, adds);
#endif
#ifdef CYCLE
    struct node *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    a->next = b;
    b->next = a;
    a = b = NULL;
#endif
#ifdef INNER
    inside = (char *)malloc(100) + 60;
#endif
    return 0;
}
