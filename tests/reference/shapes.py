"""Extents for a program: which indices and axes are as long as one another, and small numbers for
them."""

import os

from lexer import Refused
from raw import OwnCall
from program import below, derivative_name
from tree import (Add, Bracket, Cases, Compare, Delta, Derivative, Group, Inverse, Logic, Matrix,
                  Position, Product, Reduce, Tensor)

ONE_EXTENT = bool(os.environ.get("RICCI_ONE_EXTENT"))  # a letter is as long wherever it stands


def masks(node):
    """Whether a bracket is a factor of it, or of what stands above its stroke."""
    if isinstance(node, Group):
        return masks(node.body)
    if isinstance(node, Product):
        return any(masks(f) for inverse, f in node.factors if not inverse)
    return isinstance(node, Bracket)


class Shapes:
    """An index is ("i", equation, letter), an axis ("t", name, number)."""

    def __init__(self, program, random, small=False):
        self.p, self.random = program, random
        self.parent = {}
        self.affine = []     # (axis, [(factor, index)], offset, guarded, equation)
        self.written = []    # the same, of places that count from 0 as written
        self.plain = []      # (axis, index, guarded)
        self.merged = []     # (axis, [index])
        self.numbers = []    # (axis, number)
        self.places = []     # (name of the numbers, axis)
        self.compared = []   # (index, index)
        self.first = {}      # index: how many places of its axis
        self.indices = []
        self.standing = {}   # index: the equations that it stands in
        self.small = small
        for parts in program.definitions.values():
            for left, body, e in parts:
                self.look(left, e, False)
                self.look(body, e, False)
        for left, e in program.derived:  # as long as the tensors that its name names
            self.look(left, e, False)
        for c in program.claims:
            self.look(c.left, c.equation, False)
            self.look(c.side, c.equation, False)
        for f in program.functions.values():
            self.look(f.body, f.name, False)
        self.axes_said()
        self.solve()

    def axes_said(self):
        """i \\in \\operatorname{axis}_0(v), behind an equation or of the whole text."""
        for equation, letter, name, axis in self.p.text.axes:
            found = False
            for key in self.indices:
                stands = equation is None or any(
                    isinstance(e, int) and self.p.text.equations[e] is equation
                    for e in self.standing[key])
                if key[2].split("~")[0] == letter and stands:
                    self.join(key, ("t", name, axis))
                    found = True
            if not found:
                raise Refused("unexpected", f"no equation has the index {letter}")

    # union-find -----------------------------------------------------------------------------------
    def find(self, x):
        self.parent.setdefault(x, x)
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[a] = b

    # what is there --------------------------------------------------------------------------------
    def index(self, letter, e):
        key = ("i", "*" if "~" in letter else e, letter)
        if key not in self.indices:
            self.indices.append(key)
        self.standing.setdefault(key, set()).add(e)
        return key

    def look(self, node, e, guarded):
        if isinstance(node, Tensor):
            for k, p in enumerate(node.places):
                self.place(("t", node.name, k), p, e, guarded)
            return
        if isinstance(node, Derivative):
            self.derivative(node, e, guarded)
            return
        if isinstance(node, Delta):
            pair = [p for p in node.places if p.kind == "index"]
            if len(pair) == 2:
                self.join(self.index(pair[0].letters()[0], e), self.index(pair[1].letters()[0], e))
            for p in node.places:
                for i in p.letters():
                    self.index(i, e)
                if p.kind == "gathered":
                    self.look(p.value, e, guarded)
            return
        if isinstance(node, Position):
            self.index(node.index, e)
            return
        if isinstance(node, Compare) and isinstance(node.left, Position) and isinstance(
                node.right, Position):
            self.compared.append((self.index(node.left.index, e), self.index(node.right.index, e)))
        if isinstance(node, OwnCall):
            f = self.p.functions[node.function]
            for mine, theirs in zip(f.index or (), node.index):
                self.join(self.index(mine, f.name), self.index(theirs, e))
        if isinstance(node, Matrix):  # rows and columns are as many
            self.join(*[self.index(i, e) for i in node.indices])
        if isinstance(node, Inverse):
            self.join(*[("t", node.matrix.name, k) for k in range(2)])
        if isinstance(node, Reduce):
            for i in node.indices:
                self.index(i, e)
                if i in node.first:
                    self.first[self.index(i, e)] = node.first[i]
        if isinstance(node, Product):
            guarded = guarded or any(masks(f) for inverse, f in node.factors if not inverse)
        if isinstance(node, Logic) and node.sign != "not":
            guarded = True
        if isinstance(node, Cases) or isinstance(node, Reduce) and node.condition is not None:
            guarded = True
        for c in below(node):
            self.look(c, e, guarded)

    def derivative(self, d, e, guarded):
        axes = []

        def of_tensor(t):
            name = t.name
            for k, p in enumerate(t.places):
                axes.append((("t", name, k), p))
        first = d
        chain = []
        while isinstance(first, Derivative):
            chain.append(first)
            first = first.of
        of_tensor(first)
        for x in reversed(chain):
            for b in x.by:
                of_tensor(b)
        name = derivative_name(d)
        for k, (axis, p) in enumerate(axes):
            self.place(axis, p, e, guarded)
            self.join(("t", name, k), axis)

    def place(self, axis, p, e, guarded):
        self.find(axis)
        if p.kind == "index":
            self.plain.append((axis, self.index(p.letters()[0], e), guarded, e))
        elif p.kind == "number":
            self.numbers.append((axis, p.offset))
        elif p.kind == "written":
            self.written.append(
                (axis, [(c, self.index(i, e)) for c, i in p.terms], p.offset, guarded, e))
        elif p.kind == "affine":
            if p.offset < 0 and not guarded:
                raise Refused("below", "a place below 0 where its indices are 0")
            self.affine.append(
                (axis, [(c, self.index(i, e)) for c, i in p.terms], p.offset, guarded, e))
        elif p.kind == "merged":
            self.merged.append((axis, [self.index(i, e) for i in p.letters()]))
        elif p.kind == "gathered":
            self.places.append((p.value.name, axis))
            self.look(p.value, e, guarded)
        else:
            for i in p.letters():
                self.index(i, e)

    # solving --------------------------------------------------------------------------------------
    def solve(self):
        # An index with arithmetic in a tensor is not as long as the tensor's axes where it stands
        # plainly.
        shifted = {(t[1], i) for t, terms, _, _, _ in self.affine for _, i in terms}
        self.inner = []
        for axis, i, guarded, e in self.plain:
            if (axis[1], i) in shifted or i in self.first:
                self.inner.append((axis, [(1, i)], 0, guarded, e))
            else:
                self.join(axis, i)
        for axis, parts in self.merged:  # (ha) here and (hb) there
            for other, others in self.merged:
                if self.find(axis) == self.find(other) and len(parts) == len(others):
                    for a, b in zip(parts, others):
                        self.join(a, b)
        if ONE_EXTENT:
            first = {}
            for i in self.indices:
                self.join(i, first.setdefault(i[2].split("~")[0], i))
        has_axis = self.known()
        for i in self.indices:  # j' is as long as j where nothing else says how long
            bare = i[2].split("~")[0]
            affine = {x for _, t, _, _, _ in self.affine for _, x in t}
            if "'" in bare and self.find(i) not in has_axis and i not in affine:
                for j in self.indices:
                    if j[2].split("~")[0].rstrip("'") == bare.rstrip("'") and j != i and (
                            self.find(j) in has_axis):
                        self.join(i, j)
                        break
        reached = set()
        for _ in range(3):  # of a place whose axis is known all indices but one are
            for axis, terms, _, _, _ in self.affine + self.inner:
                open_ = {i for _, i in terms if self.find(i) not in has_axis and i not in reached}
                if self.find(axis) in has_axis and len(open_) == 1:
                    reached |= open_
        for axis, terms, _, guarded, _ in self.written:
            if self.find(axis) in has_axis and not guarded:
                reached |= {i for _, i in terms if self.find(i) not in has_axis}
        self.share_compared(reached)
        has_axis = self.known()
        for i in self.indices:  # b of one sum without a tensor, and of others with one
            if self.find(i) not in has_axis and i not in reached and "~" in i[2]:
                for j in self.indices:
                    if j[2].split("~")[0] == i[2].split("~")[0] and self.find(j) in has_axis:
                        self.join(i, j)
                        break
        self.share_compared(reached)
        has_axis = self.known()
        self.draw()
        self.begin_short()
        for _ in range(12):
            if not self.stretch():
                break
        self.lengthen()
        for _ in range(3):  # of an axis that is known all parts but one are
            for axis, parts in self.merged:
                open_ = [i for i in parts if self.find(i) not in has_axis and i not in reached]
                if self.find(axis) in has_axis and len(open_) == 1:
                    has_axis.add(self.find(open_[0]))
        beside = self.beside()
        self.asked = sorted({
            i[2].split("~")[0]
            for i in self.indices
            if i in beside or
            self.find(i) not in has_axis and i not in reached and i not in self.first
        })

    def share_compared(self, reached):
        for _ in range(3):
            for a, b in self.compared:
                has_axis = self.known()
                a_known = self.find(a) in has_axis or a in reached
                b_known = self.find(b) in has_axis or b in reached
                if a_known != b_known:
                    self.join(a, b)

    def beside(self):
        """The letters of x_i x_{i+k}, which both are asked for where k is free."""
        out = set()
        for axis, i, _, e in self.plain:
            for other, terms, _, _, _ in self.affine:
                mine = [x for c, x in terms if c == 1 and x == i]
                if other == axis and mine and len(terms) > 1:
                    out |= {x for _, x in terms}
        return out

    def known(self):
        """The classes that have an axis of an input."""
        return {self.find(a) for a in list(self.parent) if a[0] == "t" and a[1] in self.p.inputs}

    def draw(self):
        self.n = {}
        for x in self.indices + list(self.parent):
            root = self.find(x)
            if root not in self.n:
                self.n[root] = self.drawn(x)
        for i, count in self.first.items():
            self.n[self.find(i)] = count

    def begin_short(self):
        """An axis that only arithmetic fills is as long as it has to be, and now and then
        longer."""
        plain = {self.find(i) for i in self.indices}
        given = {i for axis, i, _, _ in self.plain if axis[1] in self.p.inputs}
        for axis, terms, _, _, _ in self.affine + self.written:
            root = self.find(axis)
            if root not in plain:
                table = any(c < 0 for c, _ in terms)
                longer = not table and all(
                    i in given for _, i in terms) and self.random.random() < 0.25
                self.n[root] = 5 if longer else 0

    def parts(self):
        """The axes that the parts of one tensor fill, and how long they are."""
        for name, parts in self.p.definitions.items():
            if len(parts) == 1:
                continue
            left, _, e = parts[0]
            for k, p in enumerate(left.places):
                if p.kind == "number":
                    yield ("t", name, k), len(parts)
                if p.kind == "affine":
                    yield ("t", name, k), len(parts) * self.extent(self.index(p.terms[0][1], e))

    def drawn(self, x):
        """Mostly a letter is as long wherever it stands, since a caller gives an extent to a
        letter."""
        if not hasattr(self, "of_letter"):
            self.of_letter = {}
        letter = x[2].split("~")[0] if x[0] == "i" else x
        if letter not in self.of_letter or self.random.random() < 0.1:
            n = self.random.choice([2, 2, 3, 3, 4] if not self.small else [2, 2, 3])
            if self.random.random() < 0.02:
                n = self.random.choice([0, 1, 1])
            self.of_letter[letter] = n
        return self.of_letter[letter]

    def reach(self, terms, offset):
        return offset + sum(abs(c) * max(self.extent(i) - 1, 0) for c, i in terms) + 1

    def extent(self, node):
        return self.n[self.find(node)]

    def stretch(self):
        """Makes axes as long as their places reach. Whether something changed."""
        changed = False
        for axis, parts in self.merged:
            n = 1
            for i in parts:
                n *= self.extent(i)
            if self.extent(axis) != n:
                self.n[self.find(axis)] = n
                changed = True
        for axis, n in self.parts():
            if self.extent(axis) != n:
                self.n[self.find(axis)] = n
                changed = True
        for axis, terms, offset, _, _ in self.affine + self.inner:
            if any(self.find(i) == self.find(axis) for _, i in terms):
                continue
            n = self.reach(terms, offset)
            if self.extent(axis) < n:
                self.n[self.find(axis)] = n
                changed = True
        for axis, terms, offset, _, _ in self.written:
            n = self.reach([(c, i) for c, i in terms if c > 0], offset)
            if self.extent(axis) < n:
                self.n[self.find(axis)] = n
                changed = True
        for axis, number in self.numbers:
            if self.extent(axis) < number + 1:
                self.n[self.find(axis)] = number + 1
                changed = True
        return changed

    def lengthen(self):
        """An index that has no plain place elsewhere is as long as all its places allow."""
        with_axis = self.known()
        for i in self.indices:
            if self.find(i) in with_axis or i in self.first:
                continue
            limits = self.limits(i, False) or self.limits(i, True)
            if limits:
                self.n[self.find(i)] = max(0, min(limits))

    def limits(self, i, also_guarded):
        out = []
        for axis, terms, offset, guarded, _ in self.affine + self.inner:
            if i not in [x for _, x in terms] or guarded and not also_guarded:
                continue
            mine = sum(abs(c) for c, x in terms if x == i)
            rest = self.reach([(c, x) for c, x in terms if x != i], offset)
            out.append((self.extent(axis) - rest) // mine + 1)
        for axis, terms, offset, guarded, _ in self.written:
            if i not in [x for _, x in terms] or guarded:
                continue
            mine = sum(c for c, x in terms if x == i)
            known = [(c * (self.extent(x) - 1), c) for c, x in terms
                     if x != i and self.find(x) in self.known()]
            if mine > 0:  # the most for which all places are inside
                most = offset + sum(n for n, c in known if c > 0)
                out.append((self.extent(axis) - 1 - most) // mine + 1)
            else:
                out.append((offset + sum(n for n, c in known if c < 0)) // -mine + 1)
        return out

    def shape(self, name, rank):
        return tuple(self.n[self.find(("t", name, k))] for k in range(rank))
