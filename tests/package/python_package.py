#!/usr/bin/env python3
"""Installs the Python package into a folder of its own, as under the prefix, and uses it from there
as an interpreter does that finds it by itself.

usage: python_package.py BUILD-FOLDER PREFIX INTERPRETER
"""

import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
import numpy as np, ricci
p = ricci.program("C^{ik} = A^{ij} B^{jk}")
assert p(A=np.ones((2, 3)), B=np.ones((3, 4))).C.tolist() == [[3] * 4] * 2
print(ricci.__file__)
"""
# Without what a user has told the interpreter about other places.
ALONE = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}


def printed_by(*command, **how):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          text=True, **how).stdout


def main(build, prefix, interpreter):
    looked_in = printed_by(interpreter, "-c", "import sys; print(*sys.path, sep='\\n')",
                           env=ALONE).split("\n")
    with tempfile.TemporaryDirectory(prefix="ricci-python-") as folder:
        printed_by("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--tags",
                   "python-runtime", "--destdir", folder)
        found = [path.parent for path in pathlib.Path(folder).rglob("ricci/__init__.py")]
        if len(found) != 1:
            return f"installed are {found}"
        place = found[0].parent
        inside = pathlib.Path("/", place.relative_to(folder))
        looks = [p for p in looked_in if p.startswith(prefix + "/lib")]
        if looks and str(inside) not in looked_in:
            return f"the package is in {inside}, and {interpreter} looks in {looks}"
        said = printed_by(interpreter, "-c", PROGRAM, env={**ALONE, "PYTHONPATH": str(place)},
                          cwd=folder)
        if said.strip() != str(found[0] / "__init__.py"):
            return f"imported is {said}"
        print(f"{interpreter} finds the package in {inside}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
