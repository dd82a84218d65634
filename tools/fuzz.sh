#!/bin/sh
# Fuzzes the reading of texts and of files, at the same time: tools/fuzz.sh [SECONDS]. Needs clang and its
# libFuzzer; what is found stays in build-fuzz/.

set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"

seconds=${1:-30}
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
has_library fmt || install_packages libfmt-dev

# build NAME SOURCE... [-l LIBRARY...]: build-fuzz/NAME from tests/fuzz/NAME.cpp and what it tests.
build() {
    name=$1
    shift
    say "building $name with $compiler"
    "$compiler" -std=c++20 -g1 -O1 -DRICCI_TIGHT_BUFFERS -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=undefined -I "$root/include" -I "$root" \
        "$root/tests/fuzz/$name.cpp" "$@" -o "$folder/$name"
}

# fuzz NAME OPTION...: from the seeds in corpus/NAME and what was found before.
fuzz() {
    name=$1
    shift
    say "fuzzing with $name for $seconds seconds"
    mkdir -p "$folder/found/$name"
    "$folder/$name" -rss_limit_mb=1024 -timeout=10 -max_total_time="$seconds" \
        -artifact_prefix="$folder/$name-" "$@" "$folder/found/$name" "$folder/corpus/$name"
}

# parse_all, files_all: from the sources to the last second. No memory is taken out of proportion to files
# that are so small.
parse_all() {
    build parse_fuzz &&
        python3 "$root/tests/fuzz/make_corpus.py" "$folder/corpus/parse_fuzz" &&
        fuzz parse_fuzz -max_len=1000 -dict="$root/tests/fuzz/notation.dict"
}
files_all() {
    # Those of tensors: files of networks need the library.
    sources=$(grep -LE '(network|contraction|network_formats|labels|word_reader)[.]hpp"?>?' "$root"/src/files/*.cpp)
    # shellcheck disable=SC2086
    build files_fuzz $sources "$root"/src/front/array.cpp \
        "$root"/src/runtime/forks.cpp "$root"/src/runtime/interruption.cpp "$root"/src/runtime/memory.cpp \
        "$root"/src/runtime/memory_watch.cpp -lzip -lfmt &&
        python3 "$root/tests/fuzz/make_files_corpus.py" "$folder/corpus/files_fuzz" &&
        fuzz files_fuzz -max_len=5000 -malloc_limit_mb=64 -dict="$root/tests/fuzz/files.dict"
}

# Each takes one core. What the second one says comes after the first one's words.
files_log=$folder/files_fuzz.log
files_all >"$files_log" 2>&1 &
files=$!
status=0
parse_all || status=1
wait "$files" || status=1
cat "$files_log"
exit "$status"
