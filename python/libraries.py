#!/usr/bin/env python3
"""The shared libraries that a wheel carries beside its module: all but glibc's and the compiler's.

usage: libraries.py list PACKAGE... -- COMPILER...
           prints `NAME PATH` of each library that programs with these packages of pkg-config load
       libraries.py copy LIBRARY COPY
           copies one; the copy looks for others in its own folder
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What every Linux with a C++ program has.
OF_SYSTEM = re.compile(r"(linux-vdso|ld-linux.*|lib(c|m|mvec|dl|rt|pthread|resolv|util|anl|stdc\+\+|"
                       r"gcc_s|atomic))\.so(\..*)?$")
LOADED = re.compile(r"^\s*(\S+) => (/\S+)", re.MULTILINE)


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def libraries_of(packages, compiler):
    """Names and paths, in the order in which the loader finds them."""
    links = output_of("pkg-config", "--libs", *packages).split()
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder, "probe.so")
        output_of(*compiler, "-shared", "-o", str(probe), "-Wl,--no-as-needed", *links)
        found = LOADED.findall(output_of("ldd", str(probe)))
    return [(name, path) for name, path in found if not OF_SYSTEM.match(name)]


def copy(library, to):
    shutil.copyfile(pathlib.Path(library).resolve(), to)
    pathlib.Path(to).chmod(0o755)
    output_of("patchelf", "--set-rpath", "$ORIGIN", to)


def main(mode, *arguments):
    if mode == "copy":
        copy(*arguments)
        return
    place = arguments.index("--")
    for name, path in libraries_of(arguments[:place], arguments[place + 1:]):
        print(name, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
