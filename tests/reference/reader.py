"""The second reader: a text, numbers for its inputs, and what comes out, or why the page refuses it."""

import random as random_module

import numpy as np

from lexer import Doubt, Refused
from program import Program, derivative_name
from scope import derivative_places
from shapes import Shapes
from tree import Derivative, Tensor
from values import REAL, Array, Evaluator, spread


class Reading:
    """A program with shapes and numbers."""

    def __init__(self, text, seed=0, small=False):
        self.text = text
        self.program = Program(text)
        self.random = random_module.Random(seed)
        self.shapes = Shapes(self.program, self.random, small)
        self.numbers = np.random.default_rng(seed)
        self.inputs = {}
        for name in self.program.inputs:
            self.inputs[name] = self.draw(name)

    def draw(self, name):
        p = self.program
        shape = self.shapes.shape(name, p.ranks[name])
        kind = p.kinds.get(name)
        if kind == "places":
            least = min((self.shapes.extent(axis) for n, axis in self.shapes.places if n == name), default=1)
            if least == 0:
                least = 1
            return self.numbers.integers(0, least, shape)
        if kind == "bool":
            return self.numbers.integers(0, 2, shape)
        # Positive numbers have logarithms and roots; the sign is drawn for the whole text's inputs alike.
        out = self.numbers.uniform(0.4, 1.6, shape)
        return np.round(out * 4096) / 4096

    def evaluate(self):
        """All outputs by name."""
        with np.errstate(all="ignore"):
            e = Evaluator(self.program, self.shapes, self.inputs)
            world = {}
            out = {}
            for name in self.program.definitions:
                a = e.tensor(name, world)
                out[name] = spread(a, list(range(self.program.ranks[name])))
            self.outside = e.outside and any(np.isnan(x).any() for x in out.values())
        return out

    def judge(self, claim):
        """The two sides of a claim, as arrays over the letters of its left side."""
        with np.errstate(all="ignore"):
            if isinstance(claim.left, Derivative):
                return self.judge_derivative(claim)
            e = Evaluator(self.program, self.shapes, self.inputs)
            world = {}
            left = e.of(claim.left, claim.equation, world)
            right = e.of(claim.side, claim.equation, world)
            return both(left, right)

    def judge_derivative(self, claim):
        p = self.program
        first = claim.left
        while isinstance(first, Derivative):
            first = first.of
        e = Evaluator(p, self.shapes, self.inputs)
        world = {}
        if first.name in p.definitions:
            return both(e.derivative(claim.left, claim.equation, world), e.of(claim.side, claim.equation, world))
        raise Doubt("a claim about a loss that nothing defines")


def both(left, right):
    labels = list(left.labels) + [x for x in right.labels if x not in left.labels]
    a, b = spread(left, labels), spread(right, labels)
    return np.broadcast_arrays(a, b)
