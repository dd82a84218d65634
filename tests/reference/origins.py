"""Where an axis begins that is read at subtracted letters. A place with a number is as written;
without one it is too where the conditions around it exclude what is below 0, which is tried here at
all small places; else it is a table of differences, whose letters stand together elsewhere."""

import itertools
from fractions import Fraction

from lexer import Doubt, Refused
from raw import OwnCall
from tree import (Add, Bracket, Cases, Compare, Delta, Derivative, Group, Logic, Matrix, Number,
                  Position, Product, Reduce, Tensor, children)

TRIED = 9  # places of each letter
MOST = 60000


def subtracts(p):
    return p.kind in ("affine", "written") and any(c < 0 for c, _ in p.terms)


def below(node):
    if isinstance(node, Derivative):
        return [node.of] + list(node.by)
    return node.arguments if isinstance(node, OwnCall) else children(node)


def everything(node):
    yield node
    for c in below(node):
        yield from everything(c)


def brackets(node):
    """The brackets that are factors of it, or of what stands above its stroke."""
    if isinstance(node, Group):
        return brackets(node.body)
    if isinstance(node, Product):
        return [b for inverse, f in node.factors if not inverse for b in brackets(f)]
    return [node.condition] if isinstance(node, Bracket) else []


def number(node, at):
    """The value of sums of letters and whole numbers; None of all else."""
    if isinstance(node, Group):
        return number(node.body, at)
    if isinstance(node, Number):
        value = Fraction(node.value)
        return value if value.denominator == 1 else None
    if isinstance(node, Position):
        return at[node.index]
    if isinstance(node, Add):
        parts = [(s, number(t, at)) for s, t in node.terms]
        return None if any(v is None for _, v in parts) else sum(s * v for s, v in parts)
    if isinstance(node, Product):
        if any(inverse for inverse, _ in node.factors):
            return None
        parts = [number(f, at) for _, f in node.factors]
        if any(v is None for v in parts) or sum(
                any(isinstance(x, Position) for x in everything(f)) for _, f in node.factors) > 1:
            return None
        out = 1
        for v in parts:
            out *= v
        return out
    return None


def truth(c, at):
    """Whether a condition holds; None where more than places decides."""
    if isinstance(c, (Group, Bracket)):
        return truth(c.body if isinstance(c, Group) else c.condition, at)
    if isinstance(c, Compare):
        a, b = number(c.left, at), number(c.right, at)
        if a is None or b is None:
            return None
        return {"\\le": a <= b, "<": a < b, "\\ge": a >= b, ">": a > b, "=": a == b,
                "\\ne": a != b}[c.sign]
    if isinstance(c, Logic):
        parts = [truth(p, at) for p in c.parts]
        if c.sign == "not":
            return None if parts[0] is None else not parts[0]
        decides = c.sign == "or"
        if any(p is decides for p in parts):
            return decides
        return None if any(p is None for p in parts) else not decides
    return None


