// EXPECT: safe: 720 executions
// ARGS: file,with,commas -n 12 -v rest
// getopt sorts argv, strtok cuts it into pieces.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "many.h"

int main(int argc, char **argv)
{
    int option, n = 0, v = 0, words = 0;

    assert(argc == 6 && argv[1][0] == 'f');
    while ((option = getopt(argc, argv, "n:v")) != -1) {
        n += option == 'n' ? atoi(optarg) : 0;
        v += option == 'v';
    }
    assert(n == 12 && v == 1 && optind == 4 && strcmp(argv[5], "rest") == 0);
    for (char *word = strtok(argv[4], ","); word; word = strtok(NULL, ","))
        words++;
    assert(words == 3);
    argv[0] = NULL;
    many(6);
    return 0;
}
