"""What notebooks show, and the notebooks of examples/python."""

import ast
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest

import ricci

# kernels start in the folder of their notebook
PACKAGE = pathlib.Path(ricci.__file__).resolve().parents[1]
NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
P = ricci.program(r"""
    A^{ij} = \operatorname{softmax}_j(Q^{ia} K^{ja})
    O^{ic} = A^{ij} V^{jc}""").keep("A")


def results(random):
    q, k, v = random.standard_normal((3, 4, 5))
    return P(Q=q, K=k, V=v)


def test_programs_are_shown_as_equations():
    for p in (P, P.gradient("O", ["Q"]), ricci.program("y = x^i x^i")):
        words = p._repr_latex_()
        assert words.startswith("$$") and words.endswith("$$")
        assert words.count(" &") == p.latex().count(" = ") + p.latex().count(" := ")
        assert words.count("{") == words.count("}")
    assert r"\frac{\partial L}{\partial Q" in P.gradient("O", ["Q"])._repr_latex_()


@pytest.mark.parametrize("whole", [False, True])
def test_diagrams_are_svg(whole, tmp_path):
    picture = P.draw(whole=whole)
    svg = picture._repr_svg_()
    assert xml.etree.ElementTree.fromstring(svg).tag.endswith("svg")
    assert picture._repr_html_().startswith('<img src="data:image/svg+xml;base64,')
    picture.save(tmp_path / "p.svg")
    assert (tmp_path / "p.svg").read_text(encoding="utf-8") == svg
    assert "diagram" in repr(picture)


def test_heat_maps_are_pages(tmp_path, random):
    r = results(random)
    words = [f"word{k}" for k in range(4)]
    picture = r.show("A", labels={"i": words, "j": list("abcd")})
    page = picture._repr_html_()
    assert "<iframe" in page and "srcdoc" in page and picture._repr_svg_() is None
    assert "word2" in page
    picture.save(tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert text.lstrip().lower().startswith("<!doctype html") and "word2" in text
    assert "heat maps" in repr(picture)
    assert r.show("O")._repr_html_()
    with pytest.raises(ricci.Error, match="labels are for .* i and j, and not for q"):
        r.show("A", labels={"q": words})
    with pytest.raises(KeyError, match="no output S"):
        r.show("S")
    with pytest.raises(ricci.Error, match=r"ending \.html"):
        picture.save(tmp_path / "a.svg")
    with pytest.raises(ricci.Error, match="label"):
        r.show("A", labels={"i": words[:3]})


def cells_of(path):
    return [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=str)
def test_notebooks_run(path, tmp_path, monkeypatch):
    """Cell by cell in this interpreter: what is shown last in a cell has to be showable."""
    monkeypatch.chdir(tmp_path)
    space = {"__name__": "__main__"}
    codes = ["".join(c["source"]) for c in cells_of(path) if c["cell_type"] == "code"]
    assert codes
    for code in codes:
        tree = ast.parse(code)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(path), "exec"), space)
        if last is None:
            continue
        value = eval(compile(ast.Expression(last.value), str(path), "eval"), space)
        for show in ("_repr_latex_", "_repr_svg_", "_repr_html_"):
            if hasattr(value, show):
                getattr(value, show)()


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=str)
def test_notebooks_run_in_nbconvert(path, tmp_path):
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    ran = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--execute",
                          "--output-dir", str(tmp_path), str(path)],
                         capture_output=True, text=True, timeout=200, check=False,
                         env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert ran.returncode == 0, ran.stderr
    assert "svg" in (tmp_path / (path.stem + ".html")).read_text(encoding="utf-8")


def test_there_are_two_notebooks():
    assert len(list(NOTEBOOKS.glob("*.ipynb"))) == 2


def test_a_refutation_is_shown():
    wrong = ricci.program("y = (a + b)^2").judge("y = a^2 + b^2")
    assert wrong.verdict == "refuted" and np.all([c in wrong.words for c in "ab"])
