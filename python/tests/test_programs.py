"""Programs: calls, derivatives, batches, layers, prepared programs, words."""

import copy
import pickle

import numpy as np
import pytest

import ricci

ATTENTION = r"""
    S^{ij} = \frac{1}{\sqrt{d_k}} Q^{ia} K^{ja}
    A^{ij} = \operatorname{softmax}_j(S^{ij})
    O^{ic} = A^{ij} V^{jc}"""
attention = ricci.program(ATTENTION)


def attention_by_loops(q, k, v, d_k):
    n, m = len(q), len(k)
    out = np.zeros((n, v.shape[1]))
    for i in range(n):
        scores = [sum(float(x) * float(y) for x, y in zip(q[i], k[j])) / d_k**0.5 for j in range(m)]
        weights = [np.exp(s - max(scores)) for s in scores]
        for j in range(m):
            for c in range(v.shape[1]):
                out[i, c] += weights[j] / sum(weights) * v[j, c]
    return out


def operands(random, n=5, m=4, a=3, c=2):
    return {"Q": random.standard_normal((n, a)), "K": random.standard_normal((m, a)),
            "V": random.standard_normal((m, c)), "d_k": a}


def differences(f, x, step=1e-6):
    """The gradient of a scalar function by central differences."""
    g = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * step
            g[place] += sign * f(moved) / (2 * step)
    return g


def test_a_call(random):
    given = operands(random)
    wanted = attention_by_loops(given["Q"], given["K"], given["V"], 3)
    for r in (attention(**given), attention(given), attention({"Q": given["Q"]}, K=given["K"],
                                                              V=given["V"], d_k=3)):
        assert np.allclose(r.O, wanted)
    assert list(attention(given)) == ["O"]


def test_what_a_program_says_of_itself():
    assert [t.name for t in attention.inputs] == ["d_k", "Q", "K", "V"]
    (o,) = attention.outputs
    assert o == ("O", 2, "i,c", o.equation) and "V^{jc}" in o.equation
    assert attention.inputs[1].rank == 2
    assert attention.warnings == ()
    assert len(ricci.program("y^i = x^i; z^i = x^i; w = a").warnings) >= 0
    assert r"\operatorname{softmax}" in attention.latex()
    assert "softmax" in str(attention) and "softmax" in repr(attention)
    assert ricci.program(attention) is attention
    assert ricci.program(attention.latex()).latex() == attention.latex()


def test_warnings_are_sentences():
    warned = ricci.program(r"y^i = x^i \sum_{jk} z^{jk}")
    assert all(isinstance(words, str) for words in warned.warnings)
    assert warned.warnings and "z" in warned.warnings[0]


def test_names_that_are_no_words_of_python(random):
    p = ricci.program(r"\text{Output}^i = \beta x^i + \hat{b}^i")
    x, b = random.standard_normal((2, 4))
    r = p({r"\beta": 2.0, r"\hat{b}": b}, x=x)
    assert np.allclose(r[r"\text{Output}"], 2 * x + b)
    g = p.gradient(r"\text{Output}", [r"\beta"])
    given = g({r"\beta": 2.0, r"\hat{b}": b, r"dL/d\text{Output}": np.ones(4)}, x=x)
    assert np.allclose(given[r"dL/d\beta"], x.sum())
    assert np.allclose(given["dL/d\\beta"], x.sum())


def test_names_that_python_normalises():
    p = ricci.program(r"y^i = \alpha x^i")
    assert p({"α": 2.0}, x=np.ones(2)).y.tolist() == [2, 2]
    assert p(α=2.0, x=np.ones(2)).y.tolist() == [2, 2]


def test_gradients_are_those_of_differences(random):
    given = operands(random)
    weights = random.standard_normal((5, 2))
    g = attention.value_and_gradient("O", ["Q", "K", "V"])
    r = g({"dL/dO": weights}, **given)
    assert np.allclose(r.O, attention(given).O)
    for name in "QKV":
        wanted = differences(lambda x: (attention({**given, name: x}).O * weights).sum(),
                             given[name])
        assert np.allclose(r[f"dL/d{name}"], wanted, atol=1e-8)


