"""Proof-reading the equations of a page."""

from ricci import _core
from ricci._results import Finding

__all__ = ["check"]


def check(text, name="page.md"):
    r"""What each displayed equation of a page is: defined, proved, refuted, ...

    Parameters
    ----------
    text : str
        LaTeX or Markdown.
    name : str
        How the page is called; ``.tex`` or ``.md`` says which it is.

    Returns
    -------
    list of Finding
        ``(line, column, equation, verdict, words)``

    Examples
    --------
    >>> [f.verdict for f in ricci.check("$$y = (a + b)^2$$ and $$y = a^2 + b^2 + 2 a b$$")]
    ['defines', 'proved']
    """
    return [Finding(*found) for found in _core.check(text, name)]
