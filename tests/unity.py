#!/usr/bin/env python3
"""Reads all files of some folders as one, as -Dunity=on compiles them many at a time: what is unnamed in
one of them must have another name in the others.

usage: unity.py COMPILER [ARGUMENT ...]
"""

import concurrent.futures
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The folders whose files are compiled together, without files that need what the build generates.
GROUPS = [
    ["src/plan", "src/network", "src/network/scaled", "src/path", "src/path/search", "src/engine", "src/front"],
    ["src/contract", "src/contract/algebra", "src/copy", "src/index", "src/scan", "src/linear", "src/bodies",
     "src/fused"],
    ["src/files"], ["tools/command"], ["tools/papers"], ["tools/judge"], ["tools/check"], ["tools/draw"],
    ["tools/formula"], ["tools/show"],
]
LEFT_OUT = {"tools/command/main.cpp", "tools/show/template.cpp", "src/fused/tiles.cpp"}


def read(compiler, folders):
    """What the compiler says of the files of some folders; empty when nothing is wrong."""
    files = [file for folder in folders for file in sorted((ROOT / folder).glob("*.cpp"))
             if f"{folder}/{file.name}" not in LEFT_OUT]
    source = "".join(f'#include "{file}"\n' for file in files)
    done = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", ROOT,
                           "-I", ROOT / "src", "-I", ROOT / "tools", "-I", ROOT / "include", "-"],
                          input=source, capture_output=True, text=True, errors="replace",
                          check=False)
    if not files or done.returncode != 0:
        return f"{', '.join(folders)}, read as one file:\n{done.stderr[:3000]}"
    return ""


def main():
    compiler = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [words for words in pool.map(lambda folders: read(compiler, folders), GROUPS) if words]
    print("\n".join(found) or f"{len(GROUPS)} groups of folders, each read as one file")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
