#!/bin/bash
# docs/surface.md: every function that raddle puts its own in place of, how it is modelled, and which test program calls it.
#
#   surface.sh BUILD            writes the page
#   surface.sh --check BUILD    says what is wrong with it, and with docs/surface.def; status 1 if anything is
#
# What is intercepted is asked of BUILD/checking/libraddle.so: the names that it defines for the program. How it is modelled is
# said by docs/surface.def, one row a function or a few; that a function is *not* modelled is read from the runtime's
# sources. Tests are found by their calls.
set -euo pipefail
export LC_ALL=C

checking=no
[ "${1:-}" != --check ] || { checking=yes; shift; }
build=${1:?the build directory}
build=$(cd "$build" && pwd)
cd "$(dirname "$0")/.."
page=docs/surface.md
table=docs/surface.def
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- what is intercepted

nm -D --defined-only "$build/checking/libraddle.so" | awk '{ print $NF }' | sed 's/@.*//' |
    grep -vE '^__(start|stop)_' | sort -u >"$work/names"
[ -s "$work/names" ] || { echo "surface: $build/checking/libraddle.so defines nothing" >&2; exit 1; }
grep -E '^__raddle(_|lib_|str_)' "$work/names" >"$work/hooks.all" || :
# those of libc that the pass renames, under their own names; the rest are hooks
sed -nE 's/^__raddle(lib|str)_//p' "$work/hooks.all" | sort -u >"$work/renamed"
grep -vE '^__raddle(lib|str)_' "$work/hooks.all" >"$work/hooks" || :
grep -E '^(raddle_|__VERIFIER_|reach_error$|assume_abort_if_not$)' "$work/names" >"$work/annotations" || :
sort "$work/hooks.all" "$work/annotations" | comm -23 "$work/names" - | sort -u - "$work/renamed" >"$work/functions"

# Functions of libc that are left where they are, but whose accesses are seen: the rows of a table. Those of C++ cannot be
# called by their names, nor can setjmp, of which the header makes another; and those without accesses have nothing to show.
sed -nE 's/^LIBRARY\(([A-Za-z0-9_]+), *[A-Z]+, *(.*)\)$/\1 \2/p' src/runtime/library/library.def | sort -u >"$work/library.all"
[ -s "$work/library.all" ] || { echo "surface: src/runtime/library/library.def has no row" >&2; exit 1; }
awk 'NR == FNR { ours[$1] = 1; next } !($1 in ours)' "$work/names" "$work/library.all" >"$work/library.theirs"
grep -vE ' NOTHING$|^(_Z|__dynamic_cast |setjmp )' "$work/library.theirs" | sort -u >"$work/library"
grep -E ' NOTHING$|^(_Z|__dynamic_cast |setjmp )' "$work/library.theirs" | cut -d ' ' -f 1 | sort -u >"$work/library.names"

# What the runtime's own functions access is said there, too.
cut -d ' ' -f 1 "$work/library.all" | sort -u >"$work/rows"

# Those that the runtime only names in an incomplete verdict: the rows of three macros.
cat src/runtime/*/*.c | tr '\n' ' ' |
    grep -oE '\b(NOT_MODELLED\([A-Za-z_ *]+, *[a-zA-Z0-9_]+|UNSUPPORTED\([a-zA-Z0-9_]+|EXEC_LIST\([a-z]+)' |
    sed -E 's/.*[(, ]//' | sort -u | comm -12 - "$work/functions" >"$work/not-modelled"

# What the operations of the model ask of store buffers.
sed -nE 's/^OP\(([A-Z_]+), ([A-Z]+), [A-Z]+, [A-Z_]+, (.*), "[^"]*"\).*/\1 \2 \3/p' src/model/ops.def >"$work/ops"

# ---- which program calls it: an identifier before a parenthesis, outside of comments and texts

