# Concurrency Kit: lock-free structures as headers, with programs of our own (tests/real/own). Its atomics are assembly or, as here,
# builtins and volatile accesses. The latter are data races to the letter of C, so a second look goes past them, under the store
# buffers of x86, too.
source=ck

program_build() {
    ./configure --use-cc-builtins &&
        for name in ring stack; do
            $CC -O1 -DCK_USE_CC_BUILTINS -Iinclude "$here/own/ck_$name.c" -o "ck_$name" || return
        done
}

program_checks() {
    local name
    check 'bug; data-race at ck_ring.h' -- ./ck_ring
    check 'bug; data-race at ck_pr.h' -- ./ck_stack
    for name in ring stack; do
        check 'safe' --races ignore -- ./ck_$name
        check 'safe' --races ignore --model tso -- ./ck_$name
    done
}
