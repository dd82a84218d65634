#!/bin/sh
# Compares the speed of two builds, case by case: runs the benchmarks of both in turns, and prints
# how long the new one takes as a multiple of the old one.
#
#   tools/compare.sh [-t THREADS] [-l LIST]... [-k FOLDER] OLD NEW [PAIRS]
#     OLD, NEW  build folders, with all programs of bench/ built; nothing is built here
#     PAIRS     how often both are run, 5 unless told
#     -t        the number of threads, 1 unless told
#     -l        contract, quick (contract without its largest cases), small, calls, attention, layer
#               or planning; may be repeated; all but quick unless told
#     -k        keeps what the benchmarks print in this folder, one file a list and run
#
# For each case it prints the median of the ratios NEW / OLD, one a pair; where the middle half of
# them lies; and the ratio of the best of all runs, which a busy machine disturbs least. Then
# for each list the geometric mean of the medians, and all cases above 1.03. One pair scatters by
# several percent: a case is slower where all three numbers are above 1, in two calls.
# A list that a build has no program for is left out, and named. `python3 tools/compare.py FOLDER`
# prints the same again of what -k kept.
set -eu
root=$(cd "$(dirname -- "$0")/.." && pwd)
usage() {
    sed -n 's/^# \{0,1\}//; 5,12p' "$0" >&2
    exit 2
}

threads=1
lists=
kept=
while getopts t:l:k: option; do
    case $option in
    t) threads=$OPTARG ;;
    l) lists="$lists $OPTARG" ;;
    k) kept=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || usage
old=$1
new=$2
pairs=${3:-5}
lists=${lists:-contract small calls attention layer planning}

if [ -n "$kept" ]; then
    mkdir -p "$kept"
    folder=$kept
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi

groups="product square attention tccg types permutation reduction stream diagonal"
# The program of a list, and what it is told. Peers are left out where they can be.
command_of() {
    case $1 in
    contract) echo "bench_contract $threads alone $groups" ;;
    quick) echo "bench_contract $threads alone quick $groups" ;;
    small) echo "bench_contract 1 alone small float" ;;
    calls) echo "bench_contract 1 alone calls" ;;
    attention) echo "bench_attention $threads" ;;
    layer) echo "bench_layer $threads" ;;
    planning) echo "bench_planning" ;;
    *)
        echo "no list is called $1" >&2
        exit 2
        ;;
    esac
}

# run NAME BUILD LIST PAIR
run() {
    # Unquoted: one word for each argument.
    # shellcheck disable=SC2046
    "$2"/bench/$(command_of "$3") >"$folder/$3.$1.$4"
}

for list in $lists; do
    program=$(command_of "$list")
    program=${program%% *}
    if [ ! -x "$old/bench/$program" ] || [ ! -x "$new/bench/$program" ]; then
        echo "left out: $list, as a build has no bench/$program" >&2
        continue
    fi
    pair=1
    while [ "$pair" -le "$pairs" ]; do
        echo "$list: pair $pair of $pairs" >&2
        # Who begins takes turns: the second may find a warmer machine.
        if [ $((pair % 2)) -eq 1 ]; then
            run old "$old" "$list" "$pair"
            run new "$new" "$list" "$pair"
        else
            run new "$new" "$list" "$pair"
            run old "$old" "$list" "$pair"
        fi
        pair=$((pair + 1))
    done
done
python3 "$root/tools/compare.py" "$folder"
