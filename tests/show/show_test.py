#!/usr/bin/env python3
"""Pages of `ricci show` and `ricci run --show` without a browser: what is in them, and what is
refused.

usage: show_test.py RICCI        numpy is needed; without it the test says so and is skipped (77)
"""

import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "draw"))
import mathml  # noqa: E402: stands beside the tests of diagrams
from pages import WORKED, WORKED_OPERANDS, Case, Page, np


class Show(Case):
    def check_values(self, array, *words, exact=True):
        self.save("a.npy", array)
        page = self.page("show", "a.npy", "-o", "page.html", *words)
        tensor = page.view["tensor"]
        wanted = np.asarray(array)
        if np.iscomplexobj(array):
            wanted = np.hypot(array.real, array.imag)
        self.assertEqual(tensor["extents"], list(wanted.shape))
        values = page.values(tensor).astype(float)
        if exact:
            np.testing.assert_array_equal(values, wanted.astype(float))
        finite = wanted[np.isfinite(wanted)]
        if finite.size:
            self.assertEqual((tensor["least"], tensor["most"]),
                             (float(finite.min()), float(finite.max())))
            sizes = np.sort(np.abs(finite.astype(float)).ravel())
            if sizes.size == wanted.size <= 65536:
                self.assertEqual(tensor["usual"], sizes[int(np.ceil(0.99 * sizes.size)) - 1])
        return page, values

    def test_element_types(self):
        r = np.random.default_rng(1)
        for kind, stored in (("f4", "f32"), ("f8", "f64"), ("f2", "f32"), ("c8", "f32"), ("c16",
                                                                                          "f64")):
            a = r.standard_normal((2, 3, 4)).astype(kind)
            page, _ = self.check_values(a)
            tensor = page.view["tensor"]
            self.assertEqual(tensor["format"], stored)
            self.assertEqual("phase" in tensor, kind[0] == "c")
            if "phase" in tensor:
                np.testing.assert_allclose(page.phases(tensor), np.angle(a),
                                           rtol=1e-6 if kind == "c8" else 1e-14)
        for values, stored in ((np.eye(3, dtype=bool), "u8"), (np.arange(250), "u8"),
                               (np.arange(-9, 9), "i16"), (np.array([[70000, -70000]],
                                                                    np.int32), "i32"),
                               (np.array([2**40, 1]), "f64"), (np.array([2**62 + 1, -5]), "i64")):
            page, _ = self.check_values(values)
            self.assertEqual(page.view["tensor"]["format"], stored)

    def test_ranks(self):
        for shape in ((), (1,), (7,), (3, 1), (2, 2, 2), (2, 3, 1, 4, 2)):
            self.check_values(np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape))

    def test_special_values(self):
        a = np.array([[1, np.nan, np.inf], [-np.inf, np.nan, 2]])
        page, _ = self.check_values(a)
        tensor = page.view["tensor"]
        self.assertEqual((tensor["nan"], tensor["above"], tensor["below"]), (2, 1, 1))
        page, _ = self.check_values(np.full((2, 2), np.nan))
        self.assertNotIn("least", page.view["tensor"])
        # and in steps
        r = np.random.default_rng(2)
        b = r.standard_normal((3, 200, 300))
        b[0, 1, 2], b[1, 2, 3], b[2, 3, 4] = np.nan, np.inf, -np.inf
        page, values = self.check_values(b, "--page-size", "600K", exact=False)
        self.assertEqual(page.view["tensor"]["format"], "q8")
        np.testing.assert_array_equal(np.isnan(values), np.isnan(b))
        np.testing.assert_array_equal(np.isinf(values), np.isinf(b))

    def test_precision_and_size(self):
        r = np.random.default_rng(3)
        a = np.exp(r.standard_normal((4, 300, 400)) * 3)
        for size, stored, steps in (("20M", "f64", 0), ("1600K", "q16", 65532), ("900K", "q8",
                                                                                 252)):
            page, values = self.check_values(a, "--page-size", size, exact=steps == 0)
            self.assertEqual(page.view["tensor"]["format"], stored)
            self.assertLess(page.size, float(size[:-1]) * {"K": 1e3, "M": 1e6}[size[-1]])
            if steps:
                half = (a.max(-1) - a.min(-1)) / steps / 2
                self.assertTrue((np.abs(values - a) <= half[..., None] * 1.0001).all())
        extremes = np.array([[1e308, -1e308] * 100] * 3)
        self.save("e.npy", np.tile(extremes, (100, 1)))
        page = self.page("show", "e.npy", "-o", "page.html", "--page-size", "300K")
        np.testing.assert_allclose(page.values(page.view["tensor"]), np.tile(extremes, (100, 1)),
                                   rtol=1e-2)

    def test_complex_numbers_in_steps(self):
        r = np.random.default_rng(9)
        a = r.standard_normal((2, 150, 200)) + 1j * r.standard_normal((2, 150, 200))
        a[0, 0, :3] = np.nan, np.inf, 0
        for size, stored, steps in (("20M", "f64", 0), ("550K", "q16", 65532), ("400K", "q8", 252)):
            page, moduli = self.check_values(a, "--page-size", size, exact=steps == 0)
            tensor = page.view["tensor"]
            self.assertEqual((tensor["format"], tensor["phase"]["format"]), (stored, stored))
            self.assertLess(page.size, float(size[:-1]) * {"K": 1e3, "M": 1e6}[size[-1]])
            np.testing.assert_array_equal(np.isnan(moduli), np.isnan(a))
            finite = np.isfinite(a)
            off = np.abs(page.phases(tensor) - np.angle(a))[finite]
            self.assertLessEqual(off.max(), 2 * np.pi / steps / 2 * 1.0001 if steps else 1e-15)
        self.refused("too many for a page of 250K", "show", "a.npy", "-o", "p.html", "--page-size",
                     "250K")

    def test_a_large_page(self):
        a = np.random.default_rng(4).random((12, 1024, 1024), np.float32)
        page, _ = self.check_values(a, exact=False)
        self.assertLess(page.size, 20e6)

    def test_the_same_bytes(self):
        self.save("a.npy", np.arange(24.0).reshape(2, 3, 4))
        for name in ("one.html", "two.html"):
            self.works("show", "a.npy", "-o", name)
        self.assertEqual((self.path / "one.html").read_bytes(),
                         (self.path / "two.html").read_bytes())

    def test_parts_and_panels(self):
        a = np.arange(3 * 4 * 5 * 6.0).reshape(3, 4, 5, 6)
        self.save("a.npy", a)
        page = self.page("show", "a.npy", "-o", "page.html", "--part", "1,:,2:4")
        np.testing.assert_array_equal(page.values(page.view["tensor"]), a[1:2, :, 2:4])
        self.assertEqual(page.view["offsets"], [1, 0, 2, 0])
        page = self.page("show", "a.npy", "-o", "page.html", "--panels", "0")
        np.testing.assert_array_equal(page.values(page.view["tensor"]), a.transpose(1, 0, 2, 3))
        page = self.page("show", "a.npy", "-o", "page.html", "--panels", "3", "--part", "0:2")
        np.testing.assert_array_equal(page.values(page.view["tensor"]), a[:2].transpose(0, 3, 1, 2))
        self.refused("--part: 9 is no part of axis 1", "show", "a.npy", "-o", "p.html", "--part",
                     "0,9")
        self.refused("is no part of an axis", "show", "a.npy", "-o", "p.html", "--part", "x")
        self.refused("more parts are given", "show", "a.npy", "-o", "p.html", "--part", "0,0,0,0,0")
        self.refused("has no axis 4", "show", "a.npy", "-o", "p.html", "--panels", "4")
        self.save("m.npy", a[0, 0])
        self.refused("m.npy has 2 axes, and panels need three", "show", "m.npy", "-o", "p.html",
                     "--panels", "0")

    def test_labels(self):
        self.save("a.npy", np.eye(3))
        wild = ["</script><script>alert(1)</script>", "<b>\u65e5\u672c</b>", ' "&amp;" ']
        (self.path / "t.txt").write_text("\n".join(wild) + "\n", encoding="utf-8")
        page = self.page("show", "a.npy", "-o", "page.html", "--labels", "t.txt")
        self.assertEqual((page.says["rows"], page.says["columns"]), (wild, wild))
        self.assertNotIn("alert(1)</script>", page.text)
        page = self.page("show", "a.npy", "-o", "page.html", "--rows", "t.txt", "--part", "1:3")
        self.assertEqual((page.says["rows"], page.says["columns"]), (wild[1:], []))
        (self.path / "four.txt").write_text("a\nb\nc\nd")
        words = ["show", "a.npy", "-o", "p.html"]
        self.refused("four.txt has 4 labels, and a.npy has 3 rows and 3 columns", *words,
                     "--labels", "four.txt")
        self.refused("four.txt has 4 labels, and a.npy has 3 columns", *words, "--columns",
                     "four.txt")
        self.refused("none.txt: it cannot be read: No such file", *words, "--labels", "none.txt")
        self.refused(".: it cannot be read", *words, "--labels", ".")

    def test_several_tensors(self):
        self.save("a.npy", np.zeros((2, 3)))
        np.savez(self.path / "w.npz", q=np.ones((2, 3)), k=np.ones((4, 4)))
        page = self.page("show", "a.npy", "w.npz:q", "-o", "page.html")
        self.assertTrue(page.says["compare"])
        self.assertEqual([view["label"] for view in page.says["views"]], ["a.npy", "w.npz:q"])
        self.refused("one has to be named", "show", "w.npz", "-o", "p.html")
        self.refused("it has no tensor z", "show", "w.npz:z", "-o", "p.html")

    def test_bad_input(self):
        self.save("a.npy", np.eye(3))
        self.refused("No such file", "show", "none.npy", "-o", "p.html")
        self.refused("say where the page goes", "show", "a.npy")
        self.refused("has to end in .html", "show", "a.npy", "-o", "p.png")
        self.refused("No such file", "show", "a.npy", "-o", "nowhere/p.html")
        self.refused("no amount of memory", "show", "a.npy", "-o", "p.html", "--page-size", "big")
        self.refused("--help", "show")
        self.save("empty.npy", np.zeros((0, 4)))
        self.refused("empty.npy has no elements: it is 0x4", "show", "empty.npy", "-o", "p.html")

    def test_more_than_a_page_holds(self):
        # a file that is all hole: its numbers are never read
        header = np.lib.format.header_data_from_array_1_0(np.zeros((1, 1, 1), np.float32))
        header["shape"] = (1000, 1000, 1000)
        with open(self.path / "huge.npy", "wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            file.truncate(file.tell() + 4 * 10**9)
        self.refused(
            "huge.npy has 1,000,000,000 elements, 1000x1000x1000, which are too many for a page of "
            "20M: "
            "show a part, as --part 0,0:1000,0:1000", "show", "huge.npy", "-o", "p.html")
        page = self.page("show", "huge.npy", "-o", "page.html", "--part", "999,0:100,0:100")
        self.assertEqual(page.view["tensor"]["extents"], [1, 100, 100])

    def test_run(self):
        words = ["run", str(WORKED / "attention.tex"), *WORKED_OPERANDS]
        page = self.page(*words, "d_k=2", "h:2", "--show", "A=page.html", "--labels",
                         str(WORKED / "tokens.txt"))
        self.assertEqual(page.says["rows"], ["The", "cat", "sat", "on", "mat"])
        self.assertEqual(page.view["letters"], ["h", "i", "j"])
        # formulas in MathML say what the equations say
        for one in [page.view, *page.view["trace"]]:
            for formula, latex in ((one["symbol"], None), (one["formula"], one["equation"])):
                if latex == "":
                    continue
                read = xml.etree.ElementTree.fromstring(formula)
                wanted = read.get("alttext")
                self.assertIn(latex, (None, wanted))
                # braces around one letter are a matter of taste
                said, wanted = (re.sub(r"[ {}]", "", t) for t in (mathml.latex_of(read), wanted))
                self.assertEqual(said, wanted)
        self.assertIn("<msup><mi>A</mi>", page.view["symbol"])
        self.assertEqual([(one["what"], one["name"]) for one in page.view["trace"]],
                         [("row", "Q"), ("column", "P"), ("column", "S"), ("self", "A"),
                          ("result", "Y")])
        y = page.view["trace"][4]
        self.assertEqual([(f["letter"], f["extent"], f["stride"], f["role"]) for f in y["factors"]],
                         [("i", 5, 4, 1), ("h", 2, 2, 0), ("c", 2, 1, -1)])
        a = page.values(page.view["tensor"])
        np.testing.assert_allclose(a.sum(-1), np.ones((2, 5)), rtol=1e-12)
        wanted = a[0, 1] @ np.load(WORKED / "V.npy")[:, :2]
        np.testing.assert_allclose(page.values(y["tensor"])[1, :2], wanted, rtol=1e-12)

    def test_several_extents(self):
        words = ["run", str(WORKED / "attention.tex"), *WORKED_OPERANDS, "h:1,2,4", "d_k=4,2,1"]
        ran = self.works(*words, "--show", "A=a.html", "--show", "S=s.html")
        self.assertEqual(ran.stdout.count("\n"), 2)
        page = Page(self.path / "a.html")
        self.assertEqual([view["label"] for view in page.says["views"]],
                         ["h:1, d_k=4", "h:2, d_k=2", "h:4, d_k=1"])
        self.assertEqual([view["tensor"]["extents"] for view in page.says["views"]],
                         [[1, 5, 5], [2, 5, 5], [4, 5, 5]])
        self.assertEqual([one["name"] for one in Page(self.path / "s.html").view["trace"]],
                         ["Q", "P", "S", "A", "Y"])
        self.refused("the operands are for 3 runs", *words)
        self.refused("-o saves the outputs of one run", *words, "--show", "A=p.html", "-o",
                     "Y=y.npy")
        self.refused("lists of several lengths", *words[:-1], "d_k=4,2", "--show", "A=p.html")

    def test_run_with_outputs(self):
        words = ["run", str(WORKED / "attention.tex"), *WORKED_OPERANDS, "d_k=2", "h:2"]
        ran = self.works(*words, "--show", "S=page.html", "-o", "all.npz", "--panels", "h")
        self.assertIn("S, f64 2x5x5: page.html", ran.stdout)
        with np.load(self.path / "all.npz") as saved:
            self.assertEqual(set(saved.files), {"Y", "S"})
        for wanted, word in (("define no tensor Z", "Z=p.html"), ("lacks a name", "p.html"),
                             ("has to end in .html", "A=p.png"), ("No such file",
                                                                  "A=nowhere/p.html")):
            self.refused(wanted, *words, "--show", word)
        self.refused("p.html is written twice", *words, "--show", "A=p.html", "--show", "S=p.html")
        self.refused("A has no axis k", *words, "--show", "A=p.html", "--panels", "k")

    def test_what_a_trace_has_no_room_for(self):
        n, r = 400, np.random.default_rng(5)
        for name in ("Q", "K", "V"):
            self.save(name + ".npy", r.standard_normal((n, 4)))
        words = [
            "run",
            str(WORKED / "attention.tex"), "Q=Q.npy", "K=K.npy", "V=V.npy", "d_k=2", "h:2"
        ]
        page = self.page(*words, "--show", "A=page.html", "--page-size", "1M")
        self.assertEqual([one["name"] for one in page.view["trace"]], ["Q", "A", "Y"])
        self.assertIn("The trace is without P, S", page.says["notes"][0])
        self.assertLess(page.size, 1e6)
        self.refused("too many for a page of 300K", *words, "--show", "A=p.html", "--page-size",
                     "300K")


if __name__ == "__main__":
    unittest.main()
