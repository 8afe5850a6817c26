#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/interrupt.h"

/* Nothing that people write by hand is larger; what is, is no script. */
#define INPUT_MAX ((size_t)64 << 20)

static char *stream_read(FILE *stream, size_t *length)
{
    size_t room = 4096, used = 0;
    char *text = malloc(room + 1);

    while (text) {
        size_t got = fread(text + used, 1, room - used, stream);
        char *bigger;

        used += got;
        if (got == 0 || used > INPUT_MAX)
            break;
        if (used < room)
            continue;
        bigger = realloc(text, 2 * room + 1);
        if (!bigger)
            free(text);
        text = bigger;
        room *= 2;
    }
    if (text)
        text[used] = '\0';
    *length = used;
    return text;
}

char *input_read(const char *file, size_t *length)
{
    FILE *stream = fopen(file, "rb");
    struct stat status;
    char *text = NULL;
    const char *problem = NULL;

    if (!stream) {
        fprintf(stderr, "raddle: %s: %s\n", file, strerror(errno));
        return NULL;
    }
    if (fstat(fileno(stream), &status) == 0 && S_ISDIR(status.st_mode))
        problem = strerror(EISDIR);
    else if (!(text = stream_read(stream, length)))
        problem = strerror(ENOMEM);
    else if (ferror(stream))
        problem = strerror(errno ? errno : EIO);
    else if (*length > INPUT_MAX)
        problem = "is larger than 64 MiB: not a test";
    fclose(stream);
    if (problem) {
        fprintf(stderr, "raddle: %s: %s\n", file, problem);
        free(text);
        return NULL;
    }
    return text;
}

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - interrupt_stopped();
}
