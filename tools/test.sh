#!/bin/sh
# Builds and runs the tests, and ends with the line `N passed, N failed`.
#   tools/test.sh [-C FOLDER] [-s SUITE]... [-t FACTOR] [-- MESON-OPTION...]
#     -C  the build folder, `build` unless told
#     -s  only the tests of this suite: static, unit, gradient, compile_fail, header, package,
#         files, show, browser, directions, examples, python, mpi; may be repeated
#     -t  multiplies the time that a test may take
# What is missing is installed first. What follows `--` goes to `meson setup`.
set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"
cd "$root"

folder=build
suites=
factor=1
while getopts C:s:t: option; do
    case $option in
    C) folder=$OPTARG ;;
    s) suites="$suites --suite $OPTARG" ;;
    t) factor=$OPTARG ;;
    *) fail "unknown option; the first lines of tools/test.sh say which there are" ;;
    esac
done
shift $((OPTIND - 1))

# Results of an earlier run must not be taken for those of this one, however early it fails.
results=$folder/meson-logs/testlog.json
rm -f "$results"

install_for build tests python
has_clang || say "clang 19 or 16 is not there: messages and headers are checked with g++ alone"

# Many files as one, which takes half the time and makes the same library, unless the caller says how to build.
[ $# -gt 0 ] || [ -f "$folder/build.ninja" ] || set -- -Dunity=on -Dunity_size=29
configure "$folder" -Dtests=enabled "$@"

say "building and running the tests"
status=0
# Unquoted: one word for each option.
# shellcheck disable=SC2086
meson test -C "$folder" --print-errorlogs --timeout-multiplier "$factor" $suites </dev/null ||
    status=$?

python3 tools/summary.py "$results" || status=1
exit "$status"
