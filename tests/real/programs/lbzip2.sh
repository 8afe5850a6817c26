# lbzip2: bzip2 with worker threads, a splitter and a muxer. Its copy of gnulib is older than the libc it meets: the macros tell it
# what streams look like. It keeps its process id to send itself signals: one that is kept may be used for anything, so it is named.
source=lbzip2

program_build() {
    ./configure CC="$CC" CPPFLAGS="-D_IO_ftrylockfile -D_IO_ERR_SEEN=32 -D_IO_IN_BACKUP=256" && make -j "$jobs"
}

program_checks() {
    check 'incomplete; not modelled: getpid: .*' --timeout 100 -- src/lbzip2 -n 1 -c "$real/input/tiny"
    check 'incomplete; (the time was up; )?not modelled: getpid: .*' --timeout 20 -- src/lbzip2 -n 2 -c "$real/input/tiny"
}
