"""From the tokens of one side of an equation to a tree. Names keep their scripts as written: what a
script means depends on the whole text, which names.py surveys."""

from cursor import END, letters_of, split_commas
from lexer import GREEK_COMMANDS, Doubt, Refused
from quotients import Fractions
from tree import (PLACES, Add, Apply, Bracket, Call, Cases, Compare, Group, Infinity, Inverse, Logic,
                  Matrix, Name, Norm, Number, Power, Product, Reduce)

COMMANDS = {
    "\\exp", "\\log", "\\sqrt", "\\sin", "\\cos", "\\tan", "\\arctan", "\\sinh", "\\cosh", "\\tanh",
    "\\det"
}
OPERATORS = {
    "sigmoid", "relu", "gelu", "silu", "elu", "softplus", "sign", "erf", "floor", "ceil", "conj",
    "Re", "Im", "exp", "log", "sqrt", "tanh", "abs", "sin", "cos", "max", "min", "ELU", "ReLU",
    "GELU", "SiLU"
}
MATRICES = {"solve", "det", "logdet", "chol"}
REDUCTIONS = {"mean", "softmax", "logsumexp", "max", "min"} | PLACES
ACCENTS = {"\\tilde", "\\hat", "\\bar", "\\dot"}
RELATIONS = {"\\le", "<", "\\ge", ">", "=", "\\ne"}
FUNCTION_LETTERS = {"f", "g", "h", "F", "G", "\\phi", "\\psi", "\\sigma", "\\rho"}


