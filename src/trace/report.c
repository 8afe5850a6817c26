#include "trace/report.h"

#include <string.h>

const struct report_ops *const reports[REPORT_COUNT] = {
#define REPORT(name, summary)       &report_##name,
#define REPORT_TRACE(name, summary) &report_##name,
#include "trace/reports.def"
#undef REPORT
#undef REPORT_TRACE
};

void result_of_trace(const struct trace *trace, struct result *result, struct result_bug *bug)
{
    /* of a program that was built for one check the directory is another one each time */
    const char *slash = strrchr(trace->program, '/');

    *bug = (struct result_bug){.kind = trace->bug.kind,
                               .message = trace->bug.message,
                               .file = trace->bug.site.file,
                               .line = trace->bug.site.file ? trace->bug.site.line : 0,
                               .thread = trace->bug.thread,
                               .run = trace};
    *result = (struct result){
        .subject = slash ? slash + 1 : trace->program, .verdict = "bug", .model = trace->model};
    result->bugs.at = bug;
    result->bugs.count = 1;
}
