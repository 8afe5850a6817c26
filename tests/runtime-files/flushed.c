// EXPECT: safe: 24 executions
// ARGS: OUTPUT
// What is in a stream when main returns is in the file when the next execution begins; handlers of exit come before.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "many.h"

static FILE *f;

static void last(void)
{
    fprintf(f, "last\n");
}

int main(int argc, char **argv)
{
    struct stat status;

    assert(argc == 2 && atexit(last) == 0);
    assert(stat(argv[1], &status) != 0 || status.st_size == 11);
    f = fopen(argv[1], "w");
    assert(f && fprintf(f, "first\n") == 6);
    many(4);
    return 0;
}
