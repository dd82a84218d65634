#!/usr/bin/env python3
"""What a page says around its heat maps, in a real browser: axes, ranges, what tables leave out.

usage: names_test.py RICCI

It needs chromium with its driver, and numpy, and is skipped (77) where they are not there.
"""

import sys
import unittest

from browsed import Browsed
from pages import WORKED, WORKED_OPERANDS, np


class Names(Browsed):
    def inked(self, panel=0):
        """Whether something is written on the left of the rows' labels, and above the columns'."""
        return self.browser.run("""
            const canvas = document.querySelectorAll('#panels canvas')[arguments[0]];
            const [left, top] = canvas.dataset.titles.split(' ').map(Number);
            const ratio = canvas.width / parseFloat(canvas.style.width);
            const some = (width, height) => {
                if (width * height === 0) return false;
                const {data} = canvas.getContext('2d').getImageData(0, 0, width, height);
                return data.some((x, k) => k % 4 < 3 && x < 128);
            };
            return [some(Math.floor(left * ratio), canvas.height),
                    some(canvas.width, Math.floor(top * ratio))];""", panel)

    def test_axes_are_named(self):
        said = "return document.querySelector('#panels canvas').getAttribute('aria-label')"
        self.show_worked()
        self.assertIn("5 rows i and 5 columns j;", self.browser.run(said))
        for panel in range(2):
            self.assertEqual(self.inked(panel), [True, True])
        self.works("run", str(WORKED / "attention.tex"), *WORKED_OPERANDS, "h:2", "d_k=2", "--show",
                   "A=page.html", "--panels", "j")
        self.browser.open(self.path / "page.html")
        self.assertIn("2 rows h and 5 columns i;", self.browser.run(said))
        # of a file it is known which are rows, and no more; what is no axis has no name
        for shape, named in (((3, 4), [True, True]), ((4, ), [False, True]), ((), [False, False])):
            self.show_array(np.zeros(shape))
            self.assertEqual(self.inked(), named, shape)

    def test_ranges(self):
        r = np.random.default_rng(8)
        a, b, c = r.standard_normal((3, 4)), r.standard_normal((2, 3, 4)), np.full((3, 4), np.nan)
        b[0, 0, :3], b[1, 1, 1:] = np.nan, (np.inf, np.inf, -np.inf)
        for name, array in (("a", a), ("b", b), ("c", c), ("z", a + 1j * c)):
            self.save(f"{name}.npy", array)
        self.show("show", "a.npy", "b.npy", "c.npy", "z.npy")

        def four(x):
            return f"{x:.4g}".replace("-", "\u2212")
        finite = b[np.isfinite(b)]
        wanted = [
            f"a.npy: f64, 3 \u00d7 4; {four(a.min())} to {four(a.max())}; values are exact.",
            f"b.npy: f64, 2 \u00d7 3 \u00d7 4; {four(finite.min())} to {four(finite.max())}, "
            "3 NaN, 2 +\u221e, 1 \u2212\u221e; values are exact.",
            "c.npy: f64, 3 \u00d7 4; no finite number, 12 NaN; values are exact.",
        ]
        lines = self.browser.run(
            "return [...document.querySelectorAll('#about p')].map(x => x.textContent)")
        self.assertEqual(lines[:3], wanted)
        self.assertIn("no finite number, 12 NaN; moduli", lines[-1])
        # in whichever way they are shown
        self.browser.run("document.getElementById('mode-one').click()")
        self.browser.settle()
        self.assertIn("2 +\u221e, 1 \u2212\u221e", self.browser.text("#about"))

    def test_what_a_table_leaves_out(self):
        r = np.random.default_rng(9)
        a, b = r.random((2, 400)), r.random((2, 400))
        a[0, 17], b[0, 300] = np.nan, np.inf
        self.save("a.npy", a)
        self.save("b.npy", b)
        self.show("show", "a.npy", "b.npy", "--part", ":,100:")
        shown = self.browser.run(
            "return [...document.querySelectorAll('#trace tbody th')].map(x => +x.textContent)")
        sizes = np.abs(b[0, 100:] - a[0, 100:])
        order = np.argsort(-sizes, kind="stable") + 100
        wanted = sorted({*order[:48], 100})
        self.assertEqual(shown, wanted)
        words = self.browser.text("#trace section p.small")
        self.assertIn("48 of 300 columns that are largest", words)
        ranges = words[words.rindex(": ") + 2:-1].split(", ")
        left_out = []
        for one in ranges:
            first, _, last = one.partition(" to ")
            left_out += range(int(first), int(last or first) + 1)
        self.assertEqual(left_out, [k for k in range(100, 400) if k not in wanted])
        largest = max(sizes[k - 100] for k in left_out)
        self.assertIn(f"none of them larger than {largest:.4g}", words)
        # of one tensor too, and where all are listed nothing is said
        self.browser.run("document.getElementById('mode-one').click()")
        self.browser.settle()
        self.assertIn("Left out", self.browser.text("#trace section p.small"))
        self.show("show", "a.npy", "b.npy", "--part", ":,0:48")
        self.assertNotIn("Left out", self.browser.text("#trace"))
        self.assertIn("NaN", self.browser.text("#trace tbody"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
