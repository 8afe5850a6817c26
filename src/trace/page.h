#ifndef RADDLE_TRACE_PAGE_H
#define RADDLE_TRACE_PAGE_H

/* The files of src/trace/page, as the build embeds them (cmake/embed.cmake); a 0 follows each. */

#include <stddef.h>

extern const unsigned char page_html[], page_css[], page_js[];
extern const size_t page_html_length, page_css_length, page_js_length;

#endif
