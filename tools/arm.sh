#!/bin/sh
# Builds the library for 64-bit Arm (NEON) with Debian's cross compiler, and runs the tests of its
# contractions there, emulated by qemu: tools/arm.sh [FILTER...], where a filter is one of Catch2's.
# Tests of threads are left out: threads that wait for each other take for ever in an emulator. The
# build stays in build-aarch64/. Not a part of tools/test.sh: it takes some fifteen minutes, and adds
# the architecture arm64 to the system's list.

set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"

folder=$root/build-aarch64
[ $# -gt 0 ] || set -- '[contract]~"*threads"~"*same time"'

arm_library() { [ -e "/usr/lib/aarch64-linux-gnu/pkgconfig/$1.pc" ]; }
packages=$(
    missing_for_build
    has_catch2 || echo catch2
    have aarch64-linux-gnu-g++ || echo g++-aarch64-linux-gnu
    have qemu-aarch64 || echo qemu-user
    arm_library tbb || echo libtbb-dev:arm64
    arm_library libhwy || echo libhwy-dev:arm64
    arm_library fmt || echo libfmt-dev:arm64
)
case $packages in
*:arm64*)
    dpkg --print-foreign-architectures | grep -q '^arm64$' ||
        as_root dpkg --add-architecture arm64 ||
        fail "as root, run: dpkg --add-architecture arm64"
    ;;
esac
# Names of packages hold no spaces or patterns.
# shellcheck disable=SC2086
install_packages $packages

configure "$folder" --cross-file "$root/tools/aarch64.ini" --buildtype=release \
    -Dexamples=disabled -Dbench=disabled -Ddefault_library=shared
ninja -C "$folder" tests/unit_contract
say "running the tests"
cd "$folder"
qemu-aarch64 -L /usr/aarch64-linux-gnu \
    -E "LD_LIBRARY_PATH=$folder/src:/usr/lib/aarch64-linux-gnu" \
    tests/unit_contract --durations yes "$@"
