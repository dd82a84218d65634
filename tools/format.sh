#!/bin/sh
# Formats the C++ files as .clang-format says; with --check only says which would change.
set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"
cd "$root"

# Versions of clang-format disagree about details; this is the one that the files are written with.
wanted=14
program=
for name in "clang-format-$wanted" clang-format; do
    if have "$name" && "$name" --version | grep -q "version $wanted\."; then
        program=$name
        break
    fi
done
if [ -z "$program" ]; then
    say "clang-format $wanted is not there: nothing done"
    exit 0
fi

# sources COMMAND...: runs the command with the names of all C++ files.
sources() {
    find include src tools python tests examples bench \
        \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' \) -exec "$@" {} +
}

if [ "${1:-}" = --check ]; then
    wrong=$(sources "$program" --dry-run 2>&1 |
        sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p' | sort -u)
    [ -z "$wrong" ] && exit 0
    say "not formatted; run tools/format.sh:"
    printf '%s\n' "$wrong"
    exit 1
fi
sources "$program" -i
