"""A wheel brings along all that is not glibc's, the compiler's or numpy's; RICCI_WHEEL says which."""

import os
import subprocess
import sys
import zipfile

import pytest

WHEEL = os.environ.get("RICCI_WHEEL")

PROGRAM = r"""
import re, sys

def loaded():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}

import json, zipfile
import numpy as np
before = loaded()
import ricci
p = ricci.program("Y^{ik} = A^{ij} B^{jk}")
assert np.allclose(p(A=np.eye(300), B=np.ones((300, 4))).Y, 1)
ricci.save(sys.argv[1] + "/y.npz", {"y": np.eye(2)})
assert ricci.load(sys.argv[1] + "/y.npz")["y"].tolist() == [[1, 0], [0, 1]]
of_system = re.compile(r"(ld-linux.*|lib(c|m|mvec|dl|rt|pthread|stdc\+\+|gcc_s|atomic))[-.\d]*\.so")
for path in sorted(loaded() - before):
    name = path.rsplit("/", 1)[1]
    if ".so" in name and not path.startswith(sys.argv[1]) and not of_system.match(name):
        if "/lib-dynload/" not in path and "/python3" not in path:
            sys.exit(f"{path} is the system's")
print(ricci.__file__)
"""


@pytest.mark.skipif(WHEEL is None, reason="RICCI_WHEEL names no wheel")
def test_a_wheel_stands_alone(tmp_path):
    with zipfile.ZipFile(WHEEL) as wheel:
        wheel.extractall(tmp_path)
    ran = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True,
                         text=True, timeout=60, check=False, cwd=tmp_path,
                         env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == str(tmp_path / "ricci" / "__init__.py")


@pytest.mark.skipif(WHEEL is None, reason="RICCI_WHEEL names no wheel")
def test_a_wheel_has_types_and_no_more_than_it_needs():
    with zipfile.ZipFile(WHEEL) as wheel:
        names = wheel.namelist()
    assert {"ricci/py.typed", "ricci/__init__.pyi", "ricci/torch.pyi"} <= set(names)
    assert all(n.startswith(("ricci/", "ricci-")) and not n.endswith((".a", ".hpp")) for n in names)
