"""einsum by numpy's rules, on numpy's arrays and torch's."""

from functools import lru_cache

from ricci._errors import Error
from ricci._program import Program, of_einsum

__all__ = ["einsum"]

# Letters for axes that are given as numbers, in numpy's order; beyond them any letters.
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@lru_cache(maxsize=512)
def _contraction(text, ranks):
    return of_einsum(text, ranks)


@lru_cache(maxsize=512)
def _equation(text):
    return Program(text)


def _letters_of(sublists):
    """einsum's text for lists of whole numbers (or Ellipsis), and for the result's list."""
    labels = sorted({label for list_ in sublists for label in list_ if label is not Ellipsis})
    for label in labels:
        if not isinstance(label, int) and not hasattr(label, "__index__"):
            raise Error(f"an axis is numbered by a whole number, and not by {label!r}")
        if int(label) < 0:
            raise Error(f"an axis is numbered from 0, and not by {label}")
    letters = {label: _LETTERS[k] if k < len(_LETTERS) else chr(0x4E00 + k - len(_LETTERS))
               for k, label in enumerate(labels)}
    return ["".join("..." if label is Ellipsis else letters[label] for label in list_)
            for list_ in sublists]


def _as_text(arguments):
    """The interleaved form, ``einsum(x, [0, 1], y, [1, 2], [0, 2])``, as a text and operands."""
    arguments = list(arguments)
    result = arguments.pop() if len(arguments) % 2 == 1 else None
    operands = arguments[0::2]
    sublists = arguments[1::2] + ([result] if result is not None else [])
    texts = _letters_of([list(s) for s in sublists])
    text = ",".join(texts[: len(operands)])
    return (text if result is None else f"{text}->{texts[-1]}"), operands


# What is computed in as it is, by numpy's names.
_SUITABLE = frozenset(("float16", "float32", "float64", "bfloat16", "complex64", "complex128",
                       "int32", "int64"))
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def _computed_in(wanted):
    """The element type that results of the type `wanted` are computed in."""
    import numpy

    if wanted.name in _SUITABLE:
        return wanted.newbyteorder("=")
    if wanted.kind == "b":
        return numpy.dtype("int64")  # how often a product is true: it has to be once
    if wanted.kind in "iu" and wanted.itemsize <= 8:
        # the low bits of a product are those of one with more bits
        return numpy.dtype("int32" if wanted.itemsize < 4 else f"int{8 * wanted.itemsize}")
    raise Error(f"ricci does not compute with elements of {wanted}")


def _as_arrays(operands, dtype, casting):
    """Arrays of one element type, that type as ricci computes in it, and the one to give back."""
    import numpy

    arrays = [numpy.asanyarray(x) for x in operands]
    first = arrays[0].dtype
    if dtype is None and first.name in _SUITABLE and first.isnative:
        if all(x.dtype is first for x in arrays):
            return arrays, first, first
    wanted = numpy.result_type(*arrays) if dtype is None else numpy.dtype(dtype)
    for x in arrays:
        if dtype is not None and not numpy.can_cast(x, wanted, casting):
            raise TypeError(f"an operand of {x.dtype} is not cast to {wanted} by the rule "
                            f"{casting!r}")
    compute = _computed_in(wanted)
    made = []
    for x in arrays:
        x = x.astype(wanted.newbyteorder("="), copy=False)
        if compute != wanted:
            same_bits = wanted.kind == "u" and wanted.itemsize >= 4
            x = x.view(compute) if same_bits else x.astype(compute)
        made.append(x)
    return made, compute, wanted


def _in_type(value, compute, wanted):
    if compute == wanted:
        return value
    return value != 0 if wanted.kind == "b" else value.astype(wanted)


def _is_torch(x):
    return type(x).__module__.partition(".")[0] == "torch"


def _numbered(operands):
    return {f"operand {k + 1}": x for k, x in enumerate(operands)}


