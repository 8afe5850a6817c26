// EXPECT: incomplete
// Functions of stdio.h, err.h: formats, streams, lines.
#define CONFORM_IN_THREAD
#include "conform.h"
#include <err.h>
#include <error.h>
#include <signal.h>
#include <stdio_ext.h>
#include <syslog.h>

int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __vprintf_chk(int, const char *, va_list);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __dprintf_chk(int, int, const char *, ...);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __vsprintf_chk(char *, int, size_t, const char *, va_list);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
int __asprintf_chk(char **, int, const char *, ...);
int __vasprintf_chk(char **, int, const char *, va_list);
char *__fgets_chk(char *, size_t, int, FILE *);
ssize_t __getdelim(char **, size_t *, int, FILE *);
int __overflow(FILE *, int);
int __uflow(FILE *);
int __isoc99_scanf(const char *, ...);
int __isoc99_fscanf(FILE *, const char *, ...);
int __isoc99_sscanf(const char *, const char *, ...);
int __isoc99_vfscanf(FILE *, const char *, va_list);
int __isoc99_vsscanf(const char *, const char *, va_list);
void __syslog_chk(int, int, const char *, ...);

static char text[128], *made;
static int number, count;
static FILE *f;

static void with_list(int which, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    switch (which) {
    case 0: SYS(vprintf(format, list)); break;
    case 1: SYS(__vprintf_chk(1, format, list)); break;
    case 2: SYS(vfprintf(f, format, list)); break;
    case 3: SYS(__vfprintf_chk(f, 1, format, list)); break;
    case 4: SYS(vdprintf(fileno(f), format, list)); break;
    case 5: SYS(vsprintf(text, format, list)); break;
    case 6: SYS(__vsprintf_chk(text, 1, sizeof text, format, list)); break;
    case 7: SYS(vsnprintf(text, sizeof text, format, list)); break;
    case 8: SYS(__vsnprintf_chk(text, sizeof text, 1, sizeof text, format, list)); break;
    case 9: SYS(vasprintf(&made, format, list)); free(made); break;
    case 10: SYS(__vasprintf_chk(&made, 1, format, list)); free(made); break;
    case 11: vwarn(format, list); break;
    case 12: vwarnx(format, list); break;
    case 13: vsyslog(LOG_DEBUG, format, list); break;
    }
    va_end(list);
}

static void scan_list(int which, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    if (which == 0)
        SYS(vsscanf("12 ab", format, list));
    else if (which == 1)
        SYS(__isoc99_vsscanf("12 ab", format, list));
    else if (which == 2)
        SYS(vfscanf(f, format, list));
    else
        SYS(__isoc99_vfscanf(f, format, list));
    va_end(list);
}

static void prints(void)
{
    SYS(printf("%d %s\n", 5, "out"));
    SYS(__printf_chk(1, "%d\n", 5));
    SYS(fprintf(f, "%s-%5.2f-%c-%#x\n", "one", 1.5, 'c', 255));
    SYS(__fprintf_chk(f, 1, "%ld\n", 123456789L));
    SYS(fflush(f));
    SYS(dprintf(fileno(f), "%s\n", "direct"));
    SYS(__dprintf_chk(fileno(f), 1, "%s\n", "direct"));
    SYS(sprintf(text, "%s %.2s %*d %n|", "abc", "defg", 4, 7, &count));
    TEXT(text);
    NUM(count);
    SYS(__sprintf_chk(text, 1, sizeof text, "%s", "checked"));
    SYS(snprintf(text, 4, "%s", "cut off"));
    TEXT(text);
    SYS(__snprintf_chk(text, sizeof text, 1, sizeof text, "%d%%", 50));
    TEXT(text);
    SYS(asprintf(&made, "%s %d", "made", 1));
    TEXT(made);
    free(made);
    SYS(__asprintf_chk(&made, 1, "%d", 2));
    free(made);
    for (int i = 0; i < 14; i++)
        with_list(i, "%s %d\n", "list", i);
    TEXT(text);
    puts("a line");
    putchar('c');
    putchar_unlocked('\n');
    errno = 0;
    perror("nothing");
    psignal(11, "signal");
    warn("%s", "warning");
    warnx("%s", "warning");
    error(0, 0, "%s", "error");
    syslog(LOG_DEBUG, "%s", "conform");
    __syslog_chk(LOG_DEBUG, 1, "%s", "conform");
    openlog("conform", 0, LOG_USER);
    closelog();
}

