"""What each name of a text is: a tensor with places, a scalar, an index used as a number, a
function. Surveys the whole text; resolve.py then rewrites the tree of every equation."""

from collections import defaultdict

import scripts as sc
from cursor import letters_of, split_commas
from lexer import (GREEK_COMMANDS, Behind, Doubt, Refused, says_axis, split_sides, statements_of,
                   tokens_of)
from raw import (Equation, Own, is_exponential, is_letter, names_in, only_letters, parse, single,
                 walk_raw)
from resolve import Resolver
from syntax import Parser
from conditions import condition_letters
from tree import Apply, Bracket, Call, Derivative, Inverse, Matrix, Name, Norm, Reduce


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
        self.axes = []  # (equation or None for all, letter, name, axis)
        statements = statements_of(tokens_of(text))
        raw = [(s, split_sides(s)) for s in statements]
        self.operators = self.defined_operators([r for s, r in raw if not says_axis(s)])
        self.kept = []  # lines of one name: outputs
        for statement, (groups, defines) in raw:
            if says_axis(statement):
                self.read_axis(statement)
            else:
                self.read_statement(groups, defines)
        if not self.equations and not self.own:
            raise Refused("unexpected", "no equation")
        self.sort_functions()
        self.survey()
        self.resolve_all()

    # statements -----------------------------------------------------------------------------------
    @staticmethod
    def defined_operators(raw):
        out = set()
        for groups, _ in raw:
            left = groups[0][0]
            if len(left) > 2 and left[0].kind in ("operator", "text") and left[1].is_("_") and any(
                    t.is_("(") for t in left):
                out.add(left[0].value)
        return out

    def read_axis(self, tokens):
        p = Parser(tokens)
        letter = ""
        while not p.accept("\\in"):
            letter += p.take().value
        word, below = p.take(), p.take()
        if word.kind != "operator" or word.value != "axis" or not below.is_("_"):
            raise Refused("unexpected", "an index runs over an axis")
        number = p.argument()
        if len(number) != 1 or not number[0].value.isdigit():
            raise Refused("unexpected", "an axis is a number")
        p.expect("(")
        name = self.read_left(p.until(")"), Equation())
        if not isinstance(name, Name) or p.at != len(tokens):
            raise Doubt("an axis of a derivative")
        behind = isinstance(tokens, Behind)
        self.axes.append((self.equations[-1] if behind else None, letter, name,
                          int(number[0].value)))

    def read_statement(self, groups, defines):
        e = Equation()
        if len(groups) == 1 and len(groups[0]) == 1:
            e.function = None
            e.raw_left = self.read_left(groups[0][0], e)
            if e.function is not None:
                raise Refused("unexpected", "a name that is kept has no parenthesis")
            self.kept.append(e)
            return
        if len(groups[0]) < 2:
            raise Refused("unexpected", "an equation needs a left and a right side")
        e.defines = defines
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
        if any(p in self.own for f in self.own.values() for p in f.parameters):
            raise Doubt("a parameter that is a function too")

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
                if isinstance(n, Matrix):
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
        for e in self.equations + self.kept:
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
                script = left.scripts[0][1] if left.scripts else ()
                if u.scalar and len(script) == 1 and script[0].kind != "text" and any(
                        script[0].value in self.letters_in([s]) | compared_letters(s)
                        for s in e.raw_sides):
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
        for e in self.equations + self.kept:
            others = [x for left, ss in e.raw_other for x in [left] + ss]
            roots = [e.raw_left] + e.raw_sides + others
            e.letters = self.letters_in(roots)
            left = self.letters_in([e.raw_left])
            for s in e.raw_sides + [s for _, ss in e.raw_other for s in ss]:
                e.letters |= condition_letters(s, e.letters, left, self)
            r = Resolver(self, e.letters, ())
            e.left = r.left(e.raw_left)
            e.sides = [r.node(s) for s in e.raw_sides]
            e.other = [(r.left(left), [r.node(s) for s in ss]) for left, ss in e.raw_other]
        self.axes = [(e, letter, sc.read_use(name, self.all_words).base, axis)
                     for e, letter, name, axis in self.axes]


def compared_letters(side):
    """Letters that stand by themselves in brackets that have indices: the k of [t_i = k]."""
    return {n.base for x in walk_raw(side) if isinstance(x, Bracket)
            if any(m.scripts and not sc.is_power(m.scripts[0][1]) for m in names_in(x))
            for n in names_in(x) if not n.scripts and is_letter(n.base)}


class _Scalars:
    """d_i, n_k that are tensors in this text: all names of that letter."""

    def __init__(self, bases):
        self.bases = bases

    def __contains__(self, scalar):
        return scalar.split("_")[0] in self.bases
