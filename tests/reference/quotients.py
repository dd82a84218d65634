"""\\frac: a quotient, or a derivative."""

from cursor import END, is_digits
from lexer import Doubt, Refused
from readings import Readings
from tree import Derivative, Group, Name, Product


class Fractions(Readings):
    def fraction(self):
        above, below = self.argument(), self.argument()
        d = self.derivative(above, below)
        if d is not None:
            return d
        return Group(Product([(False, Group(self.inner(above))), (True, Group(self.inner(below)))]))

    def derivative(self, above, below):
        if not below or not below[0].is_("\\partial"):
            if below and below[0].kind == "letters" and above and above[0].kind == "letters" and (
                    below[0].value == "d" and above[0].value == "d"):
                raise Doubt("a tangent")
            return None
        p = type(self)(above, self.own)
        p.expect("\\partial")
        order = 1
        if p.accept("^"):
            digits = p.argument()
            order = int("".join(t.value for t in digits))
        of = p.primary() if p.peek() is not END else None
        if p.peek() is not END or of is None:
            raise Doubt("what is differentiated is not a name")
        by = []
        q = type(self)(below, self.own)
        while q.accept("\\partial"):
            t = q.take()
            if t.is_("\\frac"):
                raise Doubt("by a derivative")
            base = q.base_name(t)
            scripts = []
            while q.peek().is_("^", "_"):
                scripts += q.scripts()
            if scripts and scripts[-1][0] == "^" and is_digits(scripts[-1][1]):
                times = int(scripts.pop()[1][0].value)
                by += [Name(base, scripts)] * times
            else:
                by.append(Name(base, scripts))
        if q.peek() is not END or len(by) != order:
            raise Refused("unexpected", "the order of a derivative")
        return Derivative(of, by)
