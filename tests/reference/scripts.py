"""What stands above and below a name: labels, powers, numbers, and lists of places."""

from dataclasses import dataclass, field

from lexer import GREEK_COMMANDS, Doubt, Refused, Token
from cursor import is_digits, split_commas
from tree import Name, Place


@dataclass
class Use:
    """A name with its scripts read as far as they can be without the rest of the text."""
    base: str  # with its labels
    places: list = field(default_factory=list)  # of (height, Place)
    power: list = None  # tokens
    low_digits: str = ""  # a subscript of digits alone
    place_of_digits: int = 0  # where among the places the digits would stand
    scalar: str = ""  # d_x, n_x: the name of the scalar, if it is one
    ambiguous: bool = False  # x^{2i}: two readings, whose ranks differ by one
    label_after: bool = False


def is_label(tokens):
    """A subscript of capitals or of \\text."""
    if len(tokens) == 1 and tokens[0].kind == "text":
        return tokens[0].value
    if len(tokens) == 1 and tokens[0].kind == "letters" and tokens[0].value.isupper():
        return tokens[0].value
    return ""


def is_power(tokens):
    """A superscript of numbers, signs and strokes only."""
    if any(t.kind in ("letters", "text",
                      "operator") or t.kind == "command" and t.value in GREEK_COMMANDS
           for t in tokens):
        return False
    return any(t.kind == "number" for t in tokens)


def is_inverse(tokens, before):
    """K_{ij}^{-1}, x^{i}{}^{-1}, K^{-1ij} and K^{ij-1}: an element's reciprocal, or the inverse
    matrix?"""
    def minus_one(two):
        return len(two) == 2 and two[0].is_("-") and two[1].value == "1"
    if minus_one(tokens):
        return len(before) > 1 or any(height == "^" for height, _ in before)
    letters = [t for t in pieces(tokens) if not t.is_("-") and t.kind != "number"]
    if any(t.kind != "letter" for t in letters) or not letters:
        return False
    if minus_one(tokens[:2]):
        return not tokens[2].is_("+", "-")
    return len(letters) > 1 and minus_one(tokens[-2:]) and len(pieces(tokens)) == len(letters) + 2


def read_use(name, words=frozenset()):
    use = Use(name.base)
    scripts = name.scripts
    if (name.base in ("d", "n") and len(scripts) == 1 and scripts[0][0] == "_" and
            len(scripts[0][1]) == 1):
        t = scripts[0][1][0]
        if t.kind == "letters" and len(t.value) == 1 or t.kind == "text" or (
                t.kind == "command" and t.value in GREEK_COMMANDS):
            use.scalar = name.base + "_" + t.value
    for height, tokens in scripts:
        if use.power is not None:
            raise Doubt("scripts behind a power")
        label = is_label(tokens) if height == "_" else (
            tokens[0].value if len(tokens) == 1 and tokens[0].kind == "text" else "")
        if label:
            use.base += "_" + label
        elif height == "^" and is_inverse(tokens, use.places):
            raise Refused("inverse", "a -1 beside indices")
        elif height == "^" and is_power(tokens):
            if is_digits(tokens) and len(tokens[0].value) > 1 and tokens[0].value.startswith("0"):
                raise Refused("digits", "zeros above a name")
            if is_digits(tokens) and len(tokens) > 1:
                raise Doubt("numbers with a space")
            use.power = tokens
        elif height == "_" and is_digits(tokens):
            if len(tokens) > 1 or use.low_digits:
                raise Doubt("numbers with a space")
            use.low_digits = tokens[0].value
            use.place_of_digits = len(use.places)
        else:
            if height == "_" and any(t.kind == "letters" and t.value.upper() != t.value.lower() and
                                     t.value[0].isupper() != t.value[-1].isupper() for t in tokens):
                raise Refused("mixed", "capitals and small letters below a name")
            letters = [c for t in tokens if t.kind == "letters" for c in t.value]
            if height == "_" and any(c.isupper() for c in letters):
                raise Refused("mixed", "capitals among indices")
            if height == "^" and len(tokens) == 1 and tokens[0].value in ("T", "\\top", "\\dagger"):
                raise Refused("index free", "a transposition")
            places, ambiguous = read_places(tokens, words)
            use.ambiguous = use.ambiguous or ambiguous
            use.places += [(height, p) for p in places]
    return use


def read_places(tokens, words=frozenset()):
    """The places of a script, and whether a number at a beginning could also be a place of its
    own."""
    if tokens and tokens[0].is_("(") and tokens[-1].is_(")") and len(split_commas(
            tokens[1:-1])) > 1:
        tokens = tokens[1:-1]
    chunks = split_commas(tokens)
    out, ambiguous = [], False
    for chunk in chunks:
        if not chunk:
            raise Refused("unexpected", "an empty place")
        if has_sign(chunk):
            out.append(affine(chunk))
            continue
        if len(chunks) > 1 and len(chunk) == 1 and chunk[0].kind == "letters" and len(
                chunk[0].value) > 1 and (chunk[0].value in words):
            out.append(Place("index", [(1, chunk[0].value)]))
            continue
        places, two = sequence(chunk)
        ambiguous = ambiguous or two
        out += places
    return out, ambiguous


