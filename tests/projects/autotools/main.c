#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "lib/queue.h"
#include "plugin/total.h"
#include "squares.h" /* a program of the project has written it */
#include "work.h"

#ifndef HAVE_PTHREAD_H
#error "configuring did not find pthread.h"
#endif
_Static_assert(SIZEOF_LONG == sizeof(long) && SIZEOF_VOID_P == sizeof(void *), "configuring");

/* "racy" as an argument: adds up without care. */
int main(int argc, char **argv)
{
    int racy = argc > 1 && strcmp(argv[1], "racy") == 0;
    int sum = work_run(2, racy);

    printf("%s: %d\n", PACKAGE, sum);
    assert(squares[2] == 4);
    assert(sum == 3);
    return 0;
}
