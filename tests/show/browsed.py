"""What the tests of pages in a browser share: the browser, and what is seen in it.

They need chromium with its driver, and numpy, and are skipped (77) where these are not there.
"""

import sys

import webdriver

if webdriver.missing():
    print(webdriver.missing())
    sys.exit(77)

from pages import WORKED, WORKED_OPERANDS, Case  # noqa: E402: needs what was looked for above


class Browsed(Case):
    listening = False

    @classmethod
    def setUpClass(cls):
        cls.browser = webdriver.Browser(cls.listening)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def setUp(self):
        super().setUp()
        self.browser.size(1280, 900)

    def tearDown(self):
        # nothing is wrong on any page; what is said of drawing is that the tests look at pixels
        self.assertEqual(
            [], [entry for entry in self.browser.log("browser") if entry["source"] != "rendering"])
        super().tearDown()

    def show(self, *words):
        self.works(*words, "-o", "page.html")
        self.browser.open(self.path / "page.html")

    def show_array(self, array, *words):
        self.save("a.npy", array)
        self.show("show", "a.npy", *words)

    def show_worked(self, *words):
        operands = words or ("h:2", "d_k=2")
        self.works("run", str(WORKED / "attention.tex"), *WORKED_OPERANDS, *operands, "--show",
                   "A=page.html", "--labels", str(WORKED / "tokens.txt"))
        self.browser.open(self.path / "page.html")

    def window(self):
        """The rows and columns that are on the screen."""
        return self.browser.run("return document.querySelector('#panels canvas').dataset.window")

    def value(self):
        return self.browser.text("#value")

    def focus(self, panel=0):
        self.browser.run("document.querySelectorAll('#panels canvas')[arguments[0]].focus()", panel)
        self.browser.settle()

    def choose(self, control, value):
        self.browser.run(
            """const e = document.getElementById(arguments[0]); e.value = arguments[1];
            e.dispatchEvent(new Event('change')); e.dispatchEvent(new Event('input'));""", control,
            str(value))
        self.browser.settle()

    def colours(self, cells, panel=0):
        """The colours of cells of a panel, as they are on its canvas, not quite in the middle."""
        script = """
            const canvas = document.querySelectorAll('#panels canvas')[arguments[0]];
            const [x, y, w, h] = canvas.dataset.area.split(' ').map(Number);
            const [top, bottom, left, right] = canvas.dataset.window.split(' ').map(Number);
            const ratio = canvas.width / parseFloat(canvas.style.width);
            return arguments[1].map(([row, column]) => {
                const across = Math.floor((x + (column + 0.4 - left) / (right - left) * w) * ratio);
                const down = Math.floor((y + (row + 0.4 - top) / (bottom - top) * h) * ratio);
                const pixel = canvas.getContext('2d').getImageData(across, down, 1, 1);
                return Array.from(pixel.data.slice(0, 3));
            });"""
        return [tuple(c) for c in self.browser.run(script, panel, cells)]

    def place(self, row, column, panel=0):
        """Where a cell is in the window."""
        return self.browser.run(
            """
            const canvas = document.querySelectorAll('#panels canvas')[arguments[0]];
            canvas.scrollIntoView({block: 'center'});
            const box = canvas.getBoundingClientRect();
            const [x, y, w, h] = canvas.dataset.area.split(' ').map(Number);
            const [top, bottom, left, right] = canvas.dataset.window.split(' ').map(Number);
            return [box.x + x + (arguments[2] + 0.5 - left) / (right - left) * w,
                    box.y + y + (arguments[1] + 0.5 - top) / (bottom - top) * h];""", panel, row,
            column)
