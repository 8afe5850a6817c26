#!/bin/bash
# The list of functions in docs/library.md, from the table that the pass and the runtime read.
#
#   library.sh            writes it
#   library.sh --check    status 1 if it is not up to date
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
page=docs/library.md
table=src/runtime/library/library.def
mark='<!-- the list: made by tools/library.sh -->'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A heading for each comment with a line, and the names below it.
awk '
/^\/\* ---- / {
    sub(/^\/\* ---- /, ""); sub(/ \*\/$/, "")
    printf "\n\n**%s**:", $0
}
/^LIBRARY\(/ { name = $0; sub(/^LIBRARY\(/, "", name); sub(/,.*/, "", name) }
/^MATH\(/ { name = $0; sub(/^MATH\(/, "", name); sub(/\).*/, "", name) }
/^(LIBRARY|MATH)\(/ { printf " `%s`", name }
END { print "" }' "$table" | fold -s -w 110 | sed 's/ *$//' | cat -s >"$work/list"

awk -v mark="$mark" "{ print } \$0 == mark { exit }" "$page" >"$work/page"
grep -qF "$mark" "$page" || { echo "library: $page has no place for the list" >&2; exit 1; }
cat "$work/list" >>"$work/page"
if [ "${1:-}" = --check ]; then
    diff "$page" "$work/page" >&2 || { echo "library: $page is not up to date: run tools/library.sh" >&2; exit 1; }
else
    cp "$work/page" "$page"
fi
