// A long stretch of plain accesses, of which some become visible so that loops are noticed, and then a race. The run that collects its
// stacks sees every access: it must count them as the first one did, wherever in a round the budget ends.
// EXPECT(sc -DSHIFT=0 -O0): data-race at=race
// EXPECT(sc -DSHIFT=1 -O0): data-race at=race
// EXPECT(sc -DSHIFT=2 -O0): data-race at=race
// EXPECT(sc -DSHIFT=3 -O0): data-race at=race
// EXPECT(sc -DSHIFT=3 -O2): data-race at=race
// EXPECT(sc -DSHIFT=1 -DLIST -O0): data-race at=race
// EXPECT(sc -DSHIFT=2 -DLIST -O1): data-race at=race
// EXPECT(sc -DSHIFT=1 -DCOPY -O0): data-race at=race
// EXPECT(sc -DSHIFT=2 -DCOPY -O2): data-race at=race
#include "common.h"
#include <string.h>

struct state {
    int block, length, left;
    unsigned char *in, *out;
    unsigned sum;
    struct state *next;
};

static int done;

static void work(struct state *s)
{
    while (s->left != 0) {
#ifdef LIST
        s->next->block = s->block + s->next->length;
        s = s->next;
#elif defined COPY
        memcpy(s->out + s->length, s->in + s->block, 16);
        s->sum += strlen((char *)s->out);
#endif
        s->block = (s->block + 1) % 1000;
        s->sum = s->sum * 31 + s->in[s->block];
        s->out[s->length] = (unsigned char)s->sum;
        s->length = (s->length + 1) % 1000;
        s->left--;
    }
}

static void *thread(void *_)
{
    struct state *s = calloc(1, sizeof *s);

    s->in = calloc(1024, 1);
    s->out = calloc(1024, 1);
    s->left = 20000;
    s->next = s;
    for (int i = 0; i < SHIFT; i++)
        s->sum = 1;
    work(s);
    done = 1; /* race */
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
