#!/bin/bash
# tests/races: programs with and without data races, each with its verdict in its first lines (see programs.sh), at two levels of
# optimisation: code checks more accesses by itself when it is optimised. LEVELS names others.
for level in ${LEVELS:--O0 -O1}; do
    FLAGS=$level bash "$SOURCE_DIR/tests/tool/programs.sh" "$SOURCE_DIR"/tests/races/*.c "$SOURCE_DIR"/tests/races/*.cpp || exit 1
done
