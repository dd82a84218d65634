"""What is wrong, in Python's words."""

import keyword
import re

__all__ = ["Error", "Mistake"]


class Error(ValueError):
    """What was given does not fit: raised before anything is computed or written."""


class Mistake(Error):
    """A text that cannot be read as equations.

    Attributes
    ----------
    line, column : int
        Where it is in the text, both from 1; 0 where it has no place there.
    marked : str
        The line of the text with the place marked, ``Y^{i} = >>>A^{ij}<<< x^{k}``.
    """

    def __init__(self, words, line=0, column=0, marked=""):
        super().__init__(words)
        self.line = line
        self.column = column
        self.marked = marked

    def __reduce__(self):
        return Mistake, (str(self), self.line, self.column, self.marked)


_TYPES = {
    "ricci::bf16": "bfloat16",
    "ricci::f16": "float16",
    "std::complex<float>": "complex64",
    "std::complex<double>": "complex128",
    "std::int32_t": "int32",
    "std::int64_t": "int64",
    "float": "float32",
    "double": "float64",
}
# not where it is a name of the text, in braces
_TYPE = re.compile(r"(?<![\\\\{\w:<])(" + "|".join(re.escape(t) for t in _TYPES) + r")(?![}\w>])")
_ASSIGNED = re.compile(r'"((?:[^"\\]|\\\\)*)"_([ti]) = (\.\.\.|\d+)')
_PHRASES = {
    "a call binds inputs only, ricci::prepare binds outputs too":
        "a call takes inputs by name, and out={...} says where outputs are written",
    "ricci::explain takes shapes, a run takes tensors":
        "Program.explain takes shapes, a call takes arrays",
    ", and so has what std::cref() names; a number by value may be of any": "",
    "ricci::repeat": "Program.repeat",
    "in .shared": "in shared=[...]",
    "result().clone()": "result.copy()",
    ".clone()": ".copy()",
}


def binding(name, value="..."):
    """How `name` is given in a call: ``X=...``, or in a dict where it is no word of Python."""
    word = name.isidentifier() and not keyword.iskeyword(name) and name != "out"
    return f"{name}={value}" if word else f'{{r"{name}": {value}}}'


def _assigned(found):
    name, kind, value = found.groups()
    return binding(name.replace("\\\\", "\\"), value if kind == "t" else f"ricci.extent({value})")


def in_words_of_python(sentence):
    """A sentence of the library, which speaks of C++, as one that says what to write here."""
    if sentence.startswith("ricci: "):
        sentence = sentence[len("ricci: "):]
    sentence = _ASSIGNED.sub(_assigned, sentence)
    for phrase, other in _PHRASES.items():
        sentence = sentence.replace(phrase, other)
    sentence = _TYPE.sub(lambda found: _TYPES[found.group()], sentence)
    return sentence[:-1] if sentence.endswith("?.") else sentence


_MARKED = re.compile(r"line (\d+), column (\d+): (.*?)>>>(.*?)<<<(.*?) : (.*)$", re.DOTALL)


def error(sentence):
    """The exception for a sentence; a mistake where it marks a place of a text."""
    sentence = in_words_of_python(sentence)
    found = _MARKED.match(sentence)
    return mistake(sentence, int(found[1]), int(found[2])) if found else Error(sentence)


def mistake(message, line, column):
    """The exception for a mistake: its sentence, and the equation with a caret under the place."""
    message = in_words_of_python(message)
    found = _MARKED.match(message)
    if found is None:
        return Mistake(message, line, column)
    before, at, after, sentence = found.groups()[2:]
    caret = " " * len(before) + "^" * max(1, len(at))
    words = f"line {line}, column {column}: {sentence}\n    {before}{at}{after}\n    {caret}"
    return Mistake(words, line, column, f"{before}>>>{at}<<<{after}")
