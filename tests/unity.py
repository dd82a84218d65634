#!/usr/bin/env python3
"""Reads all files of a folder as one, as -Dunity=on compiles them many at a time: what is unnamed in
one of them must have another name in the others.

usage: unity.py COMPILER [ARGUMENT ...]
"""

import concurrent.futures
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The folders whose files are compiled together, without files that need what the build generates.
FOLDERS = ["command", "contract", "contract/algebra", "draw", "engine", "files", "front", "fused", "linear", "network",
           "path", "path/search", "plan", "show"]
LEFT_OUT = {"command/main.cpp", "show/template.cpp", "fused/tiles.cpp"}


def read(compiler, folder):
    """What the compiler says of a folder; empty when nothing is wrong."""
    files = sorted(file for file in (ROOT / "src" / folder).glob("*.cpp")
                   if f"{folder}/{file.name}" not in LEFT_OUT)
    source = "".join(f'#include "{file}"\n' for file in files)
    done = subprocess.run([*compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-I", ROOT,
                           "-I", ROOT / "src", "-I", ROOT / "include", "-"],
                          input=source, capture_output=True, text=True, errors="replace",
                          check=False)
    if not files or done.returncode != 0:
        return f"src/{folder}, read as one file:\n{done.stderr[:3000]}"
    return ""


def main():
    compiler = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [words for words in pool.map(lambda f: read(compiler, f), FOLDERS) if words]
    print("\n".join(found) or f"{len(FOLDERS)} folders, each read as one file")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
