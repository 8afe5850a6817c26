# xz: threads in liblzma; a mutex and a condition for each worker, one more for the whole.
source=xz-utils

program_build() {
    ./configure CC="$CC" --disable-shared --disable-nls --disable-doc && make -j "$jobs"
}

program_checks() {
    check '(safe|incomplete; (a run was given up after .*; )?the time was up)' --timeout 20 -- src/xz/xz -T2 --block-size=4096 -0 -k -c "$real/input/small"
}