class Parser(Fractions):
    def __init__(self, tokens, own=()):
        super().__init__(tokens)
        self.own = own  # names of the text's own functions over an index

    def inner(self, tokens):
        return Parser(tokens, self.own).whole()

    def whole(self):
        out = self.sum_()
        if self.peek() is not END:
            raise Refused("unexpected", str(self.peek()))
        return out

    # expressions ----------------------------------------------------------------------------------
    def sum_(self):
        terms = []
        sign = 1
        if self.accept("-"):
            sign = -1
        elif self.accept("+"):
            pass
        while True:
            begin = self.at
            terms.append((sign, self.product()))
            if sign < 0 and getattr(terms[-1][1], "loose", False):
                self.refuse_loose([(False, terms[-1][1]), (False, Number("1"))])
            if self.modulus_at and (len(terms) > 1 or sign < 0):
                self.refuse_modulus(terms, begin)
            if self.accept("+"):
                sign = 1
            elif self.accept("-"):
                sign = -1
            else:
                break
        return terms[0][1] if len(terms) == 1 and terms[0][0] == 1 else Add(terms)

    def product(self):
        factors = []
        divided = False  # the last factor is a divisor
        modulus_at = 0
        while True:
            separated = bool(factors) and bool(self.accept("\\cdot", "*"))
            divides = bool(factors) and not separated and bool(self.accept("/"))
            remains = bool(factors) and not (separated or divides) and self.peek().is_(
                "\\bmod", "\\mod")
            if remains:
                modulus_at = self.at
                self.look_between(factors, "\\bmod")
                self.take()
                left = factors[0][1] if len(factors) == 1 else Product(factors)
                factors = [(False, Apply("modulo", [left, self.factor()]))]
                divided = True
                continue
            if not self.starts_factor():
                if separated or divides or not factors:
                    raise Refused("unexpected", f"a factor is expected, not {self.peek()}")
                break
            if divides:
                self.look_between(factors, "/", 1)
            elif separated and self.open_at == self.at - 1 and self.open_number:
                raise Refused("two readings", "where a function's argument ends")
            elif factors and not separated:
                if divided:
                    raise Refused("two readings", "what is divided by")
                self.look_between(factors, "")
            factors.append((divides, self.factor()))
            if divides and isinstance(factors[-1][1], Call):
                raise Doubt("a divisor before a parenthesis")
            divided = divides
            modulus_at = 0
        self.modulus_at = modulus_at
        if len(factors) == 1:
            return factors[0][1]
        self.refuse_loose(factors)
        return Product(factors)

    def starts_factor(self):
        t = self.peek()
        if t.kind in ("letters", "number", "text", "operator"):
            return True
        if t.kind == "sign":
            return t.value in "([{" or t.value == "|" and not self.inside_bars
        return t.kind == "command" and (
            t.value in COMMANDS or t.value in GREEK_COMMANDS or t.value in ACCENTS or t.value in {
                "\\frac", "\\sum", "\\prod", "\\max", "\\min", "\\infty", "\\imaginary",
                "\\begin{cases}", "\\lfloor", "\\lceil", "\\lVert", "\\underbrace"
            })

    inside_bars = False
    staggered = False

    def factor(self):
        base = self.primary()
        if isinstance(base, Group) and self.peek().is_("_", "^") and self.is_inverse(base):
            base = self.inverse(base.body)
        while self.accept("^"):
            self.refuse_power_of_braces(base)
            exponent = self.inner(self.argument())
            if isinstance(base, Reduce):
                base = self.power_of_reduction(base, exponent)
            else:
                base = Power(base, exponent)
        return base

    def inverse_follows(self):
        """y^i (K^{-1})^{ij}: a product, whatever stands before the parenthesis."""
        begin = self.at
        self.take()
        body = self.until(")")
        found = body[-3:-2] and body[-3].is_("-") and self.peek().is_("_", "^") and self.is_inverse(
            Group(self.inner(body)))
        self.at = begin
        return found

    def inverse(self, name):
        """(K^{-1})^{ij}, behind the parenthesis."""
        scripts = self.scripts()
        if len([i for _, s in scripts for i in letters_of(s)]) != 2:
            raise Refused("inverse", "an inverse has two indices")
        return Inverse(Name(name.base, scripts, self.staggered))

    @staticmethod
    def power_of_reduction(r, exponent):
        if r.kind in {"mean", "max", "min", "logsumexp"} | PLACES:
            raise Refused("two readings", f"a power behind {r.kind}")
        return Power(r, exponent)

    def primary(self):
        t = self.take()
        if t.kind == "number":
            self.refuse_exponent()
            return Number(t.value)
        if t.is_("("):
            return Group(self.inner(self.until(")")))
        if t.is_("{"):
            inside = Parser(self.until("}"), self.own)
            node = inside.whole()
            self.open_inside = inside.open_at == inside.at
            return self.in_braces(node)
        if t.is_("["):
            return Bracket(Conditions(self.until("]"), self.own).whole())
        if t.is_("|"):
            return Apply("abs", [self.bars()])
        if t.kind == "operator" or t.kind == "text" and t.value in REDUCTIONS | OPERATORS | MATRICES and (
                self.peek().is_("(") or self.peek().is_("_") and t.value not in OPERATORS -
                REDUCTIONS):
            return self.operator(t.value)
        if t.kind == "text" and t.value in OPERATORS | REDUCTIONS:
            raise Doubt("a function's name as a tensor")
        if t.kind in ("letters", "text"):
            if t.kind == "letters" and t.value == "e" and self.peek().is_("^"):
                return self.exponential()
            return self.name(t)
        if t.kind != "command":
            raise Refused("unexpected", str(t))
        if t.value in COMMANDS:
            return self.operator(t.value[1:])
        if t.value in ("\\max", "\\min"):
            return self.operator(t.value[1:])
        if t.value == "\\frac":
            return self.fraction()
        if t.value in ("\\sum", "\\prod"):
            return self.signed(t.value)
        if t.value == "\\infty":
            return Infinity()
        if t.value == "\\begin{cases}":
            return self.cases()
        if t.value in ("\\lfloor", "\\lceil"):
            closing = "\\rfloor" if t.value == "\\lfloor" else "\\rceil"
            return Apply("floor" if t.value == "\\lfloor" else "ceil",
                         [self.inner(self.command_until(closing))])
        if t.value == "\\lVert":
            return self.norm()
        if t.value == "\\underbrace":
            inside = Parser(self.argument(), self.own)
            body = inside.whole()
            self.open_inside = inside.open_at == inside.at
            if self.accept("_"):
                self.argument()
            return self.in_braces(body)
        if t.value == "\\imaginary":
            raise Doubt("complex")
        if t.value in GREEK_COMMANDS or t.value in ACCENTS:
            if t.value == "\\sigma" and self.peek().is_("("):
                return self.operator("sigmoid")
            return self.name(t)
        raise Refused("unknown command", t.value)

    def bars(self):
        """Up to the next bar at this depth; bars do not nest without other brackets between
        them."""
        out, depth = [], 0
        while True:
            t = self.take()
            if t is END:
                raise Refused("unbalanced", "|")
            if depth == 0 and t.is_("|"):
                return self.inner(out)
            if t.kind == "sign":
                depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(t.value, 0)
            out.append(t)

    # names ----------------------------------------------------------------------------------------
    def base_name(self, t):
        if t.kind == "command" and t.value in ACCENTS:
            inside = self.argument()
            if len(inside) != 1:
                raise Refused("unexpected", "one name below an accent")
            base = t.value + "{" + inside[0].value + "}"
        else:
            base = t.value
        while self.peek().is_("'") and not self.peek().space:
            self.take()
            base += "'"
        return base

    def scripts(self):
        out = []
        while True:
            if self.peek().is_("{") and self.peek(1).is_("}") and self.peek(2).is_("^", "_"):
                self.at += 2  # T^a{}_b
                self.staggered = True
                continue
            if not self.peek().is_("^", "_"):
                return out
            height = self.take().value
            if self.accept("<"):
                content = []
                while not self.peek().is_(">"):
                    if self.peek() is END:
                        raise Refused("unbalanced", "<")
                    content.append(self.take())
                self.take()
            else:
                content = self.argument()
            out.append((height, content))

    def name(self, t):
        base = self.base_name(t)
        self.staggered = False
        name = Name(base, self.scripts(), self.staggered)
        while self.peek().is_("'") and not self.peek().space:
            raise Doubt("a prime behind scripts")
        if self.peek().is_("(") and not self.inverse_follows():
            if base in FUNCTION_LETTERS and [h for h, _ in name.scripts] == ["^"]:
                raise Doubt("a power between a name and a parenthesis")
            self.take()
            body = self.until(")")
            return Call(name, split_commas(body), body)
        return name

    def exponential(self):
        """e^{...}, which resolve.py turns into a tensor where the text defines one."""
        return Name("e", self.scripts())

    # functions ------------------------------------------------------------------------------------
    def operator(self, function):
        if self.peek().is_("_"):
            self.take()
            below = self.argument()
            if function in self.own:
                self.expect("(")
                return Apply("own:" + function,
                             [below, [self.inner(a) for a in split_commas(self.until(")"))]])
            if function not in REDUCTIONS | MATRICES:
                raise Refused("unknown function", function)
            indices, condition = self.below_sign(below, function in MATRICES)
            if function in MATRICES and (len(indices) != 2 or indices[0] == indices[1]):
                raise Refused("unexpected", f"{function} takes the indices of rows and columns")
            if function in PLACES and (condition is not None or len(indices) != 1):
                raise Refused("places", f"{function} over other than one index")
            if function == "solve":
                self.expect("(")
                parts = [self.inner(a) for a in split_commas(self.until(")"))]
                if len(parts) != 2:
                    raise Refused("unexpected", "solve takes a matrix and a right-hand side")
                return Matrix(function, indices, parts)
            if self.peek().is_("("):
                self.take()
                body = Group(self.inner(self.until(")")))
                if self.peek().is_("^") and function != "softmax":
                    raise Refused("two readings", f"a power behind {function}")
            else:
                if not self.starts_factor():
                    raise Refused("unexpected", f"what {function} is of")
                body = self.factor()
                if getattr(body, "loose", False):
                    raise Refused("two readings", "braces as brackets")
                self.note_open(body, False, indices or ())
            if function in MATRICES:
                return Matrix(function, indices, [body])
            return Reduce(function, indices, body, condition)
        if function in self.own:
            raise Refused("unexpected", f"{function} needs an index")
        lower = {"ELU": "elu", "ReLU": "relu", "GELU": "gelu", "SiLU": "silu"}
        lowered = lower.get(function, function)
        if lowered not in OPERATORS and "\\" + lowered not in COMMANDS:
            raise Refused("unknown function", function)
        if lowered == "sqrt" and self.peek().is_("["):
            raise Doubt("a root of another degree")
        if self.peek().is_("^"):
            if self.peek(1).is_("{") and self.peek(2).is_("-") and self.peek(3).value == "1":
                raise Refused("two readings", "an inverse function or a reciprocal")
            raise Doubt("a power between a function and its argument")
        if lowered in ("max", "min"):
            self.expect("(")
            parts = [self.inner(p) for p in split_commas(self.until(")"))]
            if len(parts) != 2:
                raise Doubt("max of other than two")
            return Apply("maximum" if lowered == "max" else "minimum", parts)
        if lowered == "sqrt" and self.peek().is_("{"):
            return Apply("sqrt", [self.inner(self.argument())])
        if self.peek().is_("("):
            self.take()
            return Apply(lowered, [self.inner(self.until(")"))])
        if self.peek().is_("{"):
            body = self.primary()
            if getattr(body, "loose", False) and not (isinstance(body.body, Add) and
                                                      len(body.body.terms) == 1):
                raise Refused("two readings", "braces as brackets")
            if self.peek().is_("^"):
                raise Refused("two readings", "a power behind braces")
            self.note_open(body, lowered == "exp")
            return Apply(lowered, [body])
        if not self.starts_factor():
            raise Refused("unexpected", f"what {function} is of")
        body = self.factor()
        if lowered != "sqrt":  # whose stroke shows what it is of
            self.note_open(body, lowered == "exp")
        return Apply(lowered, [body])

    # signs that bind ------------------------------------------------------------------------------
    def signed(self, sign):
        kind = "sum" if sign == "\\sum" else "product"
        if not self.accept("_"):
            raise Refused("unexpected", f"{sign} says no index")
        below = self.argument()
        above = self.argument() if self.accept("^") else None
        body = self.product()
        self.refuse_loose([(False, body), (False, Number("1"))])
        r = Reduce(kind, [], body)
        named = any(t.is_(":") for t in below)  # \sum_{j : j = i}
        if above is not None or not named and any(t.is_("=") for t in below):
            return self.bounded(r, below, above)
        r.indices, r.condition = self.below_sign(below)
        return r

    def below_sign(self, below, plain=False):
        """The indices below a sign, or None where a condition says what is bound; the condition."""
        colon = [k for k, t in enumerate(below) if t.is_(":")]
        if plain or not colon and not any(
                t.is_(*RELATIONS, "\\land", "\\lor") and not t.is_("=") for t in below):
            return letters_of(below), None
        begin = colon[0] + 1 if colon else 0
        condition = Conditions(below[begin:], self.own).whole()
        return (letters_of(below[:colon[0]]) if colon else None), condition

    def bounded(self, r, below, above):
        k = [n for n, t in enumerate(below) if t.is_("=")]
        if len(k) != 1 or above is None:
            raise Refused("bounds", "of a sum")
        indices = letters_of(below[:k[0]])
        first = below[k[0] + 1:]
        if len(indices) != 1 or len(first) != 1 or first[0].value not in ("0", "1"):
            raise Refused("bounds", "a sum begins at 0 or 1")
        r.indices = indices
        start = int(first[0].value)
        if start == 1:
            r.from_one = indices
        r.bound = (start, above)
        return r

    def cases(self):
        branches, depth = [], 0
        rows = [[]]
        while True:
            t = self.take()
            if t is END:
                raise Refused("unbalanced", "cases")
            if t.kind == "command" and t.value == "\\end{cases}" and depth == 0:
                break
            depth += 1 if t.kind == "command" and t.value.startswith("\\begin{") else 0
            depth -= 1 if t.kind == "command" and t.value.startswith("\\end{") else 0
            if depth == 0 and t.is_("\\\\"):
                rows.append([])
                continue
            rows[-1].append(t)
        for row in rows:
            if not row:
                continue
            value, condition = split_case(row)
            branches.append(
                (self.inner(value),
                 None if condition is None else Conditions(condition, self.own).whole()))
        return Cases(branches)

    def norm(self):
        body = self.inner(self.command_until("\\rVert"))
        kind, indices = "2", None
        if self.accept("_"):
            below = self.argument()
            word = "".join(t.value for t in below)
            if word in ("1", "2", "F", "\\infty"):
                kind = word
            else:
                indices = letters_of(below)
        return Norm(kind, body, indices)


