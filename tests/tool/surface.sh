#!/bin/bash
# docs/surface.md is up to date, and each function that the runtime intercepts has a row and a test program.
# RADDLE is the program, SOURCE_DIR the root of the repository.
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"

exec "$SOURCE_DIR/tools/surface.sh" --check "$(dirname "$RADDLE")"
