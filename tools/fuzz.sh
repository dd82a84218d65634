#!/bin/sh
# Fuzzes the reading of texts: tools/fuzz.sh [SECONDS]. Needs clang and its libFuzzer; what is
# found stays in build-fuzz/.

set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"

seconds=${1:-60}
folder=$root/build-fuzz
mkdir -p "$folder/found" "$folder/corpus"

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

say "building with $compiler"
"$compiler" -std=c++20 -g -O1 -DRICCI_TIGHT_BUFFERS -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -I "$root/include" \
    "$root/tests/fuzz/parse_fuzz.cpp" -o "$folder/parse_fuzz"
python3 "$root/tests/fuzz/make_corpus.py" "$folder/corpus"

say "fuzzing for $seconds seconds"
"$folder/parse_fuzz" -rss_limit_mb=1024 -timeout=10 -max_len=1000 -max_total_time="$seconds" \
    -dict="$root/tests/fuzz/notation.dict" -artifact_prefix="$folder/" \
    "$folder/found" "$folder/corpus"
