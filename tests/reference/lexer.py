"""From a text to tokens, and from tokens to statements. Knows LaTeX's dress, not what equations
mean."""

import re


class Refused(Exception):
    """The page refuses the text; `category` is one word, `words` say why."""

    def __init__(self, category, words=""):
        super().__init__(f"{category}: {words}")
        self.category = category
        self.words = words


class Doubt(Exception):
    """The page does not say what the text means, or this reader does not know: nothing is
    compared."""


class Token:
    """kind: letters (a run), command, text, operator (a function's name), number, or the sign
    itself."""

    __slots__ = ("kind", "value", "space")

    def __init__(self, kind, value, space=False):
        self.kind = kind
        self.value = value
        self.space = space  # whether white space stands before it

    def __repr__(self):
        return f"{self.kind}:{self.value}"

    def is_(self, *signs):
        return self.kind in ("sign", "command") and self.value in signs


SPACES = {
    "\\,", "\\;", "\\!", "\\:", "\\ ", "\\quad", "\\qquad", "\\left", "\\right", "\\displaystyle",
    "\\nonumber", "\\notag", "\\bigl", "\\bigr", "\\big", "\\Big", "\\limits"
}
SIZES = {"\\left", "\\right", "\\bigl", "\\bigr", "\\big", "\\Big"}
BRACKET = re.compile(
    r"\s*([(){}\[\]|<>/.]|\\[{}|]|\\[lr]?(vert|Vert|floor|ceil|angle|brace|brack)\b)")
WITH_GROUP = {"\\tag", "\\label"}
DRESS = {"\\mathcal", "\\mathbf", "\\boldsymbol", "\\bm"}
ENVIRONMENTS = {"align", "align*", "aligned", "equation", "equation*", "split", "gather", "gather*"}
SAME = {
    "\\leq": "\\le", "\\geq": "\\ge", "\\neq": "\\ne", "\\ln": "\\log", "\\lvert": "|",
    "\\rvert": "|", "\\ast": "*", "\\times": "\\cdot", "\\odot": "\\cdot", "\\cdotp": "\\cdot",
    "\\coloneqq": ":=", "\\dfrac": "\\frac", "\\tfrac": "\\frac", "\\lbrace": "\\{", "\\rbrace": "\\}"
}
UNICODE = {
    "−": "-", "≤": "\\le ", "≥": "\\ge ", "≠": "\\ne ", "∑": "\\sum ", "∏": "\\prod ",
    "·": "\\cdot ", "×": "\\times ", "∞": "\\infty ", "∂": "\\partial ", "√": "\\sqrt ",
    "≔": ":="
}
GREEK = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
         "sigmaf sigma tau upsilon phi chi psi omega").split()
for number, word in enumerate(GREEK):
    UNICODE[chr(0x3B1 + number)] = f"\\{word} "
    UNICODE[chr(0x391 + number)] = f"\\{word.capitalize()} "
for space in "\u00a0\u2002\u2003\u2009\u200a\u202f\u200b\ufeff":
    UNICODE[space] = " "
GREEK_COMMANDS = {"\\" + w for w in GREEK} | {"\\" + w.capitalize() for w in GREEK} | {
    "\\varepsilon", "\\vartheta", "\\varphi", "\\varrho", "\\ell"}

PIECES = re.compile(
    r"""(?P<comment>%[^\n]*)|(?P<defines>:=)|(?P<break>\\\\)|(?P<command>\\[A-Za-z]+\*?|\\[^A-Za-z])
    |(?P<number>\d+(?:\.\d+)?)|(?P<letters>[A-Za-z]+)|(?P<newline>\n)
    |(?P<space>[ \t\r]+)|(?P<sign>.)""",
    re.VERBOSE)


def group_after(text, at):
    """The content of the braces that begin at `at` (after white space), and where they end."""
    while at < len(text) and text[at] in " \t\n":
        at += 1
    if at >= len(text) or text[at] != "{":
        raise Refused("unbalanced", "a brace is expected")
    depth = 0
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[at + 1:end], end + 1
    raise Refused("unbalanced", "a brace is never closed")


def tokens_of(text):
    """All tokens of a text; statements are separated by tokens of kind `break`."""
    text = "".join(UNICODE.get(c, c) for c in text)
    out = []
    at = 0
    space = False
    while at < len(text):
        m = PIECES.match(text, at)
        kind, value = m.lastgroup, m.group()
        at = m.end()
        if kind in ("comment", "space"):
            space = True
            continue
        if kind in ("newline", "break"):
            if kind == "newline" and not text[text.rfind("\n", 0, at - 1) + 1:at - 1].strip():
                value = "empty line"
            out.append(Token("break", value))
            space = True
            continue
        if kind == "defines":
            kind = "sign"
        if kind == "sign" and ord(value[0]) > 127:
            raise Refused("character", value)
        if kind == "command":
            if value.endswith("*") and value[:-1] != "\\operatorname":
                value, at = value[:-1], at - 1
            value = SAME.get(value, value)
            if value in SPACES:
                if value in SIZES and not BRACKET.match(text, at):
                    raise Refused("unexpected", f"no bracket follows {value}")
                space = True
                continue
            if value in WITH_GROUP:
                _, at = group_after(text, at)
                continue
            if value in ("\\begin", "\\end"):
                name, at = group_after(text, at)
                if name in ENVIRONMENTS:
                    out.append(Token("break", "environment"))
                    continue
                out.append(Token("command", value + "{" + name + "}", space))
                space = False
                continue
            if value in ("\\text", "\\operatorname", "\\operatorname*", "\\mathrm", "\\mathbb"):
                content, at = group_after(text, at)
                content = content.strip()
                if value == "\\mathbb":
                    if content != "1":
                        raise Doubt("mathbb")
                    continue  # \mathbb{1}[...] is the bracket
                if value == "\\mathrm" and content == "i":
                    out.append(Token("command", "\\imaginary", space))
                elif value.startswith("\\operatorname"):
                    out.append(Token("operator", content, space))
                else:
                    out.append(Token("text", content, space))
                space = False
                continue
            if value in DRESS:
                content, end = group_after(text, at)
                text = text[:at] + content + text[end:]
                continue
            if value in ("|", ":="):
                kind = "sign"
        elif kind == "sign" and value == "&":
            if in_braces(out):
                raise Refused("unexpected", "& within braces")
            space = True
            continue
        if kind == "sign" and value == "$":
            if at < len(text) and text[at] == "$":
                at += 1
            out.append(Token("break", "$$"))
            continue
        out.append(Token(kind, value, space))
        space = False
    return out


