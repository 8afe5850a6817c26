# zstd: a thread pool with a queue of jobs, and serialised parts of them. Planted: the pool is closed without its lock.
source=libzstd

program_build() {
    make -j "$jobs" -C programs CC="$CC" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 ZSTD_LEGACY_SUPPORT=0 ZSTD_NO_ASM=1 zstd
}

program_checks() {
    check 'safe' --timeout 40 -- programs/zstd -T2 -1 -q -c "$real/input/tiny"
    planted lib/common/pool.c '/^static void POOL_join/,/^}/{/queueMutex/d}' program_build &&
        check 'bug; (data-race|deadlock) at pool.c' --timeout 40 -- programs/zstd -T2 -1 -q -c "$real/input/tiny"
}
