#!/usr/bin/env python3
"""Reads each file by itself that a change may have broken for builds that compile file by file, which builds of
many files as one do not see; then looks at the changed ones with clang-tidy, where it is there.

usage: changed.py [--since COMMIT] [COMPILER [ARGUMENT ...]]

What changed is told from the last commit that the branch has in common with COMMIT, the commit before this one
unless told. Sources are read that changed, or include a header that did, as many as --seconds allow.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("include", "src", "tools", "tests", "examples", "bench", ".")
# Compiled with what a build generates or chooses, or for every SIMD target, which takes a minute and is done anyway.
LEFT_OUT = re.compile(r"src/(kernels/|runtime/parallel_std\.cpp)|-inl\.h$"
                      r"|(tools/show/template|tests/unit/face/eigen_test)\.cpp")
# Where most is compiled behind one precompiled header, which hides what a file does not include.
TESTS = ("tests/unit/", "tests/property/", "tests/gradient/")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout


def changed_since(commit):
    """The files that differ from the last common commit, those of the working tree included."""
    return git("diff", "--name-only", "--diff-filter=d", git("merge-base", "HEAD", commit).strip()).split()


def includers(headers):
    """The sources of the library and of the tools that include one of the headers by its name."""
    found = []
    for source in sorted([*(ROOT / "src").rglob("*.cpp"), *(ROOT / "tools").rglob("*.cpp")]):
        names = INCLUDE.findall(source.read_text(encoding="utf-8"))
        if any(f"{folder}/{name}" in headers or name in headers for name in names for folder in FOLDERS):
            found.append(source.relative_to(ROOT).as_posix())
    return found


def side_by_side(work, items, seconds):
    """The complaints of `work` about items, on as many cores as there are, and how many items it came to."""
    end = time.monotonic() + seconds
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        done = list(pool.map(lambda item: work(item) if time.monotonic() < end else None, items))
    return [words for words in done if words], sum(words is not None for words in done)


def complaint(command, source):
    done = subprocess.run([*command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return f"{source}:\n{done.stdout[-3000:]}" if done.returncode != 0 else ""


def mpi_flags():
    """Where MPI's headers are, or None."""
    for package in ("ompi-cxx", "mpich"):
        done = subprocess.run(["pkg-config", "--cflags", package], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ["-DOMPI_SKIP_MPICXX"] + done.stdout.replace("-I", "-isystem").split()
    return None


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--since", default="HEAD~1")
    arguments.add_argument("--seconds", type=float, default=120, help="the most for each of the two")
    arguments.add_argument("compiler", nargs="*", default=["g++"])
    told = arguments.parse_args()
    try:
        changed = changed_since(told.since)
    except subprocess.CalledProcessError as failure:
        print(f"nothing is read: {failure.stderr.strip()}")
        return 0
    changed = [name for name in changed
               if name.startswith(("src/", "tools/", "include/", *TESTS)) and not LEFT_OUT.search(name)]
    sources = {name for name in changed if name.endswith(".cpp")}
    headers = {name for name in changed if name.endswith(".hpp")}
    others = {name for name in includers(headers) if not LEFT_OUT.search(name)} - sources
    read = sorted(sources) + sorted(others)
    flags = ["-std=c++20", "-Iinclude", "-I.", "-Isrc", "-Itools"]
    if mpi_flags() is not None:
        flags += mpi_flags()
    else:
        read = [name for name in read if "/mpi/" not in name]
        sources = {name for name in sources if "/mpi/" not in name}
    wrong, count = side_by_side(lambda name: complaint([*told.compiler, *flags, "-fsyntax-only", name], name),
                                read, told.seconds)
    print("\n".join(wrong) or f"{count} of {len(read)} files, each read by itself")
    tidy = shutil.which("clang-tidy-19") or shutil.which("clang-tidy")
    if tidy is None:
        print("clang-tidy is not there: nothing looked at")
        return 1 if wrong else 0
    looked_at = sorted(name for name in sources if not name.startswith(TESTS))
    unclean, count = side_by_side(lambda name: complaint([tidy, "--quiet", name, "--", *flags], name), looked_at,
                                  told.seconds)
    print("\n".join(unclean) or f"{count} of {len(looked_at)} files, looked at by {pathlib.Path(tidy).name}")
    return 1 if wrong or unclean else 0


if __name__ == "__main__":
    sys.exit(main())
