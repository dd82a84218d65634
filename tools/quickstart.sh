#!/bin/sh
# From a fresh checkout to the main job: installs what is missing, builds the library and the example
# `attention`, and runs it. Can be run again at any time, from any folder.
set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"
cd "$root"

install_for build

configure build --buildtype=release

say "compiling the library and examples/attention"
ninja -C build --quiet examples/attention </dev/null || fail "the build failed"

say "running build/examples/attention"
exec build/examples/attention
