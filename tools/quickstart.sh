#!/bin/sh
# From a fresh checkout to the main job: installs what is missing, builds the library, the command and the example
# `attention`, draws the worked example, and runs it. Can be run again at any time, from any folder.
set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"
cd "$root"

install_for build

configure build --buildtype=release

say "compiling the library, the command and examples/attention"
ninja -C build --quiet examples/attention src/command/ricci </dev/null || fail "the build failed"

worked=examples/worked
ricci=build/src/command/ricci
"$ricci" draw "$worked/attention.tex" -o build/worked-example.svg
"$ricci" run "$worked/attention.tex" Q="$worked/Q.npy" K="$worked/K.npy" V="$worked/V.npy" h:1,2,4 d_k=4,2,1 \
    --show A=build/worked-example.html --labels "$worked/tokens.txt" >/dev/null
say "the worked example as diagrams: $root/build/worked-example.svg"
say "its weights as heat maps, to be opened in a browser: $root/build/worked-example.html"

say "running build/examples/attention"
exec build/examples/attention
