// With plain accesses as steps of their own, functions of the C library access memory step by step, too: another thread comes between, and sees
// half of it. With LOCKED nothing comes between, and every function does what it always does.
// OPTIONS: --races=ignore --keep-going
// EXPECT(sc -DCASE=1): assertion
// EXPECT(sc -DCASE=2): assertion
// EXPECT(sc -DCASE=3): assertion
// EXPECT(sc -DCASE=4): assertion
// EXPECT(sc -DCASE=5): assertion
// EXPECT(sc -DCASE=6): assertion
// EXPECT(sc -DLOCKED -DCASE=1): safe
// EXPECT(tso -DLOCKED -DCASE=2): safe
// EXPECT(sc -DLOCKED -DCASE=6): safe
// EXPECT(sc -DVALUES): safe
// EXPECT(sc -DNAMED): incomplete says=not modelled: strtok_r on memory that others see, with --races=ignore
#include "common.h"
#include <ctype.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#ifndef CASE
#define CASE 0
#endif

static char text[4] = "aa", other[4] = "aa";
static char seen[8];
static int numbers[2] = {2, 1};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *writer(void *_)
{
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    switch (CASE) {
    case 1: strcpy(text, "bb"); break;
    case 2: snprintf(text, sizeof text, "%s", "bb"); break;
    case 3: text[0] = 'b'; text[1] = 'b'; break;
    case 4: text[0] = 'b'; text[1] = 'b'; break;
    case 5: memset(text, 'b', 2); break;
    case 6: qsort(numbers, 2, sizeof *numbers, by_value); break;
    }
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}

static void *reader(void *_)
{
    int sum;

#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    strcpy(seen, "aa");
    switch (CASE) {
    case 3: snprintf(seen, sizeof seen, "%.2s", text); break;
    case 4: strncpy(seen, text, 2); break;
    case 5: { char local[8] = "aa"; sscanf(text, "%2[ab]", local); seen[0] = local[0]; seen[1] = local[1]; break; }
    default: seen[0] = text[0]; seen[1] = text[1];
    }
    sum = numbers[0] + numbers[1];
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    assert(seen[0] == seen[1]);
    assert(CASE != 6 || sum == 3);
    return NULL;
}

static char line[64], word[64], *end;
static wchar_t wide[8];
static struct tm date;

/* On memory that is seen by both, but used by one. */
static void *values(void *_)
{
    strcpy(line, "  42 words");
    assert(strlen(line) == 10 && strnlen(line, 5) == 5 && strchr(line, 'w') == line + 5);
    assert(strrchr(line, 'w') == line + 5 && strchr(line, 'z') == NULL && memchr(line, '4', 64) == line + 2);
    assert(strtol(line, &end, 10) == 42 && end == line + 4 && atoi(line) == 42);
    assert(strstr(line, "ord") == line + 6 && strcmp(line, "  42") > 0 && strncmp(line, "  42x", 4) == 0);
    assert(strcat(line, "!") == line && strcmp(line, "  42 words!") == 0);
    assert(snprintf(word, sizeof word, "%s|%5.2f|%.3s|%d", line, 2.5, line + 5, 7) == 23);
    assert(strcmp(word, "  42 words!| 2.50|wor|7") == 0);
    return NULL;
}

static void *values2(void *_)
{
    time_t now = 86400;

    assert(sprintf(word, "%s-%d", "x", 12) == 4 && strcmp(word, "x-12") == 0);
    assert(stpcpy(word, "abc") == word + 3 && strdup(word)[1] == 'b');
    assert(gmtime_r(&now, &date) == &date && date.tm_mday == 2);
    assert(strftime(word, sizeof word, "%d", &date) == 2 && strcmp(word, "02") == 0);
    assert(wcscpy(wide, L"ab") == wide && wcslen(wide) == 2 && wcschr(wide, L'b') == wide + 1);
    assert(memcmp(word, "02", 3) == 0 && strspn(word, "0") == 1);
    return NULL;
}

static void *token(void *_)
{
    strcpy(line, "a b");
    assert(strcmp(strtok_r(line, " ", &end), "a") == 0);
    return NULL;
}

static void *nothing(void *_)
{
    return NULL;
}

int main(void)
{
#ifdef VALUES
    run2(values, nothing);
    run2(values2, nothing);
#elif defined NAMED
    run2(token, nothing);
#else
    run2(writer, reader);
#endif
    return 0;
}
