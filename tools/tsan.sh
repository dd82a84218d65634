#!/bin/sh
# Builds the library for clang's thread sanitizer and runs the tests of what is shared between threads with it:
# fused groups, chains of them, contractions, maps, gathers, calls at the same moment, on two to five threads.
#   tools/tsan.sh [--runtime]
# --runtime: of these only what shares out tasks, compiled by itself, which takes half a minute.
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
clang=clang++-19 native=tools/clang.ini
has_sanitizers "$clang" || clang=clang++-16 native=tools/clang-16.ini
export TSAN_OPTIONS="exitcode=66 ${TSAN_OPTIONS:-}"
failures=0

# sees_race PROGRAM ARGUMENT...: whether a race that is there is reported, on standard error.
sees_race() {
    if "$@" 2>&1 | grep -q 'WARNING: ThreadSanitizer: data race'; then
        say "a race on purpose, $(basename "$*"): seen"
    else
        say "a race on purpose, $(basename "$*"): NOT SEEN"
        failures=$((failures + 1))
    fi
}

ended() {
    say "took $(($(date +%s) - start)) s, failures: $failures"
    [ "$failures" -eq 0 ]
}

if [ "${1:-}" = --runtime ]; then
    folder=$folder-runtime
    mkdir -p "$folder"
    flags="-std=c++20 -O1 -g1 -fsanitize=thread -pthread -Iinclude -I. -Isrc"
    # Catch2 is not what is watched, and takes half a minute to compile when it is.
    "$clang" -std=c++20 -O0 -pthread -c tests/main.cpp -o "$folder/main.o" &
    main=$!
    # shellcheck disable=SC2016 # expanded by the shells that it is for
    printf '%s\n' src/runtime/*.cpp tests/unit/runtime/parallel_test.cpp tests/unit/runtime/turns_test.cpp \
        tests/unit/runtime/race.cpp | grep -v '^src/runtime/parallel.cpp$' |
        xargs -P "$(nproc)" -I FILE sh -c '$1 $2 -c "$3" -o "$4/$(basename "$3" .cpp).o"' _ \
            "$clang" "$flags" FILE "$folder"
    wait "$main"
    runtime=$(for file in src/runtime/*.cpp; do basename "$file" .cpp; done | grep -v '^parallel$' |
        sed "s,.*,$folder/&.o,")
    # Flags, and names of files, which hold no spaces.
    # shellcheck disable=SC2086
    "$clang" $flags $runtime "$folder"/*_test.o "$folder/main.o" -lfmt -o "$folder/unit_runtime"
    # shellcheck disable=SC2086
    "$clang" $flags $runtime "$folder/race.o" -lfmt -o "$folder/race"
    sees_race "$folder/race" body
    sees_race "$folder/race" turns
    "$folder/unit_runtime" || failures=$((failures + 1))
    ended
    exit
fi

# SSE4: clang watches what is read and written up to 16 bytes at a time, and nothing wider.
# -O1: kernels without optimisation would take longer to run than this saves in compiling them.
configure "$folder" --native-file "$native" -Dthreads=std -Db_sanitize=thread -Db_lundef=false \
    -Doptimization=1 -Ddebug=false -Db_ndebug=false -Dcpp_args=-g1 -Ddefault_library=static \
    -Dskipped_targets=SSSE3,AVX2,AVX3,AVX3_DL -Dtests=enabled -Dexamples=disabled -Dbench=disabled \
    -Dcommand=disabled -Dfiles=disabled

# Names of programs hold no spaces.
programs='runtime failing_tasks fused contract elementwise gather plan'
# shellcheck disable=SC2046,SC2086
ninja -C "$folder" --quiet tests/race tests/race_of_kernels $(printf 'tests/unit_%s ' $programs)
say "built in $(($(date +%s) - start)) s"

sees_race "$folder/tests/race" body
sees_race "$folder/tests/race" turns
sees_race "$folder/tests/race_of_kernels"

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

ended
