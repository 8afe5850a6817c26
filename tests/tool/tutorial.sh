#!/bin/bash
# README.md and docs/tutorial.md: each command in a block of "console" is run, in its order, and prints what the page says.
# "tutorial.sh --update" writes the pages anew instead. RADDLE is the program, SOURCE_DIR the root of the repository.
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"

source=$(realpath "$SOURCE_DIR")
raddle=$(realpath "$RADDLE")
update=${1:-}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# a tree like ours, in which nothing is left behind
mkdir "$dir/bin" "$dir/tree" "$dir/tree/build"
ln -s "$raddle" "$dir/bin/raddle"
ln -s "$raddle" "$dir/tree/build/raddle"
cp -R "$source/examples" "$dir/tree"
export PATH="$dir/bin:$PATH" XDG_CACHE_HOME="$dir/cache" LC_ALL=C.UTF-8
unset RADDLE_OPTIONS COLUMNS

# What differs from one run to the next, and from one machine to the next.
normal() {
    sed -E -e 's/[0-9]+\.[0-9]+ s$/0.01 s/' -e "s,$dir/cache/raddle/[A-Za-z0-9]{6}/,~/.cache/raddle/wIhK4q/,g" \
        -e "s,$dir/tree/examples/tutorial/,~/tutorial/,g" -e 's/0x5555[0-9a-f]{8}/0x555555558040/g'
}

# Copies a page from standard input, with what its commands print now.
page_run() {
    local status=0 state=text line command
    # text; skip: the output of the page, which is replaced; keep: that of a command that cannot be run here
    while IFS= read -r line; do
        case $state:$line in
        text:'```console') state=skip ;;
        text:*) ;;
        *:'```') state=text ;;
        *:'$ '*)
            command=${line#\$ }
            echo "$line"
            if [[ $command == *--gdb* ]] && ! command -v gdb >/dev/null; then
                echo "no gdb: its part of the page was not run" >&2
                state=keep
                continue
            fi
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
    done
}

failed=0
# PAGE, commands at least, directory to be in
check_page() {
    local page=$1 least=$2 commands

    cd "$dir/tree/$3" || exit 1
    page_run <"$source/$page" >"$dir/page"
    commands=$(grep -cE '^\$ ' "$dir/page")
    if [ "$commands" -lt "$least" ]; then
        echo "FAIL: only $commands commands in $page" >&2
        failed=1
    elif [ "$update" = --update ]; then
        cp "$dir/page" "$source/$page"
    elif diff -u "$source/$page" "$dir/page"; then
        echo "$page: $commands commands, all as it says"
    else
        echo "FAIL: $page does not say what is printed now; \`make tutorial\` writes it anew" >&2
        failed=1
    fi
}

check_page README.md 2 .
check_page docs/tutorial.md 8 examples/tutorial
exit $failed
