#!/bin/sh
# Installs the Debian packages that are missing, for the groups named: build, test, real, package,
# sanitize, format, tidy.
# Silent and fast if nothing is missing, because every make target calls it.
# shellcheck disable=SC2086  # lists of packages are meant to split
set -eu

wanted=
for group in "$@"; do
    case $group in
    # clang-19 brings libc6-dev and the linker; both are named for those who build with another compiler.
    build) wanted="$wanted cmake ninja-build clang-19 lld-19 llvm-19 llvm-19-dev libclang-rt-19-dev libstdc++-12-dev binutils libc6-dev libcmocka-dev libxxhash-dev libjansson-dev libopenmpi-dev openmpi-bin" ;;
    # Formatters of manual pages, shells that complete, what uses an installation, a debugger, checks of reports, a browser.
    test) wanted="$wanted python3-jsonschema libxml2-utils graphviz chromium fonts-dejavu-core mandoc groff-base zsh fish pkgconf dpkg-dev file gdb" ;;
    package) wanted="$wanted dpkg-dev file" ;;
    # llvm-19 has the symbolizer: without it a sanitizer's report has addresses and no lines.
    sanitize) wanted="$wanted libclang-rt-19-dev llvm-19" ;;
    format) wanted="$wanted clang-format-19" ;;
    tidy) wanted="$wanted clang-tidy-19" ;;
    # What unpacks and builds the programs that "make real" fetches, and reads results.
    real) wanted="$wanted jq make pkgconf xz-utils bzip2 zlib1g-dev libbz2-dev tcl" ;;
    *)
        echo "setup: no group '$group'; there are build, test, real, package, sanitize, format, tidy" >&2
        exit 2
        ;;
    esac
done

# Not Debian: whoever builds here brings the tools; CMake says what it does not find.
command -v dpkg-query >/dev/null || exit 0

# dpkg-query fails if it does not know a package; what it does know is printed all the same.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null || true)
missing=
for package in $wanted; do
    echo "$installed" | grep -qx "installed $package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: missing, and no root to install them:$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "setup: installing with apt-get:$missing"
$as_root apt-get -qq update
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends $missing </dev/null >/dev/null
