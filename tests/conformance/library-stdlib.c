// EXPECT: incomplete
// Functions of stdlib.h: numbers, random states, sorting, environment, names.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <getopt.h>
#include <inttypes.h>
#include <wchar.h>

static char text[64], *end;
static int numbers[5] = {5, 3, 9, 1, 7};
static unsigned seed = 5;
static unsigned short state48[3] = {1, 2, 3}, params48[7] = {1, 2, 3, 4, 5, 6, 7};

static int compare(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

static int compare_down(const void *x, const void *y, void *down)
{
    return *(int *)down ? compare(y, x) : compare(x, y);
}

static void conversions(void)
{
    strcpy(text, "  -123abc");
    NUM(strtol(text, &end, 10));
    TEXT(end);
    NUM(strtoul("ff", &end, 16));
    NUM(strtoll("99999999999", &end, 0));
    NUM(strtoull("0x10", &end, 0));
    NUM(strtoimax("12", NULL, 10));
    NUM(strtoumax("13", NULL, 10));
    NUM(strtoq("14", NULL, 10));
    NUM(strtouq("15", NULL, 10));
    NUM(atoll("-16"));
    NUM((long)(atof("1.5") * 10));
    NUM((long)(strtod("2.5x", &end) * 10));
    TEXT(end);
    NUM((long)(strtof("3.5", NULL) * 10));
    NUM((long)(strtold("4.5", NULL) * 10));
    errno = 0;
    NUM(strtol("99999999999999999999", NULL, 10));
    NUM(errno == ERANGE);
    NUM(abs(-1) + labs(-2) + llabs(-3) + imaxabs(-4));
    NUM(div(7, 2).rem + ldiv(7, 2).quot + lldiv(9, 2).rem + imaxdiv(9, 2).quot);
    NUM(a64l("./z"));
    TEXT(l64a(12345));
}

static void sorts(void)
{
    int down = 1, key = 7, none = 4;

    qsort(numbers, 5, sizeof *numbers, compare);
    say("%d %d %d %d %d", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    NUM((int *)bsearch(&key, numbers, 5, sizeof *numbers, compare) - numbers);
    NUM(bsearch(&none, numbers, 5, sizeof *numbers, compare) == NULL);
    qsort_r(numbers, 5, sizeof *numbers, compare_down, &down);
    say("%d %d %d %d %d", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    qsort(numbers, 0, sizeof *numbers, compare);
}

static void chance(void)
{
    static char state[64];

    NUM(rand_r(&seed));
    NUM(seed);
    PTR(initstate(1, state, sizeof state));
    NUM(random());
    PTR(setstate(state));
    PTR(seed48(state48));
    NUM(lrand48());
    lcong48(params48);
    NUM(lrand48());
    NUM((long)(erand48(state48) * 1000));
    NUM(nrand48(state48));
    NUM(jrand48(state48));
}

static void options(void)
{
    char *argv[] = {"name", "-a", "-b", "value", "--long", "rest", NULL};
    struct option longs[] = {{"long", no_argument, NULL, 'l'}, {0}};
    char *tokens[] = {"one", "two", NULL}, list[] = "two=5,none", *at = list, *value;
    int index;

    NUM(getopt(6, argv, "ab:"));
    NUM(getopt_long(6, argv, "ab:", longs, &index));
    TEXT(optarg);
    NUM(getopt_long_only(6, argv, "ab:", longs, &index));
    NUM(index);
    NUM(getopt(6, argv, "ab:"));
    NUM(optind);
    NUM(getsubopt(&at, tokens, &value));
    TEXT(value);
    NUM(getsubopt(&at, tokens, &value));
}

static void environment(void)
{
    double load[1];
    wchar_t wide[8];
    char name[] = "conform-XXXXXX", directory[] = "conform-XXXXXX";

    TEXT(secure_getenv("CONFORM_NONE"));
    SYS(clearenv());
    TEXT(getenv("PATH"));
    NUM(mblen("a", 1));
    NUM(mbtowc(wide, "b", 1));
    NUM(wctomb(text, L'c'));
    NUM(mbstowcs(wide, "abc", 8));
    NUM(wcstombs(text, L"xyz", sizeof text));
    TEXT(text);
    NUM(getloadavg(load, 1));
    PTR(realpath("/usr/../tmp", NULL));
    PTR(realpath("/no such place", NULL));
    NUM(mktemp(name) == name && strcmp(name, "conform-XXXXXX") != 0);
    PTR(mkdtemp(directory));
    SYS(rmdir(directory));
}

static void program(void)
{
    conversions();
    sorts();
    chance();
    options();
    environment();
}
