#!/bin/bash
# usage: fetch.sh DIRECTORY PACKAGE
# Fetches the upstream tarball of a Debian source package by its name, as apt finds it, and unpacks it in DIRECTORY/src/PACKAGE.
# Prints the version. Nothing of the system is changed: sources, lists and cache of apt are copies in DIRECTORY/apt. If
# the mirror lacks the files of this release, those of the other suites are tried.
# shellcheck disable=SC2012  # names of tarballs have no spaces
set -eu
directory=$1
package=$2
suites="own stable testing unstable"

say() {
    echo "fetch: $*" >&2
}

# The sources of the system as source packages, in $1; of another suite $2 instead of their own.
sources_copy() {
    local file
    mkdir -p "$1"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$file" ] || continue
        sed -nE 's/^[[:space:]]*deb(-src)?[[:space:]]+/deb-src /p' "$file" |
            { [ "$2" = own ] && cat || sed -E "/security|-updates|-backports/d; s#^(deb-src +(\[[^]]*\] +)?[^ ]+) +[^ ]+#\1 $2#"; } |
            sort -u >"$1/$(basename "$file" .list).list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        awk -v suite="$2" 'BEGIN { RS = ""; ORS = "\n\n" }
            suite == "own" { print; next }
            !/Suites:[^\n]*security/ { sub(/Suites:[^\n]*/, "Suites: " suite); print }' "$file" |
            sed -E 's/^Types:.*/Types: deb-src/' >"$1/$(basename "$file")"
    done
}

# apt with a home of its own for that suite; made at the first call.
apt_of() {
    local suite=$1 home="$directory/apt/$1"
    shift
    if [ ! -e "$home/ready" ]; then
        mkdir -p "$home/lists/partial" "$home/cache/archives/partial"
        sources_copy "$home/parts" "$suite"
        cat >"$home/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$home/parts";
Dir::State::lists "$home/lists";
Dir::Cache "$home/cache";
Acquire::Languages "none";
Acquire::Retries "2";
APT::Sandbox::User "root";
END
        APT_CONFIG="$home/apt.conf" timeout 120 apt-get -qq update >"$home/update.log" 2>&1 || return 1
        touch "$home/ready"
    fi
    APT_CONFIG="$home/apt.conf" timeout 120 apt-get -qq "$@"
}

# The tarball as an absolute path, or nothing.
tarball() {
    ls "$1/$package"_*.orig.tar.* "$1"/*.orig.tar.* 2>/dev/null | grep -v '\.asc$' | head -n 1
}

command -v apt-get >/dev/null || { say "there is no apt-get; Debian source packages cannot be fetched"; exit 1; }
downloads="$directory/download/$package"
mkdir -p "$downloads"
archive=$(tarball "$downloads")
for suite in $suites; do
    [ -z "$archive" ] || break
    # a file that is refused does not keep the others from coming
    (cd "$downloads" && apt_of "$suite" source --download-only --tar-only "$package") >>"$downloads/log" 2>&1 || true
    archive=$(tarball "$downloads")
done
if [ -z "$archive" ]; then
    say "$package cannot be had; no network, or no source of apt has it. Its last words:"
    tail -n 5 "$downloads/log" "$directory"/apt/*/update.log >&2
    exit 1
fi
rm -rf "$directory/src/$package"
mkdir -p "$directory/src/$package"
tar -xf "$archive" -C "$directory/src/$package" --strip-components=1
basename "$archive" | sed -E 's/^[^_]*_(.*)\.orig\.tar\..*/\1/'
