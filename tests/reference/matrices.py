"""Functions of matrices in long double: elimination of one column after the other, for all matrices
of a batch at once. The last two axes are the rows and the columns."""

import numpy as np

from arrays import REAL, Array, spread

LARGE = REAL(1e30)


def eliminated(a):
    """L and U in one array, the order of the rows, and its sign."""
    a = np.array(a, dtype=REAL)
    n = a.shape[-1]
    order = np.broadcast_to(np.arange(n), a.shape[:-1]).copy()
    sign = np.ones(a.shape[:-2], dtype=REAL)
    for k in range(n):
        size = np.abs(a[..., k:, k])
        pivot = k + np.where(np.isnan(size), np.inf, size).argmax(axis=-1)
        sign = np.where(pivot == k, sign, -sign)
        swapped = np.broadcast_to(np.arange(n), a.shape[:-1]).copy()
        swapped[..., k] = pivot
        np.put_along_axis(swapped, pivot[..., None], k, axis=-1)
        a = np.take_along_axis(a, swapped[..., None], axis=-2)
        order = np.take_along_axis(order, swapped, axis=-1)
        here = a[..., k, k]
        a[..., k + 1:, k] = np.where(here[..., None] == 0, 0, a[..., k + 1:, k] / here[..., None])
        a[..., k + 1:, k + 1:] -= a[..., k + 1:, k, None] * a[..., k, None, k + 1:]
    return a, order, sign


def solution(a, b):
    """x with a x = b; `b` has one axis less than `a`."""
    lu, order, _ = eliminated(a)
    n = lu.shape[-1]
    shape = np.broadcast_shapes(order.shape, b.shape)
    x = np.take_along_axis(np.broadcast_to(b, shape), np.broadcast_to(order, shape), axis=-1)
    x = np.array(x, dtype=REAL)
    for k in range(n):
        x[..., k] -= (lu[..., k, :k] * x[..., :k]).sum(axis=-1)
    for k in reversed(range(n)):
        x[..., k] -= (lu[..., k, k + 1:] * x[..., k + 1:]).sum(axis=-1)
        x[..., k] /= lu[..., k, k]
    return x


def illness(a):
    """The largest element of the inverses, infinite where there is none: how far what is made of
    them moves with what they are of."""
    n = a.shape[-1]
    inverse = solution(a[..., None, :, :], np.eye(n, dtype=REAL))
    worst = np.abs(inverse).max(initial=1)
    return REAL(np.inf) if np.isnan(worst) else worst


def determinant(a):
    lu, _, sign = eliminated(a)
    return sign * np.diagonal(lu, axis1=-2, axis2=-1).prod(axis=-1)


def log_determinant(a):
    lu = eliminated(a)[0]
    return np.log(np.abs(np.diagonal(lu, axis1=-2, axis2=-1))).sum(axis=-1)


def cholesky(a):
    """L, of what is on and below the diagonal, and whether a pivot is not positive."""
    n = a.shape[-1]
    out = np.zeros_like(a, dtype=REAL)
    indefinite = False
    for j in range(n):
        rest = a[..., j:, j] - (out[..., j:, :j] * out[..., None, j, :j]).sum(axis=-1)
        indefinite = indefinite or bool((~(rest[..., 0] > 0)).any())
        out[..., j:, j] = rest / np.sqrt(rest[..., :1])
    return out, indefinite


def of_matrix(function, rows, columns, matrix, right=None):
    """The value of one function, and how ill it is conditioned; infinite where there is none."""
    batch = [x for x in matrix.labels if x not in (rows, columns)]
    ill = illness(spread(matrix, batch + [rows, columns]))
    if function == "solve":
        batch += [x for x in right.labels if x != rows and x not in batch]
        x = solution(spread(matrix, batch + [rows, columns]), spread(right, batch + [rows]))
        return Array(batch + [columns], x), ill
    data = spread(matrix, batch + [rows, columns])
    if function == "chol":
        out, indefinite = cholesky(data)
        return Array(batch + [rows, columns], out), np.inf if indefinite else ill
    out = determinant(data) if function == "det" else log_determinant(data)
    return Array(batch, out), min(ill, LARGE)  # one of a singular matrix is a value


def inverse(tensor):
    """The inverse of a tensor with axes 0 and 1."""
    matrix = Array(["row" if x == 0 else x for x in tensor.labels], tensor.data)
    unit = np.eye(tensor.data.shape[tensor.labels.index(0)], dtype=REAL)
    found, ill = of_matrix("solve", "row", 1, matrix, Array(("row", "of"), unit))
    return Array([{1: 0, "of": 1}.get(x, x) for x in found.labels], found.data), ill
