// The C library used by threads: it is no part of the program, and must neither break nor make the verdict incomplete.
// EXPECT(sc): safe executions=2
// EXPECT(tso): safe
// EXPECT(pso): safe
// EXPECT(sc -O2): safe executions=2
#include "common.h"
#include <ctype.h>
#include <string.h>
#include <time.h>

static atomic_int order;

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void sorts(void)
{
    int numbers[] = {5, 3, 9, 1, 7}, key = 7;

    qsort(numbers, 5, sizeof *numbers, by_value);
    for (int i = 0; i < 5; i++)
        assert(numbers[i] == 2 * i + 1);
    assert(bsearch(&key, numbers, 5, sizeof *numbers, by_value) == &numbers[3]);
}

static void texts(void)
{
    char text[64], *copy, *rest = NULL, *word;

    assert(snprintf(text, sizeof text, "%s %d %.2f", "word", 42, 1.5) == 12);
    assert(strcmp(text, "word 42 1.50") == 0 && strlen(text) == 12 && toupper(text[0]) == 'W');
    copy = strdup(text);
    word = strtok_r(copy, " ", &rest);
    assert(strcmp(word, "word") == 0);
    assert(strtol(strtok_r(NULL, " ", &rest), NULL, 10) == 42);
    assert(atof(strtok_r(NULL, " ", &rest)) == 1.5);
    free(copy);
    copy = strcpy(malloc(64), "a,b");
    assert(strcmp(strtok(copy, ","), "a") == 0 && strcmp(strtok(NULL, ","), "b") == 0);
    free(copy);
    assert(memcmp(memset(text, 'x', 8), "xxxxxxxx", 8) == 0 && strchr(text, 'y') == NULL);
}

static void files(void)
{
    char line[32] = "";
    FILE *file = tmpfile();

    assert(file);
    assert(fprintf(file, "line %d\n", 1) == 7);
    rewind(file);
    assert(fgets(line, sizeof line, file) && strcmp(line, "line 1\n") == 0);
    assert(fgets(line, sizeof line, file) == NULL && feof(file));
    assert(fclose(file) == 0);
    file = fopen("/dev/null", "w");
    assert(file && fputs("nothing", file) >= 0 && fclose(file) == 0);
    assert(fopen("/nowhere/at/all", "r") == NULL);
}

static void others(void)
{
    time_t now = time(NULL);
    struct tm tm;

    assert(getenv("PATH") && !getenv("RADDLE_NO_SUCH_VARIABLE"));
    assert(setenv("RADDLE_NO_SUCH_VARIABLE", "1", 1) == 0 && getenv("RADDLE_NO_SUCH_VARIABLE"));
    assert(gmtime_r(&now, &tm) && tm.tm_year > 70);
    srand(1);
    (void)rand();
    printf("printed %d\n", 1);
    puts("put");
    fflush(stdout);
    fprintf(stderr, "error\n");
}

static void *thread(void *_)
{
    if (atomic_fetch_add(&order, 1) == 0) {
        sorts();
        texts();
        files();
        others();
    }
    return NULL;
}

int main(void)
{
    run(2, thread);
    return 0;
}