cat >"$work/calls.awk" <<'AWK'
FNR == 1 { comment = 0 }
{
    line = $0
    gsub(/\\"/, "", line)
    gsub(/"[^"]*"/, "", line)
    sub(/\/\/.*/, "", line)
    if (comment) {
        if (!sub(/^.*\*\//, "", line))
            next
        comment = 0
    }
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    if (sub(/\/\*.*/, "", line))
        comment = 1
    while (match(line, /[A-Za-z_][A-Za-z_0-9]*[ ]*\(/)) {
        word = substr(line, RSTART, RLENGTH - 1)
        sub(/ +$/, "", word)
        if (!((FILENAME, word) in seen)) {
            seen[FILENAME, word] = 1
            print word, FILENAME
        }
        line = substr(line, RSTART + RLENGTH)
    }
}
AWK
shopt -s nullglob
for file in tests/conformance/*.c tests/programs/*.c tests/programs/*.cpp tests/runtime-files/*.c; do
    read -r first <"$file" || :
    [ "$first" = "// PENDING" ] || echo "$file"
done | xargs awk -f "$work/calls.awk" >"$work/calls"

# ---- the page, and what is wrong

cat >"$work/page.awk" <<'AWK'
function fail(text) { print text >problems }

function read_list(file, into,    name) {
    while ((getline name <file) > 0)
        into[name] = 1
    close(file)
}

# The conformance programs that call `name`, two at most; else the first other one. So a new program changes few rows.
function shown(name,    text, count, files, i, taken) {
    count = split(callers[name], files, " ")
    for (i = 1; i <= count && taken < 2; i++) {
        if (taken && files[i] !~ /conformance/)
            break
        text = text (taken++ ? ", " : "") "[" nick(files[i]) "](../" files[i] ")"
    }
    return text
}

function nick(file) { sub(/^tests\//, "", file); return file }

function cell(text) { gsub(/\|/, "\\|", text); return text }

function row(name, how, via,    called) {
    called = via != "" ? via : name
    if (callers[called] == "")
        fail(name ": no test program calls " (via != "" ? via ", by which programs reach it" : "it") \
             "; add a call to one in tests/conformance, tests/programs or tests/runtime-files")
    rows = rows "| `" name "` | " cell(how) " | " (with_fences ? fence_of(name) " | " : "") shown(called) " |\n"
    count++
}

# What it means for the store buffer of its caller.
function fence_of(name,    kind, why) {
    kind = name in fence ? fence[name] : fence["*"]
    why = name in fence ? fence_why[name] : fence_why["*"]
    if (kind == "")
        fail(name ": " FILENAME " does not say whether it is a fence: add it to a row that begins with @")
    return (kind == "look" ? "full if there is something to do" : kind) ": " cell(why)
}

# "@ kind [OPERATIONS] names : why"
function fence_row(    n, why, head, kind, ops, names, i) {
    n = index($0, " : ")
    head = substr($0, 3, n - 3)
    why = substr($0, n + 3)
    if (!n || !match(head, /^(full|none|release|look) \[[A-Z_ ]*\]/)) {
        fail(FILENAME ":" FNR ": not \"@ full|none|release|look [OPERATIONS] names : why\"")
        return
    }
    kind = substr(head, 1, index(head, " ") - 1)
    n = split(substr(head, length(kind) + 3, RLENGTH - length(kind) - 3), ops, " ")
    for (i = 1; i <= n; i++)
        fence_fits(ops[i], kind)
    n = split(substr(head, RLENGTH + 1), names, " ")
    for (i = 1; i <= n; i++) {
        if (names[i] != "*" && !(names[i] in functions))
            fail(FILENAME ":" FNR ": " names[i] " is not intercepted; take it out of the row")
        fence[names[i]] = kind
        fence_why[names[i]] = why
        fence_section[names[i]] = section
    }
}

function fence_fits(op, kind,    drains, looks) {
    drains = op_flags[op] ~ /OP_DRAIN/
    looks = op_flags[op] ~ /OP_LOOK/
    op_said[op] = 1
    if (!(op in op_flags))
        fail(FILENAME ":" FNR ": model/ops.def has no " op)
    else if (drains != (kind == "full" || kind == "look") || looks != (kind == "look"))
        fail(FILENAME ":" FNR ": " op " is no operation that is " kind ": its flags are " op_flags[op])
}

function section_end() {
    if (rows != "")
        printf "## %s\n\n%s| function | modelled how |%s shown by |\n| --- | --- |%s --- |\n%s\n", section, text,
            (with_fences ? " fence |" : ""), (with_fences ? " --- |" : ""), rows
    rows = text = ""
    delete fence["*"]
}

function one_row(    parts, names, i, n, how, via) {
    n = index($0, " : ")
    if (!n) {
        fail(FILENAME ":" FNR ": not \"names : how\"")
        return
    }
    how = substr($0, n + 3)
    if (match(how, / +\(via [a-zA-Z0-9_]+\)$/)) {
        via = substr(how, RSTART)
        how = substr(how, 1, RSTART - 1)
        gsub(/.*\(via |\)$/, "", via)
    }
    n = split(substr($0, 1, n - 1), names, " ")
    for (i = 1; i <= n; i++) {
        if (names[i] in done)
            fail(FILENAME ":" FNR ": a second row for " names[i])
        else if (!(names[i] in functions))
            fail(FILENAME ":" FNR ": " names[i] " is not intercepted; take it out of the row")
        else if (names[i] in not_modelled)
            fail(FILENAME ":" FNR ": the runtime says that " names[i] " is not modelled; take it out of the row")
        else
            row(names[i], how, via)
        done[names[i]] = 1
    }
}

BEGIN {
    read_list(work "/functions", functions)
    read_list(work "/not-modelled", not_modelled)
    read_list(work "/annotations", annotations)
    read_list(work "/hooks", hooks)
    read_list(work "/library.names", library_names)
    read_list(work "/rows", with_row)
    while ((getline line < (work "/ops")) > 0) {
        split(line, parts, " ")
        op_object[parts[1]] = parts[2]
        op_flags[parts[1]] = substr(line, length(parts[1] parts[2]) + 3)
    }
    while ((getline line < (work "/library")) > 0)
        library[substr(line, 1, index(line, " ") - 1)] = substr(line, index(line, " ") + 1)
    while ((getline line < (work "/calls")) > 0) {
        split(line, parts, " ")
        callers[parts[1]] = callers[parts[1]] " " parts[2]
    }
    print "# What raddle intercepts\n"
    print "Made by `make surface` from `libraddle.so`, `docs/surface.def` and the calls of the test programs; a test keeps it"
    print "up to date. A function that is not here is libc's own.\n"
    print "*Fence* says what a call means for the store buffer of its caller under TSO and PSO, as glibc 2.36 has it on x86: full, none, or a store"
    print "that waits in the buffer like others (release). No other function is taken for a fence.\n"
}
/^#/ || /^[ \t]*$/ { next }
/^= / { section_end(); section = substr($0, 3); next }
/^@ / { with_fences = 1; fence_row(); next }
/^- / { text = text substr($0, 3) "\n\n"; next }
{ one_row() }
END {
    section_end()
    with_fences = 0
    for (op in op_flags)
        if (op_flags[op] ~ /OP_DRAIN/ && !(op in op_said) && op_object[op] != "CELL" && op != "SECTION_BEGIN")
            fail(op ": needs empty buffers, but " FILENAME " does not say by which call: name it in a row that begins with @")
    section = "Not modelled"
    text = "Named in the report, with the place; the verdict is `incomplete`, and the call fails.\n\n"
    n = sorted(not_modelled, list)
    for (i = 1; i <= n; i++)
        row(list[i], "not modelled", "")
    section_end()
    n = sorted(functions, list)
    for (i = 1; i <= n; i++)
        if (!(list[i] in done) && !(list[i] in not_modelled))
            fail(list[i] ": intercepted, but " FILENAME " does not say how it is modelled: add it to a row")
    for (i = 1; i <= n; i++)
        if (!(list[i] in with_row) && !(list[i] in not_modelled))
            fail(list[i] ": intercepted, but src/runtime/library/library.def does not say what it reads and writes: add a row")
    functions_count = count
    section = "Annotations"
    n = sorted(annotations, list)
    for (i = 1; i <= n; i++)
        row(list[i], (list[i] ~ /nondet/ ? "a choice: 0 to `--nondet-max`" : "see `include/raddle.h`"), (list[i] == "raddle_fail" ? "raddle_assert" : ""))
    section_end()
    section = "Functions of libc that are seen"
    text = "They are libc's own; the pass tells the runtime of each call, and it makes the accesses that the table " \
           "`src/runtime/library/library.def`\nsays, in its words (arguments are numbered from 0).\n\n"
    n = sorted(library, list)
    for (i = 1; i <= n; i++) {
        called = list[i]
        sub(/^__isoc(99|23)_/, "", called)
        if (called == "__sched_cpucount")
            called = "CPU_COUNT"
        row(list[i], "`" tolower(library[list[i]]) "`", (callers[list[i]] == "" && called != list[i] ? called : ""))
    }
    section_end()
    print "Known, and without accesses to memory that others may see, or of the runtime of C++ (and all of `math.h`):\n"
    names_print(library_names)
    print "\n## Hooks\n"
    print "Called by instrumented code only; every program built by `raddle cc` calls them (`tests/instrument`).\n"
    names_print(hooks)
    printf "\n%d functions, %d of them not modelled.\n", functions_count, sorted(not_modelled, list)
}

function names_print(set,    list, i, n, width) {
    n = sorted(set, list)
    for (i = 1; i <= n; i++) {
        width += length(list[i]) + 4
        if (width > 120) {
            printf("\n")
            width = length(list[i]) + 4
        }
        printf("%s`%s`%s", (width == length(list[i]) + 4 ? "" : " "), list[i], (i == n ? "\n" : ","))
    }
}

# The keys of `set` in order, from 1; returns how many.
function sorted(set, out,    key, n, i, j, t) {
    n = 0
    for (key in set)
        out[++n] = key
    for (i = 2; i <= n; i++) {
        t = out[i]
        for (j = i - 1; j > 0 && out[j] > t; j--)
            out[j + 1] = out[j]
        out[j + 1] = t
    }
    return n
}
AWK
: >"$work/problems"
awk -v work="$work" -v problems="$work/problems" -f "$work/page.awk" "$table" >"$work/page"

if [ $checking = yes ]; then
    if ! cmp -s "$work/page" "$page"; then
        echo "$page is not up to date: run \"make surface\"" >>"$work/problems"
        diff "$page" "$work/page" | head -n 20 >>"$work/problems" || :
    fi
else
    cp "$work/page" "$page"
fi
sed 's/^/surface: /' "$work/problems" >&2
tail -n 1 "$work/page"
[ ! -s "$work/problems" ]
