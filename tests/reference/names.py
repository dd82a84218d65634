"""What each name of a text is: a tensor with places, a scalar, an index used as a number, a
function. Looks at the whole text first, then rewrites the trees of every equation."""

from collections import defaultdict

import scripts as sc
from lexer import GREEK_COMMANDS, Doubt, Refused, Token, split_sides, statements_of, tokens_of
from syntax import FUNCTION_LETTERS, RELATIONS, Parser, letters_of, split_commas
from tree import (Add, Apply, Bracket, Call, Cases, Compare, Delta, Derivative, Group, Infinity,
                  Logic, Name, Norm, Number, Pi, Place, Position, Power, Product, Reduce, Tensor,
                  children, rebuilt, walk)


class Own:
    """A function that the text defines; `index` is the one below its name, if it has one."""

    def __init__(self, name, parameters, body, index=None):
        self.name, self.parameters, self.body, self.index = name, parameters, body, index


class OwnCall:
    def __init__(self, function, index, arguments):
        self.function, self.index, self.arguments = function, index, arguments


class Parameter:
    def __init__(self, name):
        self.name = name


class Equation:
    def __init__(self):
        self.left = None       # Tensor or Derivative, after resolution
        self.sides = []        # the right sides: the first defines, the others are claimed
        self.other = []        # (left, side) behind \Leftrightarrow
        self.raw_left = None
        self.raw_sides = []
        self.raw_other = []
        self.letters = set()
        self.words = frozenset()


def names_in(node):
    """Every Name of a raw tree, with those that stand in scripts as exponents."""
    for n in walk_raw(node):
        if isinstance(n, Name):
            yield n


def walk_raw(node):
    yield node
    if isinstance(node, Derivative):
        yield from walk_raw(node.of)
        for b in node.by:
            yield from walk_raw(b)
        return
    if isinstance(node, Call):
        yield node.name
        for a in parsed_arguments(node):
            yield from walk_raw(a)
        return
    if isinstance(node, Apply) and node.function.startswith("own:"):
        for a in node.arguments[1]:
            yield from walk_raw(a)
        return
    if isinstance(node, Name):
        if is_exponential(node):
            for _, t in node.scripts[:1]:
                yield from walk_raw(parse(t))
        return
    for c in children(node):
        yield from walk_raw(c)


def is_exponential(name):
    return name.base == "e" and len(name.scripts) >= 1 and name.scripts[0][0] == "^"


def parse(tokens, own=()):
    return Parser(tokens, own).whole()


def parsed_arguments(call):
    if not hasattr(call, "parsed"):
        call.parsed = [parse(a) for a in call.arguments]
    return call.parsed


def only_letters(tokens):
    try:
        return bool(tokens) and bool(letters_of(tokens))
    except Refused:
        return False


