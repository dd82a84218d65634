"""A text as a program: what it defines, what it needs, what it claims. Applies the page's rules on
heights, ranks, parts of one tensor and what is defined twice or by itself."""

from collections import defaultdict

from extrema import check_places
from lexer import Doubt, Refused
from names import Text
from origins import Origins
from raw import OwnCall
from scope import Scope, derivative_places, occurrences, rename, turned
from tree import Bracket, Cases, Delta, Derivative, Inverse, Logic, Matrix, Tensor, children


def below(node):
    if isinstance(node, OwnCall):
        return node.arguments
    return children(node)


def everything(node):
    yield node
    if isinstance(node, Derivative):
        yield from everything(node.of)
        for b in node.by:
            yield from everything(b)
        return
    for c in below(node):
        yield from everything(c)


def derivative_name(d):
    """dL/dX, as the library spells it; of second order d(dL/dX)/dW."""
    name = d.of.name if isinstance(d.of, Tensor) else derivative_name(d.of)
    for k, b in enumerate(d.by):
        inner = f"({name})" if k > 0 or isinstance(d.of, Derivative) else name
        name = f"d{inner}/d{b.name}"
    return name


def loss_of(d):
    """L of dL/dX and of its derivatives."""
    while isinstance(d, Derivative):
        d = d.of
    return d.name


class Claim:
    def __init__(self, left, side, equation):
        self.left, self.side, self.equation = left, side, equation


