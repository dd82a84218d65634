#!/bin/sh
# Builds the library for clang's thread sanitizer and runs the tests of what is shared between threads with it:
# fused groups, chains of them, contractions, maps, gathers, calls at the same moment, on two to five threads.
#   tools/tsan.sh
# Threads are the standard library's: a sanitizer sees nothing of what oneTBB does. Kernels are those of one SIMD
# target, and are watched like everything else. At first the sanitizer itself is tested, by races on purpose.
# The build stays in build-tsan/. Not a part of tools/test.sh: the last line says how long it took.
set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"
cd "$root"

folder=build-tsan
start=$(date +%s)

install_for build tests
install_clang || fail "clang could not be installed"
native=tools/clang.ini
has_sanitizers clang++-19 || native=tools/clang-16.ini

# SSE4: clang watches what is read and written up to 16 bytes at a time, and nothing wider.
# -O1: kernels without optimisation would take longer to run than this saves in compiling them.
configure "$folder" --native-file "$native" -Dthreads=std -Db_sanitize=thread -Db_lundef=false \
    -Doptimization=1 -Ddebug=false -Db_ndebug=false -Dcpp_args=-g1 -Ddefault_library=static \
    -Dskipped_targets=SSSE3,AVX2,AVX3,AVX3_DL -Dtests=enabled -Dexamples=disabled -Dbench=disabled \
    -Dcommand=disabled -Dfiles=disabled

# Names of programs hold no spaces.
programs='runtime failing_tasks fused contract elementwise gather plan'
# shellcheck disable=SC2046
ninja -C "$folder" --quiet tests/race $(printf 'tests/unit_%s ' $programs)
say "built in $(($(date +%s) - start)) s"

export TSAN_OPTIONS="exitcode=66 ${TSAN_OPTIONS:-}"
failures=0

# Reports on standard error of races that are there.
for race in body turns kernels; do
    if "$folder/tests/race" "$race" 2>&1 | grep -q 'WARNING: ThreadSanitizer: data race'; then
        say "a race on purpose, $race: seen"
    else
        say "a race on purpose, $race: NOT SEEN"
        failures=$((failures + 1))
    fi
done

# run NAME FILTER...: those of its tests.
run() {
    name=$1
    shift
    began=$(date +%s)
    if "$folder/tests/unit_$name" "$@"; then
        say "unit_$name: passed ($(($(date +%s) - began)) s)"
    else
        say "unit_$name: FAILED ($(($(date +%s) - began)) s)"
        failures=$((failures + 1))
    fi
}
run runtime
run failing_tasks
run fused '*threads*'
run contract '*threads*'
run elementwise '*threads*'
run gather '*threads*'
run plan '*threads*'

say "took $(($(date +%s) - start)) s, failures: $failures"
[ "$failures" -eq 0 ]
