// EXPECT: safe: 5040 executions
// INPUT: lines.txt
// Standard input, read to its end by each execution.
#include <stdio.h>
#include <string.h>

#include "many.h"

int main(void)
{
    char line[100];
    int n = 0;

    while (fgets(line, sizeof line, stdin))
        n++;
    assert(n == 3 && strcmp(line, "three\n") == 0);
    many(7);
    return 0;
}
