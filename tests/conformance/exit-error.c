// STATUS: 7
// OPTIONS: --exit-ok
// error prints, and ends the program as exit does if the status is not 0.
#include "conform.h"
#include <error.h>

static void handler(void)
{
    NUM(error_message_count);
    conform_done();
}

static void program(void)
{
    atexit(handler);
    error(0, ENOENT, "%s", "goes on");
    error_at_line(0, 0, __FILE__, 5, "%s", "goes on");
    NUM(error_message_count);
    error(7, 0, "%s", "ends");
}
