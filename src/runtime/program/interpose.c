#include "runtime/program/interpose.h"

extern struct real_call __start_raddle_calls[] __attribute__((visibility("hidden")));
extern struct real_call __stop_raddle_calls[] __attribute__((visibility("hidden")));

void interpose_open(void)
{
    for (struct real_call *call = __start_raddle_calls; call < __stop_raddle_calls; call++)
        real_call(call);
}
