#!/bin/bash
# tests/races: programs with and without data races, each with its verdict in its first lines (see programs.sh).
exec bash "$SOURCE_DIR/tests/tool/programs.sh" "$SOURCE_DIR"/tests/races/*.c "$SOURCE_DIR"/tests/races/*.cpp
