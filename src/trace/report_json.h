#ifndef RADDLE_TRACE_REPORT_JSON_H
#define RADDLE_TRACE_REPORT_JSON_H

/* Within the room: pieces of JSON that several formats are made of. */

#include <jansson.h>

#include "trace/trace.h"

/* A string, with U+FFFD for what is no UTF-8; null for NULL. */
json_t *json_text(const char *text);
json_t *json_text_bytes(const char *bytes, size_t length);

/* The whole trace; docs/reports.md tells its fields. NULL if there is no memory. */
json_t *json_trace(const struct trace *trace);

#endif
