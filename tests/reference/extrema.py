"""Places of extrema: where \\operatorname{argmax} and argmin may stand, and what they give."""

import numpy as np

from lexer import Doubt, Refused
from raw import OwnCall
from tree import PLACES, Add, Compare, Group, Product, Reduce, Tensor, children


def gives_places(node):
    return isinstance(node, Reduce) and node.kind in PLACES


def whole(node):
    """What a side is, without parentheses around all of it."""
    while True:
        if isinstance(node, Group):
            node = node.body
        elif isinstance(node, Product) and len(node.factors) == 1 and not node.factors[0][0]:
            node = node.factors[0][1]
        elif isinstance(node, Add) and len(node.terms) == 1 and node.terms[0][0] in (1, "+"):
            node = node.terms[0][1]
        else:
            return node


def check_places(definitions, claims, functions):
    """A place stands alone on the right, and a tensor of places is no number."""
    of_places = {name for name, parts in definitions.items()
                 if any(gives_places(whole(body)) for _, body, _ in parts)}
    sides = [(body, len(parts) == 1) for parts in definitions.values() for _, body, _ in parts]
    sides += [(c.side, True) for c in claims] + [(f.body, False) for f in functions]
    for body, alone in sides:
        top = whole(body)
        if alone and gives_places(top):
            top = top.body
        look(top, of_places)


def look(node, of_places):
    if gives_places(node):
        raise Refused("places", "the place of an extremum among other things")
    if isinstance(node, Tensor) and node.name in of_places:
        raise Refused("places", f"{node.name} as a number")
    if isinstance(node, Tensor):
        for c in children(node):
            look_inside(c, of_places)
        return
    if isinstance(node, Compare):
        for side in (node.left, node.right):
            look_inside(whole(side), of_places)
        return
    for c in node.arguments if isinstance(node, OwnCall) else children(node):
        look(c, of_places)


def look_inside(node, of_places):
    """What is compared, or says a place, may be a tensor of places itself."""
    if not (isinstance(node, Tensor) and node.name in of_places):
        look(node, of_places)


def place_of_extremum(kind, values, axis):
    """The first of equals, along one axis."""
    if values.shape[axis] == 0:
        raise Doubt("the place of nothing")
    find = np.argmax if kind == "argmax" else np.argmin
    return find(values, axis=axis)
