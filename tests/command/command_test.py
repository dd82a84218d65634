#!/usr/bin/env python3
"""The command `ricci` on files, beside numpy; and what is said, and left, where something is wrong.

usage: command_test.py RICCI        numpy is needed; without it the test says so and is skipped (77)
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    if sys.executable != "/usr/bin/python3" and pathlib.Path("/usr/bin/python3").exists():
        # Debian's has it where this one has not
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("numpy is not there")
    sys.exit(77)

RICCI = os.path.abspath(sys.argv.pop(1))
ATTENTION = r"""
Q^{hia} = X^{ib} W_Q^{hba}
K^{hja} = X^{jb} W_K^{hba}
S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
A^{hij} = \operatorname{softmax}_j(S^{hij})
Y^{hib} = A^{hij} X^{jb}
"""


def attention(x, wq, wk, d):
    q, k = np.einsum("ib,hba->hia", x, wq), np.einsum("ib,hba->hia", x, wk)
    s = np.einsum("hia,hja->hij", q, k) / np.sqrt(d)
    a = np.exp(s - s.max(-1, keepdims=True))
    a /= a.sum(-1, keepdims=True)
    return a, np.einsum("hij,jb->hib", a, x)


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        r = np.random.default_rng(1)
        self.x = r.standard_normal((5, 6)).astype(np.float32)
        self.wq, self.wk = r.standard_normal((2, 2, 6, 4))
        np.save(self.path / "x.npy", self.x)
        np.savez(self.path / "w.npz", q=self.wq, k=self.wk)
        (self.path / "attention.tex").write_text(ATTENTION)
        self.operands = ["X=x.npy", "W_Q=w.npz:q", "W_K=w.npz:k", "d_k=4"]

    def tearDown(self):
        self.folder.cleanup()

    def ricci(self, *words, text=None):
        return subprocess.run([RICCI, *words], cwd=self.path, input=text, capture_output=True,
                              text=True, check=False, timeout=60)

    def works(self, *words, text=None):
        ran = self.ricci(*words, text=text)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran

    def refused(self, wanted, *words, text=None):
        """One sentence, and no file."""
        before = sorted(os.listdir(self.path))
        ran = self.ricci(*words, text=text)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        lines = [line for line in ran.stderr.splitlines() if "is computed in" not in line]
        self.assertEqual(len(lines), 1, ran.stderr)
        self.assertIn(wanted, lines[0])
        self.assertEqual(before, sorted(os.listdir(self.path)))

    def test_run(self):
        ran = self.works("run", "attention.tex", *self.operands, "-o", "Y=y.npy", "-o", "A=a.npz",
                         "-o", "all.safetensors")
        self.assertIn("X holds f32 and is computed in f64", ran.stderr)
        a, y = attention(self.x.astype(float), self.wq, self.wk, 4)
        np.testing.assert_allclose(np.load(self.path / "y.npy"), y, rtol=1e-12)
        np.testing.assert_allclose(np.load(self.path / "a.npz")["A"], a, rtol=1e-12)
        again = self.works("run", "-", "Y=all.safetensors:Y", "-o", "Z=z.npy",
                           text=r"Z^{ib} = \sum_h Y^{hib}")
        self.assertIn("Z, f64 5x6: z.npy", again.stdout)
        np.testing.assert_allclose(np.load(self.path / "z.npy"), y.sum(0), rtol=1e-12)

    def test_places_of_extrema(self):
        np.save(self.path / "z.npy", self.x[:3] + 0.5)
        text = r"""y_i = \operatorname{argmin}_j \sum_a (x^{ia} - z^{ja})^2
                   q^{ia} = z^{y_i a}"""
        self.works("run", "-", "x=x.npy", "z=z.npy", "-o", "y=y.npy", "-o", "q=r.npz", "-o",
                   "all.safetensors", text=text)
        z = np.load(self.path / "z.npy")
        expected = ((self.x[:, None] - z[None]) ** 2).sum(axis=2).argmin(axis=1)
        y = np.load(self.path / "y.npy")
        self.assertEqual(y.dtype, np.int32)
        np.testing.assert_array_equal(y, expected)
        np.testing.assert_array_equal(np.load(self.path / "r.npz")["q"], z[expected])
        self.works("run", "-", "z=z.npy", "y=all.safetensors:y", "-o", "q=q.npy",
                   text="q^{ia} = z^{y_i a}")
        np.testing.assert_array_equal(np.load(self.path / "q.npy"), z[expected])

    def test_types(self):
        self.works("run", "attention.tex", *self.operands, "--type", "float", "-o", "Y=y.npy")
        y = np.load(self.path / "y.npy")
        self.assertEqual(y.dtype, np.float32)
        np.testing.assert_allclose(y,
                                   attention(self.x.astype(float), self.wq, self.wk, 4)[1],
                                   rtol=2e-4, atol=1e-5)
        np.save(self.path / "ids.npy", np.array([3, 0, 3]))
        np.save(self.path / "mask.npy", np.array([True, False, True]))
        self.works("run", "-", "E=x.npy", "t=ids.npy", "m=mask.npy", "-o", "y=e.npy",
                   text="y^{kb} = [m^k] E^{t_k b}")
        expected = self.x[[3, 0, 3]] * np.array([1, 0, 1], np.float32)[:, None]
        np.testing.assert_array_equal(np.load(self.path / "e.npy"), expected)
        np.save(self.path / "whole.npy", np.arange(5, dtype=np.int16))
        self.works("run", "-", "w=whole.npy", "x=x.npy", "-o", "y=s.npy", text="y^b = w^i x^{ib}")
        np.testing.assert_allclose(np.load(self.path / "s.npy"), np.arange(5) @ self.x, rtol=1e-5)

    def test_einsum(self):
        self.works("einsum", "hba,hca->bc", "w.npz:q", "w.npz:k", "-o", "c.npy")
        np.testing.assert_allclose(np.load(self.path / "c.npy"),
                                   np.einsum("hba,hca->bc", self.wq, self.wk), rtol=1e-12)
        out = json.loads(self.works("einsum", "ij,ij->", "x.npy", "x.npy", "--json").stdout)
        self.assertAlmostEqual(out["outputs"][0]["value"], float((self.x.astype(float)**2).sum()),
                               places=4)
        self.refused("the index j has extent", "einsum", "ij,jk->ik", "x.npy", "x.npy", "-o",
                     "d.npy")
        self.refused("3 operands, and 2 are given", "einsum", "ij,jk,k->i", "x.npy", "x.npy")

    def test_grad(self):
        text = r"L = \frac{1}{2} \sum_{i} (A^{ij} v^j - b^i)^2"
        r = np.random.default_rng(3)
        a, v, b = r.standard_normal((4, 3)), r.standard_normal(3), r.standard_normal(4)
        for name, value in (("A", a), ("v", v), ("b", b)):
            np.save(self.path / f"{name}.npy", value)
        (self.path / "loss.tex").write_text(text)
        files = ["A=A.npy", "v=v.npy", "b=b.npy"]
        self.works("grad", "loss.tex", "--by", "v,A", "--run", *files, "-o", "dL/dv=dv.npy", "-o",
                   "dL/dA=da.npy")
        residual = a @ v - b
        np.testing.assert_allclose(np.load(self.path / "dv.npy"), residual @ a, rtol=1e-12)
        np.testing.assert_allclose(np.load(self.path / "da.npy"), np.outer(residual, v), rtol=1e-12)
        latex = self.works("grad", "loss.tex", "--by", "v").stdout
        self.assertIn(r"\frac{\partial L}{\partial v^{j}} :=", latex)
        # what is printed is the same program
        (self.path / "g.tex").write_text(latex)
        self.works("run", "g.tex", *files, "dL/dL=1", "-o", "dL/dv=dv2.npy")
        np.testing.assert_allclose(np.load(self.path / "dv2.npy"), residual @ a, rtol=1e-12)
        self.assertIn("dL/dv[j] =", self.works("grad", "loss.tex", "--by", "v", "--text").stdout)
        self.refused("w", "grad", "loss.tex", "--by", "w")
        # what other equations take is taken, an index and a shape alone too
        text = ("E = v^j v^j\nM^i = \\operatorname{mean}_a(v^{i+a})\n"
                "C = \\sum_k k, \\quad k \\in \\operatorname{axis}_0(A)\n")
        words = ["grad", "-", "--of", "E", "--by", "v", "--run", "v=v.npy", "A=A.npy"]
        self.works(*words, "a:2", text=text)
        self.refused("c", *words, "c:2", text=text)
        # ... and a letter that no derived equation has says how far another one runs
        self.works("grad", "-", "--by", "v", "--run", "v=v.npy", "c=1", "i:1", "-o", "dL/dv=dv3.npy",
                   text="r = \\sum_i c + \\sum_{i'} v^{i'+1}")
        np.testing.assert_allclose(np.load(self.path / "dv3.npy"), [0, 1, 0])
        self.refused("add --run", "grad", "loss.tex", *files)

    def test_derivatives_within_a_text(self):
        x = np.array([1.0, 2.0, -0.5])
        np.save(self.path / "x.npy", x)
        text = r"L = \sum_i (x^i)^3; M = \sum_i (\frac{\partial L}{\partial x^i})^2"
        self.works("grad", "-", "--of", "M", "--run", "x=x.npy", "-o", "dL'/dx=g.npy", text=text)
        np.testing.assert_allclose(np.load(self.path / "g.npy"), 36 * x**3, rtol=1e-12)
        text = r"""L = \sum_i (x^i)^3
            H^{ij} = \frac{\partial^2 L}{\partial x^i \partial x^j}"""
        out = json.loads(self.works("run", "-", "x=x.npy", "--json", text=text).stdout)["outputs"]
        self.assertEqual(["L", "H"], [o["name"] for o in out])
        np.testing.assert_allclose(out[0]["value"], (x**3).sum(), rtol=1e-12)
        np.testing.assert_allclose(out[1]["value"], np.diag(6 * x), rtol=1e-12)
        out = json.loads(self.works("run", "-", "x=x.npy", "--json", "-o", "H=h.npy",
                                    text=text).stdout)["outputs"]
        self.assertNotIn("value", out[1])
        out = self.works("run", "-", "x=x.npy", "--json", text=r"y^i = \log(x^i - 1)").stdout
        self.assertEqual(["-inf", 0.0, "nan"], json.loads(out)["outputs"][0]["value"])

    def test_explain(self):
        shapes = ["X=1000x64", "W_Q=8x64x8", "W_K=8x64x8", "d_k=8"]
        text = self.works("explain", "attention.tex", *shapes).stdout
        self.assertIn("parameters: 8,192", text)
        self.assertIn("not stored: S[h,i,j], A[h,i,j]", text)
        table = json.loads(
            self.works("explain", "attention.tex", *shapes, "--type", "f16", "--json").stdout)
        scores = next(t for t in table["tensors"] if t["name"] == "S")
        self.assertEqual((scores["extents"], scores["bytes"], scores["is"]),
                         ([8, 1000, 1000], 16e6, "intermediate"))
        self.assertEqual(table["parameters"], 8192)
        chosen = self.works("explain", "attention.tex", *shapes, "--parameters", "W_Q").stdout
        self.assertIn("parameters: 4,096", chosen)
        self.works("explain", "attention.tex", *self.operands)
        self.refused("no input W_P", "explain", "attention.tex", *shapes, "--parameters", "W_P")

    def test_explain_layers_on_ranks(self):
        (self.path / "layer.tex").write_text(r"H^{nk} = \tanh(X^{na} W^{ak})" "\n"
                                             r"Y^{na} = X^{na} + H^{nk} U^{ka} c")
        words = ["layer.tex", "X=64x32", "W=5x32x16", "U=16x32", "c=1", "dL/dY=64x32", "--layers", "5",
                 "--from", "Y", "--to", "X", "--shared", "c,U", "--gradient", "W,U", "--ranks", "4",
                 "--shard", "n", "--speed", "1GFLOP/s"]
        out = json.loads(self.works("explain", *words, "--json").stdout)
        # dL/dW of each layer, dL/dU of all, and whether a rank has failed
        self.assertEqual(out["ranks"]["handed"], 4 * (5 * 32 * 16 + 16 * 32 + 1))
        self.assertIn("in each of 5 layers, back from the last one", out["plan"])
        self.assertIn("behind the last layer", out["plan"])
        chosen = self.works("explain", *[w for w in words if w not in ("--shard", "n")]).stdout
        self.assertIn("chosen: n over 4", chosen)

    def test_explain_on_ranks(self):
        shapes = ["attention.tex", "X=1000x64", "W_Q=8x64x8", "W_K=8x64x8", "d_k=8"]
        given = ["--speed", "1GFLOP/s", "--network", "1GB/s,1us"]
        out = json.loads(
            self.works("explain", *shapes, "--ranks", "4", "--shard", "b", *given, "--json").stdout)
        self.assertEqual((out["ranks"]["shard"], out["ranks"]["grid"]), (["b"], [4]))
        self.assertGreater(out["ranks"]["seconds"], out["ranks"]["computing"])
        self.assertIn("all-reduce (sum) over b", out["plan"])
        # a network of half the bandwidth, and ranks of half the speed
        slower = ["--speed", "500MFLOP/s", "--network", "500MB/s,2us"]
        twice = json.loads(
            self.works("explain", *shapes, "--ranks", "4", "--shard", "b", *slower, "--json").stdout)
        self.assertAlmostEqual(twice["ranks"]["seconds"] / out["ranks"]["seconds"], 2, places=6)
        text = self.works("explain", *shapes, "--ranks", "4", *given).stdout
        self.assertIn("chosen: ", text)
        self.assertIn("measured here", self.works("explain", *shapes, "--ranks", "2", "--shard",
                                                  "h").stdout)
        self.refused("say --from and --to", "explain", *shapes, "--layers", "5")
        self.refused("say how many with --layers", "explain", *shapes, "--from", "Y")
        self.refused("what --gradient names", "explain", *shapes, "--of", "Y")
        self.refused("is no network", "explain", *shapes, "--ranks", "4", "--network", "25")
        self.refused("is no speed", "explain", *shapes, "--ranks", "4", "--speed", "fast")
        self.refused("is no number of ranks", "explain", *shapes, "--ranks", "4y4")
        self.refused("--shard names 1", "explain", *shapes, "--ranks", "2x2", "--shard", "h")
        self.refused("no tensor has it", "explain", *shapes, "--ranks", "2", "--shard", "z", *given)

    def test_memory(self):
        self.refused("--memory allows 100 B", "run", "attention.tex", *self.operands, "--memory",
                     "100", "-o", "Y=y.npy")
        self.works("run", "attention.tex", *self.operands, "--memory", "1G", "-o", "Y=y.npy")

    def test_units_of_memory(self):
        """Bytes are said with the units there are, and everything else is refused."""
        needed = 4 * 4 + 4 * 4 + 8  # of the input, the output, and less than the next power
        powers = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
        ends = ["", "b", "i", "ib"]
        right = {name + end: power for name, power in powers.items() for end in ends
                 if name or end in ("", "b")}
        wrong = [c for c in map(chr, range(33, 127)) if c.lower() not in right]
        wrong = [c for c in wrong if not c.isdigit() and c not in ".e"]
        wrong += ["i", "ib", "bb", "bi", "gg", "kk", "kgb", "gibb", "gbi", " g", "g ", "x", "e"]
        np.save(self.path / "small.npy", np.ones(2))
        run = ["run", "-", "v=small.npy", "--memory"]
        for unit, power in right.items():
            for words in {unit, unit.upper()}:
                with self.subTest(words):
                    least = -(-needed // 1024 ** power)
                    self.works(*run, f"{least}{words}", text="y^i = v^i")
                    self.refused("--memory allows", *run, f"0.000000000000001{words}",
                                 text="y^i = v^i")
        for unit in wrong:
            with self.subTest(unit):
                self.refused(f"'8{unit}' is no amount of memory; write 8G, 512M or", *run,
                             f"8{unit}", text="y^i = v^i")
        for words in ("-8G", "+8G", "0x10", " 8", "8,5G", "G", ".", "nan", "1e400", "8 000"):
            with self.subTest(words):
                self.refused("is no amount of memory; write 8G, 512M or", *run[:-1],
                             f"--memory={words}", text="y^i = v^i")

    def test_words_of_numbers(self):
        """No number is read from the first part of a word, and no option is given nothing."""
        (self.path / "m.uai").write_text("MARKOV 1 2 1 1 0 2 1 1")
        page = ["show", "-o", "x.html"]
        for unit in ("x", "s", "K", " 1", "..", "e"):
            for wanted, words in [
                ("--seconds takes a number", ["order", "m.uai", "--seconds", "5" + unit]),
                ("--trials takes a whole", ["order", "m.uai", "--trials", "5" + unit]),
                ("--seed takes a whole", ["order", "m.uai", "--seed", "5" + unit]),
                ("--threads", ["run", "attention.tex", *self.operands, "--threads", "5" + unit]),
                ("is no part of an axis", [*page, "x.npy", "--part", "5" + unit]),
                ("has no axis 2" + unit, [*page, "w.npz:q", "--panels", "2" + unit]),
                ("no amount of memory", [*page, "x.npy", "--page-size", "5" + unit + "X"]),
            ]:
                with self.subTest(words=words):
                    self.refused(wanted, *words)
        for word in ("h:8x", "h:-8", "h:1e3", "h:", "d_k=5x", "d_k=-5x", "d_k=1e400", "X=5x6y",
                     "X=5xx6", "X=5x6.", "X=5 x6"):
            with self.subTest(word):
                self.refused(f"'{word}' binds nothing: write NAME=FILE, NAME=NUMBER", "explain",
                             "attention.tex", word)
        for option, words in [("--memory", ["run", "attention.tex", *self.operands]),
                              ("--type", ["run", "attention.tex", *self.operands]),
                              ("-o", ["run", "attention.tex", *self.operands]),
                              ("--seconds", ["order", "m.uai"]), ("--trials", ["order", "m.uai"]),
                              ("--page-size", ["show", "x.npy", "-o", "x.html"])]:
            with self.subTest(option):
                self.refused("nothing is given; write a value", *words, option, "")

    def test_order(self):
        out = json.loads(
            self.works("order", "ab,bc,cd->ad", "10x2000", "2000x30", "30x5", "--json").stdout)
        self.assertEqual(out["multiplications"], 2000 * 30 * 5 + 10 * 2000 * 5)
        by_letter = self.works("order", "ab,bc,cd->ad", "a:10", "b:2000", "c:30", "d:5").stdout
        self.assertIn("400000 multiplications", by_letter)
        self.assertIn("55 multiplications", self.works("order", "x,xy,y->", "x:5", "y:10").stdout)
        self.refused("no letter q", "order", "ab,bc->ac", "q:3")
        self.refused("one has to be named", "order", "ab,bc->ac", "w.npz", "3x4")
        self.refused("nothing gives the extent of d", "order", "ab,bc,cd->ad", "10x2000", "2000x30")
        self.refused("extent 2000 and", "order", "ab,bc->ac", "10x2000", "200x30")

    def test_order_of_a_network(self):
        (self.path / "f.cnf").write_text("p cnf 4 3\n1 -2 0\n2 3 0\n-3 4 0\n")
        words = self.works("order", "f.cnf", "--trials", "1", "-o", "o.json").stdout
        self.assertIn("tensors: 3, indices: 4", words)
        order = json.loads((self.path / "o.json").read_text())
        self.assertEqual(len(order["ssa"]), 2)
        self.assertEqual(self.works("order", "f.cnf", "--order", "o.json").stdout, words)
        self.assertEqual(
            json.loads(self.works("order", "f.cnf", "--order", "o.json", "--json").stdout), order)
        (self.path / "path.json").write_text("[[0, 2], [0, 1]]")
        self.assertIn("tensors: 3", self.works("order", "f.cnf", "--order", "path.json").stdout)
        (self.path / "m.uai").write_text("MARKOV 2 2 3 1 2 0 1 6 1 2 3 4 5 6")
        (self.path / "m.evid").write_text("1 1 2")
        observed = self.works("order", "m.uai", "--evidence", "m.evid").stdout
        self.assertIn("tensors: 1, indices: 1", observed)
        (self.path / "d.uai").write_text("MARKOV 2 2 2 2 2 0 1 1 1 4 1 0 0 1 2 1 1")
        resting = self.works("order", "d.uai", "--simplify", "values", "-o", "z.json").stdout
        self.assertIn("zeros: join 1 pairs of indices", resting)
        self.assertEqual(self.works("order", "d.uai", "--order", "z.json").stdout, resting)
        (self.path / "broken.cnf").write_text("p cnf 1 1\n2 0\n")
        self.refused("line 2: literal 2 is of no variable", "order", "broken.cnf")
        self.refused("--seconds takes a number, and not soon", "order", "f.cnf", "--seconds", "soon")
        self.refused("--objective takes", "order", "f.cnf", "--objective", "beauty")
        self.refused("--simplify takes", "order", "f.cnf", "--simplify", "beauty")
        self.refused("its shapes there", "order", "f.cnf", "2x2")
        self.refused("the others for networks in files", "order", "ab,bc->ac", "2x2", "2x2",
                     "--seconds", "1")

    def test_run_of_a_network(self):
        (self.path / "f.cnf").write_text("p cnf 4 3\n1 -2 0\n2 3 0\n-3 4 0\n")
        self.assertEqual(self.works("run", "f.cnf").stdout, "result = 5.\n")
        (self.path / "m.uai").write_text("MARKOV 2 2 3 1 2 0 1 6 1 2 3 4 5 6")
        (self.path / "m.evid").write_text("1 1 2")
        self.assertEqual(self.works("run", "m.uai").stdout, "result = 21.\n")
        self.assertEqual(self.works("run", "m.uai", "--evidence", "m.evid").stdout, "result = 9.\n")
        out = json.loads(self.works("run", "m.uai", "--json").stdout)["outputs"]
        self.assertEqual(out[0]["value"], 21)
        most = self.works("run", "m.uai", "--most-likely").stdout.split("\n")
        self.assertAlmostEqual(float(most[0].removeprefix("log ")), math.log(6))
        self.assertEqual(most[1:], ["0 1", "1 2", ""])
        out = json.loads(self.works("run", "m.uai", "--most-likely", "--json").stdout)
        self.assertEqual(out["places"], {"0": 1, "1": 2})
        (self.path / "none.cnf").write_text("p cnf 2 2\n1 0\n-1 0\n")
        self.assertEqual(self.works("run", "none.cnf").stdout, "result = 0.\n")
        self.refused("none is most likely", "run", "none.cnf", "--most-likely")
        self.refused("logarithms are added", "run", "m.uai", "--most-likely", "--simplify",
                     "values")
        (self.path / "n.uai").write_text("MARKOV 1 2 1 1 0 2 1 nan")
        self.refused("not negative", "run", "n.uai", "--most-likely")
        for count in (40, 49, 52):
            (self.path / "count.cnf").write_text(f"p cnf {count} 0\n")
            self.assertEqual(self.works("run", "count.cnf").stdout, f"result = {2 ** count}.\n")
        # counts of 16 digits and less that no power of two has
        counts = (123456789, 1234567890123, 999999999999989, 3999999999999967, 7999999999999937)
        for count in counts:
            (self.path / "count.uai").write_text(f"MARKOV 1 1 1 1 0 1 {count}")
            self.assertEqual(self.works("run", "count.uai").stdout, f"result = {count}.\n")
        (self.path / "third.uai").write_text("MARKOV 1 1 1 1 0 1 123456789.5")
        self.assertEqual(self.works("run", "third.uai").stdout, "result = 1.2345679e+08\n")
        self.assertEqual(self.works("run", "f.cnf", "--memory", "1e300").stdout, "result = 5.\n")
        self.refused("no amount of memory", "run", "f.cnf", "--memory", "1e300T")
        self.refused("no amount of memory", "run", "f.cnf", "--memory", "inf")
        # 2^2000 is no double
        (self.path / "free.cnf").write_text("p cnf 2000 0\n")
        words = self.works("run", "free.cnf").stdout.split("\n")
        self.assertAlmostEqual(float(words[0].removeprefix("mantissa = ")), 1.14813069527425)
        self.assertEqual(words[1], "exponent10 = 602.")
        (self.path / "shapes.json").write_text(
            '{"inputs": [["a", "b"], ["b"]], "output": ["a"], "size_dict": {"a": 2, "b": 3}}')
        self.refused("shape", "run", "shapes.json")
        self.refused("no operands", "run", "f.cnf", "X=x.npy")
        self.refused("--type is for equations", "run", "f.cnf", "--type", "float")
        self.refused("are for files of networks", "run", "attention.tex", "--most-likely")

    def test_documents(self):
        (self.path / "page.md").write_text(
            "# A page\n\nWith $d$.\n\n$$\ny^i = A^{ij} x^j, \\qquad s = y^i y^i.\n$$\n")
        self.assertIn("y[i]: 4", self.works("explain", "page.md", "A=4x3", "x=3").stdout)
        (self.path / "paper.tex").write_text(
            "\\begin{document}\n\\begin{align}\ny^i &= x^i \\\\\nz^i &= y^j\n\\end{align}\n")
        self.refused("paper.tex:4:", "run", "paper.tex", "x=x.npy")

    def test_check(self):
        """The exit code says whether something is refuted, or, where that is asked, suspect."""
        true = "$$y = 2 x = x + x$$\n"
        wrong = "$$y = 2 x = 3 x$$\n"
        suspect = "# One\n$$y = 2 x$$\n# Two\n$$\\frac{\\partial y}{\\partial x} = 3$$\n"
        for text, options, code in ((true, ["--strict"], 0), (wrong, [], 2), (suspect, [], 0),
                                    (suspect, ["--strict"], 3), (wrong + suspect, ["--strict"], 2)):
            ran = self.ricci("check", *options, "-", text=text)
            self.assertEqual(ran.returncode, code, text + ran.stdout + ran.stderr)
        self.assertIn("suspect", self.ricci("check", "-", text=suspect).stdout)

    def test_bad_input(self):
        base = ["run", "attention.tex", "-o", "Y=y.npy"]
        without = self.operands[1:]
        for wanted, words in [
            ("nothing is bound to X: write X=FILE, or, to explain, as X=4x8.", without),
            ("did you mean X?", [*without, "x=x.npy"]),
            ("binds nothing", [*without, "X"]),
            ("lacks what stands", [*without, "=x.npy"]),
            ("No such file", [*without, "X=none.npy"]),
            ("it has no tensor z", [*without, "X=w.npz:z"]),
            ("has 2 indices", [*without, "X=w.npz:q"]),
            ("is bound twice", [*self.operands, "X=x.npy"]),
            ("no tensor Z", [*self.operands, "Z=x.npy"]),
            ("no index z", [*self.operands, "z:3"]),
            ("given a shape", [*without, "X=5x6"]),
            ("no element type", [*self.operands, "--type", "int"]),
            ("lose a part", [*self.operands, "--type", "i32"]),
            ("no amount of memory", [*self.operands, "--memory", "much"]),
            ("range", [*self.operands, "--threads", "-1"]),
            ("no file that tensors are saved in", [*self.operands, "-o", "A=a.txt"]),
            ("define no tensor Z", [*self.operands, "-o", "Z=z.npy"]),
            ("saved twice", [*self.operands, "-o", "Y=z.npy"]),
            ("No such file", [*self.operands, "-o", "A=nowhere/a.npy"]),
        ]:
            with self.subTest(wanted):
                self.refused(wanted, *base, *words)
        (self.path / "broken.npy").write_bytes((self.path / "x.npy").read_bytes()[:100])
        self.refused("broken.npy", *base, *without, "X=broken.npy")
        self.refused("none.tex", "run", "none.tex")
        self.refused("-:1:7: mistake:", "run", "-", text="Y^i = x^j")
        self.refused("bind it: j:EXTENT", "run", "-", "x=x.npy", text="Y^{iaj} = x^{ia} 1^j")
        self.refused("--help", "run")
        self.refused("--help", "nothing")

    def test_manual(self):
        self.assertIn("ricci run", self.works("--help").stdout + self.works("--manual").stdout)
        self.assertIn(".SH NAME", self.works("--manual").stdout)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("einsum", self.works("--completion", shell).stdout)
        script = self.works("--completion", "bash").stdout
        self.assertEqual(
            subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode, 0)
        self.refused("no completion", "--completion", "tcsh")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
