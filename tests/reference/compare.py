"""Puts one text through both readers and says where they differ. What is not decided is not
compared."""

import re

import numpy as np

from exchange import bare
from lexer import Doubt, Refused
from reader import Reading
from shapes import ONE_EXTENT

CLAIM = -1  # what the driver says for a claim


class Finding:
    def __init__(self, category, words, text):
        self.category, self.words, self.text = category, words, text

    def cause(self):
        """What two findings with one cause have in common: the beginning of the library's
        sentence."""
        if self.category not in ("refused", "error", "asked"):
            return ""
        sentence = re.sub(r">>>.*?<<<|'[^']*'", "", self.words.split(" : ")[-1])
        return " ".join(w for w in sentence.split() if len(w) > 2)[:24]

    def __str__(self):
        return f"{self.category}: {self.words}"


class Comparison:
    """`finding` is None where both agree; `note` says what was compared."""

    def __init__(self, finding=None, note="agree"):
        self.finding, self.note = finding, note


def close(a, b, tolerance=1e-7):
    a, b = np.asarray(a, dtype=np.longdouble), np.asarray(b, dtype=np.longdouble)
    if a.shape != b.shape:
        return False
    with np.errstate(all="ignore"):
        size = 1 + np.abs(b) + (np.nanmax(np.abs(b[np.isfinite(b)]), initial=0) * 1e-3)
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * size)
    return bool(np.all(same))


def verdict_of(answer):
    """Of a text that is refused for a claim: refuted, unproved, or neither."""
    if answer.kind != "refused" or answer.category != CLAIM:
        return ""
    return "refuted" if " refuted: " in answer.words else "unproved"


def compare(driver, text, seed=0):
    try:
        reading = Reading(text, seed)
    except Refused as r:
        return refused_here(driver, text, r)
    except Doubt as d:
        return Comparison(note=f"doubt: {d}")
    return run_both(driver, text, reading, seed)


def refused_here(driver, text, r):
    answer = driver.ask(text, {}, {})
    if answer.kind in ("died", "late"):
        return Comparison(Finding(answer.kind, "", text))
    if answer.kind == "refused":
        return Comparison(note="both refuse")
    return Comparison(Finding(f"accepted ({r.category})", f"the page refuses it: {r}", text))


def run_both(driver, text, reading, seed):
    p, shapes = reading.program, reading.shapes
    extents, several = {}, set()
    for i in shapes.indices:
        letter = i[2].split("~")[0]
        if extents.setdefault(letter, shapes.extent(i)) != shapes.extent(i):
            several.add(letter)
    needed = extents if ONE_EXTENT else {i: extents[i] for i in shapes.asked}
    try:
        expected = reading.evaluate()
        claims = [(c, *reading.judge(c)) for c in p.claims]
        empty = any(0 in x.shape for x in reading.inputs.values())
    except Doubt as d:
        return Comparison(note=f"doubt: {d}")
    answer = driver.ask(text, reading.inputs, needed)
    if answer.kind == "error" and "the shapes do not give" in answer.words:
        asked = answer.words
        answer = driver.ask(text, reading.inputs, extents)
        answer.asked = asked
    if answer.kind in ("died", "late"):
        return Comparison(Finding(answer.kind, "", text))
    wrong = [c for c, a, b in claims if not close(a, b, 1e-6)]
    if answer.kind == "refused":
        verdict = verdict_of(answer)
        if verdict == "unproved":
            return Comparison(note="unproved")
        if verdict == "refuted":
            if claims and not wrong and not empty and stays_true(text, seed):
                return Comparison(Finding("refuted, and true", answer.words, text))
            return Comparison(note="both refute")
        return Comparison(Finding("refused", answer.words, text))
    if wrong and ill(reading, text):
        return Comparison(note="doubt: a matrix that is nearly singular")
    if wrong:
        c = wrong[0]
        a, b = next((a, b) for k, a, b in claims if k is c)
        if np.isnan(a.astype(float)).any() or np.isnan(b.astype(float)).any():
            return Comparison(note="a claim that is not a number")
        return Comparison(Finding("proved, and false", f"{first_difference(a, b)}", text))
    if answer.kind == "error":
        if (needed or answer.asked) and "as the caller gave it" in answer.words:
            return Comparison(note="doubt: one letter of several extents")
        if reading.outside:
            return Comparison(note="both outside")
        if np.isinf(reading.ill):
            return Comparison(note="both find a singular matrix")
        return Comparison(Finding("error", answer.words, text))
    if np.isinf(reading.ill):
        return Comparison(note="doubt: a matrix that is singular up to rounding")
    if reading.outside:
        return Comparison(Finding("outside", "a place that is read does not exist", text))
    out = compare_outputs(text, reading, expected, answer)
    if out.finding is not None and out.finding.category == "shape" and several & set(needed):
        return Comparison(note="doubt: one letter of several extents")
    return out


