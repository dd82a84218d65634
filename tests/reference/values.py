"""What a program computes: arrays with an axis for each index, summed and indexed without any
cleverness, in long double. Derivatives are central differences of fourth order, of derivatives
too."""

from fractions import Fraction

import numpy as np

from arrays import (FUNCTIONS, PI, REAL, TWO, Array, aligned, apply, constant, power,
                    spread)
from extrema import PLACES, place_of_extremum
from lexer import Doubt
from matrices import inverse, of_matrix
from raw import OwnCall, Parameter
from tree import (Add, Apply, Bracket, Cases, Compare, Delta, Derivative, Group, Infinity, Inverse,
                  Logic, Matrix, Number, Pi, Position, Power, Product, Reduce, Tensor)

STEP = REAL(2) ** -10
STENCIL = [(2, -1), (1, 8), (-1, -8), (-2, 1)]  # over 12 STEP


class Outside(Exception):
    """A place that is read does not exist."""


class Evaluator:
    def __init__(self, program, shapes, inputs):
        self.p, self.shapes = program, shapes
        self.inputs = {n: Array(tuple(range(a.ndim)), a.astype(REAL)) for n, a in inputs.items()}
        self.directions = 0
        self.outside = False
        self.ill = 1  # how ill the worst matrix is conditioned; infinite where it lacks a factor
        self.large = False  # an exponential leaves the range of double
        self.nowhere = np.nan  # what stands at a place that does not exist
        self.limit = 4_000_000

    # tensors --------------------------------------------------------------------------------------
    def tensor(self, name, world):
        """The whole tensor; `world` has what is moved, and remembers what has been computed in
        it."""
        if name in world:
            return world[name]
        if name not in self.p.definitions:
            if name not in self.inputs:
                raise Doubt(f"no value of {name}")
            return self.inputs[name]
        parts = self.p.definitions[name]
        if len(parts) == 1:
            left, body, e = parts[0]
            out = self.stored(left, self.of(body, e, world), e)
        else:
            out = self.joined(name, parts, world)
        world[name] = out
        return out

    def stored(self, left, value, e):
        """A value with an axis for each letter of the left, as a tensor with numbered axes."""
        letters = [i for p in left.places for i in p.letters()]
        value = self.with_axes(value, letters, e)
        rest = [x for x in value.labels if x not in letters]
        data = spread(value, letters + rest)
        shape = []
        k = 0
        for p in left.places:
            count = len(p.letters())
            n = 1
            for m in range(count):
                n *= data.shape[k + m]
            shape.append(n)
            k += count
        data = data.reshape(tuple(shape) + data.shape[k:])
        return Array(tuple(range(len(left.places))) + tuple(rest), data)

    def with_axes(self, value, letters, e):
        missing = [i for i in letters if i not in value.labels]
        if not missing:
            return value
        data = value.data
        for i in missing:
            data = np.broadcast_to(data[..., None], data.shape + (self.extent(i, e),))
        return Array(value.labels + tuple(missing), data)

    def joined(self, name, parts, world):
        shape = self.shapes.shape(name, self.p.ranks[name])
        values = []
        for left, body, e in parts:
            letters = [i for p in left.places for i in p.letters()]
            values.append((left, letters, self.with_axes(self.of(body, e, world), letters, e), e))
        rest = []
        for _, letters, v, _ in values:
            rest += [x for x in v.labels if x not in letters and x not in rest]
        sizes = {x: v.data.shape[v.labels.index(x)] for _, _, v, _ in values for x in v.labels}
        out = np.full(shape + tuple(sizes[x] for x in rest), np.nan, dtype=REAL)
        for left, letters, v, e in values:
            where = []
            for k, p in enumerate(left.places):
                if p.kind == "number":
                    where.append(p.offset)
                elif p.kind == "affine":
                    (c, i), = p.terms
                    where.append(slice(p.offset, p.offset + c * self.extent(i, e), c))
                else:
                    where.append(slice(None))
            target = out[tuple(where)]
            data = np.broadcast_to(spread(v, letters + rest), target.shape)
            out[tuple(where)] = data
        return Array(tuple(range(len(shape))) + tuple(rest), out)

    def extent(self, letter, e):
        return self.shapes.extent(("i", "*" if "~" in letter else e, letter))

    # expressions ----------------------------------------------------------------------------------
    def of(self, node, e, world, parameters=None):
        value = lambda n: self.of(n, e, world, parameters)
        if isinstance(node, Number):
            f = Fraction(node.value)
            return constant(REAL(f.numerator) / REAL(f.denominator))
        if isinstance(node, Infinity):
            return constant(np.inf)
        if isinstance(node, Pi):
            return constant(PI)
        if isinstance(node, Parameter):
            return parameters[node.name]
        if isinstance(node, Group):
            return value(node.body)
        if isinstance(node, Position):
            return Array((node.index,), np.arange(self.extent(node.index, e)).astype(REAL))
        if isinstance(node, Tensor):
            return self.read(self.tensor(node.name, world), node.places, e, world)
        if isinstance(node, Derivative):
            return self.derivative(node, e, world)
        if isinstance(node, Delta):
            a, b = (self.where(p, e, world, None) for p in node.places)
            return apply(lambda x, y: (x == y).astype(REAL), a, b)
        if isinstance(node, Add):
            out = None
            for sign, t in node.terms:
                v = value(t)
                if sign < 0:
                    v = Array(v.labels, -v.data)
                out = v if out is None else apply(np.add, out, v)
            return out
        if isinstance(node, Product):
            return self.product(node, value)
        if isinstance(node, Power):
            return apply(power, value(node.base), value(node.exponent))
        if isinstance(node, Apply):
            parts = [value(a) for a in node.arguments]
            if node.function in TWO:
                return apply(TWO[node.function], *parts)
            if node.function not in FUNCTIONS:
                raise Doubt(f"the function {node.function}")
            if node.function == "exp" and (np.abs(parts[0].data) > 700).any():
                self.large = True
            return Array(parts[0].labels, np.asarray(FUNCTIONS[node.function](parts[0].data)))
        if isinstance(node, Bracket):
            return self.condition(node.condition, value)
        if isinstance(node, Cases):
            return self.cases(node, value)
        if isinstance(node, OwnCall):
            return self.own(node, e, world, value)
        if isinstance(node, Matrix):
            arguments = [self.with_axes(value(a), node.indices[:1 + (k == 0)], e)
                         for k, a in enumerate(node.arguments)]
            return self.whole(of_matrix(node.function, *node.indices, *arguments))
        if isinstance(node, Inverse):
            found = self.whole(inverse(self.tensor(node.matrix.name, world)))
            return self.read(found, node.matrix.places, e, world)
        if isinstance(node, Reduce):
            return self.reduce(node, e, value)
        if isinstance(node, (Compare, Logic)):
            return self.condition(node, value)
        raise Doubt(f"the value of {type(node).__name__}")

    def whole(self, found):
        value, ill = found
        self.ill = max(self.ill, ill)
        return value

    def product(self, node, value):
        out, false = None, None
        for inverse, f in node.factors:
            v = value(f)
            if not inverse and self.is_condition(f):
                false = v if false is None else apply(np.multiply, false, v)
                continue
            if inverse:
                v = Array(v.labels, 1 / v.data)
                out = v if out is None else apply(np.multiply, out, v)
            else:
                out = v if out is None else apply(np.multiply, out, v)
            self.check_size(out)
        # a / b is one rounding in a division; here it is a product with 1 / b, which long double
        # hides
        if false is None:
            return out
        if out is None:
            return false
        return apply(lambda c, x: np.where(c != 0, x, 0), false, out)

    def is_condition(self, node):
        """A bracket, or a tensor that the text defines as one."""
        if isinstance(node, Group):
            return self.is_condition(node.body)
        if isinstance(node, Product):
            return all(not inverse and self.is_condition(f) for inverse, f in node.factors)
        if isinstance(node, Tensor):
            parts = self.p.definitions.get(node.name, ())
            return bool(parts) and all(self.is_condition(body) for _, body, _ in parts)
        return isinstance(node, Bracket)

    def check_size(self, a):
        if a.data.size > self.limit:
            raise Doubt("too large to be tried")

    def condition(self, c, value):
        if isinstance(c, Logic):
            parts = [self.condition(p, value) for p in c.parts]
            if c.sign == "not":
                return Array(parts[0].labels, (parts[0].data == 0).astype(REAL))
            out = parts[0]
            for p in parts[1:]:
                join = np.logical_and if c.sign == "and" else np.logical_or
                out = apply(lambda a, b: join(a != 0, b != 0).astype(REAL), out, p)
            return out
        if isinstance(c, Compare):
            f = {
                "\\le": np.less_equal, "<": np.less, "\\ge": np.greater_equal, ">": np.greater,
                "=": np.equal, "\\ne": np.not_equal
            }[c.sign]
            return apply(lambda a, b: f(a, b).astype(REAL), value(c.left), value(c.right))
        if isinstance(c, (Group, Bracket)):
            return self.condition(c.body if isinstance(c, Group) else c.condition, value)
        return value(c)

    def cases(self, node, value):
        out = None
        for v, c in reversed(node.branches):
            here = value(v)
            if c is None:
                out = here
                continue
            if out is None:
                out = constant(np.nan)
            out = apply(lambda test, a, b: np.where(test != 0, a, b), self.condition(c, value),
                        here, out)
        return out

    def own(self, node, e, world, value):
        f = self.p.functions[node.function]
        table = dict(zip(node.index, f.index or ()))
        back = {b: a for a, b in table.items()}
        arguments = {}
        for name, a in zip(f.parameters, node.arguments):
            v = value(a)
            arguments[name] = Array([table.get(x, x) for x in v.labels], v.data)
        out = self.of(f.body, f.name, world, arguments)
        return Array([back.get(x, x) for x in out.labels], out.data)

    # sums -----------------------------------------------------------------------------------------
    def reduce(self, node, e, value):
        v = value(node.body)
        if node.kind == "softmax":
            if node.condition is not None:
                v = apply(lambda c, x: np.where(c != 0, x, -np.inf),
                          self.condition(node.condition, value), v)
            return self.softmax(node, v)
        for i in node.indices:
            if i not in v.labels:
                v = self.with_axes(v, [i], e)
        if node.condition is not None:
            zero = {"sum": 0, "product": 1, "min": np.inf, "mean": 0}.get(node.kind, -np.inf)
            holds = self.condition(node.condition, value)
            v = apply(lambda c, x: np.where(c != 0, x, zero), holds, v)
            for i in node.indices:
                if i not in v.labels:
                    v = self.with_axes(v, [i], e)
        axes = tuple(v.labels.index(i) for i in node.indices)
        labels = [x for x in v.labels if x not in node.indices]
        d = v.data
        if node.kind == "sum":
            return Array(labels, d.sum(axis=axes))
        if node.kind == "product":
            return Array(labels, d.prod(axis=axes))
        if node.kind == "mean" and node.condition is not None:
            left = self.with_axes(holds, [i for i in v.labels if i not in holds.labels], e)
            left = spread(left, list(v.labels)).sum(axis=axes)
            self.outside = self.outside or bool((left == 0).any())
            total = d.sum(axis=axes)
            return Array(labels, np.where(left == 0, self.nowhere, total / np.maximum(left, 1)))
        if node.kind == "mean":
            count = 1
            for a in axes:
                count *= d.shape[a]
            return Array(labels, d.sum(axis=axes) / REAL(count))
        if node.kind in PLACES:
            return Array(labels, place_of_extremum(node.kind, d, axes[0]).astype(REAL))
        if node.kind == "max":
            return Array(labels, d.max(axis=axes, initial=-np.inf))
        if node.kind == "min":
            return Array(labels, d.min(axis=axes, initial=np.inf))
        if node.kind == "logsumexp":
            top = d.max(axis=axes, keepdims=True, initial=-np.inf)
            safe = np.where(np.isfinite(top), top, 0)
            return Array(labels, np.log(np.exp(d - safe).sum(axis=axes)) + safe.reshape(
                [n for k, n in enumerate(safe.shape) if k not in axes]))
        raise Doubt(node.kind)

    @staticmethod
    def softmax(node, v):
        axes = tuple(v.labels.index(i) for i in node.free)
        top = v.data.max(axis=axes, keepdims=True, initial=-np.inf)
        safe = np.where(np.isfinite(top), top, 0)
        e = np.exp(v.data - safe)
        total = e.sum(axis=axes, keepdims=True)
        return Array(v.labels, np.where(total == 0, 0, e / np.where(total == 0, 1, total)))

    # places ---------------------------------------------------------------------------------------
    def where(self, p, e, world, length):
        """The positions that a place names, as whole numbers."""
        if p.kind == "gathered":
            v = self.read(self.tensor(p.value.name, world), p.value.places, e, world)
            return Array(v.labels, v.data.astype(np.int64))
        if p.kind == "merged":
            out = Array((), np.array(0, dtype=np.int64))
            for i in p.letters():
                n = self.extent(i, e)
                out = apply(lambda a, b, n=n: a * n + b, out,
                            Array((i,), np.arange(n, dtype=np.int64)))
            return out
        total = p.offset
        if p.kind == "affine":  # of a table: the least place of what is subtracted is 0
            total += sum(-c * (self.extent(i, e) - 1) for c, i in p.terms if c < 0)
        out = Array((), np.array(total, dtype=np.int64))
        for c, i in p.terms:
            out = apply(lambda a, b, c=c: a + c * b, out,
                        Array((i,), np.arange(self.extent(i, e), dtype=np.int64)))
        if p.kind == "clamp":
            out.data = np.clip(out.data, 0, length - 1)
        if p.kind == "wrap":
            out.data = out.data % max(length, 1)
        return out

    def read(self, tensor, places, e, world):
        rank = len(places)
        extra = [x for x in tensor.labels if not isinstance(x, int)]
        data = spread(tensor, list(range(rank)) + extra)
        positions, padded = [], []
        for k, p in enumerate(places):
            w = self.where(p, e, world, data.shape[k])
            positions.append(w)
            padded.append(p.kind == "pad")
        for k, x in enumerate(extra):
            positions.append(Array((x,), np.arange(data.shape[rank + k])))
            padded.append(False)
        if not positions:
            return Array((), data)
        labels, at = aligned(*positions)
        shape = np.broadcast_shapes(*[a.shape for a in at])
        bad = np.zeros(shape, dtype=bool)
        zero = np.zeros(shape, dtype=bool)
        final = []
        for k, a in enumerate(at):
            out = (a < 0) | (a >= data.shape[k])
            if padded[k]:
                zero = zero | out
            else:
                bad = bad | out
            final.append(np.clip(a, 0, max(data.shape[k] - 1, 0)))
        if data.size == 0:
            result = np.full(shape, np.nan, dtype=REAL)
            bad = np.ones(shape, dtype=bool)
        else:
            result = data[tuple(np.broadcast_to(f, shape) for f in final)]
        if zero.any():
            result = np.where(zero, 0, result)
        if bad.any():
            self.outside = True
            result = np.where(bad, self.nowhere, result)
        out = Array(labels, result)
        self.check_size(out)
        return out

    # derivatives ----------------------------------------------------------------------------------
    def derivative(self, node, e, world):
        if getattr(node, "input", None):
            from scope import derivative_places
            return self.read(self.tensor(node.input, world), derivative_places(node)[0], e, world)
        whole, places = self.whole_derivative(node, world)
        return self.read(whole, places, e, world)

    def whole_derivative(self, node, world):
        """The tensor of all derivatives, the axes above the stroke first, and the places it is read
        at."""
        of, by = node.of, list(node.by)
        while isinstance(of, Derivative):
            by = of.by + by
            of = of.of
        array = self.differences(lambda w: self.tensor(of.name, w), self.p.ranks.get(of.name, 0),
                                 [b.name for b in by], world)
        return array, of.places + [p for b in by for p in b.places]

    def differences(self, f, rank, names, world):
        if not names:
            return f(world)
        name = names[-1]
        base = self.tensor(name, world)
        axes = [x for x in base.labels if isinstance(x, int)]
        shape = [base.data.shape[base.labels.index(x)] for x in axes]
        count = int(np.prod(shape, dtype=int)) if shape else 1
        self.directions += 1
        label = f"#{self.directions}"
        rest = [x for x in base.labels if not isinstance(x, int)]
        data = spread(base, rest + sorted(axes))
        moved = np.repeat(data[..., None], 4 * count, axis=-1)
        flat = np.zeros((count, 4 * count), dtype=REAL)
        for k in range(count):
            for s, (steps, _) in enumerate(STENCIL):
                flat[k, 4 * k + s] = steps * STEP
        moved = moved + flat.reshape(tuple(shape) + (4 * count,))
        inner = {k: v for k, v in world.items() if k in world.get("#fixed", ())}
        inner["#fixed"] = tuple(world.get("#fixed", ())) + (name,)
        inner[name] = Array(tuple(rest) + tuple(sorted(axes)) + (label,), moved)
        self.check_size(inner[name])
        # Deeper ones come first: they see what is moved here.
        value = self.differences(f, rank, names[:-1], inner)
        inner_rank = sum(1 for x in value.labels if isinstance(x, int))
        others = [x for x in value.labels if not isinstance(x, int) and x != label]
        if label not in value.labels:
            value = Array(value.labels + (label,),
                          np.repeat(value.data[..., None], 4 * count, axis=-1))
        data = spread(value, others + list(range(inner_rank)) + [label])
        data = data.reshape(data.shape[:-1] + (count, 4))
        weights = np.array([w for _, w in STENCIL], dtype=REAL) / (12 * STEP)
        # Differences first, so that an infinity that does not move is none.
        steady = (data == data[..., :1]).all(axis=-1)
        out = np.where(steady, 0, (np.where(steady[..., None], 0, data) * weights).sum(axis=-1))
        out = out.reshape(out.shape[:-1] + tuple(shape))
        return Array(tuple(others) + tuple(range(inner_rank + len(shape))), out)


