"""What the tests of pages share: the command, folders, and what a page says of itself."""

import base64
import json
import os
import pathlib
import re
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

WORKED = pathlib.Path(__file__).resolve().parents[2] / "examples" / "worked"
WORKED_OPERANDS = [f"{name}={WORKED / name}.npy" for name in "QKV"]
RICCI = os.path.abspath(sys.argv.pop(1))


class Page:
    """What stands in a page."""

    def __init__(self, path):
        self.text = pathlib.Path(path).read_text("ascii")
        self.size = pathlib.Path(path).stat().st_size
        self.says = json.loads(re.search(r'id="page">\n(.*?)</script>', self.text, re.DOTALL)[1])
        self.view = self.says["views"][0]
        self.data = re.findall(r"<!--([A-Za-z0-9+/=]*)-->", self.text)

    def phases(self, tensor):
        """Of complex numbers, from -pi to pi."""
        return self.values({**tensor, **tensor["phase"]})

    def values(self, tensor):
        """The elements of a tensor, as the page's script decodes them."""
        groups = -(-tensor["panels"] // tensor["together"])
        parts = []
        for k in range(tensor["first"], tensor["first"] + groups):
            raw = base64.b64decode(self.data[k])
            kinds = {
                "u8": "u1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "f32": "<f4", "f64": "<f8"
            }
            if tensor["format"] in kinds:
                parts.append(np.frombuffer(raw, kinds[tensor["format"]]))
                continue
            width = 1 if tensor["format"] == "q8" else 2
            in_group = tensor["steppedRows"] * tensor["width"]
            count = len(raw) // (16 + in_group * width)
            steps = np.frombuffer(raw[:16 * count], "<f8").reshape(count, 2)
            codes = np.frombuffer(raw[16 * count:], f"<u{width}").reshape(count, in_group)
            parts_of_step = codes * (steps[:, 1:] / 2)
            values = steps[:, :1] + parts_of_step + parts_of_step
            last = self.says["steps"][tensor["format"]]
            for code, special in ((1, np.nan), (2, -np.inf), (3, np.inf)):
                values[codes == last + code] = special
            parts.append(values.reshape(-1))
        return np.concatenate(parts).reshape(tensor["extents"])


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def ricci(self, *words):
        return subprocess.run([RICCI, *words], cwd=self.path, capture_output=True, text=True,
                              check=False, timeout=120)

    def works(self, *words):
        ran = self.ricci(*words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran

    def refused(self, wanted, *words):
        """One sentence, and no file."""
        before = sorted(os.listdir(self.path))
        ran = self.ricci(*words)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
        self.assertIn(wanted, ran.stderr)
        self.assertEqual(before, sorted(os.listdir(self.path)))

    def save(self, name, values):
        np.save(self.path / name, np.asarray(values))

    def page(self, *words, name="page.html"):
        self.works(*words)
        return Page(self.path / name)