class Origins:
    def __init__(self, program):
        self.p = program
        self.tables = {}  # (name, axis): where it is shown
        trees = [(left, body) for parts in program.definitions.values() for left, body, _ in parts]
        trees += [(c.left, c.side) for c in program.claims]
        trees += [(None, f.body) for f in program.functions.values()]
        for left, body in trees:
            self.left, self.body, self.around = left, body, []
            self.settle(body, [])
        for left, body in trees:
            numbers = set(self.letters_as_numbers(body))
            for n in ([left] if left is not None else []) + list(everything(body)):
                if isinstance(n, Tensor):
                    self.check(n, numbers)

    def settle(self, node, held):
        if isinstance(node, Tensor):
            for k, p in enumerate(node.places):
                if subtracts(p):
                    self.decide(node, k, p, held)
        if isinstance(node, (Reduce, Matrix)):
            self.around.append(node)
            held = [(c, holds, hidden | set(node.indices)) for c, holds, hidden in held]
        for c, more in self.parts(node):
            self.settle(c, held + [(b, holds, frozenset()) for b, holds in more])
        if isinstance(node, (Reduce, Matrix)):
            self.around.pop()

    @staticmethod
    def parts(node):
        """What is below, with the conditions that hold there."""
        if isinstance(node, Product):
            for k, (_, f) in enumerate(node.factors):
                yield f, [(b, True) for j, (inverse, g) in enumerate(node.factors)
                          if j != k and not inverse for b in brackets(g)]
        elif isinstance(node, Cases):
            before = []
            for value, c in node.branches:
                yield value, before + ([(c, True)] if c is not None else [])
                if c is not None:
                    yield c, list(before)
                    before.append((c, False))
        elif isinstance(node, Reduce) and node.condition is not None:
            yield node.body, [(node.condition, True)]
            yield node.condition, [(b, True) for b in brackets(node.body)]
        elif isinstance(node, Logic) and node.sign != "not":
            for k, part in enumerate(node.parts):
                yield part, [(other, node.sign == "and") for j, other in enumerate(node.parts)
                             if j != k]
        else:
            for c in below(node):
                yield c, []

    def decide(self, node, axis, p, held):
        if p.kind == "written":
            if p.offset < 0 and not held:
                raise Refused("below", "a place below 0 where its indices are 0")
            return
        if self.excludes(p, held):
            p.kind = "written"
            return
        up = [i for c, i in p.terms if c > 0]
        if not up:
            raise Refused("alone", "a subtracted letter alone needs a number")
        if len(p.terms) != 2 or len(up) != 1:
            raise Refused("letters", "three letters need a condition")
        if not self.together(node, {i for _, i in p.terms}):
            raise Refused("two readings", "zeros outside, or a table of differences")
        self.tables[node.name, axis] = node

    def excludes(self, p, held):
        """The letters of a condition that a sign inside has too, as a softmax, are others."""
        letters = {(i, False) for _, i in p.terms}
        for c, _, hidden in held:
            letters |= {(x.index, x.index in hidden) for x in everything(c)
                        if isinstance(x, Position)}
        letters = sorted(letters)
        if TRIED**len(letters) > MOST:
            raise Doubt("conditions of many letters")
        any_holds = False
        for places in itertools.product(range(TRIED), repeat=len(letters)):
            at = dict(zip(letters, places))
            seen = [{i: v for (i, out), v in at.items() if out is (i in hidden)}
                    for _, _, hidden in held]
            if any(truth(c, places) is (not holds) for (c, holds, _), places in zip(held, seen)):
                continue
            any_holds = True
            if p.offset + sum(c * at[i, False] for c, i in p.terms) < 0:
                return False
        if not any_holds:
            raise Doubt("conditions that never hold")
        return True

    def together(self, use, pair):
        if self.left is not None and pair <= {i for p in self.left.places for i in p.letters()}:
            return True
        if any(isinstance(n, Matrix) and pair <= set(n.indices) for n in self.around):
            return True
        for n in everything(self.body):
            if isinstance(n, (Tensor, Delta)) and n is not use and pair <= self.letters_of(n, pair):
                return True
        return False

    def letters_of(self, node, pair):
        out = set()
        for p in node.places:
            if not (subtracts(p) and pair <= set(p.letters())):
                out |= set(p.letters())
            if p.kind == "gathered":
                out |= self.letters_of(p.value, pair)
        return out

    def letters_as_numbers(self, node):
        """But for those of the offset that a gradient by a table spells out, with \\sum_{j'} 1."""
        if isinstance(node, Compare) and any(isinstance(x, Reduce) for x in everything(node)):
            return
        if isinstance(node, Position):
            yield node.index
        for c in below(node):
            yield from self.letters_as_numbers(c)

    def check(self, node, numbers):
        """An axis has one origin in the whole text."""
        for k, p in enumerate(node.places):
            if (node.name, k) not in self.tables or p.kind == "merged":
                continue
            if p.kind == "affine" and (subtracts(p) or p.terms == [(1, p.letters()[0])] and
                                       p.offset == 0):
                continue
            if p.kind == "index":
                if p.letters()[0] in numbers:
                    raise Refused("origin", f"axis {k} of {node.name}, at a number")
                continue
            raise Refused("origin", f"axis {k} of {node.name}")