def split_case(row):
    """The value and the condition of one row of cases: the condition begins at \\text{if}, or ends
    the row."""
    for k, t in enumerate(row):
        if t.kind == "text" and t.value in ("if", "otherwise", "else", "for"):
            value = row[:k]
            rest = row[k + 1:]
            while value and value[-1].is_(","):
                value.pop()
            return value, (None if t.value in ("otherwise", "else") else rest)
    raise Doubt("a case without \\text{if}")


class Conditions(Parser):
    """Conditions: comparisons joined by \\land, \\lor and \\lnot."""

    def whole(self):
        out = self.disjunction()
        if self.peek() is not END:
            raise Refused("unexpected", str(self.peek()))
        return out

    def inner(self, tokens):
        return Parser(tokens, self.own).whole()

    def disjunction(self):
        parts = [self.conjunction()]
        while self.accept("\\lor"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Logic("or", parts)

    def conjunction(self):
        parts = [self.single()]
        while self.accept("\\land"):
            parts.append(self.single())
        if self.peek().is_(","):
            raise Refused("unexpected", "a comma between conditions")
        return parts[0] if len(parts) == 1 else Logic("and", parts)

    def single(self):
        if self.accept("\\lnot"):
            return Logic("not", [self.single()])
        if self.peek().is_("["):
            self.take()
            return Conditions(self.until("]"), self.own).whole()
        if self.peek().is_("("):
            closing = self.at
            self.take()
            inside = self.until(")")
            if self.peek() is END or self.peek().is_("\\land", "\\lor", ","):
                if any(t.is_(*RELATIONS) for t in inside):
                    return Conditions(inside, self.own).whole()
            self.at = closing
        begin = self.at
        sides = [self.sum_()]
        signs = []
        while self.peek().is_(*RELATIONS):
            signs.append(self.take().value)
            sides.append(self.sum_())
        if not signs:
            return sides[0]
        for t in self.tokens[begin:self.at]:
            if t.kind == "number" and t.value.isdigit() and int(float(t.value)) != int(t.value):
                if int(t.value) < 2**64:
                    raise Refused("rounded", f"{t.value} is between two doubles")
        parts = [Compare(s, sides[k], sides[k + 1]) for k, s in enumerate(signs)]
        return parts[0] if len(parts) == 1 else Logic("and", parts)
