// No children: waiting for them fails. Timers that are not running can be stopped.
#include "conform.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <iconv.h>
#include <sys/time.h>
#include <sys/wait.h>

static void program(void)
{
    int status;
    siginfo_t info;
    struct itimerval off = {0}, old = {.it_value = {.tv_sec = 9}};
    void *frames[4];
    iconv_t converter;
    char in[] = "a\xe9", out[8] = "", *from = in, *to = out;
    size_t in_left = 2, out_left = 8;

    SYS(wait(&status));
    SYS(waitpid(-1, &status, WNOHANG));
    SYS(waitid(P_ALL, 0, &info, WEXITED));
    NUM(alarm(0));
    SYS(setitimer(ITIMER_REAL, &off, &old));
    NUM(old.it_value.tv_sec);
    NUM(backtrace(frames, 4) > 0);
    converter = iconv_open("UTF-8", "ISO-8859-1");
    NUM(converter != (iconv_t)-1);
    SYS(iconv(converter, &from, &in_left, &to, &out_left));
    TEXT(out);
    SYS(iconv_close(converter));
    PTR(iconv_open("no such code", "UTF-8"));
    PTR(dlopen(NULL, RTLD_NOW));
}
