#!/bin/sh
# Builds the library for 64-bit Arm with Debian's cross compiler, and runs tests of its kernels there, emulated
# by qemu: with SVE's vectors of 256 bits; with longer ones and without any, where NEON's kernels serve.
#   tools/arm.sh [FILTER...]
# A filter is one of Catch2's; without any, the tests that take longest are left out. The build stays in
# build-aarch64/. Not a part of tools/test.sh: it takes some half an hour, and adds the architecture arm64 to the
# system's list.

set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"

folder=$root/build-aarch64
# One filter: Catch2 wants all of its parts to hold, and quotes where another one follows.
[ $# -gt 0 ] || set -- '~"*threads"~"*same time"~"*cut down"~"blocks of every kind*"~"*many columns*"'\
'~"*from memory*"~"unit strides*"~"products that are*"~"rows of a large*"~"*cut in parts*"~"masked groups and*"'\
'~"groups of one*"~"in float*"~"few rows*"~"*fill vectors*"~"fused weights*"~"*fused and right"'

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
tests='contract elementwise small fused'
# shellcheck disable=SC2046,SC2086
ninja -C "$folder" $(printf 'tests/unit_%s ' $tests)

# Lengths are in bytes. No -L: the C library of arm64's packages is where that architecture expects it, and the
# loader that the cross compiler brings is of another version.
status=0
run() {
    say "unit_$2 on a processor $1"
    cpu=$1 test=$2
    shift 2
    qemu-aarch64 -cpu "max,$cpu" "$folder/tests/unit_$test" "$@" || status=1
}
for test in $tests; do
    run sve-default-vector-length=32 "$test" "$@"
    run sve=off "$test" "$@"
done
run sve-default-vector-length=64 contract "$@"
exit $status
