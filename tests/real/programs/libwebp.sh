# libwebp: cwebp encodes the transparency of a picture, and a part of its analysis, in threads of their own.
source=libwebp

program_build() {
    local part parts=
    for part in ANIM_UTILS GIF2WEBP IMG2WEBP VWEBP EXTRAS WEBPINFO WEBPMUX DWEBP; do
        parts="$parts -DWEBP_BUILD_$part=OFF"
    done
    # shellcheck disable=SC2086  # several options
    cmake -S . -B build $parts && cmake --build build -j "$jobs" --target cwebp
}

program_checks() {
    check 'safe' --timeout 120 -- build/cwebp -quiet -mt -m 0 "$real/input/picture" -o -
}
