# plzip: lzip with a splitter, workers and a muxer, in C++, on lzlib, which is built with it. Its progress indicator uses a static
# variable in two threads: a data race that does no harm, and is passed over in the other rows.
source=plzip

program_build() {
    "$here/fetch.sh" "$real" lzlib &&
        (cd ../lzlib && ./configure CC="$CC" && make -j "$jobs" liblz.a) &&
        ./configure CXX="$RADDLE c++" CPPFLAGS=-I../lzlib LDFLAGS=-L../lzlib && make -j "$jobs" &&
        echo 'race:show_progress' >suppressions
}

program_checks() {
    check 'bug; data-race at main.cc' -- ./plzip -n 1 -c "$real/input/tiny"
    check 'safe' --suppressions "$PWD/suppressions" -- ./plzip -0 -n 1 -c "$real/input/tiny"
    check 'incomplete; the time was up' --timeout 20 --suppressions "$PWD/suppressions" -- \
        ./plzip -0 -n 2 -B 8KiB -s 4KiB -c "$real/input/zeros"
}
