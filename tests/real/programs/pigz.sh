# pigz: gzip with a thread for each block, its own threads library (yarn) on mutexes and conditions.
# zlib is not instrumented: it is trusted to touch only what it is given.
source=pigz

program_build() {
    make -j "$jobs" CC="$CC" pigz
}

program_checks() {
    check --trust 'libz.so*' -- ./pigz -p 2 -c "$real/input/tiny"
    check --trust 'libz.so*' --timeout 40 -- ./pigz -p 2 -b 128 -c "$real/input/two-blocks"
}
