// Functions of libc for several threads: those that keep their state where they are told to; patterns; wide streams.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <grp.h>
#include <pwd.h>
#include <regex.h>
#include <wchar.h>

static char room[4096];

static void people(void)
{
    struct passwd user, *found_user = NULL;
    struct group group, *found_group = NULL;
    char name[64];

    CODE(getpwuid_r(0, &user, room, sizeof room, &found_user));
    NUM(found_user == &user && user.pw_uid == 0);
    CODE(getpwnam_r("root", &user, room, sizeof room, &found_user));
    TEXT(user.pw_name);
    CODE(getpwnam_r("nobody of that name", &user, room, sizeof room, &found_user));
    NUM(found_user == NULL);
    CODE(getpwuid_r(0, &user, room, 1, &found_user));
    CODE(getgrgid_r(0, &group, room, sizeof room, &found_group));
    NUM(found_group == &group && group.gr_gid == 0);
    CODE(getgrnam_r("root", &group, room, sizeof room, &found_group));
    TEXT(group.gr_name);
    NUM(getlogin_r(name, 0) != 0);
    CODE(ttyname_r(-1, name, sizeof name));
}

static void chance(void)
{
    struct random_data data = {0};
    char state[64] = "";
    int32_t number = 0;

    NUM(initstate_r(5, state, sizeof state, &data));
    NUM(random_r(&data, &number));
    NUM(number);
    NUM(srandom_r(6, &data));
    random_r(&data, &number);
    NUM(number);
}

static void patterns(void)
{
    regmatch_t parts[3];
    regex_t pattern;
    int bad;

    NUM(regcomp(&pattern, "([a-z]+)=([0-9]+)", REG_EXTENDED));
    NUM(regexec(&pattern, "  key=42;", 3, parts, 0));
    say("%d %d %d %d", parts[1].rm_so, parts[1].rm_eo, parts[2].rm_so, parts[2].rm_eo);
    NUM(regexec(&pattern, "nothing", 3, parts, 0) == REG_NOMATCH);
    regfree(&pattern);
    bad = regcomp(&pattern, "(", REG_EXTENDED);
    NUM(regerror(bad, &pattern, room, sizeof room) == strlen(room) + 1);
}

static void wide(void)
{
    FILE *stream = tmpfile();

    NUM(fwide(stream, 1) > 0);
    NUM(fputwc(L'a', stream) == L'a');
    NUM(putwc(L'b', stream) == L'b');
    NUM(fputws(L"cd", stream) >= 0);
    rewind(stream);
    NUM(fgetwc(stream) == L'a');
    NUM(getwc(stream) == L'b');
    NUM(ungetwc(L'x', stream) == L'x');
    NUM(fgetwc(stream) == L'x');
    fclose(stream);
    freopen("/dev/null", "r", stdin);
    NUM(getwchar() == WEOF);
    freopen("/dev/null", "w", stdout);
    NUM(putwchar(L'x') == L'x');
}

static void nothing(void)
{
}

static void program(void)
{
    people();
    chance();
    patterns();
    wide();
    NUM(pthread_getconcurrency());
    CODE(pthread_setconcurrency(3));
    NUM(pthread_getconcurrency());
    CODE(pthread_setconcurrency(-1));
    CODE(pthread_atfork(nothing, nothing, nothing));
}
