"""Which index is summed where: implied sums become written ones, every bound index gets a name of
its own, and what is not bound is refused."""

import itertools
from collections import Counter

from conditions import bound_by_conditions
from lexer import Doubt, Refused
from raw import OwnCall
from tree import (Add, Apply, Bracket, Cases, Compare, Delta, Derivative, Group, Infinity, Inverse,
                  Logic, Matrix, Norm, Number, Pi, Place, Position, Power, Product, Reduce, Tensor, children,
                  rebuilt)


def below(node):
    """What stands directly below a resolved node."""
    if isinstance(node, OwnCall):
        return node.arguments
    return children(node)


def everything(node):
    yield node
    for c in below(node):
        yield from everything(c)


def place_occurrences(places, heights):
    for k, p in enumerate(places):
        h = heights[k] if k < len(heights) else "u"
        for i in p.letters():
            yield i, h
        if p.kind == "gathered":
            yield from place_occurrences(p.value.places, p.value.heights)


def turned(heights):
    return "".join("l" if h == "u" else "u" for h in heights)


def derivative_places(d):
    """The places of a derivative, above the stroke first, with their heights as they count."""
    if isinstance(d.of, Derivative):
        places, heights = derivative_places(d.of)
    else:
        places, heights = list(d.of.places), d.of.heights
    for b in d.by:
        places = places + b.places
        heights = heights + turned(b.heights)
    return places, heights


def occurrences(node):
    """(index, height) of what is open in a node whose closed parts have been settled: u, l, or n
    for a number. Of several terms the one that has an index most often counts."""
    if isinstance(node, Tensor) or isinstance(node, Delta):
        return list(place_occurrences(node.places, node.heights))
    if isinstance(node, Derivative):
        places, heights = derivative_places(node)
        return list(place_occurrences(places, heights))
    if isinstance(node, Position):
        return [(node.index, "n")]
    if isinstance(node, (Add, Cases)) or isinstance(node, Logic):
        most = {}
        for c in below(node):
            here = {}
            for i, h in occurrences(c):
                here.setdefault(i, []).append((i, h))
            for i, all_of in here.items():
                if i in most and len(all_of) == len(most[i]) and all_of != most[i]:
                    # terms that differ in its height make no pair
                    most[i] = [(i, "n")] * len(all_of)
                elif len(all_of) > len(most.get(i, [])):
                    most[i] = all_of
        return [x for all_of in most.values() for x in all_of]
    if isinstance(node, OwnCall):
        out = [x for a in node.arguments for x in once(occurrences(a))]
        return out
    if isinstance(node, Matrix):
        inside = once([x for a in node.arguments for x in occurrences(a)])
        return [x for x in inside if x[0] not in node.bound()]
    if isinstance(node, Reduce):
        inside = occurrences(node.body)
        if node.condition is not None:
            inside = inside + occurrences(node.condition)
        out = [x for x in inside if x[0] not in node.indices]
        return out
    out = []
    for c in below(node):
        out += occurrences(c)
    return out


def once(found):
    """Of a value only that it has an index counts, not how often."""
    seen = {}
    for i, h in found:
        seen.setdefault(i, h)
    return list(seen.items())


def is_value(node):
    """What a function makes of its arguments: an index that it has is there once."""
    if isinstance(node, Reduce):
        return node.kind != "sum"
    return isinstance(node, (Apply, OwnCall, Power, Bracket, Compare, Logic, Cases, Norm, Matrix))


def arguments(node):
    if isinstance(node, Reduce):
        return [node.body]
    return below(node)


def check_terms(argument, bound):
    """An index that one term of an argument sums and another leaves open: the page does not say
    whose it is."""
    if isinstance(argument, (Group, Product)):
        for c in below(argument):
            check_terms(c, bound)
    if isinstance(argument, Add):
        seen = [counts(t, bound) for t in below(argument)]
        for i in {i for c in seen for i in c} - bound:
            if any(c[i] == 1 for c in seen) and any(c[i] >= 2 for c in seen):
                raise Doubt("an index that one term sums and another leaves open")


