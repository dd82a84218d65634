"""The second reader: a text, numbers for its inputs, and what comes out, or why the page refuses
it."""

import random as random_module

import numpy as np

from arrays import REAL, Array, spread
from lexer import Doubt
from program import Program, derivative_name, everything
from shapes import Shapes
from tree import Compare, Derivative, Number, Tensor
from values import Evaluator


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
            least = min((self.shapes.extent(axis) for n, axis in self.shapes.places if n == name),
                        default=1)
            if least == 0:
                least = 1
            out = self.numbers.integers(0, least, shape)
            if name in self.padded():
                out = np.where(self.numbers.uniform(0, 1, shape) < 0.3, -1, out)
            return out
        if kind == "bool":
            return self.numbers.integers(0, 2, shape)
        # Positive numbers have logarithms and roots; the sign is drawn for the whole text's inputs
        # alike.
        out = self.numbers.uniform(0.4, 1.6, shape)
        return np.round(out * 4096) / 4096

    def padded(self):
        """Names that a condition compares with 0: a place below it need not exist."""
        out = set()
        for parts in self.program.definitions.values():
            for _, body, _ in parts:
                for n in everything(body):
                    if (isinstance(n, Compare) and n.sign == "\\ge" and
                            isinstance(n.left, Tensor) and isinstance(n.right, Number) and
                            n.right.value == "0"):
                        out.add(n.left.name)
        return out

    def evaluate(self):
        """All that the text defines, by name. `outside` says whether a place that does not exist
        shows in it."""
        out, read_outside = self.run(np.nan)
        self.outside = False
        if read_outside:
            other, _ = self.run(REAL(1.25))
            self.outside = any(not np.array_equal(out[n], other[n], equal_nan=True) for n in out)
        return out

    def run(self, nowhere):
        with np.errstate(all="ignore"):
            e = Evaluator(self.program, self.shapes, self.inputs)
            e.nowhere = nowhere
            world = {}
            out = {}
            for name in self.program.definitions:
                a = e.tensor(name, world)
                out[name] = spread(a, list(range(self.program.ranks[name])))
        self.large, self.ill = e.large, e.ill
        return out, e.outside

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
            return both(e.derivative(claim.left, claim.equation, world),
                        e.of(claim.side, claim.equation, world))
        return self.judge_loss(claim, e)

    def judge_loss(self, claim, e):
        """A claim about a loss that the text does not define: it depends on the program through the
        tensors whose derivatives stand in the claim, or through all outputs; their derivatives are
        drawn."""
        p = self.program
        loss = claim.left.of.name if isinstance(claim.left.of, Tensor) else ""
        by = claim.left.by[0].name
        if not loss or claim.left.of.places or len(claim.left.by) > 1:
            raise Doubt("a higher derivative of a loss that nothing defines")
        through = []
        for n in everything(claim.side):
            if isinstance(n, Derivative) and isinstance(n.of, Tensor) and n.of.name == loss:
                if len(n.by) > 1 or n.by[0].name not in p.definitions or n.by[0].name == by:
                    raise Doubt("a derivative of the loss by what is not computed")
                n.input = derivative_name(n)
                through.append(n.by[0].name)
        through = sorted(set(through)) or [n for n in p.outputs if n != by]
        base = {}
        values = {t: e.tensor(t, base) for t in through}
        total = None
        for t in through:
            weights = self.numbers.uniform(-1, 1, values[t].data.shape).astype(REAL)
            e.inputs[f"d{loss}/d{t}"] = Array(values[t].labels, weights)
            held = {o: values[o] for o in through if o != t}
            held["#fixed"] = tuple(held)

            def weighed(world, t=t, weights=weights):
                v = e.tensor(t, world)
                axes = [x for x in v.labels if isinstance(x, int)]
                rest = [x for x in v.labels if not isinstance(x, int)]
                data = spread(v, rest + sorted(axes)) * weights
                return Array(rest, data.sum(axis=tuple(range(len(rest), data.ndim))))
            part = e.differences(weighed, 0, [by], held)
            if total is None:
                total = part
            else:
                total = Array(total.labels, total.data + spread(part, list(total.labels)))
        if total is None:
            raise Doubt("a loss of nothing")
        left = e.read(total, claim.left.by[0].places, claim.equation, {})
        return both(left, e.of(claim.side, claim.equation, {}))


def both(left, right):
    labels = list(left.labels) + [x for x in right.labels if x not in left.labels]
    a, b = spread(left, labels), spread(right, labels)
    return np.broadcast_arrays(a, b)
