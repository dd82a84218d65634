#!/bin/sh
# Builds the Python package as others get it, a wheel in dist/, says how large it is, and passes the tests of
# python/tests with it, installed in an environment of its own.
#   tools/wheel.sh [MESON-OPTION...]
# What is missing is installed first. That takes some minutes: it has kernels for every processor.
set -eu
# shellcheck source=tools/setup.sh
. "$(dirname -- "$0")/setup.sh"
cd "$root"

install_for build wheel

python=$(package_python)
wheels=$root/dist
rm -rf "$wheels"
options=
for option in "$@"; do options="$options -Csetup-args=$option"; done

say "building the wheel"
# Unquoted: one word for each option.
# shellcheck disable=SC2086
"$python" -I -m build --wheel --no-isolation -o "$wheels" $options "$root" </dev/null || fail "the build failed"
wheel=$(echo "$wheels"/*.whl)
say "$wheel: $(($(wc -c <"$wheel") / 1000000)) MB"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$python" -m venv --system-site-packages "$place/environment"
"$place/environment/bin/pip" install --quiet --no-index --no-deps "$wheel"

say "testing it"
RICCI_WHEEL=$wheel "$place/environment/bin/python" -m pytest -q -p no:cacheprovider python/tests
