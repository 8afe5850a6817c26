# liburcu: userspace RCU, the flavour whose readers have full barriers; it sleeps in futexes. Without _LGPL_SOURCE its macro rcu_dereference
# reads the pointer as plain memory, and hands it to a function: a data race. Planted: the second of two waits for readers is left out.
source=liburcu

program_build() {
    ./configure CC="$CC" --disable-shared && swap_build
}

swap_build() {
    local program="-O1 -DRCU_MB -Iinclude $here/own/urcu_swap.c src/.libs/liburcu-mb.a src/.libs/liburcu-common.a"
    # shellcheck disable=SC2086  # several arguments
    make -j "$jobs" -C src && $CC $program -o urcu_swap_plain && $CC -D_LGPL_SOURCE $program -o urcu_swap
}

program_checks() {
    check 'bug; data-race at urcu_swap.c' -- ./urcu_swap_plain
    check 'safe' -- ./urcu_swap
    check 'safe' --model tso -- ./urcu_swap
    planted src/urcu.c '/wait_for_readers\(&cur_snap_readers, NULL/d' swap_build &&
        check 'bug; data-race at urcu_swap.c' -- ./urcu_swap
}
