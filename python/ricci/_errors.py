"""What is wrong, in Python's words."""

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
}
_TYPE = re.compile("|".join(re.escape(t) for t in _TYPES))
_ASSIGNED = re.compile(r'"((?:[^"\\]|\\\\)*)"_[ti] = (\.\.\.|\d+)')
_FLOATING = re.compile(r"\b(is|of|are|type|and|of type|elements of|from|to) (float|double)\b")


def binding(name, value="..."):
    """How `name` is given in a call: ``X=...``, or ``{r"\\beta": ...}`` where it is no word of Python."""
    return f"{name}={value}" if name.isidentifier() else f'{{r"{name}": {value}}}'


def in_words_of_python(sentence):
    """A sentence of the library, which speaks of C++, as one that says what to write here."""
    if sentence.startswith("ricci: "):
        sentence = sentence[len("ricci: "):]

    def assigned(found):
        name = found.group(1).replace("\\\\", "\\")
        value = found.group(2)
        return binding(name, value if value == "..." else f"ricci.extent({value})")

    sentence = _ASSIGNED.sub(assigned, sentence)
    sentence = _TYPE.sub(lambda t: _TYPES[t.group()], sentence)
    sentence = _FLOATING.sub(
        lambda t: t.group(1) + (" float32" if t.group(2) == "float" else " float64"), sentence)
    return sentence.replace(".clone()", ".copy()")


def error(sentence):
    """The exception for a sentence."""
    return Error(in_words_of_python(sentence))


def mistake(message, line, column):
    """The exception for a mistake: its sentence, and the equation with a caret under the place."""
    message = in_words_of_python(message)
    found = re.match(r"line \d+, column \d+: (.*?)>>>(.*?)<<<(.*?) : (.*)$", message, re.DOTALL)
    if found is None:
        return Mistake(message, line, column)
    before, at, after, sentence = found.groups()
    caret = " " * len(before) + "^" * max(1, len(at))
    words = f"line {line}, column {column}: {sentence}\n    {before}{at}{after}\n    {caret}"
    return Mistake(words, line, column, f"{before}>>>{at}<<<{after}")
