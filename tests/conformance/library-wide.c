// Functions of wchar.h, ctype.h, wctype.h.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <ctype.h>
#include <wchar.h>
#include <wctype.h>

static wchar_t a[64], b[64], *end;
static mbstate_t state;

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static void strings(void)
{
    wchar_t *copy;

    NUM(wcslen(wcscpy(a, L"hello")));
    NUM(wcsnlen(a, 3));
    NUM(sign(wcscmp(a, L"help")));
    NUM(sign(wcsncmp(a, L"help", 3)));
    NUM(sign(wcscasecmp(a, L"HELLO")));
    NUM(sign(wcscoll(a, L"hello")));
    NUM(wcpcpy(b, a) - b);
    wcsncpy(b, L"xy", 4);
    NUM(b[3]);
    NUM(wcschr(a, L'l') - a);
    NUM(wcsrchr(a, L'l') - a);
    NUM(wcsspn(a, L"leh"));
    NUM(wcscspn(a, L"o"));
    NUM(wcspbrk(a, L"xo") - a);
    NUM(wcsstr(a, L"ll") - a);
    copy = wcsdup(a);
    NUM(wcscmp(copy, a));
    free(copy);
    wmemcpy(b, a, 6);
    wmemmove(b + 1, b, 5);
    NUM(b[1] == L'h' && b[5] == L'o');
    wmemset(b, L'z', 3);
    NUM(sign(wmemcmp(b, L"zzz", 3)));
    NUM(wmemchr(a, L'e', 5) - a);
}

static void numbers(void)
{
    char bytes[16];

    NUM(wcstol(L"-12x", &end, 10));
    NUM(*end == L'x');
    NUM(wcstoul(L"13", NULL, 10));
    NUM(wcstoll(L"14", NULL, 10));
    NUM(wcstoull(L"15", NULL, 10));
    NUM((long)(wcstod(L"2.5", &end) * 10));
    NUM(wcwidth(L'a'));
    NUM(wcswidth(L"abc", 3));
    NUM(btowc('a') == L'a');
    NUM(wctob(L'b') == 'b');
    NUM(mbsinit(&state) != 0);
    NUM(mbrtowc(a, "xyz", 3, &state));
    NUM(mbrlen("xyz", 3, &state));
    NUM(wcrtomb(bytes, L'q', &state));
    NUM(bytes[0] == 'q');
}

static void classes(void)
{
    int in = 0;

    for (int c = 0; c < 128; c += 7)
        in += !!isalnum(c) + !!isalpha(c) + !!isblank(c) + !!iscntrl(c) + !!isdigit(c) + !!isgraph(c) + !!islower(c) +
              !!isprint(c) + !!ispunct(c) + !!isspace(c) + !!isupper(c) + !!isxdigit(c) + !!isascii(c) + toascii(c) +
              tolower(c) + toupper(c);
    NUM(in);
    in = 0;
    for (wint_t c = 0; c < 128; c += 7)
        in += !!iswalnum(c) + !!iswalpha(c) + !!iswblank(c) + !!iswcntrl(c) + !!iswdigit(c) + !!iswgraph(c) +
              !!iswlower(c) + !!iswprint(c) + !!iswpunct(c) + !!iswspace(c) + !!iswupper(c) + !!iswxdigit(c) +
              (int)towlower(c) + (int)towupper(c);
    NUM(in);
}

static void program(void)
{
    strings();
    numbers();
    classes();
}
