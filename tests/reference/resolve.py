"""Rewrites the raw tree of an equation once its text has been surveyed: names become tensors,
positions, functions."""

import scripts as sc
from cursor import letters_of
from lexer import Doubt, Refused
from raw import (OwnCall, Parameter, is_exponential, names_in, only_letters, parse,
                 parsed_arguments, walk_raw)
from syntax import FUNCTION_LETTERS
from tree import (Apply, Call, Compare, Delta, Derivative, Group, Inverse, Name, Pi, Place, Position,
                  Power, Product, Reduce, Tensor, rebuilt)


class Resolver:
    """Rewrites one raw tree: names become tensors, positions, functions."""

    def __init__(self, text, letters, parameters):
        self.text, self.letters, self.parameters = text, letters, parameters

    def left(self, raw):
        if isinstance(raw, Derivative):
            return self.derivative(raw)
        out = self.name(raw, is_left=True)
        if isinstance(out, Delta):
            raise Refused("unexpected", "a delta on the left")
        if not isinstance(out, Tensor):
            raise Refused("unexpected", "a left side is a tensor")
        return out

    def node(self, n):
        if isinstance(n, Name):
            return self.name(n)
        if isinstance(n, Call):
            return self.call(n)
        if isinstance(n, Derivative):
            return self.derivative(n)
        if isinstance(n, Apply) and n.function.startswith("own:"):
            f = n.function[4:]
            index = letters_of(n.arguments[0])
            if f not in self.text.own or len(index) != len(self.text.own[f].index or ()):
                raise Refused("unknown function", f)
            return OwnCall(f, index, [self.node(a) for a in n.arguments[1]])
        if isinstance(n, Power) and isinstance(n.base, Call):
            base = self.call(n.base)
            exponent = self.node(n.exponent)
            if isinstance(base, Product):  # a (x)^2 is a times (x)^2
                return Product(base.factors[:-1] + [(False, Power(base.factors[-1][1], exponent))])
            return Power(base, exponent)
        if isinstance(n, Reduce):
            return self.reduce(n)
        if isinstance(n, Inverse):
            return self.inverse(n)
        return rebuilt(n, self.node)

    def inverse(self, n):
        base = n.matrix.base
        if any(not m.scripts for _, m in self.text.all_names() if m.base == base) or any(
                base in self.text.letters_in(e.raw_sides) for e in self.text.equations) or any(
                base in f.parameters for f in self.text.own.values()) or any(
                t.kind == "letters" and base in t.value
                for _, m in self.text.all_names() for _, script in m.scripts for t in script):
            raise Doubt("the inverse of a name that stands without indices, or is a label, too")
        matrix = self.name(n.matrix)
        if not isinstance(matrix, Tensor) or any(p.kind != "index" for p in matrix.places):
            raise Refused("inverse", "an inverse has two indices")
        return Inverse(matrix)

    def reduce(self, n):
        out = Reduce(n.kind, list(n.indices or []), None, None, list(n.from_one))
        inner = Resolver(self.text, self.letters | set(out.indices), self.parameters)
        if n.indices is None:
            out.indices = None
        bound = getattr(n, "bound", None)
        if bound is not None:
            inner.bounds(out, *bound)
        out.body = inner.node(n.body)
        if n.condition is not None:
            out.condition = inner.node(n.condition)
        return out

    def bounds(self, out, start, above):
        index = out.indices[0]
        words = [t.value for t in above]
        t = above[0] if above else None
        letters = self.letters - {index}
        named = t is not None and t.kind in ("letters", "text", "command") and (
            t.kind != "letters" or len(t.value) == 1)
        if len(above) == 1 and t.kind == "number":
            out.first[index] = int(t.value) + (1 if start == 0 else 0)
            return
        if len(above) == 1 and named and t.value in letters:
            out.condition = Compare("\\le", Position(index), Position(t.value))
            out.from_one = []
            return
        if len(words) == 3 and words[1:] == ["-", "1"] and named and t.value in letters:
            out.condition = Compare("<", Position(index), Position(t.value))
            out.from_one = []
            return
        scalar = above
        if scalar and len(scalar) >= 2 and scalar[-2].is_("-") and scalar[-1].value == "1":
            if start != 0:
                raise Refused("bounds", "of a sum from 1 to d - 1")
            scalar = scalar[:-2]
        elif start == 0:
            raise Refused("bounds", "of a sum from 0 to d")
        if any(t.is_("+", "-") for t in scalar):
            raise Refused("bounds", "of a sum")
        node = self.node(parse(scalar))
        if not isinstance(node, Tensor) or node.places:
            raise Refused("bounds", "of a sum")

    # names ----------------------------------------------------------------------------------------
    def name(self, n, is_left=False):
        text = self.text
        if not n.scripts and n.base in self.parameters:
            return Parameter(n.base)
        if is_exponential(n) and not text.e_is_tensor:
            out = Apply("exp", [self.node(parse(n.scripts[0][1]))])
            for _, more in n.scripts[1:]:
                out = Power(out, self.node(parse(more)))
            return out
        if n.base == "\\pi" and not n.scripts:
            return Pi()
        if (n.base == "\\pi" and len(n.scripts) == 1 and n.scripts[0][0] == "^" and
                sc.is_power(n.scripts[0][1])):
            return Power(Pi(), self.node(parse(n.scripts[0][1])))
        if not n.scripts and n.base in self.letters and not is_left:
            return Position(n.base)
        if (len(n.scripts) == 1 and n.scripts[0][0] == "^" and sc.is_power(n.scripts[0][1]) and
                not is_left):
            if n.base in self.parameters:
                return Power(Parameter(n.base), self.node(parse(n.scripts[0][1])))
            if n.base in self.letters:
                return Power(Position(n.base), self.node(parse(n.scripts[0][1])))
        if n.base in self.parameters:
            raise Doubt("a parameter with indices")
        use = sc.read_use(n, text.all_words)
        if use.scalar and use.scalar not in text.tensor_scalars:
            return Tensor(use.scalar, [])
        if use.scalar and not is_left and not self.stands_with_another(n):
            raise Doubt("d_k alone in an equation, in a text in which d is a tensor")
        base, places = use.base, list(use.places)
        if use.low_digits:
            if text.digits.get((base, use.low_digits)) == "place":
                new = [("_", Place("number", [], int(c))) for c in use.low_digits]
                places[use.place_of_digits:use.place_of_digits] = new
            else:
                base += "_" + use.low_digits
        if use.ambiguous and not text.multiplied.get(use.base, True):
            places = [x for p in places for x in self.split(p)]
        if base == "\\delta" and len(places) == 2 and not text.delta_is_tensor:
            out = Delta([self.place(p) for _, p in places],
                        "".join("u" if h == "^" else "l" for h, _ in places))
        else:
            out = Tensor(base, [self.place(p) for _, p in places],
                         "".join("u" if h == "^" else "l" for h, _ in places), n.staggered)
        if use.power is not None:
            if is_left:
                raise Refused("unexpected", "a power on the left")
            return Power(out, self.node(parse(use.power)))
        return out

    def stands_with_another(self, name):
        """Whether the equation has this letter with another index too, or the text defines it with
        its index."""
        if name.base in self.text.defined_bases:
            return True
        for e in self.text.equations:
            roots = [
                r for r in [e.raw_left] + e.raw_sides + [x for _, ss in e.raw_other for x in ss]
                if r is not None
            ]
            mine = [n for r in roots for n in names_in(r) if n.base == name.base and n.scripts]
            if any(n is name for n in mine):
                return len({sc.read_use(n).scalar for n in mine}) > 1
        return True

    @staticmethod
    def split(pair):
        height, p = pair
        if p.kind == "affine" and p.offset == 0 and len(p.terms) == 1 and p.terms[0][0] >= 2:
            return [(height, Place("number", [], p.terms[0][0])),
                    (height, Place("index", [(1, p.terms[0][1])]))]
        return [pair]

    def place(self, p):
        if p.kind == "gathered":
            return Place("gathered", value=self.name(p.value))
        return p

    def derivative(self, d):
        of = self.node(d.of)
        by = [self.name(b, is_left=True) for b in d.by]
        if isinstance(of, Power) and isinstance(of.base, Tensor):
            raise Doubt("a derivative of a power")
        if isinstance(of, Position) and not d.of.scripts:
            of = Tensor(d.of.base, [])
        if isinstance(of, Derivative):
            of = Derivative(of.of, of.by)
        if not isinstance(of, (Tensor, Derivative)):
            raise Doubt("a derivative of what is no tensor")
        return Derivative(of, by)

    def call(self, n):
        text = self.text
        base = n.name.base
        if base in text.own and text.own[base].index is None and not n.name.scripts:
            arguments = [self.node(a) for a in parsed_arguments(n)]
            if len(arguments) != len(text.own[base].parameters):
                raise Refused("unexpected", f"{base} takes other arguments")
            return OwnCall(base, [], arguments)
        if base in text.index_calls and not n.name.scripts and all(
                only_letters(a) for a in n.arguments):
            return self.name(Name(base, [("^", n.body)]))
        if not n.arguments or any(not a for a in n.arguments):
            raise Refused("unexpected", "an empty parenthesis")
        if n.name.scripts and not (len(n.name.scripts) == 1 and n.name.scripts[0][0] == "^" and
                                   sc.is_power(n.name.scripts[0][1])) or is_exponential(n.name):
            named = self.name(n.name)
            inside = parsed_arguments(n)
            if (isinstance(named, Tensor) and named.places and len(n.arguments) == 1 and
                    only_letters(n.arguments[0]) and
                    set(letters_of(n.arguments[0])) <= self.letters):
                raise Refused("parenthesis", f"{base} with indices before an index in parentheses")
            has_places = not isinstance(named, Tensor) or named.places
            if has_places:
                return self.as_product(n, named)
        else:
            named = self.name(n.name)
        if isinstance(named, Position) and not sc.has_sign(n.body):
            raise Doubt("an index as a number before a parenthesis")
        if isinstance(named, (Parameter, Position, Pi)) or not isinstance(named, Tensor):
            return self.as_product(n, named)
        if (base in text.defined_bases or self.used_as_factor(base, named.name) or
                named.name.startswith(("d_", "n_"))):
            return self.as_product(n, named)
        if named.name in FUNCTION_LETTERS or base.endswith("'") or not sc.has_sign(n.body):
            raise Refused("parenthesis", f"{base} before a parenthesis")
        return self.as_product(n, named)

    def used_as_factor(self, base, name):
        """Whether the text has the name without a parenthesis behind it."""
        for e in self.text.equations:
            roots = e.raw_sides + [x for _, ss in e.raw_other for x in ss]
            for r in roots:
                called = {id(x.name) for x in walk_raw(r) if isinstance(x, Call)}
                for x in names_in(r):
                    if x.base == base and id(x) not in called and not x.base in self.letters:
                        return True
        return False

    def as_product(self, n, named):
        if len(n.arguments) != 1:
            raise Refused("parenthesis", "a list behind a tensor")
        return Product([(False, named), (False, Group(self.node(parsed_arguments(n)[0])))])
