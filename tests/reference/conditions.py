"""Conditions below signs: which letters they bind, and which of these are indices although they
stand in conditions alone."""

import copy
from collections import Counter

from lexer import Refused
from raw import OwnCall, is_letter, names_in
from tree import (Compare, Delta, Derivative, Inverse, Logic, Matrix, Name, Position, Product,
                  Reduce, Tensor, children, rebuilt, walk)


def condition_letters(node, letters, bound, text):
    """The j of \\sum_{j \\le i} \\sum_{k \\le j} x^k: written first in a condition that would bind
    nothing, and used below it. `letters`: the indices of the equation; `text` knows the others."""
    found = set()
    if isinstance(node, (Name, Derivative)) or not hasattr(node, "__dataclass_fields__"):
        return found
    inside = set(bound)
    if isinstance(node, Reduce):
        inside |= set(node.indices or ()) if node.kind != "softmax" else set()
    if isinstance(node, Reduce) and node.indices is None and node.kind != "softmax":
        names = list(names_in(node.condition))
        mine = {n.base for n in names if not n.scripts and n.base in letters}
        mine |= text.letters_in([node.condition])
        bare = [n.base for n in names]
        if mine - bound:
            refuse_between(node.condition, letters, text)
        elif bare and not names[0].scripts and is_number(bare[0], letters, text) and any(
                n.base == bare[0] for n in names_in(node.body)):
            found.add(bare[0])
        inside |= mine | found
    for c in children(node):
        found |= condition_letters(c, letters | found, inside, text)
    return found


def is_number(base, letters, text):
    return is_letter(base) and base not in letters and base not in text.defined_bases


def refuse_between(condition, letters, text):
    """k \\le j \\land j \\le i: is j bound, or a number?"""
    beside = {}
    for c in comparisons(condition):
        for mine, other in ((c.left, c.right), (c.right, c.left)):
            if isinstance(mine, Name) and not mine.scripts and is_number(mine.base, letters, text):
                near = {n.base for n in names_in(other) if not n.scripts and n.base in letters}
                beside.setdefault(mine.base, set()).update(near | text.letters_in([other]))
    if any(len(near) > 1 for near in beside.values()):
        raise Refused("two readings", "a letter of a condition that can be a number")


def comparisons(condition):
    if isinstance(condition, Compare):
        yield condition
    elif isinstance(condition, Logic):
        for p in condition.parts:
            yield from comparisons(p)


def open_letters(node):
    """How often the letters stand that nothing in a resolved node binds, if each condition binds
    all that it has."""
    out = Counter()
    places = node.matrix.places if isinstance(node, Inverse) else getattr(node, "places", ())
    if isinstance(node, (Tensor, Delta, Inverse)):
        for p in places:
            out.update(p.letters())
            if p.kind == "gathered":
                out |= open_letters(p.value)
        return out
    if isinstance(node, Derivative):
        for t in [node.of] + list(node.by):
            out += open_letters(t)
        return out
    if isinstance(node, Position):
        return Counter([node.index])
    below = node.arguments if hasattr(node, "arguments") else children(node)
    for c in below:
        out |= open_letters(c)
    hidden = set()
    if isinstance(node, Matrix):
        hidden = set(node.bound())
    if isinstance(node, Reduce) and node.kind != "softmax":
        hidden = set(node.indices or ())
        if node.indices is None:
            hidden = set(open_letters(node.condition))
    return Counter({i: n for i, n in out.items() if i not in hidden})


def free_letters(node):
    """The same where no condition binds."""
    out = set()
    if isinstance(node, Reduce):
        for c in children(node):
            out |= free_letters(c)
        return out - set(node.indices or ()) if node.kind != "softmax" else out
    below = node.arguments if hasattr(node, "arguments") else children(node)
    if not below or isinstance(node, (Tensor, Delta, Derivative, Inverse)):
        return set(open_letters(node))
    for c in below:
        out |= free_letters(c)
    return out - set(node.bound()) if isinstance(node, Matrix) else out


class Beside:
    """The letters of other factors around the one in hand: open ones, those of these that the
    others could sum by themselves, and all."""

    def __init__(self):
        self.open, self.paired, self.all = set(), set(), set()

    def within(self, others):
        out = Beside()
        together = Counter()
        for f in others:
            together += open_letters(f)
            out.all |= free_letters(f)
        out.open = self.open | set(together)
        out.paired = self.paired | {i for i, n in together.items() if n > 1}
        out.all |= self.all
        return out

    def bound_by(self, r, bound):
        """What the condition of a sum or a function binds."""
        letters = list(dict.fromkeys(open_letters(r.condition)))
        if r.kind == "softmax" and letters:
            return letters[:1]
        covered = free_letters(r.body)
        mine = [i for i in letters if i not in bound and
                (i not in self.open or i in self.paired and i in covered)]
        if any(i in self.all and i not in covered for i in mine):
            raise Refused("two readings", "a letter of conditions in two factors")
        if not mine:
            raise Refused("bounds", "the condition binds nothing")
        return mine


def bound_by_conditions(node, bound, beside=None):
    """A resolved tree in which all signs say what they bind."""
    beside = beside or Beside()
    if isinstance(node, Reduce):
        out = copy.copy(node)
        if node.indices is None:
            out.indices = beside.bound_by(node, bound)
        if node.kind == "mean" and node.condition is not None and any(
                isinstance(n, Tensor) for n in walk(node.condition)):
            raise Refused("mean", "of what values leave")
        inside = bound | set(out.indices) if node.kind != "softmax" or node.condition else bound
        out.body = bound_by_conditions(node.body, inside, beside)
        if node.condition is not None:
            out.condition = bound_by_conditions(node.condition, inside, beside)
        return out
    if isinstance(node, Product):
        factors = []
        for k, (inverse, f) in enumerate(node.factors):
            around = beside.within([g for n, (_, g) in enumerate(node.factors) if n != k])
            factors.append((inverse, bound_by_conditions(f, bound, around)))
        return Product(factors)
    if isinstance(node, OwnCall):
        return OwnCall(node.function, node.index,
                       [bound_by_conditions(a, bound, beside) for a in node.arguments])
    if isinstance(node, (Tensor, Delta, Derivative)):
        return node
    inside = bound | set(node.bound()) if isinstance(node, Matrix) else bound
    return rebuilt(node, lambda c: bound_by_conditions(c, inside, beside))
