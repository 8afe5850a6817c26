// Two writers and a reader that takes what is there: it comes in one read or in two, in either order.
// EXPECT(all): safe executions=4
// EXPECT(sc -DONE_READ): assertion at=short
// EXPECT(sc -DFIRST): assertion at=order
#include "common.h"
#include <unistd.h>

static int ends[2];

static void *writer(void *id)
{
    char c = 'a' + (char)(intptr_t)id;

    assert(write(ends[1], &c, 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    char got[2];
    ssize_t n = 0;

    assert(pipe(ends) == 0);
    for (intptr_t i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, writer, (void *)i) == 0);
#ifdef ONE_READ
    n = read(ends[0], got, 2);
    assert(n == 2); /* short */
#else
    while (n < 2)
        n += read(ends[0], got + n, 2 - (size_t)n);
#endif
#ifdef FIRST
    assert(got[0] == 'a'); /* order */
#endif
    assert(got[0] + got[1] == 'a' + 'b');
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