def counts(node, bound):
    """How often a node that is not settled yet has an index that is open in it."""
    if isinstance(node, (Tensor, Delta, Derivative, Position, Inverse)):
        return Counter(i for i, _ in occurrences(node))
    if isinstance(node, Add):
        out = Counter()
        for c in below(node):
            out |= counts(c, bound)
        return out
    if is_value(node):
        own = set(node.indices or ()) if isinstance(node, (Reduce, Norm, Matrix)) else set()
        beside = condition_counts(node)
        hidden = set(node.bound()) if isinstance(node, Matrix) else own
        if getattr(node, "kind", "") == "softmax":
            hidden = set()
        out = Counter()
        for a in arguments(node):
            check_terms(a, bound | own)
            here = Counter()
            for i, n in counts(a, bound | own).items():
                if i in hidden:
                    continue
                if n == 1 or i in bound or i in own:
                    here[i] = 1
            out = out | here if isinstance(node, Cases) else out + here
        return out | beside
    if isinstance(node, Reduce):
        own = set(node.indices)
        inside = counts(node.body, bound | own) + condition_counts(node)
        return Counter({i: n for i, n in inside.items() if i not in own})
    out = Counter()
    for c in below(node):
        out += counts(c, bound)
    return out


def condition_counts(node):
    """The letters of the condition below a sign that are not the sign's own."""
    if not isinstance(node, Reduce) or node.condition is None:
        return Counter()
    return Counter({i for i, _ in occurrences(node.condition)} - set(node.indices))


