"""What a program gives, and what it says of its tensors."""

from typing import NamedTuple

from ricci import _core
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


class Results(dict):
    """The outputs of a run by name, in their order.

    ``r["O"]`` and ``r.O`` are the same array; where a method of dict has the name, it wins
    (``r["values"]``).
    """

    __slots__ = ("_program",)

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as missing:
            raise AttributeError(*missing.args) from None

    def __missing__(self, name):
        spelling = _core.canonical_name(name) if isinstance(name, str) else name
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
            Whose equations name the axes; letters are i, j, ... otherwise.

        Returns
        -------
        Picture
            A page of HTML, drawn in a notebook; ``save("page.html")`` writes it.
        """
        values = self[name]
        name = _core.canonical_name(name)
        if program is not None:
            facts = program._facts(name)
        else:
            letters = list("ijklmnopqrstuvw"[: len(values.shape)])
            facts = {"letters": letters, "symbol": f"{name}^{{{''.join(letters)}}}"}
        labels = dict(labels or {})
        letters = facts["letters"]
        sides = [[], []]
        for side, axis in ((0, -2), (1, -1)):
            if len(letters) >= -axis and letters[axis] in labels:
                sides[side] = [str(word) for word in labels.pop(letters[axis])]
        if labels:
            from ricci._errors import Error

            raise Error(f"labels are for the rows and columns of {name}, the indices "
                        f"{' and '.join(letters[-2:])}, and not for {', '.join(labels)}")
        return Picture(html=_core.show(name, values, facts, *sides))
