#!/usr/bin/env python3
"""Reads many texts twice, by the library and by the reader in this folder, and shows where the two
differ.

usage: run.py DRIVER [--count N] [--seed S] [--seconds T] [--without RECIPE,...]
              [--corpus FILE ...] [TEXT ...]

The texts are those of the corpus and N random ones. What differs is made smaller and printed by
category, the smallest first; the exit status is 1 if there is any.
"""

import argparse
import collections
import os
import pathlib
import sys
import time

try:
    import numpy  # noqa: F401
except ImportError:  # the interpreter that meson found may lack it
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    sys.exit("numpy is missing; on Debian: apt-get install python3-numpy")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import texts  # noqa: E402
from compare import Comparison, Finding, compare  # noqa: E402
from exchange import Driver  # noqa: E402
from shrink import shape_of, shrink  # noqa: E402

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "corpus"


def programs(path):
    """The texts of a file: an empty line between, comments start with #."""
    lines = [x for x in path.read_text(encoding="utf-8").split("\n") if not x.startswith("#")]
    return [t.strip("\n") for t in "\n".join(lines).split("\n\n") if t.strip()]


class Run:
    def __init__(self, driver):
        self.driver = driver
        self.notes = collections.Counter()
        self.found = {}  # (category, shape): [text, words, count]
        self.count = 0

    def one(self, text, seed):
        self.count += 1
        c = self.compared(text, seed)
        if c.finding is None:
            self.notes[c.note.split(":")[0]] += 1
            return
        # twice, with other numbers: kinks have no derivative
        if c.finding.category in ("values", "shape"):
            again = self.compared(text, seed + 1)
            if again.finding is None:
                self.notes["only with some numbers"] += 1
                return
        self.notes["differ"] += 1
        category = c.finding.category
        small = shrink(text, lambda t: self.shows(t, seed, c.finding)) if self.shrinks() else text
        words = self.compared(small, seed).finding
        key = category, shape_of(small)
        if key in self.found:
            self.found[key][2] += 1
        else:
            self.found[key] = [small, str(words), 1]

    def shrinks(self):
        return len(self.found) < 200

    def compared(self, text, seed):
        try:
            return compare(self.driver, text, seed)
        except Exception as e:  # a mistake of this reader is a finding too
            return Comparison(Finding("reader", f"{type(e).__name__}: {e}", text))

    def shows(self, text, seed, finding):
        c = self.compared(text, seed).finding
        return c is not None and c.category == finding.category and c.cause() == finding.cause()

    def report(self):
        by_category = collections.defaultdict(list)
        for (category, _), (text, words, count) in self.found.items():
            by_category[category].append((text, words, count))
        for category in sorted(by_category):
            entries = sorted(by_category[category], key=lambda x: len(x[0]))
            print(f"== {category}: {sum(n for _, _, n in entries)} texts, {len(entries)} shapes")
            for text, words, count in entries:
                print(f"-- {count} x  {words}")
                print("   " + text.replace("\n", "\n   "))
        notes = ", ".join(f"{n} {note}" for note, n in self.notes.most_common())
        print(f"{self.count} texts: {notes}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("RICCI_SEED", "1")))
    parser.add_argument("--seconds", type=float, default=0, help="stop after as many; 0: never")
    parser.add_argument("--without", default="",
                        help="recipes of recipes.py that are left out, with commas between")
    parser.add_argument("--corpus", type=pathlib.Path, nargs="*",
                        default=sorted(CORPUS.glob("*.txt")))
    a = parser.parse_args()
    run = Run(Driver(a.driver))
    begin = time.time()
    if a.texts:
        for t in a.texts:
            run.one(t, a.seed)
    else:
        for path in a.corpus:
            for t in programs(path):
                run.one(t, 7)
        for k in range(a.count):
            if a.seconds and time.time() - begin > a.seconds:
                break
            run.one(texts.text(a.seed * 1_000_003 + k, a.without.split(",")), k)
    run.report()
    run.driver.stop()
    sys.exit(1 if run.found else 0)


if __name__ == "__main__":
    main()