def test_gradients_of_gradients(random):
    p = ricci.program(r"y = \sum_i \tanh(x^i) x^i")
    once = p.gradient("y", "x")
    twice = once.gradient("dL/dx", ["x"])
    x, w = random.standard_normal((2, 4))
    got = twice({"dL/dy": 1.0, "dL/d(dL/dx)": w} if "dL/d(dL/dx)" in
                [t.name for t in twice.inputs] else
                {"dL/dy": 1.0, twice.inputs[-1].name: w}, x=x)
    wanted = differences(lambda z: (once({"dL/dy": 1.0}, x=z)["dL/dx"] * w).sum(), x)
    assert np.allclose(list(got.values())[0], wanted, atol=1e-8)


def test_tangents_and_jacobians(random):
    given = operands(random)
    dq = random.standard_normal((5, 3))
    t = attention.tangent(["Q"])({"d/dt Q": dq}, **given)["d/dt O"]
    step = 1e-6
    wanted = (attention({**given, "Q": given["Q"] + step * dq}).O
              - attention({**given, "Q": given["Q"] - step * dq}).O) / (2 * step)
    assert np.allclose(t, wanted, atol=1e-8)
    j = attention.jacobian("O", "Q")(given)
    (name,) = j
    assert j[name].shape == (5, 2, 5, 3)
    assert np.allclose(np.einsum("icka,ka->ic", j[name], dq), t)


def test_keep_batch_and_repeat(random):
    given = operands(random)
    kept = attention.keep("A")
    r = kept(given)
    assert list(r) == ["A", "O"] and np.allclose(r.A.sum(1), 1)
    assert list(attention.keep("A", "S")(given)) == list(attention.keep(["S", "A"])(given))
    many = attention.batch("b", of=["Q", "V"])
    q = random.standard_normal((6, 5, 3))
    v = random.standard_normal((6, 4, 2))
    r = many(Q=q, K=given["K"], V=v, d_k=3).O
    for b in range(6):
        assert np.allclose(r[b], attention(Q=q[b], K=given["K"], V=v[b], d_k=3).O)

    layer = ricci.program(r"Y^j = \tanh(X^i W^{ij} + m b^j)")
    twelve = layer.repeat(12, from_="Y", to="X", index="l", shared=["m"])
    w, b, x = (random.standard_normal(s) / 2 for s in ((12, 3, 3), (12, 3), (3,)))
    y = x
    for k in range(12):
        y = np.tanh(y @ w[k] + 0.5 * b[k])
    assert np.allclose(twelve(X=x, W=w, b=b, m=0.5).Y, y)
    g = twelve.gradient("Y", ["W"])
    got = g({"dL/dY": np.ones(3)}, X=x, W=w, b=b, m=0.5)["dL/dW"]
    wanted = differences(lambda z: twelve(X=x, W=z, b=b, m=0.5).Y.sum(), w)
    assert np.allclose(got, wanted, atol=1e-8)


def test_prepared_programs(random):
    given = operands(random)
    s = attention.prepare(**given)
    s()
    wanted = attention_by_loops(given["Q"], given["K"], given["V"], 3)
    assert np.allclose(s["O"], wanted) and s.outputs == ["O"]
    given["Q"][:] = 0
    s()
    assert np.allclose(s["O"], given["V"].mean(0))
    q = random.standard_normal((7, 3))
    s.bind(Q=q)
    s()
    assert np.allclose(s["O"], attention_by_loops(q, given["K"], given["V"], 3))
    s.bind({"d_k": 12}, Q=2 * q)
    s()
    assert np.allclose(s["O"], attention_by_loops(q, given["K"], given["V"], 3))
    assert "O" in s.explain()
    with pytest.raises(ricci.Error):
        s.bind(Q=random.standard_normal((7, 4)))
    s()
    assert s["O"].shape == (7, 2)
    with pytest.raises(ricci.Error):
        s.bind(nothing=q)


def test_words():
    words = attention.explain(Q=(1024, 64), K=(1024, 64), V=(1024, 64), d_k=64)
    assert "O" in words and "1024" in words
    double = attention.explain(Q=(8, 4), K=(8, 4), V=(8, 4), d_k=64, dtype="f8")
    assert double != attention.explain(Q=(8, 4), K=(8, 4), V=(8, 4), d_k=64)
    assert attention.explain(Q=(8, 4), K=(8, 4), V=(8, 4), d_k=64, dtype=np.float64) == double
    assert len(attention.explain(Q=(8, 4), K=(8, 4), V=(8, 4), d_k=64, passes=True)) > len(double)
    with pytest.raises(ricci.Error, match="uint8 is no element type of ricci"):
        attention.explain(Q=(8, 4), K=(8, 4), V=(8, 4), d_k=64, dtype="uint8")