def stays_true(text, seed):
    """Whether the claims hold with other numbers and extents too: one at which two sides agree
    proves nothing."""
    for other in range(1, 6):
        reading = Reading(text, seed + 1000 * other)
        for c in reading.program.claims:
            if not close(*reading.judge(c), 1e-6):
                return False
    return True


def compare_outputs(text, reading, expected, answer):
    p = reading.program
    mine = {bare(n): expected[n] for n in p.outputs}
    everything = {bare(n): x for n, x in expected.items()}
    for name, got in answer.outputs.items():
        if name not in everything and "/" in name:
            continue  # a derivative on the way to another
        if name not in everything:
            return Comparison(Finding("outputs", f"{name} is no output", text))
        want = everything[name]
        if got.shape != want.shape:
            return Comparison(Finding("shape", f"{name} has {got.shape}, not {want.shape}", text))
        if not close(got, want) and not masked(got, want):
            if sensitive(reading, name, got, want):
                return Comparison(note="doubt: the value hangs on the last digits of its inputs")
            if ill(reading, text):
                return Comparison(note="doubt: a matrix that is nearly singular")
            if reading.large and "\\sum" not in text:
                return Comparison(note="doubt: out of the range of double")
            return Comparison(Finding("values", f"{name}: {first_difference(got, want)}", text))
    missing = [n for n in mine if n not in answer.outputs]
    if missing and not p.claims:
        return Comparison(Finding("outputs", f"{missing[0]} is no output there", text))
    if answer.asked and not reading.shapes.asked and not reading.shapes.merged:
        return Comparison(Finding("asked", answer.asked, text))
    return Comparison(note="values agree")


def ill(reading, text):
    """Whether a matrix is so near to a singular one that digits are lost, of differences soon."""
    return reading.ill > (8 if "\\partial" in text else 1e8)


def sensitive(reading, name, got, want):
    """Whether inputs that differ in their last digits make as large a difference."""
    original = reading.inputs
    reading.inputs = {n: x if x.dtype.kind in "iu" else x * (1 + 2e-15)
                      for n, x in original.items()}
    moved = {bare(n): x for n, x in reading.evaluate().items()}[name]
    reading.inputs = original
    with np.errstate(all="ignore"):
        change = np.nanmax(np.abs(moved - want), initial=0)
        difference = np.nanmax(np.abs(np.asarray(got, dtype=np.longdouble) - want), initial=0)
    return bool(np.isfinite(difference) and difference <= 1000 * change)


def masked(got, want):
    """Where a row is masked everywhere the stable forms give 0 for 0/0; nothing else differs."""
    with np.errstate(all="ignore"):
        a, b = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
        close = np.abs(a - b) <= 1e-7 * (1 + np.abs(b))
        same = close | (a == b) | (np.isnan(b) & ((a == 0) | np.isnan(a)))
    return bool(np.all(same))


def first_difference(a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    a, b = np.broadcast_arrays(a, b)
    with np.errstate(all="ignore"):
        bad = ~((np.abs(a - b) <= 1e-7 * (1 + np.abs(b))) | (a == b) | (np.isnan(a) & np.isnan(b)))
    at = np.argwhere(bad)
    if len(at) == 0:
        return "no difference"
    k = tuple(at[0])
    return f"at {tuple(int(x) for x in k)} {a[k]:.9g} and here {b[k]:.9g}"
