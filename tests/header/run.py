#!/usr/bin/env python3
"""Compiles every public header alone, and checks that none brings in a costly or private library.

usage: run.py [--grouped] COMPILER [ARGUMENT ...]

--grouped: alone those that programs include; the parts of them, in folders, are one file, since
another compiler has been asked whether each brings what it needs.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
         "-Wshadow", "-Werror", "-I", str(INCLUDE)]

LISTED = re.compile(r"\.+ (.*)")

# What no public header may include, however indirectly: each costs a user's file a quarter of a
# second or more, or is a dependency of the compiled library alone.
REFUSED = [
    ("Highway", re.compile(r"/hwy/")),
    ("oneTBB", re.compile(r"/(tbb|oneapi)/")),
    ("fmt/format.h", re.compile(r"/fmt/format\.h$")),
    ("all of Hana", re.compile(r"/boost/hana\.hpp$")),
    ("nlohmann's JSON", re.compile(r"/nlohmann/")),
    ("<filesystem>", re.compile(r"/c\+\+/(v1|[0-9.]+)/filesystem$")),
]

# What a header is for, and who includes it asks for.
ASKED_FOR = {"ricci/format.hpp": "fmt/format.h"}

# Headers that need a library which need not be there: a header of it, in either place it has.
OPTIONAL = {"eigen.hpp": ("Eigen/Core", "eigen3/Eigen/Core"), "mpi.hpp": ("mpi.h",), "mpi_network.hpp": ("mpi.h",)}


def is_there(compiler, names):
    """Whether the compiler finds one of these headers."""
    question = " && ".join(f"!__has_include(<{name}>)" for name in names)
    done = subprocess.run([*compiler, "-x", "c++", "-E", "-"],
                          input=f"#if {question}\n#error\n#endif\n", capture_output=True, text=True,
                          check=False)
    return done.returncode == 0


def check(compiler, headers):
    """What is wrong with a file of these headers, as text; empty when nothing is."""
    names = [header.relative_to(INCLUDE).as_posix() for header in headers]
    name = names[0] if len(names) == 1 else f"{names[0]}> ... <{names[-1]}"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "alone.cpp")
        # Twice: the second time has to be harmless.
        source.write_text("".join(f"#include <{each}>\n" for each in names * 2), encoding="utf-8")
        # -H lists what is included, one file a line after as many dots as it is deep. (-MD will not
        # do: clang counts what __has_include asks for, and the standard library asks for oneTBB.)
        command = [*compiler, *FLAGS, "-H", str(source)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        if done.returncode != 0:
            messages = done.stderr.split("Multiple include guards may be useful")[0]
            said = [line for line in messages.splitlines() if not LISTED.match(line)]
            return f"<{name}> does not compile by itself:\n" + "\n".join(said[:20])
    included = [match[1] for match in map(LISTED.match, done.stderr.splitlines()) if match]
    found = []
    for words, pattern in REFUSED:
        culprits = [path for path in included if pattern.search(path)]
        if culprits and ASKED_FOR.get(name) != words:
            found.append(f"<{name}> includes {words}: {culprits[0]}")
    return "\n".join(found)


def main():
    grouped = sys.argv[1] == "--grouped"
    compiler = sys.argv[2 if grouped else 1:]
    headers = sorted(header for header in (INCLUDE / "ricci").rglob("*.hpp")
                     if header.name not in OPTIONAL or is_there(compiler, OPTIONAL[header.name]))
    parts = [header for header in headers if grouped and header.parent != INCLUDE / "ricci"]
    files = [[header] for header in headers if header not in parts] + ([parts] if parts else [])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda file: check(compiler, file), files))
    mistakes = [result for result in results if result]
    for mistake in mistakes:
        print(mistake)
    print(f"{len(headers)} headers, {len(mistakes)} with mistakes")
    return 1 if mistakes or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
