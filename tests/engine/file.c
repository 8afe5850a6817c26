#include "file.h"

#include <stdio.h>

#include "script/text.h"

bool file_read(const char *path, struct program *program)
{
    static char text[1 << 20];
    char message[300];
    struct read_error error;
    FILE *file = fopen(path, "r");
    size_t length;

    if (!file) {
        perror(path);
        return false;
    }
    length = fread(text, 1, sizeof text, file);
    fclose(file);
    if (text_read(text, length, path, program, &error))
        return true;
    fprintf(stderr, "%s\n", read_error_format(&error, path, message, sizeof message));
    return false;
}