def has_sign(tokens):
    depth = 0
    for t in tokens:
        if t.kind == "sign":
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(t.value, 0)
            if depth == 0 and t.value in "+-":
                return True
    return False


def pieces(tokens):
    """Single letters with their primes, numbers, and the rest."""
    out = []
    for t in tokens:
        if t.kind == "letters":
            out += [Token("letter", c) for c in t.value]
        elif t.kind == "command" and t.value in GREEK_COMMANDS:
            out.append(Token("letter", t.value))
        elif t.is_("'") and out and out[-1].kind == "letter":
            out[-1] = Token("letter", out[-1].value + "'")
        else:
            out.append(t)
    return out


def closing(tokens, at):
    depth = 0
    for k in range(at, len(tokens)):
        if tokens[k].kind == "sign":
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(tokens[k].value, 0)
        if depth == 0:
            return k
    raise Refused("unbalanced", "in a list of indices")


def sequence(tokens):
    t = pieces(tokens)
    out, ambiguous, k = [], False, 0
    while k < len(t):
        now = t[k]
        if now.kind == "number":
            if "." in now.value:
                raise Refused("unexpected", "a fraction as a place")
            follows = k + 1 < len(t) and t[k + 1].kind == "letter" and not (k + 2 < len(t) and
                                                                            t[k + 2].is_("_"))
            if int(now.value) >= 2 and k == 0 and follows:
                out.append(Place("affine", [(int(now.value), t[k + 1].value)]))
                ambiguous = True
                k += 2
                continue
            if k == 0 and int(now.value) >= 2 and k + 1 < len(t):
                raise Doubt("a number before what is no letter")
            if len(now.value) > 1 and len(t) > 1:
                raise Doubt("a number of several digits among letters")
            out.append(Place("number", [], int(now.value)))
            k += 1
        elif now.kind in ("letter", "text"):
            if k + 1 < len(t) and t[k + 1].is_("_"):
                if k + 2 < len(t) and t[k + 2].is_("{"):
                    end = closing(t, k + 2)
                    below, after = t[k + 3:end], end + 1
                else:
                    below, after = t[k + 2:k + 3], k + 3
                below = [
                    Token("letters", b.value.rstrip("'"))
                    if b.kind == "letter" and not b.value.startswith("\\") else b for b in below
                ]
                out.append(Place("gathered", value=Name(now.value, [("_", below)])))
                k = after
                continue
            if now.kind == "text":
                raise Doubt("a word among indices")
            out.append(Place("index", [(1, now.value)]))
            k += 1
        elif now.is_("("):
            end = closing(t, k)
            inside = t[k + 1:end]
            if all(x.kind == "letter" for x in inside) and inside:
                kind = "merged" if len(inside) > 1 else "index"
                out.append(Place(kind, [(1, x.value) for x in inside]))
            else:
                out.append(affine(inside))
            k = end + 1
        elif now.kind == "operator" and now.value in ("clamp", "wrap", "pad"):
            if k + 1 >= len(t) or not t[k + 1].is_("("):
                raise Refused("unexpected", now.value)
            end = closing(t, k + 1)
            inner = affine(t[k + 2:end])
            out.append(Place(now.value, inner.terms, inner.offset))
            k = end + 1
        elif now.is_("{") or now.is_("}"):
            k += 1
        elif now.is_("^"):
            raise Doubt("a place that a tensor with upper indices says")
        else:
            raise Refused("unexpected", f"{now} among indices")
    return out, ambiguous


def affine(tokens):
    t = pieces(tokens)
    terms, offset, sign, k, expected, numbered = [], 0, 1, 0, True, False
    while k < len(t):
        now = t[k]
        if now.is_("+", "-"):
            if expected and k > 0:
                raise Refused("unexpected", "two signs")
            sign = 1 if now.value == "+" else -1
            expected = True
            k += 1
            continue
        if not expected:
            raise Doubt("arithmetic of indices beyond sums")
        if now.kind == "number":
            n = int(now.value) if now.value.isdigit() else None
            if n is None:
                raise Refused("unexpected", "a fraction in a place")
            k += 1
            if k < len(t) and t[k].is_("\\cdot", "*"):
                k += 1
            if k < len(t) and t[k].kind == "letter":
                terms.append((sign * n, t[k].value))
                k += 1
            else:
                offset += sign * n
                numbered = True
        elif now.kind == "letter":
            if k + 1 < len(t) and t[k + 1].is_("_"):
                raise Doubt("arithmetic with what a tensor says")
            terms.append((sign, now.value))
            k += 1
        else:
            raise Doubt(f"{now} in the arithmetic of a place")
        expected = False
    if expected:
        raise Refused("unexpected", "a place ends with a sign")
    if not terms:
        return Place("number", [], offset)
    if len(terms) == 1 and terms[0][0] == 1 and offset == 0:
        return Place("index", terms)
    # with a number a place counts from 0, as written
    written = numbered and any(c < 0 for c, _ in terms)
    return Place("written" if written else "affine", terms, offset)
