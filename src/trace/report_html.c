#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/page.h"
#include "trace/report.h"
#include "trace/report_json.h"
#include "trace/utf8.h"

/* One page with everything in it. What the trace holds goes there as JSON, in which no byte is left that could end the element
 * around it; the page turns it into text. */

static void put_title(const struct trace *trace, FILE *out)
{
    char text[1024];
    size_t length;
    char *clean;

    snprintf(text, sizeof text, "%.100s: %.800s", trace->bug.kind, trace->bug.message);
    length = strlen(text);
    clean = utf8_repair(text, &length, false);
    for (const char *c = clean; c && *c; c++)
        if (strchr("<>&\"'", *c))
            fprintf(out, "&#%d;", *c);
        else
            fputc(*c, out);
    free(clean);
}

/* ASCII only, so that "<" is all that could matter: as \u003c it means the same within a string, and nowhere else is it JSON. */
static int put_data(const char *bytes, size_t length, void *out)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '<')
            fputs("\\u003c", out);
        else
            fputc(bytes[i], out);
    return 0;
}

static bool put_trace(const struct trace *trace, FILE *out)
{
    json_t *json = json_trace(trace);
    bool ok =
        json && json_dump_callback(json, put_data, out, JSON_COMPACT | JSON_ENSURE_ASCII) == 0;

    if (!json)
        errno = ENOMEM;
    json_decref(json);
    return ok;
}

/* What stands for "@NAME@" in the page; false if nothing does, or if it failed. */
static bool put_part(const char *name, const struct trace *trace, FILE *out)
{
    bool ok = true;

    if (strncmp(name, "@TITLE@", 7) == 0)
        put_title(trace, out);
    else if (strncmp(name, "@CSS@", 5) == 0)
        fwrite(page_css, 1, page_css_length, out);
    else if (strncmp(name, "@JS@", 4) == 0)
        fwrite(page_js, 1, page_js_length, out);
    else if (strncmp(name, "@DATA@", 6) == 0)
        ok = put_trace(trace, out);
    else
        return false;
    return ok;
}

static bool write_trace(const struct trace *trace, const struct report_options *options, FILE *out)
{
    const char *at = (const char *)page_html, *mark;

    (void)options;
    while ((mark = strchr(at, '@'))) {
        fwrite(at, 1, (size_t)(mark - at), out);
        if (!put_part(mark, trace, out))
            return false;
        at = strchr(mark + 1, '@') + 1;
    }
    fputs(at, out);
    return !ferror(out);
}

const struct report_ops report_html = {"html", write_trace, NULL};
