#ifndef RADDLE_TRACE_SARIF_RULES_H
#define RADDLE_TRACE_SARIF_RULES_H

#include <jansson.h>

/* The rules of a SARIF file: one for each kind of bug, with help for who meets it for the first time. */

json_t *sarif_rules(void);

/* The index of the rule for a kind of bug, or -1. */
int sarif_rule_of(const char *kind);

#endif