class Program:
    def __init__(self, text):
        self.text = Text(text)
        self.scope = Scope()
        self.definitions = {}  # name: list of (left, body, number of the equation)
        self.claims = []
        self.read_sides()
        self.functions = {}
        for name, f in self.text.own.items():
            self.scope.own = set(f.index or ())
            f.body = self.scope.settle(f.body, set(f.index or ()))
            self.scope.own = set()
            table = {i: f"{i}@{name}" for i in f.index or ()}
            f.body, f.index = rename(f.body, table), [table[i] for i in f.index or ()]
            self.functions[name] = f
        self.heights()
        self.sort()
        self.check_names()
        check_places(self.definitions, self.claims, self.functions.values())
        Origins(self)

    # sides ----------------------------------------------------------------------------------------
    def read_sides(self):
        self.sides = []  # (number, left, body, is_other)
        for number, e in enumerate(self.text.equations):
            free = self.left_letters(e.left)
            e.settled = [self.side(s, free, e.left) for s in e.sides]
            e.settled_other = []
            for left, ss in e.other:
                mine = Scope()
                mine.number = self.scope.number
                keep, self.scope = self.scope, mine
                e.settled_other.append(
                    (left, [self.side(s, self.left_letters(left), left) for s in ss]))
                self.scope = keep

    def left_letters(self, left):
        if isinstance(left, Derivative):
            places, _ = derivative_places(left)
        else:
            places = left.places
        out = []
        for p in places:
            if p.kind == "gathered" or p.kind in ("clamp", "wrap", "pad"):
                raise Refused("unexpected", "on the left an index stands for each axis")
            out += p.letters()
        if len(set(out)) < len(out):
            raise Refused("index repeated", "on the left")
        return out

    def side(self, node, free, left):
        out = self.scope.settle(node, free)
        have = {i for i, _ in occurrences(out)}
        for i in free:
            if i not in have and not self.is_mask(out):
                raise Refused("index missing", i)
        return out

    def is_mask(self, node):
        """Cases, brackets and numbers alone."""
        nodes = list(everything(node))
        if any(isinstance(n, (Derivative, Delta, OwnCall)) or isinstance(n, Tensor) and n.places
               for n in nodes):
            return False
        conditions = any(isinstance(n, (Bracket, Cases)) for n in nodes)
        return conditions or not any(isinstance(n, Tensor) for n in nodes)

    # heights --------------------------------------------------------------------------------------
    def all_trees(self):
        for e in self.text.equations:
            yield e.left
            yield from e.settled
        for e in self.text.kept:
            yield e.left
        for f in self.text.own.values():
            yield f.body

    def heights(self):
        metric = self.declares_metric()
        kinds = {sorted(p) == ["l", "u"] for p in self.scope.pairs}
        self.has_heights = kinds == {True} and not metric
        self.turn_matrices()
        patterns = defaultdict(set)
        for t in self.all_trees():
            for n in everything(t):
                if isinstance(n, Tensor) and n.places:
                    patterns[n.name].add(n.heights)
        two = {n for n, p in patterns.items() if len(p) > 1}
        if len(kinds) == 2 and two and not metric:
            raise Refused("heights", f"sums of both kinds, and {sorted(two)[0]} in two patterns")
        self.check_orders()
        if not self.has_heights:
            return
        for t in self.all_trees():
            for n in everything(t):
                if isinstance(n, Tensor) and n.name in two and n.places:
                    n.name += "_" + ("upper" if set(n.heights) == {"u"} else
                                     "lower" if set(n.heights) == {"l"} else n.heights)
        self.split_names = two
        for e in self.text.equations:
            for left, ss in e.settled_other:
                for s in [left] + ss:
                    if any(isinstance(n, Tensor) and n.name in two for n in everything(s)):
                        raise Doubt("an equivalence between patterns")

    def turn_matrices(self):
        """(K^{-1})^{ij} is the inverse of K_{ij} where heights carry meaning."""
        if not self.has_heights:
            return
        for t in self.all_trees():
            for n in everything(t):
                if isinstance(n, Matrix):
                    raise Doubt("the heights of what solves a matrix")
                if isinstance(n, Inverse):
                    n.matrix.heights = turned(n.matrix.heights)

    def declares_metric(self):
        self.metrics = set()
        for e in self.text.equations:
            left = e.left
            if (isinstance(left, Tensor) and left.name in ("g", "\\eta") and
                    len(left.places) == 2 and len(e.settled) == 1 and
                    isinstance(e.settled[0], Delta) and left.heights in ("uu", "ll") and
                    {i for p in left.places for i in p.letters()} ==
                    {i for p in e.settled[0].places for i in p.letters()}):
                self.metrics.add(left.name)
        return bool(self.metrics)

    def check_orders(self):
        """A name whose scripts are not staggered, written in both orders."""
        orders = defaultdict(set)
        for e in self.text.equations:
            for t in [e.left] + e.settled:
                for n in everything(t):
                    if isinstance(n, Tensor) and len(set(n.heights)) == 2:
                        up = n.heights.count("u")
                        order = "staggered" if n.staggered else n.heights[0]
                        orders[n.name, len(n.heights), up].add(order)
        for (name, _, _), seen in orders.items():
            if len(seen) > 1:
                raise Refused("orders", f"{name} is written in two orders")

    # what is what ---------------------------------------------------------------------------------
    def sort(self):
        used = set()
        for e in self.text.equations:
            if not isinstance(e.left, Derivative):
                used.add(e.left.name)
                for n in everything(e.settled[0]):
                    if isinstance(n, Tensor):
                        used.add(n.name)
        self.derived = []  # derivatives that the text defines: (left, number of the equation)
        self.given = {  # losses of which the text defines derivatives, and derives none
            loss_of(e.left) for e in self.text.equations
            if e.defines and isinstance(e.left, Derivative)
        }
        for number, e in enumerate(self.text.equations):
            if isinstance(e.left, Derivative):
                known = [b.name for b in e.left.by if b.name in used]
                if known and not e.defines:
                    for s in e.settled:
                        self.claims.append(Claim(e.left, s, number))
                    continue
                name = derivative_name(e.left)
                places, heights = derivative_places(e.left)
                left = Tensor(name, places, heights)
                if known:
                    self.derived.append((e.left, number))
            else:
                left = e.left
            for s in e.settled[1:]:
                self.claims.append(Claim(left, s, number))
            for other, ss in e.settled_other:
                for s in ss:
                    self.claims.append(
                        Claim(Tensor(left.name, other.places, other.heights), s, number))
            self.definitions.setdefault(left.name, []).append((left, e.settled[0], number))
        for name, parts in self.definitions.items():
            self.check_parts(name, parts)
        self.kept = set()
        for e in self.text.kept:
            derived = isinstance(e.left, Derivative)
            name = derivative_name(e.left) if derived else e.left.name
            places = derivative_places(e.left)[0] if derived else e.left.places
            if any(p.kind not in ("index", "merged") for p in places):
                raise Refused("unexpected", "what is kept is kept whole")
            self.left_letters(e.left)
            if name not in self.definitions:
                if derived:
                    raise Doubt("a derivative that is derived and kept")
                raise Refused("unknown", f"nothing defines {name}")
            if len(self.definitions[name][0][0].places) != len(places):
                raise Refused("rank", name)
            self.kept.add(name)

    def check_parts(self, name, parts):
        special = [[p for p in left.places if p.kind != "index" and p.kind != "merged"]
                   for left, _, _ in parts]
        if len(parts) == 1:
            if special[0]:
                raise Refused("half", name)
            return
        if any(len(s) != 1 for s in special):
            raise Refused("defined twice", name)
        axes = {
            next(k for k, p in enumerate(left.places) if p in s)
            for (left, _, _), s in zip(parts, special)
        }
        if len(axes) != 1:
            raise Refused("defined twice", name)
        kinds = {s[0].kind for s in special}
        if kinds == {"number"}:
            numbers = sorted(s[0].offset for s in special)
            if len(set(numbers)) < len(numbers):
                raise Refused("defined twice", name)
            if numbers != list(range(len(numbers))):
                raise Refused("half", name)
            return
        if kinds != {"affine"} or any(len(s[0].terms) != 1 for s in special):
            raise Doubt("parts of both kinds")
        steps = {s[0].terms[0][0] for s in special}
        offsets = sorted(s[0].offset for s in special)
        if len(steps) != 1:
            raise Doubt("parts of several steps")
        if len(set(offsets)) < len(offsets):
            raise Refused("defined twice", name)
        if offsets != list(range(steps.pop())):
            raise Refused("half", name)

    def check_names(self):
        self.ranks = {}
        self.kinds = {}
        self.used = set()
        self.differentiated = set()
        trees = [(t, True) for ps in self.definitions.values() for left, body, _ in ps
                 for t in (left, body)]
        trees += [(x, False) for c in self.claims for x in (c.left, c.side)]
        trees += [(f.body, True) for f in self.functions.values()]
        for t, counts in trees:
            for n in everything(t):
                if isinstance(n, Tensor):
                    rank = self.ranks.setdefault(n.name, len(n.places))
                    if rank != len(n.places) and not self.is_of(n, t):
                        raise Refused("rank", n.name)
                    for p in n.places:
                        if p.kind == "gathered":
                            self.kinds[p.value.name] = "places"
                if isinstance(n, Bracket) and isinstance(n.condition, Tensor):
                    self.kinds[n.condition.name] = "bool"
                if isinstance(n, Logic):
                    for p in n.parts:
                        if isinstance(p, Tensor):
                            self.kinds[p.name] = "bool"
        for _, _, name, axis in self.text.axes:  # a tensor may be there for its shape alone
            if self.ranks.setdefault(name, axis + 1) <= axis:
                raise Doubt("a tensor without the axis, or of which more axes are named")
            self.used.add(name)
        for ps in self.definitions.values():
            for left, body, _ in ps:
                self.collect(body)
        for name, kind in self.kinds.items():
            if kind == "bool" and name in self.definitions:
                raise Refused("bracket", f"{name} is defined by the text")
        for f in self.functions.values():
            self.collect(f.body)
        self.inputs = [
            n for n in self.ranks if n not in self.definitions and n not in self.only_losses()
        ]
        self.check_cycles()
        self.outputs = [
            n for n in self.definitions
            if (n not in self.used or n in self.kept) and n not in self.metrics
        ]
        if not self.outputs and not self.claims and self.definitions:
            raise Refused("empty", "no output")

    def is_of(self, n, tree):
        """A loss that nothing defines, or what stands above a stroke without its indices, has no
        rank."""
        return not n.places and any(
            isinstance(d, Derivative) and d.of is n for d in everything(tree))

    def collect(self, node):
        if isinstance(node, Derivative):
            name = derivative_name(node)
            first = node.of
            while isinstance(first, Derivative):
                first = first.of
            if name in self.definitions or loss_of(node) in self.given:
                self.ranks[name] = len(derivative_places(node)[0])
                node.input = name
                self.used.add(name)
            elif first.name in self.definitions:
                self.differentiated.add(first.name)
            else:
                self.ranks[name] = len(derivative_places(node)[0])
                node.input = name
            return
        if isinstance(node, Tensor):
            self.used.add(node.name)
        for c in below(node):
            self.collect(c)

    def only_losses(self):
        """Names that stand above or below strokes alone, and that nothing defines."""
        inside, outside = set(), set()

        def look(node):
            if isinstance(node, Derivative):
                for n in everything(node):
                    if isinstance(n, Tensor):
                        inside.add(n.name)
                return
            if isinstance(node, Tensor):
                outside.add(node.name)
            for c in below(node):
                look(c)
        for ps in self.definitions.values():
            for _, body, _ in ps:
                look(body)
        for c in self.claims:
            look(c.side)
        for f in self.functions.values():
            look(f.body)
        return inside - outside

    def needs(self, body):
        for n in everything(body):
            if isinstance(n, Tensor):
                yield n.name
            if isinstance(n, OwnCall):
                yield from self.needs(self.functions[n.function].body)

    def check_cycles(self):
        state = {}

        def visit(name):
            if state.get(name) == 1:
                raise Refused("cycle", name)
            if name in state or name not in self.definitions:
                return
            state[name] = 1
            for _, body, _ in self.definitions[name]:
                for n in self.needs(body):
                    visit(n)
            state[name] = 2
        for name in self.definitions:
            visit(name)