def _run_text(text, operands, out, dtype, order, casting):
    import numpy

    if any(_is_torch(x) for x in operands):
        ranks = tuple(getattr(x, "ndim", 0) for x in operands)
        return _contraction(text, ranks)(_numbered(operands), out=out)["result"]
    if not operands:
        raise Error(f"{text!r} is given no operands")
    arrays, compute, wanted = _as_arrays(operands, dtype, casting)
    program = _contraction(text, tuple(x.ndim for x in arrays))
    if out is None:
        value = _in_type(program(_numbered(arrays))["result"], compute, wanted)
        if order in "Ff" or (order in "Aa" and all(x.flags.fnc for x in arrays)):
            value = numpy.asfortranarray(value)
        return value if value.ndim > 0 else value[()]
    if not isinstance(out, numpy.ndarray):
        raise TypeError(f"out= is an array, and not a {type(out).__name__}")
    direct = (out.dtype == compute == wanted
              and not any(numpy.may_share_memory(out, x) for x in arrays))
    if direct:
        program(_numbered(arrays), out={"result": out})
    else:
        value = _in_type(program(_numbered(arrays))["result"], compute, wanted)
        if value.shape != out.shape:
            raise Error(f"the result of {text} has the shape {value.shape}, and out= {out.shape}")
        numpy.copyto(out, value, casting=casting)
    return out


def _run_equation(text, operands, named, out):
    program = _equation(text)
    if len(program.outputs) != 1:
        raise Error("einsum takes one equation; ricci.program takes several")
    free = [t.name for t in program.inputs if t.name not in named]
    if len(operands) > len(free):
        raise Error(f"the equation takes {len(free)} operands in order, {', '.join(free)}, and "
                    f"{len(operands)} are given")
    given = {**named, **dict(zip(free, operands))}
    value = program(given, out=out)[program.outputs[0].name]
    return value[()] if out is None and value.ndim == 0 and not _is_torch(value) else value


def _check_options(order, casting):
    if not isinstance(order, str) or order.upper() not in ("C", "F", "A", "K"):
        raise Error(f"order is one of C, F, A and K, and not {order!r}")
    if casting not in _CASTINGS:
        raise Error(f"casting is one of {', '.join(_CASTINGS)}, and not {casting!r}")


def einsum(*arguments, out=None, dtype=None, order="K", casting="safe", optimize=False, **named):
    r"""A sum of products by index notation.

    Parameters
    ----------
    subscripts : str
        numpy's text, ``"ib,hba->hia"``, with any letters of Unicode; or one equation,
        ``r"C^{ik} = A^{ij} B^{jk} + D^{i}"``, with sums of terms and functions.
    *operands : array_like
        In the order of the text; for an equation in the order in which its tensors come first, or
        by name. Also numpy's other form, ``einsum(x, [0, 1], y, [1, 2], [0, 2])``.
    out : ndarray, optional
        Where the result is written.
    dtype, casting : optional
        As numpy has them: what is computed in, and which operands may be cast to it.
    order : str
        The memory of the result: C and K are row-major, F has the first axis fastest, A is F where
        all operands are, and C otherwise.
    optimize : optional
        Not read: the order of products is always chosen, by what it costs.

    Returns
    -------
    ndarray
        A torch tensor where the operands are torch's.

    Raises
    ------
    ricci.Error
        Where the text cannot be read or the extents of an index differ. An extent of 1 is not
        broadcast against another one.

    Examples
    --------
    >>> ricci.einsum("ij,jk->ik", np.ones((2, 3)), np.ones((3, 2)))
    array([[3., 3.],
           [3., 3.]])
    >>> ricci.einsum(r"y^i = A^{ij} x^j + b^i", np.eye(2), np.ones(2), np.ones(2))
    array([2., 2.])
    """
    _check_options(order, casting)
    if not arguments:
        raise Error("einsum takes a text and its operands")
    text, operands = arguments[0], arguments[1:]
    if not isinstance(text, str):
        text, operands = _as_text(arguments)
    if "=" in text:
        return _run_equation(text, operands, named, out)
    if named:
        raise TypeError(f"{text!r} names no operands, and {', '.join(named)} is no option of "
                        "einsum")
    return _run_text(text, operands, out, dtype, order, casting)
