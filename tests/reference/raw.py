"""What is known of an equation before its names are understood: raw trees, whose names keep their
scripts as written, and the functions that a text defines."""

from lexer import GREEK_COMMANDS, Refused
from cursor import letters_of
from syntax import Parser
from tree import Apply, Call, Derivative, Name, children


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
        self.defines = False   # by :=, a derivative too
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


def single(tokens):
    if not tokens:
        return False
    greek = tokens[0].kind == "command" and tokens[0].value in GREEK_COMMANDS
    return (tokens[0].kind in ("letters", "text") or greek) and all(t.is_("'") for t in tokens[1:])


def is_letter(word):
    w = word.rstrip("'")
    return len(w) == 1 or w.startswith("\\")
