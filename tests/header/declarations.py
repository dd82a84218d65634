"""What headers declare in namespaces, read without a compiler: enough of C++ for files that
clang-format has laid out."""

import re

# A comment, a literal, or a line of the preprocessor with those that it goes on in.
SKIPPED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|"""
    r"""(?<![0-9a-zA-Z])'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*""",
    re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s+([\w:]*)\s*\{")
CLOSED_BY = {"(": ")", "{": "}", "[": "]"}


def without_words(text):
    """The text with spaces for comments, for what literals hold and for the preprocessor's lines."""
    def spaces(found):
        words = found[0]
        if words.startswith(('"', 'R"', "'")):
            return words[0] + re.sub(r"[^\n]", " ", words[1:-1]) + words[-1]
        return re.sub(r"[^\n]", " ", words)
    return SKIPPED.sub(spaces, text)


def end_of(text, begin):
    """Where the bracket that opens at `begin` is closed."""
    open_ones = []
    for at in range(begin, len(text)):
        if text[at] in CLOSED_BY:
            open_ones.append(CLOSED_BY[text[at]])
        elif open_ones and text[at] == open_ones[-1]:
            open_ones.pop()
            if not open_ones:
                return at
    raise ValueError("a bracket is not closed: " + text[begin:begin + 60])


def goes_on(head, text, after):
    """Whether a declaration goes on after braces: `head` is what it has before them."""
    rest = re.compile(r"\s*").match(text, after).end()
    follows = text[rest:rest + 1]
    is_class = re.match(r"(?:template\s*<.*?>\s*)?(?:requires\b.*?\s)?(?:class|struct|union|enum)\b", head,
                        re.DOTALL)
    is_value = re.search(r"=\s*(?:\[[^\]]*\]\s*)?$", head)  # of a variable, perhaps what a lambda gives
    return (is_class and not head.rstrip().endswith(")") or is_value or follows == ","
            or follows == ";" and "(" not in head)


def declarations(header):
    """(namespace, text) of every declaration at the level of a namespace."""
    text = without_words(header)
    spaces, begin, at = [], None, 0
    while at < len(text):
        if begin is None:
            opened = NAMESPACE.match(text, at)
            if opened:
                spaces.append(opened[1])
                at = opened.end()
                continue
            if text[at] == "}":
                spaces.pop()
            if text[at].isspace() or text[at] in ";}":
                at += 1
                continue
            begin = at
        if text[at] in CLOSED_BY:
            close = end_of(text, at)
            if text[at] == "{" and not goes_on(text[begin:at], text, close + 1):
                yield "::".join(spaces), text[begin:close + 1]
                begin = None
            at = close
        elif text[at] == ";":
            yield "::".join(spaces), text[begin:at + 1]
            begin = None
        at += 1


def without_template(text):
    """A declaration without `template <...>` and `requires` in front of it."""
    while text.startswith("template"):
        depth, round_ones, at = 0, 0, text.index("<")
        while True:
            round_ones += {"(": 1, ")": -1}.get(text[at], 0)
            if round_ones == 0:
                depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
            if depth == 0 and round_ones == 0:
                break
        text = text[at:].strip()
    if text.startswith("requires"):
        text = text[len("requires"):].strip()
        if text.startswith("("):
            text = text[end_of(text, 0) + 1:].strip()
    return text


# What a declaration without its template says first, and the name in it.
FORMS = [
    re.compile(r"concept (\w+)"),
    re.compile(r"using (?:enum )?(\w+) ="),
    re.compile(r"using (?:\w+::)*(\w+);"),
    re.compile(r"(?:enum class|enum struct|enum|class|struct|union) (?:RICCI_\w+ |\[\[.*?\]\] )*(\w+)"),
    re.compile(r'[^=]*?(operator ?(?:"\s*"\s*_?\w+|\(\)|\[\]|[^\s\w(]+))\s*\('),
    re.compile(r"[^=({]*?\b(\w+) ?(?:<[^=;{}()]*>)? ?(?:\[.*?\])? ?(?:=|\{|;|\()"),
]


def name_of(declaration):
    """What is declared; None where that is no name of the namespace, as with static_assert."""
    text = " ".join(declaration.split())
    if text.startswith(("static_assert", "using namespace", "friend")):
        return None
    text = re.sub(r"(?:static_cast<\w+>|decltype)\(", "x<", without_template(text))
    for form in FORMS:
        found = form.match(text)
        if found:
            # a member that is defined outside its class has been declared there
            return None if text[:found.start(1)].endswith("::") else found[1].replace(" ", "")
    return None
