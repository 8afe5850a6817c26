// Functions of time.h that turn times into each other; locale.h; signal sets.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <signal.h>

static time_t when = 1000000000;
static struct tm parts;
static char text[64];
static sigset_t set, other;

static void change_times(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    PTR(gmtime_r(&when, &parts));
    NUM(parts.tm_year);
    PTR(localtime_r(&when, &parts));
    NUM(parts.tm_hour);
    NUM(mktime(&parts));
    NUM(timegm(&parts));
    NUM(timelocal(&parts));
    NUM(gmtime(&when)->tm_min);
    NUM(localtime(&when)->tm_sec);
    TEXT(asctime_r(&parts, text));
    TEXT(ctime_r(&when, text));
    TEXT(asctime(&parts));
    TEXT(ctime(&when));
    NUM(strftime(text, sizeof text, "%Y-%m-%d", &parts));
    TEXT(text);
    NUM(strftime(text, 3, "%Y-%m-%d", &parts));
    TEXT(strptime("2020-02-03 rest", "%Y-%m-%d", &parts));
    NUM(parts.tm_mon);
    NUM((long)difftime(5, 3));
}

static void locales(void)
{
    locale_t locale, old;

    TEXT(setlocale(LC_ALL, NULL));
    TEXT(setlocale(LC_ALL, "C"));
    TEXT(setlocale(LC_ALL, "no such locale"));
    TEXT(localeconv()->decimal_point);
    TEXT(nl_langinfo(RADIXCHAR));
    PTR(locale = newlocale(LC_ALL_MASK, "C", NULL));
    old = uselocale(locale);
    uselocale(old);
    freelocale(locale);
    PTR(bindtextdomain("conform", "/tmp"));
    PTR(bind_textdomain_codeset("conform", "UTF-8"));
    TEXT(textdomain("conform"));
    TEXT(gettext("a text"));
    TEXT(dgettext("conform", "a text"));
    TEXT(dcgettext("conform", "a text", LC_MESSAGES));
    TEXT(ngettext("one", "many", 2));
}

static void sets(void)
{
    sigset_t both;

    SYS(sigemptyset(&set));
    NUM(sigisemptyset(&set));
    SYS(sigaddset(&set, SIGINT));
    SYS(sigaddset(&set, 999));
    NUM(sigismember(&set, SIGINT));
    SYS(sigfillset(&other));
    SYS(sigdelset(&other, SIGINT));
    NUM(sigismember(&other, SIGINT));
    SYS(sigandset(&both, &set, &other));
    NUM(sigisemptyset(&both));
    SYS(sigorset(&both, &set, &other));
    NUM(sigismember(&both, SIGINT));
    NUM(SIGRTMIN < SIGRTMAX);
}

static void program(void)
{
    change_times();
    locales();
    sets();
}
