"""Goes over tokens: looks ahead, takes what brackets hold, and reads lists of letters."""

from lexer import GREEK_COMMANDS, Refused, Token

END = Token("end", "")


class Cursor:
    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else END

    def take(self):
        t = self.peek()
        self.at += 1
        return t

    def accept(self, *signs):
        if self.peek().is_(*signs):
            return self.take()
        return None

    def expect(self, sign):
        if not self.accept(sign):
            raise Refused("unbalanced" if sign in "})]|" else "unexpected",
                          f"{sign} is expected, not {self.peek()}")

    def until(self, closing):
        """The tokens up to the bracket that closes, which is taken."""
        pairs = {"{": "}", "(": ")", "[": "]"}
        stack, out = [closing], []
        while True:
            t = self.take()
            if t is END:
                raise Refused("unbalanced", f"{closing} is missing")
            if t.kind == "sign" and t.value == stack[-1]:
                stack.pop()
                if not stack:
                    return out
            elif t.kind == "sign" and t.value in pairs:
                stack.append(pairs[t.value])
            elif t.kind == "sign" and t.value in "})]":
                raise Refused("unbalanced", f"{t.value} closes nothing")
            out.append(t)

    def argument(self):
        """`{...}`, or the next token, as TeX takes an argument."""
        if self.accept("{"):
            return self.until("}")
        t = self.take()
        if t is END:
            raise Refused("unexpected", "an argument is missing")
        if t.kind == "letters" and len(t.value) > 1 and not self.peek().is_("^", "_"):
            raise Refused("two readings", "two letters of which one stands above or below")
        if t.kind == "number" and len(t.value) > 1:
            raise Refused("two readings", "two digits of which one stands above or below")
        if t.kind == "letters" and len(t.value) > 1:
            self.at -= 1
            self.tokens = list(self.tokens)
            self.tokens[self.at] = Token(t.kind, t.value[1:])
            return [Token(t.kind, t.value[0])]
        return [t]

    def command_until(self, closing):
        out, depth = [], 0
        while True:
            t = self.take()
            if t is END:
                raise Refused("unbalanced", closing)
            if t.value == closing and depth == 0:
                return out
            if t.kind == "sign":
                depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(t.value, 0)
            out.append(t)


def split_commas(tokens):
    out, depth = [[]], 0
    for t in tokens:
        if t.kind == "sign":
            depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(t.value, 0)
        if depth == 0 and t.is_(","):
            out.append([])
        else:
            out[-1].append(t)
    return out


def is_digits(tokens):
    return bool(tokens) and all(t.kind == "number" for t in tokens)


def letters_of(tokens):
    """The indices of a list such as j, h,c, j' or ij."""
    out = []
    for t in tokens:
        if t.is_(","):
            continue
        if t.is_("'") and out:
            out[-1] += "'"
        elif t.kind == "letters":
            out += list(t.value)
        elif t.kind == "command" and t.value in GREEK_COMMANDS:
            out.append(t.value)
        else:
            raise Refused("unexpected", f"an index is expected, not {t}")
    return out