class Scope:
    def __init__(self):
        self.number = itertools.count(1)
        self.pairs = []  # for each implied sum the heights of what it pairs
        # Written sums that a + or - ended: their letters, and how deep in functions, if they are
        # whole terms.
        self.ended = []
        self.nonlinear = 0
        # the index of a function of the text, which its body may bind again and again
        self.own = set()

    # entry ----------------------------------------------------------------------------------------
    def settle(self, node, free):
        """A right side with all its sums written; `free` are the indices of the left."""
        out = self.sum_(bound_by_conditions(node, set(free)), set(free), set())
        for i, _ in occurrences(out):
            if i not in free:
                raise Refused("index once", i)
        return out

    # expressions ----------------------------------------------------------------------------------
    def sum_(self, node, bound, outer):
        if not isinstance(node, Add):
            return self.product(node, bound, outer)
        before = list(self.ended)
        terms = []
        for sign, t in node.terms:
            terms.append((sign, self.product(t, bound, outer)))
            self.spend(sign, t, bound)
        self.ended = before
        return Add(terms)

    def spend(self, sign, t, bound):
        """Notes what a sum at the end of a term binds: a term that sums over all of it again could
        be meant to be below."""
        alone = sign == "+"
        while isinstance(t, (Product, Reduce)):
            if isinstance(t, Product):
                inverted, t = t.factors[-1]
                alone = False
                if inverted:
                    return
                continue
            if t.kind != "sum":
                return
            alone = alone and t.condition is None
            self.ended.append((set(t.indices), self.nonlinear if alone else None))
            t = t.body

    def value(self, node, bound):
        """An argument: what it repeats is summed inside."""
        self.nonlinear += 1
        out = self.sum_(node, bound, set())
        self.nonlinear -= 1
        return out

    def product(self, node, bound, outer):
        factors = self.flat(node)
        found = [counts(f, bound) for _, f in factors]
        mine = []
        for i in sorted({i for c in found for i in c} - bound - outer):
            holders = [k for k, c in enumerate(found) if c[i]]
            alone = [k for k in holders if found[k][i] >= 2]
            if len(holders) >= 2:
                rest = sum(found[k][i] for k in holders if k not in alone[:1])
                if len(alone) >= 2 or alone and rest >= 2:
                    raise Refused("two readings",
                                  f"{i} could be summed in a factor and in the others")
                mine.append(i)
            elif alone and (isinstance(factors[holders[0]][1], (Tensor, Delta, Derivative, Inverse)) or
                            is_value(factors[holders[0]][1])):
                mine.append(i)
        if any(isinstance(n, Reduce) and n.kind != "softmax" and set(n.indices or ()) & set(mine)
               or isinstance(n, Matrix) and set(n.bound()) & set(mine)
               for _, f in factors for n in everything(f)):
            raise Doubt("one letter for a written and an implied sum")
        for letters, alone in self.ended:
            if letters <= set(mine) and alone != self.nonlinear:
                raise Refused("two readings", f"{letters} could be below the sum before")
        done = []
        for k, (inv, f) in enumerate(factors):
            # Sums in parentheses leave to their product what it sums; what a value repeats it sums
            # for itself.
            others = {i for n, c in enumerate(found) if n != k for i in c}
            around = outer | set(mine) | others - bound
            self.nonlinear += inv
            done.append((inv, self.factor(f, bound, around)))
            self.nonlinear -= inv
        out = done[0][1] if len(done) == 1 and not done[0][0] else Product(done)
        if mine:
            for i in mine:
                self.pairs.append([h for _, f in done for j, h in self.heights_in(f) if j == i])
                if set(self.pairs[-1]) == {"n"}:
                    raise Doubt("a sum of numbers alone that nothing writes")
            out = self.renamed(Reduce("sum", mine, out, implied=True))
        return out

    @staticmethod
    def heights_in(f):
        if isinstance(f, Reduce) or not is_value(f):
            return occurrences(f)
        return [x for a in below(f) for x in once(occurrences(a))]

    def flat(self, node):
        """The factors of a product; those of a quotient, or of what is alone in parentheses, are
        its own."""
        while isinstance(node, Group) and not isinstance(node.body, Add):
            node = node.body
        if not isinstance(node, Product):
            return [(False, node)]
        out = []
        for inv, f in node.factors:
            while isinstance(f, Group) and not isinstance(f.body, (Add, Product)):
                f = f.body
            if not inv and isinstance(f, Product):  # a name before a parenthesis that is a product
                out += self.flat(f)
            elif (not inv and isinstance(f, Group) and isinstance(f.body, Product) and
                  any(i for i, _ in f.body.factors)):
                out += self.flat(f.body)
            else:
                out.append((inv, f))
        return out

    def factor(self, f, bound, outer):
        """Settles one factor. Into values nothing reaches from outside; into sums in parentheses it
        does."""
        if isinstance(f, Apply):
            return Apply(f.function, [self.value(a, bound) for a in f.arguments])
        if isinstance(f, OwnCall):
            return OwnCall(f.function, f.index, [self.value(a, bound) for a in f.arguments])
        if isinstance(f, Power):
            return Power(self.value(f.base, bound), self.value(f.exponent, bound))
        if isinstance(f, Bracket):
            return Bracket(self.condition(f.condition, bound))
        if isinstance(f, Cases):
            return Cases([(self.value(v, bound), None if c is None else self.condition(c, bound))
                          for v, c in f.branches])
        if isinstance(f, Norm):
            return self.norm(f, bound)
        if isinstance(f, Reduce):
            return self.reduce(f, bound, outer if f.kind == "sum" else set())
        if isinstance(f, Matrix):
            return self.matrix(f, bound)
        if isinstance(f, Group):
            return Group(self.sum_(f.body, bound, outer))
        return f

    def matrix(self, f, bound):
        for i in f.bound():
            if i in bound and i not in self.own:
                raise Refused("index shadowed", i)
        if f.function == "solve" and counts(f.arguments[1], set(f.indices))[f.indices[1]]:
            raise Refused("index repeated", "the column's, on the right-hand side")
        arguments = [self.value(a, bound | set(f.indices)) for a in f.arguments]
        inside = [{i for i, _ in occurrences(a)} for a in arguments]
        if not set(f.indices) <= inside[0]:
            raise Refused("index missing", "in a matrix")
        if f.function == "solve" and f.indices[0] not in inside[1]:
            raise Refused("index missing", "the row's, on the right-hand side")
        table = {i: i if i in self.own else f"{i}~{next(self.number)}" for i in f.bound()}
        return rename(Matrix(f.function, f.indices, arguments), table)

    def condition(self, c, bound):
        if isinstance(c, Logic):
            return Logic(c.sign, [self.condition(p, bound) for p in c.parts])
        if isinstance(c, Compare):
            return Compare(c.sign, self.value(c.left, bound), self.value(c.right, bound))
        if isinstance(c, Bracket):
            return self.condition(c.condition, bound)
        if isinstance(c, Group):
            return self.condition(c.body, bound)
        if isinstance(c, Tensor):
            return c
        raise Refused("bracket", "no comparison")

    def reduce(self, r, bound, outer):
        indices = r.indices
        if r.kind == "softmax":
            return self.softmax(r, bound)
        if len(set(indices)) < len(indices):
            raise Refused("index shadowed", "twice below one sign")
        for i in indices:
            if i in bound and i not in self.own:
                raise Refused("index shadowed", i)
        inside = bound | set(indices)
        self.nonlinear += r.kind != "sum"
        body = self.sum_(r.body, inside, outer - set(indices))
        self.nonlinear -= r.kind != "sum"
        out = Reduce(r.kind, list(indices), body,
                     None if r.condition is None else self.condition(r.condition, inside),
                     r.from_one, False, dict(r.first))
        for i in r.from_one:
            if self.is_number(out.body, i) or (
                    r.condition is not None and any(j == i for j, _ in occurrences(out.condition))):
                raise Refused("bounds", f"{i} from 1 is a number")
        return self.renamed(out)

    def is_number(self, node, i):
        if isinstance(node, Position):
            return node.index == i
        if isinstance(node, (Tensor, Delta)):
            for p in node.places:
                plain = p.kind in ("index", "gathered", "number", "merged")
                if not plain and i in p.letters():
                    return True
        return any(self.is_number(c, i) for c in below(node))

    def softmax(self, r, bound):
        inside = bound | set(r.indices)
        body = self.value(r.body, inside)
        # What is summed below the stroke has names of its own; the value has the index still.
        out = Reduce("softmax", [], body,
                     None if r.condition is None else self.condition(r.condition, inside))
        out.free = list(r.indices)
        for i in r.indices:
            if i not in {j for j, _ in occurrences(body)}:
                raise Doubt("softmax over an index that is not there")
        return out

    def norm(self, n, bound):
        body = self.value(n.body, bound)
        terms = [t for _, t in body.terms] if isinstance(body, Add) else [body]
        sets = [{i for i, _ in occurrences(t)} - bound for t in terms]
        if n.indices is not None:
            over = list(n.indices)
        else:
            over = sorted(set.intersection(*sets))
            if set.union(*sets) != set(over):
                raise Refused("norm", "an index stands in some terms only")
        if not over:
            raise Refused("norm", "there is no index to run over")
        if n.kind == "2" or n.kind == "F":
            return Apply("sqrt",
                         [self.renamed(Reduce("sum", over, Power(Group(body), Number("2"))))])
        inner = Apply("abs", [body])
        return self.renamed(Reduce("sum" if n.kind == "1" else "max", over, inner))

    # names of bound indices -----------------------------------------------------------------------
    def renamed(self, r):
        table = {i: i if i in self.own else f"{i}~{next(self.number)}" for i in r.indices}
        out = Reduce(r.kind, [table[i] for i in r.indices], rename(r.body, table),
                     None if r.condition is None else rename(r.condition, table), r.from_one,
                     r.implied, {table[i]: n for i, n in r.first.items()})
        out.free = []
        return out


