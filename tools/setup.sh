# What the scripts next to this one share: saying what they do, and installing what is missing.
# To be sourced by a POSIX shell. Sets `root`, the project's folder; expects to be in tools/ or .ci/
# with $0 as it was called.
# shellcheck shell=sh

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

say() { printf '%s\n' "ricci: $*"; }
fail() {
    printf '%s\n' "ricci: $*" >&2
    exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }
has_library() { have pkg-config && pkg-config --exists "$1"; }
has_boost() {
    printf '#include <boost/hana/map.hpp>\n' |
        "${CXX:-g++}" -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1
}
has_catch2() { has_library catch2 || has_library catch2-with-main; }
# The reader that the tests compare with needs numpy, in whichever of these interpreters; Debian's is the latter.
has_numpy() { python3 -c 'import numpy' >/dev/null 2>&1 || /usr/bin/python3 -c 'import numpy' >/dev/null 2>&1; }
has_clang() { have clang++-19 || have clang++-16; }

# The Debian packages that are missing for building the library and the examples.
missing_for_build() {
    # A compiler that the caller chose is the caller's to install.
    [ -n "${CXX:-}" ] || have g++ || echo g++
    have meson || echo meson
    have ninja || echo ninja-build
    have python3 || echo python3
    have pkg-config || echo pkg-config
    has_library tbb || echo libtbb-dev
    has_library libhwy || echo libhwy-dev
    has_library fmt || echo libfmt-dev
    has_library nlohmann_json || echo nlohmann-json3-dev
    has_library libzip || echo libzip-dev
    has_library CLI11 || echo libcli11-dev
    has_boost || echo libboost-dev
}

# The same for the tests.
missing_for_tests() {
    has_catch2 || echo catch2
    have cmake || echo cmake
    # The compiler of the messages that the tests check, whatever the library is built with.
    have g++ || echo g++
    has_library eigen3 || echo libeigen3-dev
    has_library lapack || echo liblapack-dev
    has_numpy || echo python3-numpy
}

# The same for programs on several ranks, without which these are not tested.
missing_for_mpi() {
    have mpirun || echo openmpi-bin
    has_library ompi-cxx || has_library mpich || echo libopenmpi-dev
    has_module mpi4py || echo python3-mpi4py
}

# The interpreter of the Python package: the one that runs Meson, which is Debian's where Meson is.
package_python() {
    if /usr/bin/python3 -c '' 2>/dev/null; then echo /usr/bin/python3; else echo python3; fi
}
has_module() { "$(package_python)" -I -c "import $1" >/dev/null 2>&1; }
has_python_headers() {
    "$(package_python)" -c 'import os, sysconfig
os.stat(sysconfig.get_path("include") + "/Python.h")' >/dev/null 2>&1
}

# The same for the Python package and its tests.
missing_for_python() {
    has_library pybind11 || echo pybind11-dev
    has_python_headers || echo python3-dev
    has_module numpy || echo python3-numpy
    has_module pytest || echo python3-pytest
}

# The same for a wheel of it.
missing_for_wheel() {
    missing_for_python
    has_module mesonpy || echo python3-mesonpy
    has_module pybind11 || echo python3-pybind11
    has_module build || echo python3-build
    has_module ensurepip || echo python3-venv
    have patchelf || echo patchelf
}

# as_root COMMAND...: runs it as root, or fails when that cannot be done without asking somebody.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        sudo "$@"
    else
        return 1
    fi
}

can_be_root() {
    [ "$(id -u)" -eq 0 ] || { have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }
}

# apt_get WORDS...: apt-get without questions and without output, unless it fails.
apt_get() {
    log=$(mktemp)
    if as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >"$log" 2>&1 </dev/null; then
        rm -f "$log"
    else
        tail -n 20 "$log" >&2
        rm -f "$log"
        return 1
    fi
}

# install_packages PACKAGE...: installs Debian packages; says how, where it cannot.
install_packages() {
    [ $# -gt 0 ] || return 0
    line="apt-get update && apt-get install -y --no-install-recommends $*"
    have apt-get || fail "these are missing (under the names that Debian gives them): $*"
    can_be_root || fail "some packages are missing. As root, run:
    $line"
    say "installing $*"
    apt_get update || say "the package lists could not be renewed; trying those that are there"
    apt_get install --no-install-recommends "$@" || fail "could not install the packages. By hand:
    $line"
}

# install_for WHAT...: installs what is missing for each of: build, tests, mpi, python, wheel.
install_for() {
    packages=$(for purpose in "$@"; do "missing_for_$purpose"; done | sort -u | tr '\n' ' ')
    # Names of packages hold no spaces or patterns.
    # shellcheck disable=SC2086
    install_packages $packages
}

# has_sanitizers COMPILER: whether it is there with the libraries of its sanitizers.
has_sanitizers() {
    have "$1" && echo 'int main() {}' | "$1" -fsanitize=address -x c++ - -o /dev/null 2>/dev/null
}

# Clang checks that messages and headers suit a second compiler, and has the sanitizers of the tests.
# Returns 1 where it cannot be had.
install_clang() {
    if has_sanitizers clang++-19 || has_sanitizers clang++-16; then return 0; fi
    have apt-get && can_be_root || return 1
    apt_get update || true
    for version in 19 16; do
        apt-cache show "clang-$version" >/dev/null 2>&1 || continue
        say "installing clang-$version"
        apt_get install --no-install-recommends "clang-$version" "libclang-rt-$version-dev" && return 0
    done
    return 1
}

# What looks at the sources of a change for mistakes that compilers do not see; without it nothing is looked at.
install_tidy() {
    if have clang-tidy-19 || have clang-tidy; then return 0; fi
    have apt-get && can_be_root || return 1
    say "installing clang-tidy"
    apt_get update || true
    apt_get install --no-install-recommends clang-tidy
}

# The browser that the tests of pages look at; without it they are skipped. Returns 1 where it cannot be had.
install_browser() {
    if have chromedriver && have chromium; then return 0; fi
    have apt-get && can_be_root || return 1
    say "installing chromium"
    apt_get update || true
    apt_get install --no-install-recommends chromium chromium-driver
}

# configure FOLDER OPTION...: sets up a build folder, or changes the options of one that is there.
configure() {
    folder=$1
    shift
    log=$(mktemp)
    if [ -f "$folder/build.ninja" ]; then
        set -- --reconfigure "$@"
    fi
    say "configuring $folder"
    if meson setup "$folder" "$root" "$@" >"$log" 2>&1 </dev/null; then
        rm -f "$log"
    else
        tail -n 40 "$log" >&2
        rm -f "$log"
        fail "meson could not configure $folder; removing that folder starts afresh"
    fi
}
