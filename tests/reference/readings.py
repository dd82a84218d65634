"""What prints alike and means two things, which the page refuses: where the argument of a function
ends that has no parentheses, what / divides by, what braces hold, numbers side by side."""

from cursor import Cursor
from lexer import GREEK_COMMANDS, Doubt, Refused
from tree import Add, Apply, Call, Group, Name, Number, Product, Reduce

FUNCTION_COMMANDS = {
    "\\exp", "\\log", "\\sin", "\\cos", "\\tan", "\\arctan", "\\sinh", "\\cosh", "\\tanh",
    "\\max", "\\min", "\\det"
}


def is_minus_one(tokens):
    return len(tokens) == 2 and tokens[0].is_("-") and tokens[1].value == "1"


class Readings(Cursor):
    modulus_at = 0  # where the \bmod stands that the last term ends with
    open_at = -1  # where an argument without parentheses ends
    open_number = False  # it is one number
    open_over = ()  # the indices that it binds
    open_greedy = False  # and of \exp

    def refuse_modulus(self, terms, begin):
        """i + j \\bmod 2; but of i - i \\bmod 2 the other reading is 0."""
        written = [repr(t) for t in self.tokens]
        size = self.modulus_at - begin
        if len(terms) == 2 and written[begin - 1 - size:begin - 1] == written[
                begin:begin + size] and begin - 1 - size == 0:
            return
        raise Refused("two readings", "how much of a sum a modulus divides")

    def look_between(self, factors, sign, taken=0):
        """What follows a factor without \\cdot, or with / or \\bmod: could it be a part of it?"""
        before, here = self.at - taken, self.peek()
        if self.open_at == before and not self.binds_behind(before):
            named = here.kind == "operator" or here.value in FUNCTION_COMMANDS
            if sign or self.open_greedy or not named:
                raise Refused("two readings", "where a function's argument ends")
        if sign or not factors:
            return
        last = self.tokens[self.at - 1]
        alone = isinstance(factors[-1][1], Number) and last.kind == "number"
        if alone and here.kind == "number" and "." not in here.value:
            raise Refused("two readings", "two numbers side by side")
        if alone and here.is_("\\frac") and "." not in last.value and self.is_number_fraction():
            raise Refused("two readings", "a number before a fraction")
        named = last.kind == "letters" or last.is_("'") or last.value in GREEK_COMMANDS
        if not here.space and here.kind == "number" and named:
            raise Refused("two readings", "a number behind a name")

    def is_number_fraction(self):
        rest = [t for t in self.tokens[self.at + 1:self.at + 7] if not t.is_("{", "}")]
        return len(rest) >= 2 and all(t.kind == "number" for t in rest[:2])

    def refuse_exponent(self):
        """1e-3, as programs write numbers."""
        e, sign = self.peek(), self.peek(1)
        digits = self.peek(2) if sign.is_("+", "-") else sign
        if e.kind == "letters" and e.value in ("e", "E") and digits.kind == "number" and not (
                e.space or sign.space or digits.space):
            raise Refused("two readings", "a number with an exponent")

    def is_inverse(self, base):
        """(K^{-1})^{ij}, (K^{-1})_{ij}, (K^{-1})^i_j; whether K stands without indices is asked
        elsewhere."""
        name = base.body
        if not isinstance(name, Name) or len(name.scripts) != 1 or not is_minus_one(
                name.scripts[0][1]):
            return False
        if self.peek().is_("_"):
            return True
        begin = self.at
        scripts = self.scripts()
        self.at = begin
        return all(t.kind == "letters" or t.is_("'", ",") or t.value in GREEK_COMMANDS
                   for _, s in scripts for t in s) and sum(
                       len(t.value) if t.kind == "letters" else t.value in GREEK_COMMANDS
                       for _, s in scripts for t in s) == 2

    def binds_behind(self, at):
        """Whether an index that the open reduction binds stands behind: it has words of its own."""
        return any(c in t.value for c in self.open_over for t in self.tokens[at:]
                   if t.kind in ("letters", "command"))

    def refuse_power_of_braces(self, base):
        """The cursor is behind the ^."""
        if not hasattr(base, "loose"):
            return
        if base.loose:
            raise Refused("two readings", "braces as brackets")
        of = base.body
        if isinstance(of, Name) and of.scripts and is_minus_one(self.tokens[self.at + 1:self.at + 3]):
            several = sum(len(t.value) for _, s in of.scripts for t in s if t.kind == "letters") > 1
            if several or any(height == "^" for height, _ in of.scripts):
                raise Refused("inverse", "a -1 behind braces")

    def note_open(self, body, greedy, over=()):
        if self.open_at != self.at:  # of \\log \\sin x the inner one says what is open
            self.open_number, self.open_greedy = isinstance(body, Number), greedy
            self.open_over = over
        if isinstance(body, Call):
            raise Doubt("an argument before a parenthesis")
        self.open_at = self.at

    def in_braces(self, node):
        """A group in braces, which print no bracket: one factor is fine everywhere."""
        out = Group(node)
        out.loose = isinstance(node, (Add, Product, Reduce)) or (
            isinstance(node, Apply) and self.open_inside) or getattr(node, "loose", False)
        return out

    open_inside = False

    @staticmethod
    def refuse_loose(factors):
        """Braces around a sum, beside other factors; around a product they say nothing there."""
        for k, (divides, factor) in enumerate(factors):
            if not getattr(factor, "loose", False):
                continue
            body = factor.body
            while isinstance(body, Group):
                body = body.body
            if isinstance(body, Add) or divides and isinstance(body, Product):
                raise Refused("two readings", "braces as brackets")
            if k + 1 < len(factors) and not isinstance(body, Product):
                raise Refused("two readings", "braces as brackets")
            if isinstance(body, Product) and any(d for d, _ in body.factors):
                raise Doubt("braces around a quotient")
