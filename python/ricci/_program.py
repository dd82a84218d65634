"""Programs: equations that are run, differentiated and prepared."""

import re

from ricci import _core
from ricci._errors import Error, in_words_of_python
from ricci._pictures import Picture
from ricci._results import Judgement

__all__ = ["Program", "program"]

_SIGN = re.compile(r" (:?=) ")


class Program(_core.Program):
    r"""Tensor equations as a paper writes them, read and checked.

    Parameters
    ----------
    text : str
        Equations in LaTeX or plain index notation, one a line.

    Raises
    ------
    ricci.Mistake
        Where the text is wrong or could be read in two ways.

    Examples
    --------
    >>> p = ricci.program(r"S^{ij} = \frac{1}{\sqrt{d}} Q^{ia} K^{ja}")
    >>> [t.name for t in p.inputs]
    ['d', 'Q', 'K']
    >>> p(Q=np.eye(2), K=np.ones((3, 2)), d=4).S
    array([[0.5, 0.5, 0.5],
           [0.5, 0.5, 0.5]])
    """

    def __init__(self, text, _made=None):
        super().__init__(text)
        # how it came about, for copies in other processes: a text, or what made it of another one
        self._made = _made if _made is not None else ("read", text)

    def _derived(self, method, *arguments):
        made = getattr(_core.Program, method)(self, *arguments)
        return Program(made, (method, self, arguments))

    def __reduce__(self):
        return _remake, self._made

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"ricci.program(r\"\"\"\n{self.latex()}\n\"\"\")"

    def _repr_latex_(self):
        # a line without a sign says that something is an output, and % what layers there are
        lines = [rf"&\text{{{line[1:].strip()}}}" if line.startswith("%") else line
                 for line in self.latex().splitlines() if line.startswith("%") or _SIGN.search(line)]
        return "$$\n\\begin{aligned}\n" + " \\\\\n".join(
            _SIGN.sub(r" &\1 ", line, count=1) for line in lines) + "\n\\end{aligned}\n$$"

    @property
    def warnings(self):
        """What is probably not meant, in sentences."""
        return tuple(in_words_of_python(words) for words in self._warnings())

    def gradient(self, of, by):
        r"""The gradient of a loss through output `of` by inputs, as a program.

        Parameters
        ----------
        of : str
            An output, or another tensor that is computed.
        by : str or list of str
            Inputs.

        Returns
        -------
        Program
            Takes what this one takes and ``dL/d(of)``, of the shape of `of`; gives ``dL/dX`` of
            the shape of X for every X of `by`.

        Examples
        --------
        >>> g = ricci.program("y = x^i x^i").gradient("y", "x")
        >>> g({"dL/dy": 1.0}, x=np.array([1.0, 2.0]))["dL/dx"]
        array([2., 4.])
        """
        return self._derived("_gradient", of, _list(by))

    def value_and_gradient(self, of, by):
        """As `gradient`, and gives the value of `of` too.

        Examples
        --------
        >>> g = ricci.program("y = x^i x^i").value_and_gradient("y", ["x"])
        >>> sorted(g({"dL/dy": 1.0}, x=np.array([1.0, 2.0])))
        ['dL/dx', 'y']
        """
        return self._derived("_value_and_gradient", of, _list(by))

    def tangent(self, by):
        """Forward mode: ``d/dt Y`` for every output Y, along ``d/dt X`` for every X of `by`.

        Examples
        --------
        >>> t = ricci.program("y = x^i x^i").tangent("x")
        >>> x = np.array([1.0, 2.0])
        >>> float(t({"d/dt x": np.ones(2)}, x=x)["d/dt y"])
        6.0
        """
        return self._derived("_tangent", _list(by))

    def jacobian(self, of, by):
        """The derivative of a tensor by inputs: the axes of `of`, then those of the input.

        Examples
        --------
        >>> j = ricci.program("y^i = A^{ij} x^j").jacobian("y", "x")
        >>> j(A=np.eye(2), x=np.ones(2))["dy/dx"].shape
        (2, 2)
        """
        return self._derived("_jacobian", of, _list(by))

    def keep(self, *names):
        """The same program with more outputs: tensors that it computes on the way.

        Examples
        --------
        >>> p = ricci.program("S^{ij} = q^i k^j; y^i = S^{ij} v^j").keep("S")
        >>> [t.name for t in p.outputs]
        ['S', 'y']
        """
        if len(names) == 1 and not isinstance(names[0], str):
            names = names[0]
        return self._derived("_keep", list(names))

    def batch(self, index, of):
        """The same equations for many: inputs `of`, and what depends on them, get a first axis.

        Examples
        --------
        >>> p = ricci.program("y = x^i x^i").batch("b", of="x")
        >>> p(x=np.ones((4, 3))).y
        array([3., 3., 3., 3.])
        """
        return self._derived("_batch", index, _list(of))

    def repeat(self, count, from_, to, index, shared=(), recompute=False):
        """`count` layers of these equations: what each gives as `from_` the next takes as `to`.

        Every other input gets a first axis of `count`, but those in `shared`. With `recompute` a
        gradient makes the tensors of a layer again instead of storing them.

        Examples
        --------
        >>> layer = ricci.program(r"Y^j = \\tanh(X^i W^{ij})")
        >>> p = layer.repeat(3, from_="Y", to="X", index="l")
        >>> p(X=np.ones(2), W=np.zeros((3, 2, 2))).Y
        array([0., 0.])
        """
        return self._derived("_repeat", count, from_, to, index, _list(shared), recompute)

    def judge(self, claim):
        """Whether the equations imply a claim: proved, refuted with numbers, or unproved.

        Examples
        --------
        >>> ricci.program("y = (a + b)^2").judge("y = a^2 + b^2 + 2 a b").verdict
        'proved'
        """
        verdict, words = self._judge(claim)
        return Judgement(verdict, in_words_of_python(words))

    def draw(self, whole=False):
        """The equations as tensor diagrams: one each, or all as one where `whole` is true."""
        return Picture(svg=self._draw(whole))

    def show(self, results, name, labels=None):
        """A tensor of this program's results as heat maps, its axes named by the equations."""
        return results.show(name, labels, self)


def _list(names):
    return [names] if isinstance(names, str) else list(names)


def _remake(method, *rest):
    if method == "read":
        return Program(rest[0])
    if method == "einsum":
        return of_einsum(*rest)
    source, arguments = rest
    return source._derived(method, *arguments)


def of_einsum(text, ranks):
    """The contraction of an einsum text, for operands of these ranks."""
    return Program(_core.einsum_program(text, list(ranks)), ("einsum", text, ranks))


def program(text):
    r"""Reads equations; see `Program`.

    Examples
    --------
    >>> ricci.program(r"y^i = A^{ij} x^j")(A=np.eye(2), x=np.ones(2)).y
    array([1., 1.])
    """
    if isinstance(text, Program):
        return text
    if not isinstance(text, str):
        raise Error(f"a program is made of a text, and not of {type(text).__name__}")
    return Program(text)
