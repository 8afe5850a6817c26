// EXPECT: incomplete .*720 executions
// Streams on a file: written and read back; and left open with something in the buffer.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "many.h"

static char path[] = "/tmp/raddle-files-XXXXXX";
static char buffer[BUFSIZ];
static struct stat status;

int main(void)
{
    char line[100];
    int fd = mkstemp(path);
    FILE *f;

    assert(fd == 3 && setlocale(LC_ALL, ""));
    f = fdopen(fd, "w");
    assert(f && fprintf(f, "number %d\n", 42) > 0 && fclose(f) == 0);
    f = fopen(path, "r");
    setbuf(f, buffer);
    assert(f && fileno(f) == 3 && fgets(line, sizeof line, f) && strcmp(line, "number 42\n") == 0);
    assert(stat(path, &status) == 0 && status.st_size == 10);
    f = fopen(path, "a");
    assert(f && fileno(f) < 10 && fprintf(f, "more\n") == 5);
    unlink(path);
    many(6);
    return 0;
}
