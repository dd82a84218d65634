"""What a program gives, and what it says of its tensors."""

from typing import NamedTuple

from ricci import _core
from ricci._errors import Error
from ricci._pictures import Picture

__all__ = ["Results", "Tensor", "Finding", "Judgement"]


class Tensor(NamedTuple):
    """A tensor that a program takes or gives."""

    name: str
    rank: int
    indices: str
    equation: str


class Finding(NamedTuple):
    """What `ricci.check` says of one equation of a page."""

    line: int
    column: int
    equation: str
    verdict: str
    words: str


class Judgement(NamedTuple):
    """What is known of a claim: ``verdict`` is proved, refuted or unproved."""

    verdict: str
    words: str


def _spelled(name):
    try:
        return _core.canonical_name(name)
    except ValueError:
        return name


class Results(dict):
    """The outputs of a run by name, in their order.

    ``r["O"]`` and ``r.O`` are the same array; where a method of dict has the name, it wins
    (``r["values"]``).
    """

    __slots__ = ("_program",)

    def __getattr__(self, name):
        if name.startswith("_"):  # what copies and notebooks ask for
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as missing:
            raise AttributeError(*missing.args) from None

    def __missing__(self, name):
        spelling = _spelled(name)
        if spelling != name and spelling in self:
            return self[spelling]
        known = ", ".join(self) or "none"
        raise KeyError(f"there is no output {name}; the outputs are {known}")

    def show(self, name, labels=None, program=None):
        """A tensor of the results as heat maps.

        Parameters
        ----------
        name : str
            Which of them; it has one axis at least.
        labels : dict, optional
            Words for the places of an index: ``{"i": words}``.
        program : Program, optional
            Whose equations name the axes: that of the run, unless told. Of other arrays the letters
            are i, j, ...

        Returns
        -------
        Picture
            A page of HTML, drawn in a notebook; ``save("page.html")`` writes it.

        Examples
        --------
        >>> r = ricci.program(r"S^{ij} = x^i x^j")(x=np.array([1.0, 2.0]))
        >>> r.show("S", labels={"i": ["one", "two"]})
        <ricci.Picture: heat maps; save(path) writes it>
        """
        values = self[name]
        name = _spelled(name)
        program = program if program is not None else getattr(self, "_program", None)
        if program is not None:
            facts = program._facts(name)
        else:
            letters = list("ijklmnopqrstuvw"[: len(values.shape)])
            facts = {"letters": letters, "symbol": f"{name}^{{{''.join(letters)}}}"}
        labels = dict(labels or {})
        letters = facts["letters"]
        sides = [[], []]
        for side, axis in ((0, -2), (1, -1)):
            if len(letters) < -axis or letters[axis] not in labels:
                continue
            sides[side] = [str(word) for word in labels.pop(letters[axis])]
            if len(sides[side]) != values.shape[axis]:
                raise Error(f"the index {letters[axis]} of {name} has {values.shape[axis]} places, "
                            f"and {len(sides[side])} labels are given")
        if labels:
            raise Error(f"labels are for the rows and columns of {name}, the indices "
                        f"{' and '.join(letters[-2:])}, and not for {', '.join(labels)}")
        return Picture(html=_core.show(name, values, facts, *sides))
