/* Any bytes are either refused with a message and a place, or give a program that the target can run
 * and a condition that can be decided and shown. */

#include <stdio.h>
#include <stdlib.h>

#include "script/litmus.h"

static int64_t value_of(void *context, const struct litmus_location *location)
{
    (void)context;
    return location->kind == LITMUS_ADDRESS ? 4096 + (int64_t)location->decl * 8 : 1;
}

static void use(const struct litmus *litmus)
{
    static FILE *null;
    uint32_t line = 0;

    if (!null)
        null = fopen("/dev/null", "w");
    if (program_check(&litmus->program, &line) != NULL)
        abort();
    litmus_keeps(litmus, value_of, NULL);
    litmus_holds(litmus, value_of, NULL);
    int64_t *values = calloc(litmus->observed_count + 1, sizeof(*values));
    litmus_state_print(litmus, values, value_of, NULL, null);
    litmus_condition_print(litmus, null);
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct litmus litmus;
    struct read_error error;

    if (litmus_read((const char *)data, size, "fuzz", &litmus, &error)) {
        use(&litmus);
        litmus_free(&litmus);
        return 0;
    }
    if (error.message[0] == '\0' || error.line == 0)
        abort();
    for (const char *c = error.message; *c; c++) {
        if (*c < ' ' || *c >= 0x7f)
            abort();
    }
    return 0;
}
