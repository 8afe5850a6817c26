// HOOKS: memcpy=7 memmove=2 memset=3 load1=96 plain=108
/* Struct copies, memory functions, structs passed by value. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct odd {
    char bytes[37];
};

struct odd from, to, third;
char buffer[96], other[96];

static int first(struct odd by_value)
{
    return by_value.bytes[0];
}

static unsigned long sum(const char *bytes, size_t n)
{
    unsigned long total = 0;

    for (size_t i = 0; i < n; i++)
        total = total * 31 + (unsigned char)bytes[i];
    return total;
}

int main(int argc, char **argv)
{
    struct odd local, mine;
    size_t n = (size_t)argc + 20;
    (void)argv;

    memset(&local, 7, sizeof local); /* private */
    mine = local;                    /* private */
    memset(buffer, 3, 96);
    memset(buffer, argc + 4, n);
    bzero(buffer + 90, 3);
    from = mine;
    to = from;
    third = to;
    memcpy(buffer + 30, &third, 37);
    memmove(buffer + 1, buffer, n);
    bcopy(buffer, buffer + 2, n);
    memcpy(other, buffer, n);
    printf("%d %lu\n", first(from), sum(buffer, 96)); /* memcpy for the value; 96 loads */
    __builtin_memcpy(other, "constant", 9);
    return 0;
}
