#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "runtime/files/files.h"
#include "runtime/hooks/plain.h"

/* Calls whose argument is memory or a number, by what they ask for: one row each. */

struct request {
    unsigned long number;
    uint16_t reads, writes; /* bytes at the argument */
};

#define LOCK sizeof(struct flock)
#define WORD 4

static const struct request of_fcntl[] = {
    {F_GETLK, LOCK, LOCK},     {F_SETLK, LOCK, 0},         {F_SETLKW, LOCK, 0},
    {F_OFD_GETLK, LOCK, LOCK}, {F_OFD_SETLK, LOCK, 0},     {F_OFD_SETLKW, LOCK, 0},
    {F_GETOWN_EX, 0, 8},       {F_SETOWN_EX, 8, 0},        {F_GET_RW_HINT, 0, 8},
    {F_SET_RW_HINT, 8, 0},     {F_GET_FILE_RW_HINT, 0, 8}, {F_SET_FILE_RW_HINT, 8, 0},
};

/* Those from before requests told their size. Terminals: what the kernel has, not what libc makes of it. */
static const struct request of_ioctl[] = {
    {FIONREAD, 0, WORD},
    {FIONBIO, WORD, 0},
    {FIOASYNC, WORD, 0},
    {FIOCLEX, 0, 0},
    {FIONCLEX, 0, 0},
    {FIOQSIZE, 0, 8},
    {TIOCOUTQ, 0, WORD},
    {TIOCGWINSZ, 0, sizeof(struct winsize)},
    {TIOCSWINSZ, sizeof(struct winsize), 0},
    {TCGETS, 0, 36},
    {TCSETS, 36, 0},
    {TCSETSW, 36, 0},
    {TCSETSF, 36, 0},
    {TIOCGPGRP, 0, WORD},
    {TIOCSPGRP, WORD, 0},
    {TIOCGSID, 0, WORD},
    {TIOCMGET, 0, WORD},
    {TIOCMSET, WORD, 0},
    {TIOCMBIS, WORD, 0},
    {TIOCMBIC, WORD, 0},
    {SIOCATMARK, 0, WORD},
    {SIOCGIFNAME, 40, 40},
    {SIOCGIFINDEX, 40, 40},
    {SIOCGIFADDR, 40, 40},
    {SIOCGIFFLAGS, 40, 40},
    {SIOCGIFMTU, 40, 40},
    {SIOCGIFHWADDR, 40, 40},
};

static const struct request of_prctl[] = {
    {PR_GET_NAME, 0, 16},    {PR_GET_PDEATHSIG, 0, WORD},       {PR_GET_UNALIGN, 0, WORD},
    {PR_GET_FPEMU, 0, WORD}, {PR_GET_FPEXC, 0, WORD},           {PR_GET_ENDIAN, 0, WORD},
    {PR_GET_TSC, 0, WORD},   {PR_GET_CHILD_SUBREAPER, 0, WORD}, {PR_GET_TID_ADDRESS, 0, 8},
};

static const struct {
    const char *name;
    const struct request *rows;
    size_t count;
} calls[] = {
    [REQUEST_FCNTL] = {"fcntl", of_fcntl, sizeof of_fcntl / sizeof *of_fcntl},
    [REQUEST_IOCTL] = {"ioctl", of_ioctl, sizeof of_ioctl / sizeof *of_ioctl},
    [REQUEST_PRCTL] = {"prctl", of_prctl, sizeof of_prctl / sizeof *of_prctl},
};

/* The first pages are never mapped: what is less is a number. */
#define LEAST_ADDRESS 65536

/* What has no row may access anything that the argument points to. */
static void request_unknown(enum request_call call, unsigned long number, const void *argument)
{
    char text[80];

    if ((uintptr_t)argument < LEAST_ADDRESS || (uintptr_t)argument >> 47)
        return;
    image_touch((void *)(uintptr_t)argument, REQUEST_UNKNOWN);
    if (native.alone)
        return;
    snprintf(text, sizeof text, "%s: what request %#lx reads and writes is not known",
             calls[call].name, number);
    native_unsupported(text);
}

static struct request request_find(enum request_call call, unsigned long number,
                                   const void *argument)
{
    struct request found = {.number = number};

    for (size_t i = 0; i < calls[call].count; i++)
        if (calls[call].rows[i].number == number)
            return calls[call].rows[i];
    if (call == REQUEST_IOCTL && _IOC_DIR(number) != _IOC_NONE) {
        found.reads = _IOC_DIR(number) & _IOC_WRITE ? _IOC_SIZE(number) : 0;
        found.writes = _IOC_DIR(number) & _IOC_READ ? _IOC_SIZE(number) : 0;
    } else if (call != REQUEST_FCNTL) { /* whose other commands take numbers */
        request_unknown(call, number, argument);
    }
    return found;
}

void request_begin(enum request_call call, unsigned long number, void *argument)
{
    struct request request;

    if (!native.current)
        return;
    request = request_find(call, number, argument);
    if (request.reads)
        native_reads(argument, request.reads);
    if (request.writes)
        image_touch(argument, request.writes);
    if (request.writes && !native.detects) /* then it must come before */
        native_writes(argument, request.writes);
}

int request_end(enum request_call call, unsigned long number, void *argument, int result)
{
    int error = errno;

    if (native.current && native.detects && result >= 0) {
        struct request request = request_find(call, number, NULL);

        if (request.writes)
            native_writes(argument, request.writes);
    }
    errno = error;
    return result;
}
