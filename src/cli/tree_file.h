#ifndef RADDLE_CLI_TREE_FILE_H
#define RADDLE_CLI_TREE_FILE_H

#include "cli/cli.h"
#include "explore/tree.h"

/* More states than anybody looks at, and more than `dot` lays out in a minute. */
#define TREE_STATES_MAX 2000

/* Writes the tree as GraphViz to the file that --tree names, if it does. False, after one line on stderr, if that failed. */
bool tree_file_write(const struct settings *settings, const struct tree *tree, const char *subject);

#endif
