"""Reads MathML as a reader would, and writes what it says in LaTeX."""

import unicodedata

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
FUNCTIONS = {"exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "max", "min", "arg", "det"}
SIGNS = {
    "\u2212": "-", "\u2211": "\\sum", "\u220f": "\\prod", "\u2264": "\\le", "\u2260": "\\ne",
    "\u00b7": "\\cdot", "\u2227": "\\land", "\u2228": "\\lor", "\u00ac": "\\lnot", "mod": "\\bmod",
    "\u230a": "\\lfloor", "\u230b": "\\rfloor", "\u2061": "", "\u2062": " ", "\u2202": "\\partial"
}
LETTERS = {"\u2113": "\\ell", "\u2202": "\\partial", "\u221e": "\\infty", "\u03f5": "\\epsilon",
           "\u03d5": "\\phi", "\u03b5": "\\varepsilon", "\u03c6": "\\varphi"}
ACCENTS = {"^": "\\hat", "~": "\\tilde", "\u00af": "\\bar", "\u02d9": "\\dot"}


def letter(text, upright):
    if upright:
        return "\\mathrm{i}" if text == "i" else (
            f"\\{text}" if text in FUNCTIONS else f"\\operatorname{{{text}}}")
    if text in LETTERS:
        return LETTERS[text] + " "
    name = unicodedata.name(text[0], "") if len(text) == 1 else ""
    if name.startswith("GREEK"):
        word = name.split()[-1].lower()
        word = {"lamda": "lambda"}.get(word, word)
        return "\\" + (word.capitalize() if "CAPITAL" in name else word) + " "
    return text


def inside(element):
    return "".join(map(latex_of, element))


def scripts(base, below, above):
    """Primes stand before the indices."""
    primes = len(above) - len(above.lstrip("\u2032")) if above else 0
    above = above[primes:] if above else above
    return (base + "'" * primes + (f"_{{{below}}}" if below else "") +
            (f"^{{{above}}}" if above else "")) + " "


def latex_of(element):
    tag, children = element.tag.removeprefix(NAMESPACE), list(element)
    text = element.text or ""
    match tag:
        case "math" | "mrow" if children and children[0].tag.endswith("mo") and (
                children[0].text == "{"):
            rows = [[inside(cell) for cell in row] for row in children[1]]
            return ("\\begin{cases}" + "\\\\".join(" & ".join(row) for row in rows) +
                    "\\end{cases}")
        case "math" | "mrow" | "mtr" | "mtd":
            return inside(element)
        case "mtable":
            return " ".join(map(latex_of, children))
        case "mi":
            return letter(text, element.get("mathvariant") == "normal")
        case "mn" | "mspace":
            return text
        case "mtext":
            return f"\\text{{{text.replace(chr(0xa0), ' ')}}}"
        case "mo":
            return f"{SIGNS[text]} " if text in SIGNS else text
        case "msup" | "mover" if element.get("accent") != "true":
            return scripts(latex_of(children[0]).rstrip(), "", latex_of(children[1]).strip())
        case "mover":
            return f"{ACCENTS[children[1].text]}{{{latex_of(children[0]).strip()}}}"
        case "msub" | "munder":
            return scripts(latex_of(children[0]).rstrip(), latex_of(children[1]).strip(), "")
        case "msubsup" | "munderover":
            return scripts(latex_of(children[0]).rstrip(), *(latex_of(c).strip()
                                                             for c in children[1:]))
        case "mfrac":
            return f"\\frac{{{latex_of(children[0])}}}{{{latex_of(children[1])}}}"
        case "msqrt":
            return f"\\sqrt{{{inside(element)}}}"
    raise ValueError(f"<{tag}> is not known")