def test_extents_that_no_shape_says():
    p = ricci.program("Q^{hia} = P^{i(ha)}")
    x = np.arange(24.0).reshape(2, 12)
    for given in ({"h": ricci.extent(3)}, {"a": ricci.extent(4)}):
        assert np.array_equal(p(given, P=x).Q, x.reshape(2, 3, 4).transpose(1, 0, 2))
    assert p(P=x, h=ricci.extent(3)).Q.shape == (3, 2, 4)
    assert repr(ricci.extent(3)) == "ricci.extent(3)"
    with pytest.raises(ricci.Error, match=r"[ha]=ricci\.extent\("):
        p(P=x)


def test_claims():
    p = ricci.program("y = (a + b)^2")
    assert p.states("y = a^2 + 2 a b + b^2") and not p.states("y = a^2 + b^2")
    assert p.judge("y = a^2 + 2 a b + b^2") == ("proved", "")
    wrong = p.judge("y = a^2 + b^2")
    assert wrong.verdict == "refuted" and "=" in wrong.words
    with pytest.raises(ricci.Error):
        p.judge("y = = a")


def test_programs_are_copied_and_pickled(random):
    x = random.standard_normal(3)
    layer = ricci.program(r"Y^j = \tanh(X^i W^{ij})")
    programs = [
        ricci.program("y = x^i x^i"),
        ricci.program("y = x^i x^i").gradient("y", "x"),
        ricci.program("y = x^i x^i").batch("b", of="x").keep("y"),
        layer.repeat(3, from_="Y", to="X", index="l").gradient("Y", ["W"]),
    ]
    for p in programs:
        for other in (pickle.loads(pickle.dumps(p)), copy.copy(p), copy.deepcopy(p)):
            assert other.latex() == p.latex()
            assert [t.name for t in other.inputs] == [t.name for t in p.inputs]
    again = pickle.loads(pickle.dumps(programs[1]))
    assert np.allclose(again({"dL/dy": 1.0}, x=x)["dL/dx"], 2 * x)
    results = pickle.loads(pickle.dumps(programs[0](x=x)))
    assert np.allclose(results.y, x @ x)


def test_element_types(random):
    p = ricci.program("y^i = A^{ij} x^j")
    a, x = random.integers(-4, 4, (3, 4)), random.integers(-4, 4, 4)
    for dtype in ("f2", "f4", "f8", "c8", "c16", "i4", "i8"):
        y = p(A=a.astype(dtype), x=x.astype(dtype)).y
        assert y.dtype == np.dtype(dtype) and np.array_equal(y, (a @ x).astype(dtype))
    with pytest.raises(ricci.Error, match="float32.*float64|float64.*float32"):
        p(A=a.astype("f4"), x=x.astype("f8"))


def test_check_reads_pages():
    found = ricci.check("# A page\n\n$$y = (a + b)^2$$\n\nand\n\n$$y = a^2 + 2 a b + b^2$$\n\n"
                        "$$y = a^2 + b^2$$\n")
    assert [f.verdict for f in found][:2] == ["defines", "proved"]
    line, column, equation, verdict, words = found[2]
    assert line == 9 and "b^2" in equation and words
    assert isinstance(column, int) and verdict in ("refuted", "suspect")


def test_files(tmp_path, random):
    p = ricci.program("Y^{ij} = x^i z^j; w = x^i x^i")
    r = p(x=random.standard_normal(3), z=random.standard_normal(4))
    for ending in ("npz", "safetensors"):
        ricci.save(tmp_path / f"r.{ending}", r)
        again = ricci.load(tmp_path / f"r.{ending}")
        assert sorted(again) == sorted(r)
        for name, value in again.items():
            assert np.array_equal(value, r[name])
        assert np.array_equal(ricci.load(tmp_path / f"r.{ending}", "Y"), r.Y)
    with np.load(tmp_path / "r.npz") as numpys:
        assert np.array_equal(numpys["Y"], r.Y)
    ricci.save(str(tmp_path / "y.npy"), r.Y.T)
    assert np.array_equal(np.load(tmp_path / "y.npy"), r.Y.T)
    assert np.array_equal(ricci.load(tmp_path / "y.npy"), r.Y.T)
    with pytest.raises(ricci.Error, match="nothing.npy"):
        ricci.load(tmp_path / "nothing.npy")
