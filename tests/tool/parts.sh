#!/usr/bin/env bash
# Nothing that changes in a run lives outside the parts of the runtime (runtime/core/part.h). Every writable variable of libraddle.so is the
# struct of a part, or a comment at its definition says why it is not: "outlives a run: …", or "of the part, but apart: …".
#
#   parts.sh           fails for a variable that is neither, and if the rows of parts.def are not the parts that are defined
#   parts.sh --list    prints them all
set -euo pipefail
: "${RADDLE:?the path of raddle}"
library=$(realpath "$(dirname "$RADDLE")")/checking/libraddle.so
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
export LC_ALL=C

rooms=(src/base src/model src/explore src/detect src/runtime)
excuse='[Oo]utlives a run:|[Oo]f the part, but apart:'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- what there is

# Not of ours: what the compiler and the linker add. A variable of a function is function.variable, and the compiler may cut a struct
# into pieces with numbers. Sections that are read-only once the program runs do not count.
objdump -t "$library" |
    awk '$0 ~ / O / && $(NF-2) !~ /^(\*UND\*|\.data\.rel\.ro|\.rodata|\.init_array|\.fini_array|\.eh_frame|\.dynamic|\.got)/ { print $NF }' |
    grep -vE '^(completed\.[0-9]+|__dso_handle|__TMC_END__|__cpu_model|__cpu_features2|DW\.ref\..*)$' |
    sed -E 's/\.[0-9]+$//; s/^.*\.//' | sort -u >"$work/variables"
[ -s "$work/variables" ] || { echo "parts: $library has no variable" >&2; exit 1; }

sed -nE 's/^PART\([A-Z_]+, ([a-z_]+)\).*/\1/p' src/runtime/parts.def | sort >"$work/rows"
cat src/runtime/*/*.c | tr '\n' ' ' | grep -oE 'const struct part [a-z_]+_part = \{[^}]*\}' >"$work/parts"
sed -nE 's/.*\.state = &([A-Za-z_]+),.*/\1/p' "$work/parts" | sort -u >"$work/states"
sed -nE 's/const struct part ([a-z_]+)_part = .*/\1/p' "$work/parts" | sort >"$work/defined"

# ---- where it is defined

find "${rooms[@]}" -name '*.[ch]' -exec cat {} + >"$work/text"

# NAME: whether a comment next to its definition excuses it. A name that a macro makes is defined where the macro is.
is_excused() {
    local name=$1 near

    near=$(grep -E -B 3 -A 1 "(^|[ *}(])$name(\[[^]]*\]|\)\([^;]*\))*( =.*|)(;|,| *$)" "$work/text" || :)
    while [ -z "$near" ] && [[ $name == *_* ]]; do
        name=${name%_*}
        near=$(grep -F -B 6 -A 1 "${name}_##name" "$work/text" || :)
    done
    grep -qE "$excuse" <<<"$near"
}

wrong=0
while read -r name; do
    if grep -qxF "$name" "$work/states"; then
        kind="state of a part"
    elif is_excused "$name"; then
        kind="excused"
    else
        kind="neither in a part nor excused"
        wrong=$((wrong + 1))
    fi
    [ "${1:-}" != --list ] && [ "$kind" != "neither in a part nor excused" ] || echo "$name: $kind"
done <"$work/variables"

if ! diff "$work/rows" "$work/defined"; then
    echo "parts: the rows of src/runtime/parts.def are not the parts that there are"
    wrong=$((wrong + 1))
fi
echo "parts: $(wc -l <"$work/variables") variables, $(wc -l <"$work/rows") parts, $wrong wrong"
[ "$wrong" -eq 0 ]
