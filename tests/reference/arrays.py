"""Arrays with a label for each axis, in long double, and the functions of the language on them."""

import numpy as np

REAL = np.longdouble
PI = 4 * np.arctan(REAL(1))


class Array:
    """Numbers with a label for each axis: an index, the number of a tensor's axis, or a direction
    `#n`."""

    def __init__(self, labels, data):
        self.labels, self.data = tuple(labels), data


def constant(x):
    return Array((), np.array(x, dtype=REAL))


def aligned(*arrays):
    """All labels, and the data of each array with all axes in that order, to be broadcast."""
    labels = []
    for a in arrays:
        labels += [x for x in a.labels if x not in labels]
    return labels, [spread(a, labels) for a in arrays]


def spread(a, labels):
    order = sorted(range(len(a.labels)), key=lambda k: labels.index(a.labels[k]))
    data = a.data.transpose(order)
    present = [a.labels[k] for k in order]
    shape, k = [], 0
    for x in labels:
        if x in present:
            shape.append(data.shape[k])
            k += 1
        else:
            shape.append(1)
    return data.reshape(shape)


def apply(f, *arrays):
    labels, data = aligned(*arrays)
    return Array(labels, f(*data))


def erf(x):
    """By its series, and by a continued fraction where that converges better."""
    x = np.asarray(x, dtype=REAL)
    out = np.empty_like(x)
    small = np.abs(x) < 3
    t = np.where(small, x, 0)
    term, total = t.copy(), t.copy()
    for n in range(1, 80):
        term = term * -t * t / n
        total = total + term / (2 * n + 1)
    series = 2 / np.sqrt(PI) * total
    y = np.where(small, 4, np.abs(x))
    fraction = y * 0
    for n in range(60, 0, -1):
        fraction = (REAL(n) / 2) / (y + fraction)
    tail = np.exp(-y * y) / (np.sqrt(PI) * (y + fraction))
    out = np.where(small, series, np.sign(x) * (1 - tail))
    return np.where(np.isnan(x), x, np.where(np.isinf(x), np.sign(x), out))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def power(base, exponent):
    whole = exponent == np.floor(exponent)
    with np.errstate(all="ignore"):
        return np.where(whole, np.power(base, np.where(whole, exponent, 1)),
                        np.power(np.where(whole, 1, base), np.where(whole, 1, exponent)))


FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "arctan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "abs": np.abs,
    "sigmoid": sigmoid,
    "relu": lambda x: np.where(x > 0, x, np.where(np.isnan(x), x, 0)),
    "gelu": lambda x: x * (1 + erf(x / np.sqrt(REAL(2)))) / 2,
    "silu": lambda x: x * sigmoid(x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "sign": np.sign,
    "erf": erf,
    "floor": np.floor,
    "ceil": np.ceil,
    "conj": lambda x: x,
    "Re": lambda x: x,
    "Im": lambda x: x * 0,
}
TWO = {"maximum": np.maximum, "minimum": np.minimum, "modulo": lambda a, b: a - b * np.floor(a / b)}
