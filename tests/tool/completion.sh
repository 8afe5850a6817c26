#!/bin/bash
# Completion for bash, zsh and fish: the scripts are whole, and offer what --help lists.
. "$(dirname "$0")/common.bash"

for shell in bash zsh fish; do
    "$RADDLE" completion $shell >"$dir/$shell" 2>"$dir/err"
    expect "$shell: status" test $? -eq 0
    expect "$shell: a script" test -s "$dir/$shell"
done
"$RADDLE" completion tcsh >"$dir/out" 2>"$dir/err"
expect "another shell" test $? -eq 2

# COMMAND: its options, from its help.
options_of() { "$RADDLE" "$1" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'; }

mkdir "$dir/files" && cd "$dir/files" || exit 1
mkdir sub
touch a.raddle b.raddle test.c run.litmus

# ---- bash: its function is run as the shell would

expect "bash: no syntax errors" bash -n "$dir/bash"
# shellcheck disable=SC1091
. "$dir/bash"
expect "bash: registered" complete -p raddle >/dev/null

# The words of the line, the last one being completed; prints what is offered, in one line.
offered() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _raddle
    # the shell sorts them, too
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -s -d ' ' -
}

# NAME, what must be offered; then the words.
offers() {
    local name=$1 want=$2 got
    shift 2
    got=$(offered "$@")
    expect "bash, $name: '$got'" test "$got" = "$want"
}

offers "commands" "c++ cc check" raddle c
offers "a command" "show" raddle sh
offers "values" "pso sc tso" raddle check --model ''
offers "values, begun" "tso" raddle check --model t
offers "values after =" "pso sc tso" raddle check --model =
offers "values after =, begun" "pso" raddle check --model = p
offers "values of another" "always auto never" raddle show --color ''
offers "a number" "" raddle check --max-steps ''
offers "a file for an option" "a.raddle b.raddle run.litmus sub test.c" raddle check --json ''
offers "an option" "--keep-going" raddle check test.c --kee
offers "no option of another" "" raddle show --kee
offers "traces" "a.raddle b.raddle sub" raddle show ''
offers "litmus tests" "run.litmus" raddle litmus r
offers "sources" "test.c" raddle check t
offers "for the compiler" "test.c" raddle cc -O1 t
offers "after --" "" raddle check ./prog -- --mod
offers "help" "litmus" raddle help l
for command in check show replay litmus; do
    expect "bash: all options of $command" test "$(offered raddle $command -- | tr ' ' '\n' | sort)" = "$(options_of $command | sort)"
done

# ---- zsh and fish, where they are

if command -v zsh >/dev/null; then
    expect "zsh: no syntax errors" zsh -n "$dir/zsh"
    mkdir "$dir/functions"
    cp "$dir/zsh" "$dir/functions/_raddle"
    expect "zsh: found by compinit" test "$(zsh -f -c "fpath=('$dir/functions' \$fpath); autoload -U compinit
        compinit -u -d '$dir/dump'; print \$_comps[raddle]")" = _raddle
    for command in check show replay litmus; do
        for option in $(options_of $command); do
            expect "zsh: $command $option" grep -q -- "'${option}[=[]" "$dir/zsh"
        done
    done
else
    echo "no zsh: its completion was not tried" >&2
fi

if command -v fish >/dev/null; then
    export HOME="$dir" XDG_CONFIG_HOME="$dir" XDG_DATA_HOME="$dir"
    expect "fish: no syntax errors" fish -n "$dir/fish"
    fish_offers() { fish -c "source '$dir/fish'; complete -C '$1'" | cut -f 1 | sort | tr '\n' ' '; }
    expect "fish: commands" test "$(fish_offers 'raddle sh')" = "show "
    expect "fish: values" test "$(fish_offers 'raddle check --model ')" = "pso sc tso "
    for command in check show replay litmus; do
        expect "fish: all options of $command" test "$(fish_offers "raddle $command --")" = \
            "$(options_of $command | sort | tr '\n' ' ')"
    done
else
    echo "no fish: its completion was not tried" >&2
fi

finish