class Text:
    """A text whose names are understood: equations, own functions."""

    def __init__(self, text):
        self.equations = []
        self.own = {}
        self.index_calls = {}   # P(j): the name, with how many indices
        self.documented = set()
        self.e_is_tensor = False
        self.delta_is_tensor = False
        self.sigma_is_tensor = False
        statements = statements_of(tokens_of(text))
        raw = [split_sides(s) for s in statements]
        self.operators = self.defined_operators(raw)
        for groups in raw:
            self.read_statement(groups)
        if not self.equations and not self.own:
            raise Refused("unexpected", "no equation")
        self.sort_functions()
        self.survey()
        self.resolve_all()

    # statements -----------------------------------------------------------------------------------
    @staticmethod
    def defined_operators(raw):
        out = set()
        for groups in raw:
            left = groups[0][0]
            if len(left) > 2 and left[0].kind in ("operator", "text") and left[1].is_("_") and any(
                    t.is_("(") for t in left):
                out.add(left[0].value)
        return out

    def read_statement(self, groups):
        if len(groups[0]) < 2:
            raise Refused("unexpected", "an equation needs a left and a right side")
        e = Equation()
        e.tokens_left = groups[0][0]
        e.function = None
        left = self.read_left(groups[0][0], e)
        e.raw_left = left
        e.raw_sides = [parse(s, self.operators) for s in groups[0][1:]]
        for g in groups[1:]:
            if len(g) < 2:
                raise Doubt("one side behind an equivalence")
            e.raw_other.append(
                (self.read_left(g[0], Equation()), [parse(s, self.operators) for s in g[1:]]))
        self.equations.append(e)

    def read_left(self, tokens, e):
        if not tokens:
            raise Refused("unexpected", "an empty left side")
        if tokens[0].kind == "operator" or (
                tokens[0].kind == "text" and tokens[0].value in self.operators):
            p = Parser(tokens)
            name = p.take().value
            index = None
            if p.accept("_"):
                index = letters_of(p.argument())
            p.expect("(")
            parameters = split_commas(p.until(")"))
            if p.at != len(tokens):
                raise Refused("unexpected", "behind a left side")
            e.function = (name, index, parameters)
            return None
        p = Parser(tokens)
        t = p.peek()
        if t.is_("\\frac"):
            node = p.primary()
            if not isinstance(node, Derivative) or p.at != len(tokens):
                raise Refused("unexpected", "a left side is a tensor")
            return node
        if t.kind not in ("letters", "text") and not (t.kind == "command" and (
                t.value in GREEK_COMMANDS or t.value in ("\\tilde", "\\hat", "\\bar", "\\dot"))):
            raise Refused("unexpected", "a left side is a tensor")
        base = p.base_name(p.take())
        scripts = p.scripts()
        name = Name(base, scripts, p.staggered)
        if p.peek().is_("("):
            p.take()
            parameters = split_commas(p.until(")"))
            if p.at != len(p.tokens):
                raise Refused("unexpected", "behind a left side")
            e.function = (name, None, parameters)
            return name
        if p.at != len(p.tokens):
            raise Refused("unexpected", f"a left side is one tensor: {p.peek()}")
        return name

    def calls(self, base):
        for e in self.equations:
            for side in e.raw_sides + [s for _, ss in e.raw_other for s in ss]:
                for n in walk_raw(side):
                    if isinstance(n, Call) and n.name.base == base:
                        yield n
                    if isinstance(n, Apply) and n.function == "own:" + base:
                        yield n

    def sort_functions(self):
        """Left sides with a parenthesis: functions, P(j), or documentation."""
        kept = []
        for e in self.equations:
            if e.function is None:
                kept.append(e)
                continue
            name, index, parameters = e.function
            parts = [p for p in parameters if p]
            if isinstance(name, str) or index is not None:
                if len(e.raw_sides) != 1:
                    raise Doubt("a function with claims")
                self.define_once(name)
                self.own[name] = Own(name, [self.parameter(p) for p in parts], e.raw_sides[0],
                                     index)
                continue
            bare = {n.base for s in e.raw_sides for n in names_in(s)
                    if all(h == "^" and sc.is_power(t) for h, t in n.scripts)}
            bare |= {a[0].value for s in e.raw_sides for n in walk_raw(s) if isinstance(n, Call)
                     for a in n.arguments if len(a) == 1}
            indices = self.letters_in(e.raw_sides)
            words = [self.parameter(p) if single(p) else None for p in parts]
            if parts and all(w is not None and (w in indices or is_letter(w) and w not in bare)
                             for w in words) and all(w in indices for w in words):
                self.index_calls[name.base] = len(parts)
                e.raw_left = Name(name.base, name.scripts + [("^", [t for p in parts for t in p])])
                kept.append(e)
                continue
            if (parts and all(w is not None for w in words) and any(w in bare for w in words) and
                    (not name.scripts or sc.read_use(name).places == []) and
                    any(True for _ in self.calls(name.base))):
                if len(e.raw_sides) != 1:
                    raise Doubt("a function with claims")
                self.define_once(name.base)
                self.own[name.base] = Own(name.base, words, e.raw_sides[0])
                continue
            if any(True for _ in self.calls(name.base)):
                raise Doubt("a definition with documentation that is called")
            self.documented.add(name.base)
            kept.append(e)
        self.equations = kept

    def define_once(self, name):
        if name in self.own:
            raise Refused("defined twice", name)

    @staticmethod
    def parameter(tokens):
        if not single(tokens):
            raise Doubt("a parameter that is no name")
        return "".join(t.value for t in tokens)

    def letters_in(self, sides):
        out = set()
        for side in sides:
            for n in walk_raw(side):
                if isinstance(n, Reduce) and n.indices:
                    out |= set(n.indices)
                if isinstance(n, Norm) and n.indices:
                    out |= set(n.indices)
                if isinstance(n, Name):
                    out |= self.letters_of_name(n)
                if isinstance(n, Apply) and n.function.startswith("own:"):
                    out |= set(letters_of(n.arguments[0]))
                if isinstance(n, Call) and n.name.base in self.index_calls:
                    for a in n.arguments:
                        if only_letters(a):
                            out |= set(letters_of(a))
        return out

    def letters_of_name(self, n):
        if is_exponential(n) and not self.e_is_tensor:
            return set()
        use = sc.read_use(n, self.all_words)
        if use.scalar and use.scalar not in self.tensor_scalars:
            return set()
        out = set()
        for _, p in use.places:
            out |= set(p.letters())
            if p.kind == "gathered":
                out |= self.letters_of_name(p.value)
        return out

    all_words = frozenset({"pos"})
    tensor_scalars = frozenset()

    # the survey -----------------------------------------------------------------------------------
    def all_names(self):
        for e in self.equations:
            others = [x for left, ss in e.raw_other for x in [left] + ss]
            roots = [e.raw_left] + e.raw_sides + others
            for r in roots:
                for n in names_in(r):
                    yield e, n
        for f in self.own.values():  # a parameter is the function's own
            for n in names_in(f.body):
                if n.base not in f.parameters:
                    yield None, n

    def survey(self):
        for e in self.equations:
            left = e.raw_left
            if (isinstance(left, Name) and left.base == "e" and left.scripts and
                    left.scripts[0][0] == "^"):
                try:
                    self.e_is_tensor = bool(sc.read_use(left).places)
                except (Refused, Doubt):
                    pass
            if isinstance(left, Name) and left.base == "\\delta" and left.scripts:
                self.delta_is_tensor = True
        self.find_tensor_scalars()
        uses = defaultdict(list)
        for e, n in self.all_names():
            if is_exponential(n) and not self.e_is_tensor:
                continue
            for u in self.uses_of(n):
                uses[u.base].append(u)
        for base in self.own:
            if any(u.places for u in uses.get(base, ())):
                raise Doubt("a function that is a tensor elsewhere")
        self.digits = {}
        self.multiplied = {}
        for base, all_uses in uses.items():
            self.survey_digits(base, all_uses)
        self.uses = uses
        self.capitals()

    def uses_of(self, n):
        u = sc.read_use(n, self.all_words)
        if u.scalar and u.scalar not in self.tensor_scalars:
            return
        yield u
        for _, p in u.places:
            if p.kind == "gathered":
                yield from self.uses_of(p.value)

    def find_tensor_scalars(self):
        found = set()
        for e in self.equations:
            left = e.raw_left
            if isinstance(left, Name):
                u = sc.read_use(left, self.all_words)
                script = left.scripts[0][1]
                if u.scalar and len(script) == 1 and script[0].kind != "text" and any(
                        script[0].value in self.letters_in([s]) for s in e.raw_sides):
                    found.add(u.base)
            per_base = defaultdict(set)
            roots = [left] + e.raw_sides + [x for l, ss in e.raw_other for x in ss]
            letters = self.letters_in([r for r in roots if r is not None])
            for r in roots:
                for n in names_in(r) if r is not None else ():
                    if is_exponential(n):
                        continue
                    u = sc.read_use(n, self.all_words)
                    if u.scalar and u.places:
                        per_base[u.base] |= {u.places[0][1].letters()[0]} & letters
            found |= {b for b, s in per_base.items() if len(s) >= 2}
        self.tensor_scalars = frozenset(b + "_" for b in found)
        self.scalar_bases = found
        self.tensor_scalars = _Scalars(found)

    def survey_digits(self, base, uses):
        upper = [u for u in uses if any(h == "^" for h, _ in u.places)]
        plain = [u for u in uses if not u.low_digits]
        for u in uses:
            if u.power is not None and not any(h == "^" for h, _ in u.places) and upper and not any(
                    h == "_" for h, _ in u.places):
                raise Refused("digits", f"a power of {base}, which has upper indices")
        for d in {u.low_digits for u in uses if u.low_digits}:
            mine = [u for u in uses if u.low_digits == d]
            kinds = set()
            for m in mine:
                above = [p for h, p in m.places if h == "^"]
                below = [p for h, p in m.places if h == "_"]
                if below:
                    kinds.add("place")
                    continue
                similar = [
                    v for v in plain if len([1 for h, _ in v.places if h == "^"]) == len(above)
                ]
                counts = {len([1 for h, _ in v.places if h == "_"]) for v in similar}
                if counts & {1} and len(d) == 1:
                    kinds.add("place")
                elif any(c >= 1 for c in counts) and len(d) >= 2:
                    raise Refused("digits", f"{base}_{d}: a label or places")
                elif not above and any(v.places and all(h == "^" for h, _ in v.places)
                                       for v in plain):
                    raise Refused("digits", f"{base}_{d} beside upper indices")
                else:
                    kinds.add("label")
            if len(kinds) > 1:
                raise Doubt("digits of both kinds")
            self.digits[base, d] = kinds.pop()
        ambiguous = [u for u in uses if u.ambiguous]
        if ambiguous:
            ranks = {self.rank(u) for u in uses if not u.ambiguous}
            readings = set()
            for u in ambiguous:
                small = self.rank(u)
                if small in ranks and small + 1 in ranks:
                    raise Refused("digits", f"{base} has two ranks")
                readings.add(small + 1 not in ranks)
            if len(readings) > 1:
                raise Doubt("numbers of both kinds")
            self.multiplied[base] = readings.pop()

    def rank(self, u):
        is_place = u.low_digits and self.digits.get((u.base, u.low_digits)) == "place"
        return len(u.places) + (1 if is_place else 0)

    def capitals(self):
        """`v_A = M_{AB} w_B`: capitals that all stand alone elsewhere in the equation would be
        indices."""
        for e in self.equations:
            labels = []
            roots = [e.raw_left] + e.raw_sides + [x for _, ss in e.raw_other for x in ss]
            for r in roots:
                for n in names_in(r) if r is not None else ():
                    for h, t in n.scripts:
                        if h == "_" and sc.is_label(t) and t[0].kind == "letters":
                            labels.append(t[0].value)
            alone = {x for x in labels if len(x) == 1}
            for x in labels:
                if len(x) > 1 and set(x) <= alone:
                    raise Refused("capitals", f"{x}: a label or indices")

    # resolution -----------------------------------------------------------------------------------
    def resolve_all(self):
        self.defined_bases = set()
        for e in self.equations:
            if isinstance(e.raw_left, Name):
                self.defined_bases.add(sc.read_use(e.raw_left, self.all_words).base)
        for f in self.own.values():
            Resolver(self, set(f.index or ()), f.parameters).check = None
        for f in self.own.values():
            letters = set(f.index or ()) | self.letters_in([f.body])
            f.body = Resolver(self, letters - set(f.parameters), f.parameters).node(f.body)
        for e in self.equations:
            others = [x for left, ss in e.raw_other for x in [left] + ss]
            roots = [e.raw_left] + e.raw_sides + others
            e.letters = self.letters_in(roots)
            r = Resolver(self, e.letters, ())
            e.left = r.left(e.raw_left)
            e.sides = [r.node(s) for s in e.raw_sides]
            e.other = [(r.left(left), [r.node(s) for s in ss]) for left, ss in e.raw_other]


class _Scalars:
    """d_i, n_k that are tensors in this text: all names of that letter."""

    def __init__(self, bases):
        self.bases = bases

    def __contains__(self, scalar):
        return scalar.split("_")[0] in self.bases


def single(tokens):
    if not tokens:
        return False
    greek = tokens[0].kind == "command" and tokens[0].value in GREEK_COMMANDS
    return (tokens[0].kind in ("letters", "text") or greek) and all(t.is_("'") for t in tokens[1:])


def is_letter(word):
    w = word.rstrip("'")
    return len(w) == 1 or w.startswith("\\")


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
        return rebuilt(n, self.node)

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
