#!/bin/bash
# Random loops of plain accesses, told as a whole and one by one: see spans.py.
# RADDLE is the program, SOURCE_DIR the root of the repository; PROGRAMS and SEED as wanted.
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"
command -v python3 >/dev/null || { echo "needs python3" >&2; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
clang=$(command -v clang-19 || command -v clang)
python3 "$SOURCE_DIR/tests/tool/spans.py" "$RADDLE" "$clang" "$dir" "${SEED:-1}" "${PROGRAMS:-60}" || {
    cat "$dir/differs.c" 2>/dev/null
    exit 1
}
