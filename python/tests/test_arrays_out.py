"""Results are arrays of numpy that own their memory; `out=` says where they are written."""

import gc

import numpy as np
import pytest

import ricci

P = ricci.program("Y^{ik} = A^{ij} B^{jk}; z^i = A^{ij} B^{ji}")
Q = ricci.program("y^i = 2 x^i")


def test_results_own_their_memory(random):
    a, b = random.standard_normal((2, 40, 40))
    results = [P(A=a, B=b).Y for _ in range(20)]
    gc.collect()
    for y in results:
        assert y.flags.writeable and y.flags.c_contiguous
        assert np.allclose(y, a @ b)
        y[:] = 0
    assert np.allclose(P(A=a, B=b).Y, a @ b)


def test_results_of_no_axes():
    y = ricci.program(r"y = \sum_i x^i")(x=np.arange(4.0)).y
    assert y.shape == () and float(y) == 6 and isinstance(y, np.ndarray)


def test_results_are_a_mapping_in_their_order(random):
    a = random.standard_normal((3, 3))
    r = P(A=a, B=a)
    assert list(r) == ["Y", "z"] and isinstance(r, dict)
    y, z = r.values()
    assert y is r["Y"] is r.Y and z is r.z
    assert dict(r).keys() == {"Y", "z"}
    with pytest.raises(KeyError, match="there is no output w; the outputs are Y, z"):
        r["w"]
    with pytest.raises(AttributeError, match="no output w"):
        r.w
    methods = ricci.program("items = x^i x^i")(x=np.ones(2))
    assert methods["items"] == 2 and callable(methods.items)


def test_out_is_written_and_returned(random):
    a, b = random.standard_normal((2, 4, 4))
    y = np.full((4, 4), np.nan)
    r = P(A=a, B=b, out={"Y": y})
    assert r.Y is y and np.allclose(y, a @ b) and np.allclose(r.z, np.diag(a @ b))
    big = np.full((9, 9), 7.0)
    P(A=a, B=b, out={"Y": big[1:8:2, ::-2][:, :4]})
    assert np.allclose(big[1:8:2, ::-2][:, :4], a @ b)
    assert (big[::2] == 7).all() and (big[:, 1::2] == 7).all()


def test_out_of_the_only_output():
    y = np.zeros(2)
    assert Q(x=np.ones(2), out=y).y is y and y.tolist() == [2, 2]
    y0 = np.zeros(())
    ricci.program(r"y = \sum_i x^i")(x=np.ones(2), out=y0)
    assert y0 == 2
    with pytest.raises(ricci.Error, match="out= is a dict of arrays by the names of outputs"):
        P(A=np.eye(2), B=np.eye(2), out=np.zeros((2, 2)))


def test_out_of_what_is_computed_on_the_way():
    p = ricci.program("S^{ij} = x^i x^j; y^i = S^{ij} w^j")
    s = np.zeros((2, 2))
    r = p(x=np.array([1.0, 2.0]), w=np.ones(2), out={"S": s})
    assert s.tolist() == [[1, 2], [2, 4]] and r.y.tolist() == [3, 6]


@pytest.mark.parametrize("out, words", [
    (np.zeros(3), "2.*3|3.*2"),
    (np.zeros((2, 2)), "axis|axes|indices|rank"),
    (np.zeros(2, "f4"), "float32"),
    (np.zeros(2, "i1"), "8 or 16 bits"),
    ([0.0, 0.0], "out= of y is no array"),
    (np.broadcast_to(np.zeros(1), 2), "only be read|overlap|stride"),
])
def test_what_out_cannot_be(out, words):
    with pytest.raises(ricci.Error, match=words):
        Q(x=np.ones(2), out=out)


def test_out_that_overlaps_an_input_is_refused():
    x = np.arange(5.0)
    with pytest.raises(ricci.Error, match="overlap|memory"):
        Q(x=x[:4], out=x[1:])
    assert x.tolist() == [0, 1, 2, 3, 4]
    Q(x=x, out=x)
    assert x.tolist() == [0, 2, 4, 6, 8]


def test_out_that_overlaps_itself_is_refused():
    y = np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (0,))
    with pytest.raises(ricci.Error):
        Q(x=np.ones(2), out=y)


def test_prepared_outputs_are_read_only_and_stay():
    x = np.arange(4.0)
    s = Q.prepare(x=x)
    s()
    y = s["y"]
    assert y.tolist() == [0, 2, 4, 6] and not y.flags.writeable
    x += 1
    s()
    assert y.tolist() == [2, 4, 6, 8]
    s.bind(x=np.ones(7))
    s()
    assert s["y"].tolist() == [2] * 7
    del s
    gc.collect()
    assert np.isfinite(y).all() and y.shape == (4,)


def test_prepared_with_out():
    x, y, other = np.ones(3), np.zeros(3), np.zeros(3)
    s = Q.prepare(x=x, out=y)
    s()
    assert s["y"] is y and y.tolist() == [2, 2, 2]
    s.bind(out=other)
    s()
    assert s["y"] is other and other.tolist() == [2, 2, 2]
    with pytest.raises(ricci.Error, match="nothing"):
        s["nothing"]


def test_places_of_extrema_are_whole_numbers(random):
    p = ricci.program(r"""y_i = \operatorname{argmin}_j \sum_a (x^{ia} - z^{ja})^2
                          q^{ia} = z^{y_i a}""").keep("y")
    x, z = random.standard_normal((50, 3)), random.standard_normal((20, 3))
    expected = ((x[:, None] - z[None]) ** 2).sum(axis=2).argmin(axis=1)
    for dtype in (np.float32, np.float64):
        r = p(x=x.astype(dtype), z=z.astype(dtype))
        assert r.y.dtype == np.int32 and r.q.dtype == dtype
        assert (r.y == expected).all() and (r.q == z.astype(dtype)[expected]).all()
    y = np.zeros(50, np.int32)
    assert p(x=x, z=z, out={"y": y}).y is y and (y == expected).all()
