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


def _as_arrays(operands, dtype, casting):
    """Arrays of one element type, that type as ricci computes in it, and the one to give back."""
    import numpy

    arrays = [numpy.asanyarray(x) for x in operands]
    wanted = numpy.result_type(*arrays) if dtype is None else numpy.dtype(dtype)
    for x in arrays:
        if not numpy.can_cast(x.dtype, wanted, casting):
            raise TypeError(f"an operand of {x.dtype} is not cast to {wanted} by the rule "
                            f"{casting!r}")
    if wanted.kind not in "fciub" or wanted.itemsize > (16 if wanted.kind == "c" else 8):
        raise Error(f"ricci does not compute with elements of {wanted}")
    compute = wanted
    if wanted.kind in "iub":  # the low bits of a product are those of one with more bits
        compute = numpy.dtype("int32" if wanted.itemsize < 4 else f"int{8 * wanted.itemsize}")
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


def _run_text(text, operands, out, dtype, casting):
    import numpy

    operands = list(operands)
    if any(_is_torch(x) for x in operands):
        names = {f"operand {k + 1}": x for k, x in enumerate(operands)}
        ranks = tuple(getattr(x, "ndim", 0) for x in operands)
        return _contraction(text, ranks)(names, out=out)["result"]
    arrays, compute, wanted = _as_arrays(operands, dtype, casting)
    program = _contraction(text, tuple(x.ndim for x in arrays))
    names = {f"operand {k + 1}": x for k, x in enumerate(arrays)}
    if out is None:
        value = _in_type(program(names)["result"], compute, wanted)
        return value if value.ndim > 0 else value[()]
    direct = (isinstance(out, numpy.ndarray) and out.dtype == compute == wanted
              and not any(numpy.may_share_memory(out, x) for x in arrays))
    if direct:
        program(names, out={"result": out})
    else:
        numpy.copyto(out, _in_type(program(names)["result"], compute, wanted), casting=casting)
    return out


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
        Not read: a result is row-major.
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
    if not arguments:
        raise Error("einsum takes a text and its operands")
    text, operands = arguments[0], arguments[1:]
    if not isinstance(text, str):
        text, operands = _as_text(arguments)
    if "=" not in text:
        if named:
            raise Error(f"{text} names no operands; give them in their order")
        return _run_text(text, operands, out, dtype, casting)
    program = _equation(text)
    if len(program.outputs) != 1:
        raise Error("einsum takes one equation; ricci.program takes several")
    names = dict(named)
    free = [t.name for t in program.inputs if t.name not in names]
    if len(operands) > len(free):
        raise Error(f"the equation takes {len(free)} operands in order, {', '.join(free)}, and "
                    f"{len(operands)} are given")
    names.update(zip(free, operands))
    value = program(names, out=out)[program.outputs[0].name]
    return value
