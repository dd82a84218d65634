"""ricci.einsum: numpy's rules, and what goes beyond them."""

import itertools

import numpy as np
import pytest

import ricci


def by_loops(text, *operands):
    """einsum of explicit texts by plain loops."""
    inputs, output = text.split("->")
    terms = inputs.split(",")
    extents = {}
    for term, x in zip(terms, operands):
        extents.update(zip(term, x.shape))
    letters = sorted(extents)
    out = np.zeros([extents[c] for c in output], np.result_type(*operands))
    for place in itertools.product(*(range(extents[c]) for c in letters)):
        at = dict(zip(letters, place))
        product = 1
        for term, x in zip(terms, operands):
            product = product * x[tuple(at[c] for c in term)]
        out[tuple(at[c] for c in output)] += product
    return out


@pytest.mark.parametrize("text", [
    "ib,hba->hia", "ij->ji", "ii->i", "ii->", "iij->j", "ij,jk,kl->il", "i,j->ij", "ij,ij->", ",ij->ij",
    "aab,bc->ca", "αβ,βγ->αγ", "ijk->"])
@pytest.mark.parametrize("dtype", ["f8", "c16", "i8", "f4", "i2", "u1", "u4"])
def test_texts(text, dtype, random):
    extents = {c: 2 + k % 3 for k, c in enumerate(sorted(set(text) - set(",->")))}
    operands = [random.integers(0, 4, [extents[c] for c in term]).astype(dtype)
                for term in text.split("->")[0].split(",")]
    got = ricci.einsum(text, *operands)
    assert got.dtype == np.dtype(dtype)
    assert np.array_equal(got, by_loops(text, *operands))


def test_more_than_52_labels():
    letters = "".join(chr(0x4E00 + k) for k in range(70))
    x = [np.eye(2) * 2 for _ in range(69)]
    text = ",".join(letters[k:k + 2] for k in range(69)) + f"->{letters[0]}{letters[-1]}"
    assert np.array_equal(ricci.einsum(text, *x), np.eye(2) * 2.0**69)
    sublists = itertools.chain.from_iterable((x[k], [k, k + 1]) for k in range(69))
    assert np.array_equal(ricci.einsum(*sublists, [0, 69]), np.eye(2) * 2.0**69)


def test_scalars_are_scalars():
    assert type(ricci.einsum("i->", np.ones(3))) is np.float64
    assert type(ricci.einsum("i,i", np.ones(3, "i4"), np.ones(3, "i4"))) is np.int32
    assert ricci.einsum("i,i->", np.array([True, False]), np.array([True, True])) is np.True_


def test_bool_is_or_of_and(random):
    a, b = random.integers(0, 2, (2, 5, 5)).astype(bool)
    got = ricci.einsum("ij,jk->ik", a, b)
    assert got.dtype == bool and np.array_equal(got, (a.astype(int) @ b.astype(int)) > 0)
    many = np.ones(2**16, bool)
    assert ricci.einsum("i,j->", many, many)  # 2^32 times true


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "u8", "i8"])
def test_whole_numbers_wrap_as_numpys(dtype, random):
    x = random.integers(0, np.iinfo(dtype).max, (3, 6), dtype=dtype)
    assert np.array_equal(ricci.einsum("ij,kj->ik", x, x), np.einsum("ij,kj->ik", x, x))


def test_out(random):
    a, b = random.standard_normal((2, 4, 4))
    for out in (np.zeros((4, 4)), np.zeros((4, 4), order="F"), np.zeros((8, 8))[::2, ::-2],
                np.zeros((4, 4), "c16")):
        assert ricci.einsum("ij,jk", a, b, out=out) is out
        assert np.allclose(out, a @ b)
    a0 = a.copy()
    assert np.allclose(ricci.einsum("ij,jk", a, b, out=a), a0 @ b)  # as numpy, by a copy
    with pytest.raises(ricci.Error):
        ricci.einsum("ij,jk", a, b, out=np.zeros((4, 5)))
    with pytest.raises(TypeError):
        ricci.einsum("ij,jk", a, b, out=np.zeros((4, 4), "i4"))


def test_types_and_orders(random):
    a, b = random.standard_normal((2, 3, 3))
    assert ricci.einsum("ij,jk", a.astype("f4"), b).dtype == np.float64
    assert ricci.einsum("ij,jk", a.astype("f4"), b.astype("c8")).dtype == np.complex64
    assert ricci.einsum("ij,jk", a, b, dtype="c16").dtype == np.complex128
    assert ricci.einsum("ij,jk", a, b, dtype="f4", casting="same_kind").dtype == np.float32
    assert ricci.einsum("ij,jk", a.astype(">f8"), b).dtype == np.float64
    assert ricci.einsum("ij,jk", a, b, order="F").flags.f_contiguous
    assert ricci.einsum("ij,jk", a, b, order="C").flags.c_contiguous
    assert ricci.einsum("ij,jk->ik", [[1, 2]], [[3], [4]]).tolist() == [[11]]


def test_ellipses(random):
    a, b = random.standard_normal((2, 3, 4, 5)), random.standard_normal((2, 3, 5, 6))
    assert np.allclose(ricci.einsum("...ij,...jk", a, b), a @ b)
    assert np.allclose(ricci.einsum(a, [..., 0, 1], b, [..., 1, 2], [..., 0, 2]), a @ b)


def test_refusals_name_index_operands_and_extents():
    for one in (1, 3):
        with pytest.raises(ricci.Error) as caught:
            ricci.einsum("ij,jk->ik", np.ones((4, 2)), np.ones((one, 5)))
        words = str(caught.value)
        assert "index j" in words and "2" in words and str(one) in words
        assert "operand 1" in words and "operand 2" in words
    with pytest.raises(ricci.Mistake) as caught:
        ricci.einsum("ij,jk->iz", np.eye(2), np.eye(2))
    assert "^" in str(caught.value) and "z" in caught.value.marked
    with pytest.raises(TypeError, match="bad is no option"):
        ricci.einsum("i->", np.ones(2), bad=1)


def test_equations(random):
    a, b, d = random.standard_normal((2, 3)), random.standard_normal((3, 4)), random.standard_normal(2)
    wanted = a @ b + d[:, None]
    text = r"C^{ik} = A^{ij} B^{jk} + D^{i}"
    assert np.allclose(ricci.einsum(text, a, b, d), wanted)
    assert np.allclose(ricci.einsum(text, A=a, B=b, D=d), wanted)
    assert np.allclose(ricci.einsum(text, a, d, B=b), wanted)
    out = np.zeros((2, 4))
    assert ricci.einsum(text, a, b, d, out=out) is out and np.allclose(out, wanted)
    assert np.allclose(ricci.einsum(r"m^i = \max_j A^{ij}", a), a.max(1))
    assert ricci.einsum("s = x^i x^i", d) == pytest.approx(d @ d)
    with pytest.raises(ricci.Error, match="takes 3 operands in order, A, B, D, and 4 are given"):
        ricci.einsum(text, a, b, d, d)
    with pytest.raises(ricci.Error, match="one equation"):
        ricci.einsum("y = x^i x^i; z^i = 2 x^i", d)
