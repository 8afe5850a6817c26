#!/usr/bin/env bash
# Each file of src/<room>/ includes only what cmake/rooms.cmake allows its room (DESIGN section 4).
set -euo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"

declare -A may # room -> " room room ... ", itself included; a word with a slash allows that one file
while read -r room allowed; do
    may[$room]=" $room $allowed "
done < <(sed -n 's/^room_may_include(\([^)]*\)).*/\1/p' cmake/rooms.cmake)

files=0
violations=0

violation() { # file:line, what is wrong
    echo "$1: $2"
    violations=$((violations + 1))
}

# Prints "line path" for each include of a file that names a directory.
includes() {
    sed -nE '/^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]*\/[^">]*[">]/{=;s/^[^"<]*(["<])([^">]*).*/\1\2/p}' "$1" |
        paste -d ' ' - -
}

while IFS= read -r file; do
    files=$((files + 1))
    room=${file#src/}
    room=${room%%/*}
    if [[ -z ${may[$room]:-} ]]; then
        violation "$file:1" "room '$room' is not in cmake/rooms.cmake"
        continue
    fi
    while read -r line include; do
        path=${include:1}
        other=${path%%/*}
        # <sys/mman.h> is the system's; <model/op.h> would still be ours.
        [[ $include == '<'* && $path != *..* && -z ${may[$other]:-} ]] && continue
        if [[ $path == *..* ]]; then
            violation "$file:$line" "'$path': name the room, \"room/file.h\""
        elif [[ ${may[$room]} != *" $other "* && ${may[$room]} != *" $path "* ]]; then
            violation "$file:$line" "room '$room' must not include '$path'"
        fi
    done < <(includes "$file")
done < <(find src -mindepth 2 -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' \) 2>/dev/null | sort)

if ((files == 0)); then
    echo "rooms: found no file to check"
    exit 1
fi
echo "rooms: $files files, $violations violations"
((violations == 0))
