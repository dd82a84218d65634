"""Pictures: diagrams as SVG, heat maps as pages of HTML."""

import base64
import html as _html

from ricci._errors import Error

__all__ = ["Picture"]


class Picture:
    """A picture that a notebook shows by itself; ``save`` writes it to a file.

    Examples
    --------
    >>> ricci.program("y^i = A^{ij} x^j").draw()
    <ricci.Picture: diagram; save(path) writes it>
    """

    def __init__(self, svg=None, html=None):
        self._svg = svg
        self._html = html

    def _repr_svg_(self):
        return self._svg

    def _repr_html_(self):
        if self._html is None:
            # an image, so that nobody who cleans pages takes its styles away
            data = base64.b64encode(self._svg.encode()).decode()
            return f'<img src="data:image/svg+xml;base64,{data}" alt="a tensor diagram">'
        # a document of its own, so that its styles and scripts stay apart from the notebook's
        page = _html.escape(self._html, quote=True)
        return (f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" '
                'sandbox="allow-scripts"></iframe>')

    def save(self, path):
        """Writes the picture: a diagram to ``.svg``, heat maps to ``.html``."""
        path = str(path)
        words, ending = (self._svg, ".svg") if self._svg is not None else (self._html, ".html")
        if not path.endswith(ending):
            raise Error(f"this picture is saved with the ending {ending}, and not as {path}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(words)

    def __repr__(self):
        kind = "diagram" if self._svg is not None else "heat maps"
        return f"<ricci.Picture: {kind}; save(path) writes it>"
