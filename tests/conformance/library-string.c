// Functions of string.h: what they give and write, on memory that others may see.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <libgen.h>
#include <locale.h>
#include <strings.h>
#include <wchar.h>
#undef basename

char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
char *__strdup(const char *);
char *__strndup(const char *, size_t);
char *__strtok_r(char *, const char *, char **);
char *__xpg_basename(char *);
char *basename(const char *);
int __xpg_strerror_r(int, char *, size_t);

static char a[64], b[64], *place;

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static void compares(void)
{
    locale_t locale = newlocale(LC_ALL_MASK, "C", NULL);

    strcpy(a, "Hello");
    strcpy(b, "hello");
    NUM(sign(strcasecmp(a, b)));
    NUM(sign(strncasecmp(a, "HELP", 3)));
    NUM(sign(strcasecmp_l(a, "help", locale)));
    NUM(sign(strcoll(a, b)));
    NUM(sign(strverscmp("a10", "a9")));
    NUM(sign(bcmp(a, b, 5)) != 0);
    NUM((char *)memrchr(a, 'l', 5) - a);
    NUM((char *)memmem(a, 5, "ll", 2) - a);
    NUM(strxfrm(b, a, sizeof b));
    TEXT(b);
    NUM(strspn(a, "eHl"));
    NUM(strcspn(a, "lo"));
    TEXT(strpbrk(a, "xl"));
    TEXT(strstr(a, "ll"));
    TEXT(strstr(a, "LL"));
    TEXT(strcasestr(a, "LL"));
    NUM(strchrnul(a, 'x') - a);
    TEXT(index(a, 'e'));
    TEXT(rindex(a, 'l'));
    freelocale(locale);
}

static void copies(void)
{
    char *copy;

    TEXT(__strcpy_chk(a, "abc", sizeof a));
    NUM(__stpcpy_chk(a, "abc", sizeof a) - a);
    TEXT(__strncpy_chk(a, "xy", 2, sizeof a));
    TEXT(__strcat_chk(a, "def", sizeof a));
    TEXT(__strncat_chk(a, "ghi", 1, sizeof a));
    memset(b, 'z', sizeof b);
    NUM(stpncpy(b, "ab", 5) - b);
    NUM(b[4] == 0 && b[5] == 'z');
    swab("badc", b, 4);
    NUM(memcmp(b, "abcd", 4));
    copy = __strdup(a);
    TEXT(copy);
    free(copy);
    copy = __strndup(a, 2);
    TEXT(copy);
    free(copy);
    PTR(memccpy(b, "a:b", ':', 3));
    TEXT(b);
}

static void tokens(void)
{
    strcpy(a, ",one,,two");
    TEXT(strtok(a, ","));
    TEXT(strtok(NULL, ","));
    TEXT(strtok(NULL, ","));
    strcpy(a, "x y");
    TEXT(strtok_r(a, " ", &place));
    TEXT(__strtok_r(NULL, " ", &place));
    TEXT(strtok_r(NULL, " ", &place));
    strcpy(a, "p::q");
    place = a;
    TEXT(strsep(&place, ":"));
    TEXT(strsep(&place, ":"));
    TEXT(strsep(&place, ":"));
    TEXT(strsep(&place, ":"));
    strcpy(a, "/usr/lib/");
    TEXT(basename("/usr/lib"));
    TEXT(__xpg_basename(a));
    TEXT(dirname(a));
}

static void errors(void)
{
    TEXT(strerror(ENOENT));
    TEXT(strerror_r(ENOENT, a, sizeof a));
    CODE(__xpg_strerror_r(EINVAL, a, sizeof a));
    TEXT(a);
    TEXT(strsignal(11));
    TEXT(strerrorname_np(EPERM));
    TEXT(strerrordesc_np(EPERM));
    NUM(ffs(8) + ffsl(16) + ffsll(32));
}

static void program(void)
{
    compares();
    copies();
    tokens();
    errors();
}
