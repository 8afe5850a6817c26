#include "cli/race_advice.h"

#include <inttypes.h>

static uint32_t races_let_pass(const struct report *report)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < report->warnings.count; i++)
        count += report->warnings.at[i].kind == BUG_DATA_RACE;
    return count;
}

const char *race_warnings_reason(const struct report *report, char *buffer, size_t size)
{
    uint64_t races = races_let_pass(report) + report->suppressed;

    if (!report->settings->races_warn || races == 0)
        return NULL;
    snprintf(buffer, size,
             "%" PRIu64 " data race%s let pass, so that other orders of these accesses were not "
             "explored",
             races, races == 1 ? "" : "s");
    return buffer;
}

void race_advise(const struct report *report)
{
    FILE *out = report_stream(report->settings);
    bool stopped = false;

    for (uint32_t i = 0; i < report->bugs.count; i++)
        stopped |= report->bugs.at[i].kind == BUG_DATA_RACE;
    if (stopped && !report->settings->keep_going)
        fprintf(out,
                "note: the search stopped at the data race; with `--races=warn` it goes on and "
                "looks for other bugs\n");
    else if (races_let_pass(report))
        fprintf(out, "note: mend the data races, or have their accesses explored: "
                     "`--races=report --keep-going` those that race, `--races=ignore` all\n");
}
