#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "lib/queue.h"
#include "plugin/total.h"
#include "work.h"

#ifndef HAVE_PTHREAD_H
#error "configuring did not find pthread.h"
#endif

/* "racy" as an argument: adds up without care. */
int main(int argc, char **argv)
{
    int racy = argc > 1 && strcmp(argv[1], "racy") == 0;
    int sum = work_run(2, racy);

    printf("%s: %d\n", PACKAGE, sum);
    assert(sum == 3);
    return 0;
}
