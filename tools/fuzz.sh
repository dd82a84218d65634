#!/bin/sh
# Fuzzes the reading of texts and of files, half of the time each: tools/fuzz.sh [SECONDS]. Needs clang and its
# libFuzzer; what is found stays in build-fuzz/.

set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"

seconds=${1:-60}
folder=$root/build-fuzz
mkdir -p "$folder"

# can_fuzz COMPILER: whether it is there and has libFuzzer.
can_fuzz() {
    have "$1" || return 1
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
        "$1" -x c++ -fsanitize=fuzzer,address - -o "$folder/probe" 2>/dev/null
}

find_compiler() {
    for name in clang++-19 clang++-16 clang++-14 clang++; do
        can_fuzz "$name" && compiler=$name && return 0
    done
    return 1
}

find_compiler || { install_packages clang-19 libclang-rt-19-dev && find_compiler; } ||
    fail "no clang++ here has libFuzzer"

has_library nlohmann_json || install_packages nlohmann-json3-dev
has_library libzip || install_packages libzip-dev

# build NAME SOURCE... [-l LIBRARY...]: build-fuzz/NAME from tests/fuzz/NAME.cpp and what it tests.
build() {
    name=$1
    shift
    say "building $name with $compiler"
    "$compiler" -std=c++20 -g -O1 -DRICCI_TIGHT_BUFFERS -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=undefined -I "$root/include" -I "$root" \
        "$root/tests/fuzz/$name.cpp" "$@" -o "$folder/$name"
}

# fuzz NAME OPTION...: for half of the time, from the seeds in corpus/NAME and what was found before.
fuzz() {
    name=$1
    shift
    say "fuzzing with $name for $((seconds / 2)) seconds"
    mkdir -p "$folder/found/$name"
    "$folder/$name" -rss_limit_mb=1024 -timeout=10 -max_total_time=$((seconds / 2)) \
        -artifact_prefix="$folder/$name-" "$@" "$folder/found/$name" "$folder/corpus/$name"
}

build parse_fuzz
build files_fuzz "$root"/src/files/*.cpp "$root/src/front/array.cpp" "$root/src/runtime/memory.cpp" \
    "$root/src/runtime/memory_watch.cpp" -lzip

python3 "$root/tests/fuzz/make_corpus.py" "$folder/corpus/parse_fuzz"
python3 "$root/tests/fuzz/make_files_corpus.py" "$folder/corpus/files_fuzz"

fuzz parse_fuzz -max_len=1000 -dict="$root/tests/fuzz/notation.dict"
# No memory is taken out of proportion to such small files.
fuzz files_fuzz -max_len=5000 -malloc_limit_mb=64 -dict="$root/tests/fuzz/files.dict"
