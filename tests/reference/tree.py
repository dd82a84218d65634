"""What an equation consists of: plain records, made by the parser and rewritten by the passes after
it."""

from dataclasses import dataclass, field
from typing import Any


PLACES = {"argmax", "argmin"}  # whose values are places of an axis


@dataclass
class Number:
    value: str  # as it is written


@dataclass
class Infinity:
    pass


@dataclass
class Pi:
    pass


@dataclass
class Name:
    """A name with its scripts as they are written; `call` is what stands in a parenthesis right
    behind."""
    base: str
    scripts: list  # of (height "^" or "_", tokens)
    staggered: bool = False


@dataclass
class Tensor:
    name: str
    places: list  # of Place
    heights: str = ""  # "u" or "l" for each place
    staggered: bool = False


@dataclass
class Place:
    """kind: index, number, affine (terms, offset), written (the same, with subtracted letters, and
    from 0 as written), merged (indices), gathered (value), clamp, wrap, pad."""
    kind: str
    terms: list = field(default_factory=list)  # of (factor, index)
    offset: int = 0
    value: Any = None  # the tensor whose values are places

    def letters(self):
        return [i for _, i in self.terms]


@dataclass
class Position:
    """An index used as a number."""
    index: str


@dataclass
class Add:
    terms: list  # of (sign, node)


@dataclass
class Product:
    factors: list  # of (inverse, node)


@dataclass
class Group:
    """What stands in parentheses."""
    body: Any


@dataclass
class Power:
    base: Any
    exponent: Any


@dataclass
class Apply:
    function: str
    arguments: list


@dataclass
class Call:
    """A name and a parenthesis behind it: a function of one's own, or a product."""
    name: Name
    arguments: list  # of lists of tokens
    body: list  # the tokens in the parenthesis


@dataclass
class Reduce:
    """kind: sum, product, mean, max, min, argmax, argmin, softmax, logsumexp; `bounds` as they are
    written."""
    kind: str
    indices: list
    body: Any
    condition: Any = None
    from_one: list = field(default_factory=list)
    implied: bool = False
    first: dict = field(default_factory=dict)  # index: how many places, for \\sum_{a=1}^{3}
    renamed: dict = field(default_factory=dict)


@dataclass
class Bracket:
    condition: Any


@dataclass
class Compare:
    sign: str
    left: Any
    right: Any


@dataclass
class Logic:
    sign: str  # and, or, not
    parts: list


@dataclass
class Cases:
    branches: list  # of (value, condition or None)


@dataclass
class Delta:
    places: list
    heights: str = ""


@dataclass
class Norm:
    kind: str
    body: Any
    indices: Any = None


@dataclass
class Derivative:
    of: Any  # Tensor without places when it has none
    by: list  # of Tensor


@dataclass
class Matrix:
    """A function of a matrix whose rows and columns `indices` name: solve, det, logdet, chol."""
    function: str
    indices: list
    arguments: list  # the matrix, and of solve the right-hand side

    def bound(self):
        """The indices that are bound; others stay open."""
        return {"solve": self.indices[:1], "chol": []}.get(self.function, self.indices)


@dataclass
class Inverse:
    """(K^{-1})^{ij}: the tensor has the indices at which its inverse is read."""
    matrix: Any


def children(node):
    """All expressions directly below a node."""
    if isinstance(node, Add):
        return [t for _, t in node.terms]
    if isinstance(node, Product):
        return [f for _, f in node.factors]
    if isinstance(node, Group):
        return [node.body]
    if isinstance(node, Power):
        return [node.base, node.exponent]
    if isinstance(node, (Apply, Matrix)):
        return node.arguments
    if isinstance(node, Inverse):
        return [node.matrix]
    if isinstance(node, Reduce):
        return [node.body] + ([node.condition] if node.condition is not None else [])
    if isinstance(node, Bracket):
        return [node.condition]
    if isinstance(node, Compare):
        return [node.left, node.right]
    if isinstance(node, Logic):
        return node.parts
    if isinstance(node, Cases):
        return [x for b in node.branches for x in b if x is not None]
    if isinstance(node, Norm):
        return [node.body]
    if isinstance(node, Tensor):
        return [p.value for p in node.places if p.kind == "gathered"]
    if isinstance(node, Delta):
        return [p.value for p in node.places if p.kind == "gathered"]
    return []


def rebuilt(node, f):
    """The same node with f applied to what is directly below it."""
    if isinstance(node, Add):
        return Add([(s, f(t)) for s, t in node.terms])
    if isinstance(node, Product):
        return Product([(i, f(t)) for i, t in node.factors])
    if isinstance(node, Group):
        return Group(f(node.body))
    if isinstance(node, Power):
        return Power(f(node.base), f(node.exponent))
    if isinstance(node, Apply):
        return Apply(node.function, [f(a) for a in node.arguments])
    if isinstance(node, Matrix):
        return Matrix(node.function, list(node.indices), [f(a) for a in node.arguments])
    if isinstance(node, Inverse):
        return Inverse(f(node.matrix))
    if isinstance(node, Reduce):
        return Reduce(node.kind, list(node.indices),
                      f(node.body), None if node.condition is None else f(node.condition),
                      list(node.from_one), node.implied, dict(node.first))
    if isinstance(node, Bracket):
        return Bracket(f(node.condition))
    if isinstance(node, Compare):
        return Compare(node.sign, f(node.left), f(node.right))
    if isinstance(node, Logic):
        return Logic(node.sign, [f(p) for p in node.parts])
    if isinstance(node, Cases):
        return Cases([(f(v), None if c is None else f(c)) for v, c in node.branches])
    if isinstance(node, Norm):
        return Norm(node.kind, f(node.body), node.indices)
    if isinstance(node, (Tensor, Delta)):
        places = [
            Place(p.kind, list(p.terms), p.offset,
                  f(p.value) if p.kind == "gathered" else p.value) for p in node.places
        ]
        if isinstance(node, Tensor):
            return Tensor(node.name, places, node.heights, node.staggered)
        return Delta(places, node.heights)
    return node


def walk(node):
    """The node and all below it, from above."""
    yield node
    for child in children(node):
        yield from walk(child)
