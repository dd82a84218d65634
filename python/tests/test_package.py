"""The package as it is imported: its version, what it loads, how long that takes, its types."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import ricci

ROOT = pathlib.Path(__file__).resolve().parents[2]


def printed_by(code):
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                         check=True)
    return ran.stdout.strip()


def test_version_is_that_of_the_project():
    text = (ROOT / "meson.build").read_text(encoding="utf-8")
    assert ricci.__version__ == re.search(r"version: '([^']+)'", text)[1]


def test_nothing_imports_torch():
    assert printed_by("import sys, ricci; ricci.program('y = x^i x^i'); print('torch' in sys.modules)"
                      ) == "False"


def test_import_brings_little():
    # what takes time is told by bench/python
    code = ("import sys, numpy; before = set(sys.modules); import ricci; "
            "print(*sorted(m for m in set(sys.modules) - before if not m.startswith('ricci')))")
    assert len(printed_by(code).split()) < 10


def test_every_public_name_is_documented():
    for name in ricci.__all__:
        thing = getattr(ricci, name)
        assert thing.__doc__ and thing.__doc__.strip(), name
        if isinstance(thing, type):
            for member in dir(thing):
                inherited = hasattr(dict, member) or hasattr(ValueError, member)
                if not member.startswith("_") and not inherited:
                    assert getattr(thing, member).__doc__, f"{name}.{member}"


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ricci.nothing


def test_stubs_name_what_there_is():
    import ast
    stub = ast.parse((ROOT / "python/ricci/__init__.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    names = set(classes) | {n.name for n in stub.body if isinstance(n, ast.FunctionDef)}
    assert set(ricci.__all__) <= names
    for name, node in classes.items():
        thing = getattr(ricci, name)
        for member in node.body:
            if isinstance(member, ast.FunctionDef):
                assert hasattr(thing, member.name), f"{name}.{member.name}"
        stubbed = {m.name for m in node.body if isinstance(m, ast.FunctionDef)}
        stubbed |= {m.target.id for m in node.body if isinstance(m, ast.AnnAssign)}
        bases = {b.id for b in node.bases if isinstance(b, ast.Name)}
        if bases & {"NamedTuple", "Dict", "dict", "ValueError", "Error"}:
            continue
        public = {m for m in vars(thing) if not m.startswith("_")}
        for base in thing.__mro__[1:-1]:
            if base.__module__.startswith("ricci"):
                public |= {m for m in vars(base) if not m.startswith("_")}
        assert public <= stubbed, f"{name}: {public - stubbed}"


def test_types_are_checked_by_mypy(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text("""
import numpy as np
import ricci

p = ricci.program("y = x^i x^i")
r: ricci.Results = p(x=np.ones(3))
g: ricci.Program = p.gradient("y", ["x"])
s = p.prepare({"x": np.ones(3)})
s()
verdict: str = p.judge("y = x^i x^i").verdict
n = ricci.Network()
n.add(np.ones((2, 2)), ["i", "j"])
o = ricci.find_order(n, seconds=1.0, progress=True)
path = o.path
ricci.einsum("ij->ji", np.ones((2, 2)), out=None)
""", encoding="utf-8")
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir",
                          str(tmp_path / "cache"), str(program)], capture_output=True, text=True,
                         timeout=200, check=False, env={**os.environ, "MYPYPATH": str(ROOT / "python")})
    assert ran.returncode == 0, ran.stdout + ran.stderr
