# pigz: gzip with a thread for each block, its own threads library (yarn) on mutexes and conditions.
# zlib is not instrumented: it is trusted to touch only what it is given. Planted: the thread
# that writes does not wait until the checksum of a block is there.
source=pigz

program_build() {
    make -j "$jobs" CC="$CC" pigz
}

program_checks() {
    check 'safe' --trust 'libz.so*' -- ./pigz -p 2 -c "$real/input/tiny"
    check '(safe|incomplete; the time was up)' --trust 'libz.so*' --timeout 20 -- ./pigz -p 2 -b 32 -c "$real/input/zeros"
    planted pigz.c '/wait_for\(job->calc, TO_BE, 1\);/d' make CC="$CC" pigz &&
        check 'bug; data-race at pigz.c' --trust 'libz.so*' -- ./pigz -p 2 -c "$real/input/tiny"
}
