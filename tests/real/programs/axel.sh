# axel: a downloader with a thread for each connection, against the server of examples/downloader.
source=axel

program_build() {
    ./configure CC="$CC" --without-ssl && make -j "$jobs"
}

program_checks() {
    check --timeout 40 -- ./axel -q -n 2 -o axel-out "$url/small"
}
