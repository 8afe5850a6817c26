#!/usr/bin/env bash
# Each file of src/<room>/ includes only what cmake/rooms.cmake allows its room (DESIGN section 4). The runtime is a house of its own:
# a room there is src/runtime/<room>/, and what lies beside its rooms belongs to the room "runtime".
set -euo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"

declare -A may # room -> " room room ... ", itself included; a word with a slash allows that one file
while read -r room allowed; do
    may[$room]=" $room $allowed "
done < <(sed -n 's/^room_may_include(\([^)]*\)).*/\1/p' cmake/rooms.cmake)

files=0
violations=0

# The room of a path below src/.
room_of() {
    local first=${1%%/*} rest=${1#*/}

    room=$first
    [[ $first != runtime || $rest != */* ]] || room=$first/${rest%%/*}
}

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
    room_of "${file#src/}"
    here=$room
    if [[ -z ${may[$room]:-} ]]; then
        violation "$file:1" "room '$room' is not in cmake/rooms.cmake"
        continue
    fi
    while read -r line include; do
        path=${include:1}
        room_of "$path"
        other=$room
        # <sys/mman.h> is the system's; <model/op.h> would still be ours.
        [[ $include == '<'* && $path != *..* && -z ${may[$other]:-} ]] && continue
        if [[ $path == *..* ]]; then
            violation "$file:$line" "'$path': name the room, \"room/file.h\""
        elif [[ ${may[$here]} != *" $other "* && ${may[$here]} != *" $path "* ]]; then
            violation "$file:$line" "room '$here' must not include '$path'"
        fi
    done < <(includes "$file")
done < <(find src -mindepth 2 -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' \) 2>/dev/null | sort)

if ((files == 0)); then
    echo "rooms: found no file to check"
    exit 1
fi
echo "rooms: $files files, $violations violations"
((violations == 0))
