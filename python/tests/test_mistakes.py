"""What is wrong is one sentence in Python's words, and an exception of Python."""

import pickle
import re

import numpy as np
import pytest

import ricci

P = ricci.program(r"y^i = A^{ij} x^j")
BETA = ricci.program(r"y^i = \beta x^i")


def words_of(call, kind=ricci.Error):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_a_text_that_is_wrong_has_a_caret():
    text = "Q^{ia} = X^{ib} W^{ba}\nV^{jc} = X^{jb} W^{be}"
    with pytest.raises(ricci.Mistake) as caught:
        ricci.program(text)
    e = caught.value
    assert isinstance(e, ricci.Error) and isinstance(e, ValueError)
    assert (e.line, e.column) == (2, 17) or e.line == 2
    first, equation, caret = str(e).splitlines()
    assert first.startswith(f"line {e.line}, column {e.column}: ") and "index e" in first
    place = caret.index("^")
    marked = equation[place:place + caret.count("^")]
    assert f">>>{marked}<<<" in e.marked
    assert e.marked.replace(">>>", "").replace("<<<", "") == equation.strip()
    again = pickle.loads(pickle.dumps(e))
    assert (str(again), again.line, again.marked) == (str(e), e.line, e.marked)


@pytest.mark.parametrize("text", [
    "", "y", "y =", "y = x^", "y^i = x^j", r"y = \foo(x)", "y = x^{i", "$$", "y = x^i; y = x^i x^i",
    "y^i = x^{ii}_", "Q K^T", "\0", "y = " + "(" * 50 + "x", "é = ☃", "y = T^i x^i; z = T^{ij} x^i"])
def test_texts_that_are_wrong_are_mistakes(text):
    words = words_of(lambda: ricci.program(text), ricci.Mistake)
    assert words and "ricci:" not in words


def test_what_is_no_text():
    assert "a text, and not of int" in words_of(lambda: ricci.program(3))


@pytest.mark.parametrize("given, sentence", [
    ({"A": np.eye(2)}, r"x=\.\.\."),
    ({"A": np.eye(2), "x": np.ones(2), "z": 1}, r"z"),
    ({"A": np.eye(2), "x": np.ones(3)}, r"j.*(2.*3|3.*2)"),
    ({"A": np.ones(2), "x": np.ones(2)}, r"A"),
    ({"A": np.eye(2), "x": np.ones(2, "f4")}, r"float64.*float32|float32.*float64"),
    ({"A": np.eye(2), "x": np.ones(2), "y": np.ones(2)}, r"out="),
])
def test_calls_that_do_not_fit(given, sentence):
    for call in (lambda: P(given), lambda: P(**given)):
        words = words_of(call)
        assert re.search(sentence, words)
        assert "_t" not in words and "std::" not in words and "ricci::" not in words
        assert not words.startswith("ricci:") and "\n" not in words


def test_missing_names_are_said_as_python_writes_them():
    assert r'{r"\beta": ...}' in words_of(lambda: BETA(x=np.ones(2)))
    assert "x=..." in words_of(lambda: BETA({r"\beta": 2.0}))


def test_names_given_twice():
    words = words_of(lambda: P({"A": np.eye(2), "x": np.ones(2)}, x=np.ones(2)))
    assert "x" in words and "twice" in words
    words = words_of(lambda: BETA({r"\beta": 2.0, "β": 2.0}, x=np.ones(2)))
    assert "beta" in words and "twice" in words


def test_operands_without_names():
    assert "X=x" in words_of(lambda: P(np.eye(2), np.ones(2)))
    assert "X=x" in words_of(lambda: P(np.eye(2)))
    assert "by its name, a str" in words_of(lambda: P({1: np.eye(2)}))


@pytest.mark.parametrize("call", [
    lambda: P.gradient("z", ["x"]),
    lambda: P.gradient("y", ["z"]),
    lambda: P.gradient("y", []),
    lambda: P.tangent(["z"]),
    lambda: P.jacobian("z", "x"),
    lambda: P.keep("z"),
    lambda: P.batch("i", of=["x"]),
    lambda: P.batch("b", of=["z"]),
    lambda: P.repeat(0, from_="y", to="x", index="l"),
    lambda: P.repeat(3, from_="z", to="x", index="l"),
    lambda: P.states("="),
    lambda: P.judge("z ="),
    lambda: P.draw().save("picture.html"),
    lambda: P.prepare(),
    lambda: P.explain(A=(2, -1), x=(2,)),
    lambda: ricci.threads(-1),
    lambda: ricci.einsum("ij,jk", np.eye(2)),
    lambda: ricci.contract("ab,bc->ac", np.eye(2)),
    lambda: ricci.find_order(ricci.Network()),
    lambda: ricci.load("nothing.npy"),
    lambda: ricci.load("nothing.txt"),
    lambda: ricci.save("nothing.txt", np.eye(2)),
    lambda: ricci.check(""),
])
def test_every_mistake_is_an_error(call):
    try:
        call()
    except ricci.Error as e:
        words = str(e)
        assert words and "ricci::" not in words and "std::" not in words
        assert not words.startswith("ricci:")


def test_memory_that_is_not_there():
    p = ricci.program("y^{ijkl} = x^i x^j x^k x^l")
    with pytest.raises((MemoryError, ricci.Error)):
        p(x=np.ones(60_000))


def test_arguments_of_other_types_are_type_errors():
    for call in (lambda: P.states(3), lambda: ricci.check(None), lambda: ricci.extent("h")):
        with pytest.raises((TypeError, ricci.Error)):
            call()
