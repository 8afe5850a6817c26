/* Writes a table for the program, as generators of many projects do. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 0;

    printf("static const int squares[] = {");
    for (int i = 0; i < count; i++)
        printf("%d, ", i * i);
    printf("};\n");
    return count == 0;
}