static void scans(void)
{
    char word[16] = "", *taken = NULL, set[8] = "";
    unsigned hex = 0;
    double real = 0;

    SYS(sscanf("42 word 1f 2.5 xyz9 tail", "%d %15s %x %lf %7[xyz]%n", &number, word, &hex, &real, set, &count));
    say("%d %s %u %g %s %d", number, word, hex, real, set, count);
    SYS(sscanf("none", "%d", &number));
    SYS(sscanf("", "%d", &number));
    SYS(__isoc99_sscanf("7 eight", "%d %ms", &number, &taken));
    TEXT(taken);
    free(taken);
    scan_list(0, "%d %s", &number, word);
    TEXT(word);
    scan_list(1, "%d %s", &number, word);
    rewind(f);
    SYS(fscanf(f, "%3s", word));
    TEXT(word);
    SYS(__isoc99_fscanf(f, "-%lf", &real));
    scan_list(2, "%c", word);
    scan_list(3, "%c", word);
    SYS(scanf("%d", &number)); /* the end at once */
    SYS(__isoc99_scanf("%d", &number));
}

static void writes(void)
{
    SYS(fputs("text\n", f));
    SYS(fputs_unlocked("text\n", f));
    SYS(fputc('a', f));
    SYS(fputc_unlocked('b', f));
    SYS(putc('c', f));
    SYS(putc_unlocked('d', f));
    SYS(__overflow(f, 'e'));
    SYS(putw(65, f));
    NUM(fwrite("abc", 1, 3, f));
    NUM(fwrite_unlocked("de\n", 1, 3, f));
    NUM(__fpending(f) > 0);
    NUM(__fwriting(f) != 0);
    SYS(fflush_unlocked(f));
}

static void reads(void)
{
    char *line = NULL;
    size_t size = 0;
    fpos_t position;

    rewind(f);
    TEXT(fgets(text, sizeof text, f));
    SYS(fgetpos(f, &position));
    TEXT(fgets_unlocked(text, 5, f));
    TEXT(__fgets_chk(text, sizeof text, 5, f));
    SYS(fsetpos(f, &position));
    SYS(fgetc(f));
    SYS(fgetc_unlocked(f));
    SYS(getc(f));
    SYS(getc_unlocked(f));
    SYS(__uflow(f));
    SYS(ungetc('q', f));
    SYS(fgetc(f));
    SYS(getw(f));
    SYS(getline(&line, &size, f));
    TEXT(line);
    SYS(getdelim(&line, &size, ' ', f));
    SYS(__getdelim(&line, &size, '\n', f));
    free(line);
    NUM(__freading(f) != 0);
    SYS(fseek(f, 0, SEEK_END));
    SYS(fgetc(f));
    NUM(feof(f) != 0 && feof_unlocked(f) != 0);
    clearerr(f);
    NUM(feof(f));
    SYS(fputc('x', f));
    clearerr_unlocked(f);
    NUM(ferror(f) + ferror_unlocked(f));
    SYS(fseeko(f, 3, SEEK_SET));
    SYS(ftell(f));
    SYS(fseeko64(f, 1, SEEK_CUR));
    SYS(ftello(f));
    SYS(ftello64(f));
    SYS(fseek(f, -1, SEEK_SET));
    NUM(fileno(f) == fileno_unlocked(f));
    SYS(getchar());
    SYS(getchar_unlocked());
}

static void others(void)
{
    char name[L_tmpnam], terminal[L_ctermid];

    flockfile(f);
    funlockfile(f);
    NUM(ftrylockfile(f));
    funlockfile(f);
    NUM(__fsetlocking(f, FSETLOCKING_QUERY) == FSETLOCKING_INTERNAL);
    setlinebuf(f);
    __fpurge(f);
    SYS(fclose(f));
    SYS(rename("conform.file", "conform.other"));
    SYS(rename("conform.file", "conform.other"));
    SYS(remove("conform.other"));
    SYS(remove("conform.other"));
    NUM(tmpnam(name) == name);
    NUM(ctermid(terminal) == terminal);
}

static void program(void)
{
    f = fopen("conform.file", "w+");
    prints();
    writes();
    scans();
    reads();
    others();
}
