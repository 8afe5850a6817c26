#!/bin/bash
# docs/tutorial.md: each command in a block of "console" is run, in its order, and prints what the page says.
# "tutorial.sh --update" writes the page anew instead. RADDLE is the program, SOURCE_DIR the root of the repository.
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"

page=$(realpath "$SOURCE_DIR/docs/tutorial.md")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cp -R "$SOURCE_DIR/examples/tutorial" "$dir/work"
mkdir "$dir/bin"
ln -s "$(realpath "$RADDLE")" "$dir/bin/raddle"
export PATH="$dir/bin:$PATH" XDG_CACHE_HOME="$dir/cache" LC_ALL=C.UTF-8
unset RADDLE_OPTIONS COLUMNS

# What differs from one run to the next, and from one machine to the next.
normal() {
    sed -E -e 's/[0-9]+\.[0-9]+ s$/0.01 s/' -e "s,$dir/cache/raddle/[A-Za-z0-9]{6}/,~/.cache/raddle/wIhK4q/,g" \
        -e "s,$dir/work/,,g"
}

status=0
commands=0
state=text # text, skip (the output of the page, which is replaced), keep (that of a command that cannot be run here)
cd "$dir/work" || exit 1
while IFS= read -r line; do
    case $state:$line in
    text:'```console') state=skip ;;
    text:*) ;;
    *:'```') state=text ;;
    *:'$ '*)
        command=${line#\$ }
        echo "$line"
        if [[ $command == *--gdb* ]] && ! command -v gdb >/dev/null; then
            echo "no gdb: its part of the tutorial was not run" >&2
            state=keep
            continue
        fi
        commands=$((commands + 1))
        timeout -k 5 100 bash -c "(exit $status); $command" >"$dir/out" 2>&1 </dev/null
        status=$?
        normal <"$dir/out"
        state=skip
        continue
        ;;
    keep:*) ;;
    skip:*) continue ;;
    esac
    echo "$line"
done <"$page" >"$dir/page"

if [ "$commands" -lt 8 ]; then
    echo "FAIL: only $commands commands in $page" >&2
    exit 1
fi
if [ "${1:-}" = --update ]; then
    cp "$dir/page" "$page"
    exit
fi
if ! diff -u "$page" "$dir/page"; then
    echo "FAIL: the page does not say what is printed now; \`make tutorial\` writes it anew" >&2
    exit 1
fi
echo "$commands commands, all as the page says"
