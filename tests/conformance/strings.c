// String functions, on memory that others may see.
#define CONFORM_IN_THREAD
#include "conform.h"

static char text[64], number[] = " -42x";

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static void program(void)
{
    char *copy;

    TEXT(strcpy(text, "hello"));
    NUM(stpcpy(text, "hello") - text);
    TEXT(strcat(text, ", world"));
    TEXT(strncat(text, "! and more", 1));
    NUM(strlen(text));
    NUM(strnlen(text, 5));
    NUM(strnlen(text, 50));
    NUM(sign(strcmp(text, "hello, world!")));
    NUM(sign(strcmp(text, "hello, zorld!")));
    NUM(sign(strcmp(text, "hello")));
    NUM(sign(strcmp("\xff", "a")));
    NUM(sign(strncmp(text, "help", 3)));
    NUM(sign(strncmp(text, "help", 4)));
    NUM(sign(strncmp(text, "", 0)));
    TEXT(strchr(text, 'w'));
    TEXT(strchr(text, 'q'));
    NUM(strchr(text, 0) - text);
    TEXT(strrchr(text, 'l'));
    TEXT(strrchr(text, 'q'));
    NUM((char *)memchr(text, 'o', 13) - text);
    NUM(memchr(text, 'o', 4) == NULL);
    NUM(sign(memcmp(text, "hellp", 5)));
    NUM(sign(memcmp(text, "hellp", 4)));
    memset(text, 'z', sizeof text);
    strncpy(text, "ab", 4);
    NUM(text[2] == 0 && text[3] == 0 && text[4] == 'z');
    strncpy(text, "abcdef", 3);
    NUM(text[2] == 'c' && text[3] == 0);
    memmove(text + 1, text, 4);
    TEXT(text);
    memcpy(text, "AB", 2);
    TEXT(text);
    copy = PTR(strdup(text));
    TEXT(copy);
    free(copy);
    copy = PTR(strndup("abcdef", 3));
    TEXT(copy);
    free(copy);
    NUM(atoi(number));
    NUM(atol("123456789012"));
    NUM(atoi("none"));
}
