/* Functions of the C library on memory that two threads see, by number: CASE, or all one after the other if that is 0. */
#include "common.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static char text[32] = "aaa bbb";
static wchar_t wide[8] = L"aaa";
static int number, numbers[4] = {4, 3, 2, 1};
static struct tm date;
static char *end;
static int zero;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void with_list(char *to, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(to, 32, format, list);
    va_end(list);
}

static void from_list(const char *from, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsscanf(from, format, list);
    va_end(list);
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void by_function(int which)
{
    char space[64];
    time_t now = 0;

    switch (which) {
    case 1: strcpy(text, "ccc"); break;
    case 2: snprintf(text, sizeof text, "%d", 5); break;
    case 3: snprintf(space, sizeof space, "%4.3s|", text); break;
    case 4: sprintf(text, "%s-%d", "x", 7); break;
    case 5: with_list(text, "%s %ld", "y", 8L); break;
    case 6: sscanf("17 z", "%d", &number); break;
    case 7: sscanf("17 zz", "%*d %s", text); break;
    case 8: qsort(numbers, 4, sizeof *numbers, by_value); break;
    case 9: strtol("12x", &end, 10); break;
    case 10: strcat(text, "d"); break;
    case 11: gmtime_r(&now, &date); break;
    case 12: wcscpy(wide, L"b"); break;
    case 13: strdup(text); break;
    case 14: strtok_r(text, " ", &end); break;
    case 15: printf("%s\n", text); break;
    case 16: sprintf(space, "%n", &number); break;
    case 17: fputs(text, stdout); break;
    case 18: read(zero, text, 4); break;
    case 19: writev(1, (struct iovec[]){{text, 2}, {text + 2, 2}}, 2); break;
    case 20: from_list("17 5", "%d", &number); break;
    }
}

static volatile int sink;

static void by_hand(int which)
{
    switch (which) {
    case 3: case 13: case 15: case 17: case 19: text[1] = 'x'; break;
    case 6: case 16: case 20: sink = number; break;
    case 8: sink = numbers[3]; break;
    case 9: sink = end != NULL; break;
    case 10: sink = text[7]; break;
    case 11: sink = date.tm_year; break;
    case 12: sink = wide[1]; break;
    case 14: sink = text[3]; break;
    default: sink = text[1];
    }
}

static void enter(void)
{
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
}

static void leave(void)
{
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
}

static void *first(void *_)
{
    enter();
    for (int i = CASE ? CASE : 1; i <= (CASE ? CASE : 20); i++)
        by_function(i);
    leave();
    return NULL;
}

static void *second(void *_)
{
    enter();
    for (int i = CASE ? CASE : 1; i <= (CASE ? CASE : 20); i++)
        by_hand(i);
    leave();
    return NULL;
}

int main(void)
{
    zero = open("/dev/zero", O_RDONLY);
    run2(first, second);
    return 0;
}
