#!/usr/bin/env python3
"""What a real browser draws of the pages of `ricci show` and `ricci run --show`.

usage: browser_test.py RICCI

It needs chromium with its driver, and numpy, and is skipped (77) where they are not there.
"""

import json
import os
import sys
import unittest

from browsed import Browsed
from pages import WORKED, WORKED_OPERANDS, np

DOWN, RIGHT, LEFT, END, TAB = "\ue015", "\ue014", "\ue012", "\ue010", "\ue004"
MAGENTA = (214, 24, 127)
# A page has to be drawn in less than a second on a quiet machine; here others may be at work too.
MOST_MILLISECONDS = float(os.environ.get("RICCI_MOST_MILLISECONDS", "3000"))


def luminance(colour):
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055)**2.4 for c in (x / 255 for x in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class Drawn(Browsed):
    def test_colours_of_values(self):
        self.show_array(np.linspace(0, 1, 36).reshape(6, 6))
        colours = self.colours([[k // 6, k % 6] for k in range(36)])
        self.assertEqual((colours[0], colours[35]), ((254, 248, 225), (0, 35, 84)))
        lightness = [luminance(c) for c in colours]
        self.assertEqual(lightness, sorted(lightness, reverse=True),
                         "lightness falls as values grow")
        self.assertEqual(len(set(colours)), 36)

    def test_colours_around_zero(self):
        self.show_array(np.linspace(-1, 1, 21).reshape(3, 7))
        colours = self.colours([[k // 7, k % 7] for k in range(21)])
        self.assertGreater(min(colours[10]), 240)
        for negative, positive in zip(colours[:10], reversed(colours[11:])):
            self.assertGreater(negative[2], negative[0], "blue")
            self.assertGreater(positive[0], positive[2], "orange")
            # as dark as each other, so that size reads alike
            self.assertLess(abs(luminance(negative) - luminance(positive)), 0.1)

    def test_special_values(self):
        self.show_array([[np.nan, 1, np.inf], [0, 0.5, -np.inf]])
        nan, above, below = self.colours([[0, 0], [0, 2], [1, 2]])
        self.assertEqual(nan, MAGENTA)
        self.assertEqual(len({nan, above, below}), 3)
        legend = self.browser.text("#legend")
        for words in ("1 NaN", "1 +\u221e", "1 \u2212\u221e"):
            self.assertIn(words, legend)
        self.assertIn(": NaN", self.value())
        # one among a thousand that share its pixels is still seen
        a = np.zeros((1000, 2000))
        a[500, 1000] = np.nan
        self.show_array(a)
        self.assertTrue(self.browser.run("""
            const canvas = document.querySelector('#panels canvas');
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            for (let k = 0; k < data.length; k += 4)
                if (data[k] === 214 && data[k + 1] === 24 && data[k + 2] === 127) return true;
            return false;"""))
        self.assertLess(self.browser.run("return document.querySelector('#panels canvas').width"),
                        1300)

    def test_nothing_finite_and_one_number(self):
        self.show_array(np.full((2, 2), np.nan))
        self.assertEqual(self.colours([[1, 1]]), [MAGENTA])
        self.assertIn("no finite number", self.browser.text("#about"))
        self.show_array(np.array(7.5))
        self.assertIn("7.5", self.value())
        self.assertIn("a number", self.browser.text("#about"))
        self.show_array(np.arange(5))
        self.focus()
        self.browser.keys(END)
        self.assertEqual(self.value(), "column 4: 4")

    def test_one_value_is_not_drawn_as_zero(self):
        self.show_array(np.full((2, 2), 7.5))
        self.assertEqual(self.colours([[0, 0]]), [(0, 35, 84)])
        self.show_array(np.zeros((2, 2)))
        self.assertEqual(self.colours([[0, 0]]), [(254, 248, 225)])

    def test_few_large_values_hide_nothing(self):
        a = np.linspace(0, 1, 400).reshape(20, 20)
        a[19, 19] = 1000
        self.show_array(a)
        self.assertEqual(len(set(self.colours([[k, 0] for k in range(20)]))), 20)
        self.assertIn("and more", self.browser.text("#legend"))
        self.choose("full", 1)
        self.assertEqual(len(set(self.colours([[k, 0] for k in range(20)]))), 1)
        self.assertNotIn("and more", self.browser.text("#legend"))

    def test_minus_infinity_is_unlike_any_value(self):
        for values in (np.linspace(0, 1, 256), np.linspace(-1, 1, 255)):
            a = np.append(values, np.full(256 - values.size + 1, -np.inf)).reshape(1, -1)
            self.show_array(a)
            below = self.colours([[0, a.size - 1]])[0]
            for colour in self.colours([[0, k] for k in range(0, values.size, 5)]):
                self.assertGreater(sum(abs(x - y) for x, y in zip(below, colour)), 60)

    def test_complex_numbers(self):
        phases = np.linspace(-np.pi, np.pi, 24, endpoint=False)
        a = np.outer([1, 0.5, 0], np.exp(1j * phases))
        self.show_array(a)
        full, half, none = (self.colours([[row, k] for k in range(24)]) for row in range(3))
        self.assertEqual(len(set(full)), 24)
        self.assertEqual(len(set(none)), 1)
        # each modulus has about one lightness, in all hues
        for dark, light in ((full, half), (half, none)):
            self.assertLess(max(map(luminance, dark)), min(map(luminance, light)))
        zero, quarter, less = (full[k] for k in (12, 18, 6))
        self.assertGreater(zero[0], max(zero[1:]), "red at phase 0")
        self.assertLess(quarter[2], min(quarter[:2]), "no blue at a quarter turn")
        self.assertGreater(less[2], less[1], "violet at minus a quarter turn")
        self.assertIn("modulus 0 in the middle, 1 at the rim", self.browser.text("#legend"))
        self.browser.pointer(self.place(1, 18))
        self.assertEqual(self.browser.text("#tip"),
                         f"row 1, column 18: modulus 0.5, phase {np.pi / 2!r} (90.0\u00b0)")
        # the colours of the wheel are those of the panel
        wheel = self.browser.run("""
            const context = document.querySelector('.wheel').getContext('2d');
            return [[51, 26], [26, 0], [26, 51]].map(
                ([x, y]) => Array.from(context.getImageData(x, y, 1, 1).data.slice(0, 3)))""")
        for colour, cell in zip(wheel, (zero, quarter, less)):
            self.assertLess(sum(abs(x - y) for x, y in zip(colour, cell)), 60)

    def test_complex_numbers_that_are_not_finite(self):
        a = np.exp(1j * np.linspace(-np.pi, np.pi, 64, endpoint=False)).reshape(2, 32)
        a = np.vstack([a, np.full(32, np.nan)])
        a[2, 1] = np.inf
        self.show_array(a)
        nan, infinite = self.colours([[2, 0], [2, 1]])
        self.assertEqual(nan, MAGENTA)
        for colour in self.colours([[k // 32, k % 32] for k in range(64)]):
            for special in (nan, infinite):
                self.assertGreater(sum(abs(x - y) for x, y in zip(colour, special)), 60)
        self.assertIn("31 NaN", self.browser.text("#legend"))
        self.assertIn("1 \u221e", self.browser.text("#legend"))
        # numbers whose phases cancel are grey, and not the colour of 0
        self.show_array(np.tile([1.0 + 0j, -1], (1500, 1500)))
        mixed, = self.colours([[700, 1500]])
        self.assertLess(max(mixed) - min(mixed), 60)
        self.assertLess(luminance(mixed), 0.4)

    def test_complex_difference(self):
        self.save("a.npy", np.array([[1 + 1j, 2]]))
        self.save("b.npy", np.array([[1 + 3j, 1 - 1j]]))
        self.show("show", "a.npy", "b.npy")
        self.focus(2)
        self.assertEqual(self.value(), "difference, row 0, column 0: 2\u222090.0\u00b0")
        self.browser.keys(RIGHT)
        self.assertEqual(self.value(),
                         "difference, row 0, column 1: 1.414\u2220\u2212135.0\u00b0")
        self.save("r.npy", np.array([[-1.0, 2]]))
        self.show("show", "r.npy", "b.npy")
        self.focus(2)
        self.assertEqual(self.value(), "difference, row 0, column 0: 3.606\u222056.3\u00b0")

    def test_keys(self):
        a = np.arange(40.0).reshape(5, 8) / 8
        self.show_array(a)
        self.focus()
        self.browser.keys(DOWN + DOWN + RIGHT)
        self.assertEqual(self.value(), "row 2, column 1: 2.125")
        self.browser.keys(RIGHT, shift=True)
        self.assertEqual(self.value(), "row 2, column 7: 2.875")
        self.browser.keys(LEFT + DOWN)
        self.assertEqual(self.value(), "row 3, column 6: 3.75")
        self.assertEqual(self.browser.run("return [row.value, column.value].join()"), "3,6")
        self.choose("row", 1)
        self.assertEqual(self.value(), "row 1, column 6: 1.75")
        live = self.browser.run("return document.getElementById('value').getAttribute('aria-live')")
        self.assertEqual(live, "polite")

    def test_every_control_is_reached_by_tab(self):
        self.show_array(np.zeros((2, 3, 4, 5)))
        wanted = self.browser.run("""return document.querySelectorAll(
            'select, input, button, #panels canvas').length""")
        reached = set()
        for _ in range(wanted + 2):
            self.browser.keys(TAB)
            reached.add(self.browser.run("""const e = document.activeElement;
                if (e === document.body) return '';
                const panels = [...document.querySelectorAll('#panels canvas')];
                return e.id || 'panel ' + panels.indexOf(e)"""))
        self.assertEqual(len(reached - {""}), wanted)

    def test_pointer(self):
        self.show_array(np.arange(12).reshape(3, 4))
        self.browser.pointer(self.place(1, 2))
        self.assertEqual(self.browser.text("#tip"), "row 1, column 2: 6")
        # what a key does may bring another cell below the pointer, of which it says nothing
        self.focus()
        self.browser.keys("+")
        self.assertTrue(self.browser.run("return document.getElementById('tip').hidden"))
        self.browser.keys("0")
        self.browser.pointer(self.place(2, 3), "down", "up")
        self.assertEqual(self.value(), "row 2, column 3: 11")
        self.assertIn("row 2", self.browser.text("#trace h2"))

    def test_zoom(self):
        a = np.arange(400 * 900.0).reshape(400, 900)
        self.show_array(a)
        self.focus()
        self.choose("row", 100)
        self.choose("column", 700)
        self.focus()
        self.browser.keys("+" * 14)
        top, bottom, left, right = map(float, self.window().split())
        self.assertTrue(top <= 100 < bottom <= top + 8 and left <= 700 < right <= left + 8,
                        (top, bottom, left, right))
        # a cell is many pixels now, and has the colour of its value alone
        row, column = int(top) + 1, int(left) + 1
        scale = self.colours([[row, column], [row, column + 1]])
        self.assertEqual(scale[0], scale[1])
        self.browser.pointer(self.place(row, column))
        self.assertIn(f": {int(a[row, column])}", self.browser.text("#tip"))
        before = self.window()
        x, y = self.place(row, column)
        self.browser.pointer((x, y), "down", (x + 60, y + 30), "up")
        after = self.window()
        self.assertLess(float(after.split()[2]), float(before.split()[2]))
        # a key that leaves the window takes it along
        self.focus()
        self.browser.keys(END)
        self.assertIn("column 899", self.value())
        self.assertEqual(float(self.window().split()[3]), 900)
        self.browser.keys("0")
        self.assertEqual(self.window(), "0 400 0 900")

    def test_difference(self):
        r = np.random.default_rng(6)
        a, b = r.random((4, 5)), r.random((4, 5))
        b[2, 3] = a[2, 3]
        self.save("a.npy", a)
        self.save("b.npy", b)
        self.show("show", "a.npy", "b.npy")
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#panels canvas').length"), 3)
        for row in range(4):
            for column, colour in enumerate(self.colours([[row, c] for c in range(5)], panel=2)):
                if b[row, column] > a[row, column] + 0.1:
                    self.assertGreater(colour[0], colour[2])
                if b[row, column] < a[row, column] - 0.1:
                    self.assertGreater(colour[2], colour[0])
        self.assertGreater(min(self.colours([[2, 3]], panel=2)[0]), 240)
        self.focus(2)
        self.browser.keys(DOWN + RIGHT)
        self.assertTrue(self.value().startswith("difference, row 1, column 1: "))
        shown = float(self.value().split(": ")[1].replace("\u2212", "-"))
        self.assertAlmostEqual(shown, b[1, 1] - a[1, 1], places=8)
        self.save("c.npy", np.zeros((4, 6)))
        self.show("show", "a.npy", "c.npy")
        self.assertIn("no difference of panels of different extents", self.browser.text("#panels"))

    def test_heads_and_axes(self):
        a = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
        self.show_array(a)
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#panels canvas').length"), 3)
        self.choose("lead-0", 1)
        self.focus(2)
        self.browser.keys(RIGHT)
        self.assertEqual(self.value(), f"axis 0: 1, panel 2, row 0, column 1: {a[1, 2, 0, 1]}")
        self.browser.click("#mode-compare")
        self.choose("left-panel", 0)
        self.choose("right-panel", 2)
        self.focus(2)
        self.assertTrue(self.value().endswith(": 40"), self.value())
        self.browser.click("#mode-one")
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#panels canvas').length"), 1)
        self.show_array(np.zeros((100, 2, 2)))
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#panels canvas').length"), 24)
        self.choose("group", 4)
        self.assertEqual(self.browser.text("figcaption"), "panel 96")


class Runs(Browsed):
    def test_trace(self):
        self.show_worked()
        self.focus(0)
        self.browser.keys(DOWN)
        trace = self.browser.text("#trace")
        self.assertIn("i = 1 \u201ccat\u201d", trace)
        # the numbers that examples/attention prints of the token cat, of both heads
        rows = self.browser.run("""
            const words = (row) => row.innerText.trim().split(/\\s+/).join(' ');
            return [...document.querySelectorAll('#trace section')].map((section) => [
            ...[...section.querySelectorAll('tbody tr')].map(words),
            section.querySelector('.vector:last-of-type').textContent.split('= ')[1]])""")
        self.assertEqual(rows[0][:2], ["The 2 1.4142 0.3664", "cat 0 0.0000 0.0891"])
        self.assertEqual(rows[0][5], self.output(0))
        self.assertEqual(rows[1][5], self.output(1))

    def output(self, head):
        q, k, v = (np.load(WORKED / f"{name}.npy").reshape(5, 2, 2)[:, head] for name in "QKV")
        weights = np.exp(q[1] @ k.T / np.sqrt(2))
        values = weights / weights.sum() @ v
        return "[" + "  ".join(f"{x:.4g}" for x in values) + "]"

    def test_equations_are_set(self):
        self.show_worked()
        said = self.browser.run("""
            const all = document.querySelectorAll('#title math, #equation math, #trace math');
            return [...all].map(m => {
                const box = m.getBoundingClientRect();
                return [m.getAttribute('alttext'), box.width, box.height];
            })""")
        words = [one[0] for one in said]
        self.assertIn("A^{hij}", words)
        self.assertIn("S^{hij} = \\frac{1}{\\sqrt{d_k}} P^{hij}", words)
        self.assertTrue(all(width > 8 and height > 8 for _, width, height in said), said)
        # the fraction is set as one: its root stands below the line of its 1
        above, below = self.browser.run("""
            const fraction = document.querySelector('#trace .formulas mfrac');
            return [...fraction.children].map(part => part.getBoundingClientRect().y)""")
        self.assertGreater(below, above + 5)

    def test_several_extents(self):
        self.show_worked("h:1,2,4", "d_k=4,2,1")
        for choice, heads in enumerate((1, 2, 4)):
            self.choose("view", choice)
            self.assertEqual(
                self.browser.run("return document.querySelectorAll('#panels canvas').length"),
                heads)
            self.assertIn(f"{heads} \u00d7 5 \u00d7 5", self.browser.text("#about"))
        self.browser.click("#mode-compare")
        self.choose("left-view", 0)
        self.choose("right-view", 2)
        self.focus(2)
        self.assertIn("difference, i = 0 \u201cThe\u201d", self.value())

    def test_labels_are_text(self):
        self.save("a.npy", np.eye(3))
        wild = [
            "</script><script>document.title = 'broken'</script>", "<b>bold</b>",
            "\u65e5\u672c & <img src=x>"
        ]
        (self.path / "t.txt").write_text("\n".join(wild), encoding="utf-8")
        self.show("show", "a.npy", "--labels", "t.txt")
        self.assertEqual(self.browser.run("return document.title"), "a.npy")
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#panels b, #trace b, img').length"),
            0)
        self.focus()
        self.browser.keys(DOWN + DOWN)
        self.assertIn(wild[2], self.value())
        self.assertIn(wild[1], self.browser.text("#trace"))


class Media(Browsed):
    def tearDown(self):
        self.browser.media()
        super().tearDown()

    def ground(self):
        return self.browser.run("return getComputedStyle(document.body).backgroundColor")

    def test_dark_and_light(self):
        self.show_array([[0, 0.25], [0.5, 1]])
        light = self.colours([[0, 0], [1, 1]])
        self.assertEqual(self.ground(), "rgb(255, 255, 255)")
        self.browser.media(scheme="dark")
        dark = self.colours([[0, 0], [1, 1]])
        self.assertLess(sum(map(int, self.ground()[4:-1].split(","))), 120)
        # what is small is near the ground in both
        self.assertGreater(luminance(light[0]), luminance(light[1]))
        self.assertLess(luminance(dark[0]), luminance(dark[1]))

    def test_print(self):
        self.show_array(np.random.default_rng(7).random((30, 6, 6)))
        self.browser.media("print", "dark")
        self.browser.settle()
        self.assertEqual(self.ground(), "rgb(255, 255, 255)")
        shown = self.browser.run(
            "return getComputedStyle(document.getElementById('controls')).display")
        self.assertEqual(shown, "none")
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#panels canvas').length"), 30)
        corner = self.browser.run("""
            const context = document.querySelector('#panels canvas').getContext('2d');
            return Array.from(context.getImageData(1, 1, 1, 1).data)""")
        self.assertGreater(luminance(corner[:3]), 0.9)
        self.browser.print(self.path / "page.pdf")
        self.assertGreater((self.path / "page.pdf").stat().st_size, 20000)
        self.browser.media()
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#panels canvas').length"), 24)

    def test_narrow(self):
        self.browser.size(400, 700)
        self.show_worked()
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 400)


class Large(Browsed):
    def test_opens_quickly(self):
        a = np.random.default_rng(8).random((12, 1024, 1024), np.float32)
        a[3, 500, 1000:] = np.nan
        self.save("a.npy", a)
        self.works("show", "a.npy", "-o", "page.html")
        times = [self.browser.open(self.path / "page.html") for _ in range(3)]
        print(f"12 x 1024 x 1024 is drawn after {min(times):.0f} ms", file=sys.stderr)
        self.assertLess(min(times), MOST_MILLISECONDS)
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('#panels canvas').length"), 12)
        self.assertLess(self.browser.run("return document.querySelectorAll('*').length"), 1000)
        self.assertIn("24 NaN", self.browser.text("#legend"))
        self.focus(5)
        self.browser.keys(RIGHT)
        shown, error = self.value().split(": ")[1].split(" \u00b1 ")
        self.assertLess(abs(float(shown) - a[5, 0, 1]),
                        1.2 * float(error.replace("\u2212", "-")) + 1e-12)


class Quiet(Browsed):
    listening = True

    def test_nothing_is_asked_of_a_network(self):
        self.show_worked()
        said = [
            json.loads(entry["message"])["message"] for entry in self.browser.log("performance")
        ]
        asked = [one["params"] for one in said if one["method"] == "Network.requestWillBeSent"]
        # the browser's own first page asks for much
        mine = [one["request"]["url"] for one in asked if one["documentURL"].startswith("file:")]
        self.assertTrue(mine, "the page itself")
        self.assertEqual([], [url for url in mine if not url.startswith(("file:", "data:"))])


if __name__ == "__main__":
    unittest.main()
