/* Two threads read four cells that two others write; nobody uses what was read. */
#include "common.h"

static atomic_int x, y, z, w;

static void read_all(void)
{
    (void)load(x);
    (void)load(y);
    (void)load(z);
    (void)load(w);
}

static void write_twice(atomic_int *a, atomic_int *b)
{
    for (int i = 1; i <= 3; i++) {
        store(*a, i);
        store(*b, i);
    }
}

static void *thread(void *id)
{
    switch ((intptr_t)id) {
    case 0:
        read_all();
        read_all();
        break;
    case 1:
        read_all();
        (void)load(x);
        (void)load(y);
        break;
    case 2:
        write_twice(&x, &y);
        break;
    default:
        write_twice(&z, &w);
    }
    return NULL;
}

int main(void)
{
    run(4, thread);
    return 0;
}
