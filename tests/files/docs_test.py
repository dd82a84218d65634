#!/usr/bin/env python3
"""Runs the examples of docs/files.md in their order, in one folder: a `text` block is what the
block before prints.

usage: docs_test.py LIBRARY-FOLDERS COMPILER [ARGUMENT ...]

The folders are those of libricci and of libricci-files, separated by a colon.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("numpy is missing, and no example was run; on Debian: apt-get install python3-numpy")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(python|cpp|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def output_of(command, folder, libraries):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, env=os.environ | {"LD_LIBRARY_PATH": libraries})
    if done.returncode == 0:
        return done.stdout
    return f"{done.stdout}{done.stderr[:2000]}exit status {done.returncode}\n"


def run(kind, text, folder, libraries, compiler):
    if kind == "python":
        return output_of([sys.executable, "-c", text], folder, libraries)
    source = folder / "example.cpp"
    source.write_text(text, encoding="utf-8")
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    links = [f"-L{place}" for place in libraries.split(":")] + ["-lricci-files", "-lricci"]
    # What libricci itself needs is found where it is.
    links.append(f"-Wl,-rpath-link,{libraries}")
    said = output_of([*compiler, *flags, source.name, "-o", "example", *links], folder, libraries)
    return said or output_of(["./example"], folder, libraries)


def main():
    libraries, *compiler = sys.argv[1:]
    blocks = FENCE.findall((ROOT / "docs/files.md").read_text(encoding="utf-8"))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="ricci-docs-") as name:
        for number, (kind, text) in enumerate(blocks):
            if kind == "text":
                continue
            follows = blocks[number + 1] if number + 1 < len(blocks) else ("", "")
            wanted = follows[1] if follows[0] == "text" else ""
            printed = run(kind, text, pathlib.Path(name), libraries, compiler)
            if printed != wanted:
                failed += 1
                print(f"block {number + 1}:\n{text}\nprints\n{printed}\ninstead of\n{wanted}")
    print(f"{len(blocks)} blocks, {failed} failed")
    return 1 if failed or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
