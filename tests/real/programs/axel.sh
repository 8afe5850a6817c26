# axel: a downloader with a thread for each connection, against the server of examples/downloader. Files stay from run to run; without
# -o it finds a new name each time.
source=axel

program_build() {
    ./configure CC="$CC" --without-ssl && make -j "$jobs"
}

program_checks() {
    check 'incomplete; (the time was up; )?(not modelled: .*; )?not modelled: asynchronous cancellation between visible operations(; not modelled: .*)?' --timeout 20 -- ./axel -q -n 2 "$url/small"
}
