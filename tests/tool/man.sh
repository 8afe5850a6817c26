#!/bin/bash
# Manual pages: formatters have nothing to say against them, each has its sections, and they know the options that --help
# knows, no more and no fewer.
. "$(dirname "$0")/common.bash"

# PAGE COMMAND: lint, sections
page_is_good() {
    local page=$1 command=$2 section

    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$page" >"$dir/said" 2>&1
        expect "$command: mandoc" test ! -s "$dir/said"
    fi
    if command -v groff >/dev/null; then
        groff -mdoc -ww -z -T utf8 "$page" >"$dir/said" 2>&1
        expect "$command: groff" test ! -s "$dir/said"
    fi
    rm -f "$dir/said"
    for section in NAME SYNOPSIS DESCRIPTION ENVIRONMENT FILES "EXIT STATUS" EXAMPLES "SEE ALSO"; do
        expect "$command: $section" grep -qx ".Sh $section" "$page"
    done
    expect "$command: everything was filled in" sh -c "! grep -n '@' '$page'"
}

command -v mandoc >/dev/null || command -v groff >/dev/null ||
    echo "neither mandoc nor groff: the pages were not formatted" >&2

commands=$("$RADDLE" --help | sed -n 's/^  \([a-z+]*\)  .*/\1/p' | grep -vx help)
for command in $commands; do
    source=$SOURCE_DIR/man/raddle-$command.1.in
    page=$dir/raddle-$command.1
    expect "$command: has a page" test -s "$source"
    [ -s "$source" ] || continue
    "$RADDLE" manual "$command" <"$source" >"$page"
    expect "$command: made" test $? -eq 0
    page_is_good "$page" "$command"
    case $command in
    cc | c++) continue ;; # clang's own options
    esac
    expect "$command: OPTIONS" grep -qx '.Sh OPTIONS' "$page"
    # both ways: nothing that --help has is missing, and the text written by hand names nothing that is not there
    "$RADDLE" "$command" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' | sort >"$dir/help"
    sed -n 's/^\.It Fl -\([a-z-]*\).*/\1/p' "$page" | sort >"$dir/manual"
    diff "$dir/help" "$dir/manual" >"$dir/said"
    expect "$command: the options of --help" test ! -s "$dir/said"
    grep -oE '(Fl |[ (])--?[a-z][a-z-]{2,}' "$page" | sed 's/^Fl -/--/;s/^[ (]//' | grep -oE '^--[a-z-]+' | sed 's/^--//' |
        sort -u | comm -23 - "$dir/help" >"$dir/said"
    expect "$command: names only options that exist" test ! -s "$dir/said"
done

"$RADDLE" manual check <"$SOURCE_DIR/man/raddle.1.in" >"$dir/raddle.1"
page_is_good "$dir/raddle.1" raddle
for command in $commands; do
    expect "raddle(1) names $command" grep -q "raddle-${command//+/[+]} 1" "$dir/raddle.1"
done

finish