def rename(node, table):
    if isinstance(node, Position):
        return Position(table.get(node.index, node.index))
    if isinstance(node, Derivative):
        return Derivative(rename(node.of, table), [rename(b, table) for b in node.by])
    if isinstance(node, (Tensor, Delta)):
        places = [
            Place(p.kind, [(c, table.get(i, i)) for c, i in p.terms], p.offset,
                  rename(p.value, table) if p.kind == "gathered" else None) for p in node.places
        ]
        if isinstance(node, Tensor):
            return Tensor(node.name, places, node.heights, node.staggered)
        return Delta(places, node.heights)
    if isinstance(node, Matrix):
        return Matrix(node.function, [table.get(i, i) for i in node.indices],
                      [rename(a, table) for a in node.arguments])
    if isinstance(node, OwnCall):
        return OwnCall(node.function, [table.get(i, i) for i in node.index],
                       [rename(a, table) for a in node.arguments])
    if isinstance(node, Reduce):
        out = Reduce(node.kind, [table.get(i, i) for i in node.indices], rename(node.body, table),
                     None if node.condition is None else rename(node.condition, table),
                     node.from_one, node.implied, dict(node.first))
        out.free = [table.get(i, i) for i in getattr(node, "free", [])]
        return out
    return rebuilt(node, lambda c: rename(c, table))
