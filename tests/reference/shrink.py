"""Makes a text smaller as long as it shows the same: lines, terms, factors and indices go, a
function becomes its argument. `shape_of` makes names plain, so that two texts with one cause look
alike."""

import re

PIECES = re.compile(
    r"\\(?:operatorname|text)\{[^}]*\}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z]+'*|\s+|.", re.DOTALL)
PAIRS = {"{": "}", "(": ")", "[": "]"}
SIGNS = {"+", "-", "\\cdot", "\\odot", "*", "/"}


def partner(p, k):
    """Where the bracket at k is closed, or -1."""
    stack = []
    for m in range(k, len(p)):
        if p[m] in PAIRS:
            stack.append(PAIRS[p[m]])
        elif stack and p[m] == stack[-1]:
            stack.pop()
            if not stack:
                return m
    return -1


def unit_end(p, k):
    """The end of the factor that begins at k: a name or a bracket, with its scripts and
    parentheses."""
    while k < len(p) and not p[k].isspace() and p[k] not in SIGNS and p[k] not in "=)}],;&":
        if p[k] in PAIRS:
            end = partner(p, k)
            if end < 0:
                return -1
            k = end + 1
        else:
            k += 1
    return k


def without_factors(p):
    """One factor less, with the sign before it or behind it."""
    for k in range(len(p)):
        if p[k].isspace() or p[k] in SIGNS or p[k] in "=)}],;&_^" or k > 0 and (
                not p[k - 1].isspace() and p[k - 1] not in "({[" and p[k - 1] not in SIGNS):
            continue
        end = unit_end(p, k)
        if end <= k:
            continue
        a = k
        while a > 0 and (p[a - 1] == " " or p[a - 1] in SIGNS):
            a -= 1
        yield p[:a] + [" "] * (a < k) + p[end:]
        b = end
        while b < len(p) and (p[b] == " " or p[b] in SIGNS):
            b += 1
        yield p[:k] + p[b:]


def simpler(p):
    """A bracket's content instead of the bracket and its function; a part of a quotient instead of
    it."""
    for k in range(len(p)):
        if p[k] == "\\frac" and k + 1 < len(p) and p[k + 1] == "{":
            e = partner(p, k + 1)
            if e > 0 and e + 1 < len(p) and p[e + 1] == "{":
                f = partner(p, e + 1)
                yield p[:k] + p[k + 2:e] + p[f + 1:]
                yield p[:k] + p[e + 2:f] + p[f + 1:]
        if p[k] in "([":
            end = partner(p, k)
            if end < 0:
                continue
            start = k
            while start > 0 and not p[start - 1].isspace() and p[start - 1] not in SIGNS and p[
                    start - 1] not in "({[=":
                start -= 1
            after = end + 1
            if p[after:after + 1] == ["^"]:
                after = unit_end(p, after + 1)
            yield p[:start] + p[k + 1:end] + p[after:]
            yield p[:k] + p[k + 1:end] + p[end + 1:]


def without_letters(p):
    """One index less wherever it stands in a script."""
    letters = {
        c
        for k in range(1, len(p)) if p[k - 1] in ("^", "_", "{") for c in p[k]
        if c.isalpha() and p[k][0] != "\\"
    }
    for letter in sorted(letters):
        out = [
            x.replace(letter, "")
            if k > 0 and p[k - 1] in ("^", "_", "{") and x[0] != "\\" and x.isalpha() else x
            for k, x in enumerate(p)
        ]
        text = "".join(out)
        text = re.sub(r"[\^_]\{\}", "", text)
        yield PIECES.findall(text)


def candidates(text):
    lines = text.split("\n")
    out = ["\n".join(lines[:k] + lines[k + 1:]) for k in range(len(lines)) if len(lines) > 1]
    p = PIECES.findall(text)
    for make in (without_factors, simpler, without_letters):
        out += ["".join(q) for q in make(p)]
    seen, kept = {text}, []
    for c in out:
        c = re.sub(r" +", " ", c).strip()
        c = re.sub(r" *\n *", "\n", c)
        if c not in seen and len(c) < len(text):
            seen.add(c)
            kept.append(c)
    return sorted(kept, key=len)


def shrink(text, shows, tries=300):
    """The smallest text found for which shows(text) holds."""
    while tries > 0:
        for c in candidates(text):
            tries -= 1
            if shows(c):
                text = c
                break
            if tries <= 0:
                break
        else:
            break
    return text


def shape_of(text):
    """The text with its names and letters in the order in which they come."""
    names = {}

    def plain(m):
        w = m.group()
        if w.startswith("\\") or len(w) > 3:
            return w
        return "".join(
            names.setdefault(c, chr(ord("a") + len(names) % 26)) if c.isalpha() else c for c in w)
    return re.sub(r"\\(?:operatorname|text)\{[^}]*\}|\\[A-Za-z]+|[A-Za-z]+", plain, text)
