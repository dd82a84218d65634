#!/bin/sh
# Compares the results of two builds bit by bit: all recorded programs, values and gradients, on
# fixed inputs and one thread.
#
#   tools/same_bits.sh OLD NEW
#     OLD, NEW  build folders with tests/unit_records, for one processor; or files that
#               `RICCI_BITS=FILE tests/unit_records '[.bits]'` has written in one
#
# Prints each result that differs, `<` of the old build and `>` of the new one, and how many there
# are; the exit status is 1 then.
set -eu
usage() {
    sed -n 's/^# \{0,1\}//; 4,7p' "$0" >&2
    exit 2
}
[ $# -eq 2 ] || usage

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

hashes_of() { # build folder or file, where to
    if [ -f "$1" ]; then
        cp "$1" "$2"
    elif ! (cd "$1" && RICCI_BITS="$2" tests/unit_records '[.bits]') >"$folder/log" 2>&1; then
        cat "$folder/log" >&2
        exit 2
    fi
}

hashes_of "$1" "$folder/old"
hashes_of "$2" "$folder/new"
if diff "$folder/old" "$folder/new" >"$folder/difference"; then
    echo "$(wc -l <"$folder/new") results have the same bits"
else
    grep '^[<>]' "$folder/difference"
    echo "$(grep -c '^>' "$folder/difference") of $(wc -l <"$folder/new") results differ"
    exit 1
fi