def in_braces(tokens):
    """Whether a brace is open since the last \\begin."""
    depth = 0
    for t in reversed(tokens):
        if t.kind == "command" and t.value.startswith("\\begin{"):
            return False
        depth += 1 if t.is_("{") else -1 if t.is_("}") else 0
        if depth > 0:
            return True
    return False


OPENING = {"{": "}", "(": ")", "[": "]"}
JOINS = ("+", "-", "*", "/", "=", ":=", "\\cdot", "\\Leftrightarrow")
LINE_ENDS = ("\n", "\\\\")  # where an equation may go on; other breaks end it


def joined(tokens):
    """The tokens without the ends of lines at which an equation goes on: those behind or before an
    operator. What ends a line otherwise stays a break."""
    out, cases = [], 0
    for k, t in enumerate(tokens):
        if t.kind == "command" and t.value.startswith(("\\begin{", "\\end{")):
            cases += 1 if t.value.startswith("\\begin{") else -1
        # a row of cases ends where it ends
        if t.kind == "break" and t.value in LINE_ENDS and not (cases > 0 and t.value == "\\\\"):
            rest = (n for n in tokens[k + 1:] if n.kind != "break" or n.value not in LINE_ENDS)
            after = next(rest, None)
            if after is not None and after.is_(*JOINS) or out and out[-1].is_(*JOINS):
                continue
        out.append(t)
    return out


def statements_of(tokens):
    """Lists of tokens between the breaks that stand outside of all brackets."""
    out, now, depth, cases = [], [], 0, 0
    for t in joined(tokens):
        if t.kind == "command" and t.value.startswith("\\begin{"):
            cases += 1
        if t.kind == "command" and t.value.startswith("\\end{"):
            cases -= 1
        if t.kind == "sign" and t.value in "{([":
            depth += 1
        if t.kind == "sign" and t.value in "})]":
            depth -= 1
        ends = t.kind == "break" or t.kind == "sign" and t.value == ";"
        if ends and t.value == "empty line" and (depth > 0 or cases > 0):
            raise Refused("unbalanced", "an empty line within brackets")
        if ends and cases > 0:
            if t.value == "\\\\":
                now.append(Token("sign", "\\\\"))
            continue
        if ends and depth > 0 and t.value == "\\\\":
            raise Refused("unexpected", "a new row within brackets")
        if ends and (depth == 0 or t.value == ";"):
            if now:
                out.append(now)
            now, depth = [], 0
            continue
        if ends:
            continue
        now.append(t)
    if now:
        out.append(now)
    for s in out:  # a comma or a full stop at the end
        while s and s[-1].kind == "sign" and s[-1].value in ",.":
            s.pop()
    return [s for s in split_at_commas(out) if s]


class Behind(list):
    """What stands behind a comma in the line of the statement before it."""


def says_axis(tokens):
    """i \\in \\operatorname{axis}_0(v)"""
    return any(t.is_("\\in") for t in tokens) and not any(t.is_("=", ":=") for t in tokens)


def split_at_commas(statements):
    """`A = B, \\quad C = D` are two equations, and an axis may stand behind one."""
    for s in statements:
        depth, start, made = 0, 0, list
        for k, t in enumerate(s):
            if t.kind == "sign" and t.value in "{([":
                depth += 1
            if t.kind == "sign" and t.value in "})]":
                depth -= 1
            later = s[k + 1:]
            if (t.kind == "sign" and t.value == "," and depth == 0 and
                    any(x.is_("=", ":=", "\\in") for x in s[start:k]) and
                    any(x.is_("=", ":=", "\\in") for x in later)):
                yield made(s[start:k])
                start, made = k + 1, Behind
        yield made(s[start:])


def split_sides(statement):
    """The sides of a statement at its top-level `=`, `:=` and `\\Leftrightarrow`: [[side, ...],
    ...], and whether `:=` stands behind the first side, which is its only place."""
    groups, sides, now, depth, cases = [], [], [], 0, 0
    defines = False
    for t in statement:
        if t.kind == "sign" and t.value in "{([":
            depth += 1
        if t.kind == "sign" and t.value in "})]":
            depth -= 1
        if t.kind == "command" and t.value.startswith("\\begin{"):
            cases += 1
        if t.kind == "command" and t.value.startswith("\\end{"):
            cases -= 1
        if t.is_(":="):
            if depth > 0 or cases > 0 or sides or groups:
                raise Refused("unexpected", ":= stands first in a chain")
            defines = True
        if depth == 0 and cases == 0 and t.is_("=", ":=", "\\Leftrightarrow"):
            sides.append(now)
            now = []
            if t.value == "\\Leftrightarrow":
                groups.append(sides)
                sides = []
            continue
        now.append(t)
    sides.append(now)
    groups.append(sides)
    return groups, defines
