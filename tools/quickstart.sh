#!/bin/sh
# From a fresh checkout to the main job: installs what is missing, builds the library and the example `attention`, and
# runs that; then it builds the command and draws the worked example. Can be run again at any time, from any folder.
# All that it builds is in build-native/, which nothing else uses, and is made for this machine and to be there soon:
# what is installed is built in build/, for every machine, and runs faster (docs/getting-started.md).
set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"
cd "$root"

install_for build

folder=build-native
start=$(date +%s)
# So many files at once take a quarter less time than 16, and a gigabyte. A prime: Meson 1.0 miscounts lists of files
# that are a multiple of it long. Kernels alone are optimised, and warnings are for who changes the sources.
configure "$folder" -Dtargets=own -Doptimization=g -Ddebug=false -Db_ndebug=true -Dwarning_level=0 \
    -Dunity=on -Dunity_size=43 -Ddefault_library=shared -Dtests=disabled -Dbench=disabled -Dpython=disabled

say "compiling the library and examples/attention, for this machine"
ninja -C "$folder" --quiet examples/attention </dev/null || fail "the build failed"

say "running $folder/examples/attention"
"$folder/examples/attention"
say "built and run in $(($(date +%s) - start)) s"

say "compiling the command, for the worked example"
ninja -C "$folder" --quiet tools/command/ricci </dev/null || fail "the build failed"

worked=examples/worked
ricci=$folder/tools/command/ricci
"$ricci" draw "$worked/attention.tex" -o "$folder/worked-example.svg"
"$ricci" run "$worked/attention.tex" Q="$worked/Q.npy" K="$worked/K.npy" V="$worked/V.npy" h:1,2,4 d_k=4,2,1 \
    --show A="$folder/worked-example.html" --labels "$worked/tokens.txt" >/dev/null
say "the worked example as diagrams: $root/$folder/worked-example.svg"
say "its weights as heat maps, to be opened in a browser: $root/$folder/worked-example.html"
say "the Python package, for an environment of Python: pip install --no-build-isolation . (docs/python.md)"
