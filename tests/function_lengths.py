#!/usr/bin/env python3
"""Checks that functions of the library fit on a screen: at most 60 lines from brace to brace."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST = 60

# Folders that are not looked at, and why.
LEFT_OUT = {
    "src/kernels/": "a micro-kernel is unrolled by hand: its registers and its order of loads are one thought",
}

BLANKED = re.compile(
    r"""//[^\n]* | /\*.*?\*/                                    # comments
      | R"([^(\s]*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*"             # texts
      | (?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'       # characters, and no separators of digits
      | ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*                          # directives
    """, re.DOTALL | re.MULTILINE | re.VERBOSE)
TYPE = re.compile(r"(?:\[\[[^\]]*\]\]\s*)?(?:class|struct|union|enum)\b")
SCOPE = re.compile(r"(?:inline\s+)?namespace\b|extern\s*$")
CLOSING = {"(": ")", "[": "]", "{": "}"}


def blanked(text):
    """The text with spaces for comments, literals and directives, line for line."""
    return BLANKED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def end_of(text, at):
    """Where the bracket at `at` is closed."""
    stack = []
    for k in range(at, len(text)):
        if text[k] in CLOSING:
            stack.append(CLOSING[text[k]])
        elif stack and text[k] == stack[-1]:
            stack.pop()
            if not stack:
                return k
    raise ValueError(f"a bracket of line {text.count(chr(10), 0, at) + 1} is not closed")


def without_template(head):
    """A declaration without the lists of template parameters before it."""
    head = head.strip()
    while head.startswith("template"):
        depth = k = 0
        while k < len(head) and (head[k] != ">" or depth > 1 or head[k - 1] == "-"):
            if head[k] in CLOSING:
                k = end_of(head, k)
            depth += (head[k] == "<") - (head[k] == ">" and head[k - 1] != "-")
            k += 1
        head = head[k + 1:].strip()
    return head


def name_of(head):
    """The name of the function with this head: what stands before its first parentheses."""
    depth = 0
    for k, c in enumerate(head):
        depth += (c == "<") - (c == ">" and head[k - 1] != "-")
        if c == "(" and depth <= 0:
            found = re.search(r"(?:operator\W*|~?[\w:]+)\s*$", head[:k])
            if found and found[0].strip() not in ("requires", "noexcept", "explicit", "alignas", "decltype"):
                return found[0].strip()
    return head.split("=")[0].split()[-1] if head.split("=")[0].split() else "?"


def functions(text):
    """The functions of a file: (name, line, lines of the body)."""
    text = blanked(text)
    at = start = 0
    while at < len(text):
        c = text[at]
        if c in "([":
            at = end_of(text, at)
        elif c in ";}":
            start = at + 1
        elif c == "{":
            head = without_template(text[start:at])
            if SCOPE.match(head) or (TYPE.match(head) and not head.endswith(")")):
                start = at + 1  # what is declared in it comes next
            else:
                end = end_of(text, at)
                behind = text[end + 1:].lstrip()[:1]
                # what a variable or a member is initialised with is no body, but for that of a lambda
                if "(" in head and behind not in (",", "{"):
                    yield name_of(head), text.count("\n", 0, at) + 1, text.count("\n", at, end) + 1
                    start = end + 1
                at = end
        at += 1


# What the scanner has to see, and what it has to see past.
SAMPLE = """
namespace a { namespace {
template <class T, int n = (1 > 0)> struct s final : T { int x{1}; void f() const noexcept {
    if (x) { /* } */ g("{", '{'); }
} };
enum class e : int { one, two };
constexpr int table[] = {1, 2};
inline auto l = [](int x) { return x; };
} }
#define UNBALANCED {
s::s(int x) : a_{x}, b_(x), c_(x) {
    for (;;) {
        c_ = 1'000'000;
    }
}
template <class... T>
    requires(sizeof...(T) > 1)
bool operator<(const s& x, T... y) { return R"(})"; }
"""
SEEN = [("f", 3), ("l", 1), ("s::s", 5), ("operator<", 1)]


def main():
    seen = [(name, lines) for name, _, lines in functions(SAMPLE)]
    if seen != SEEN:
        print(f"of the sample this is seen: {seen}")
        return 1
    files = sorted(path.relative_to(ROOT).as_posix() for folder in ("include", "src", "tools", "python")
                   for path in (ROOT / folder).rglob("*") if path.suffix in (".hpp", ".cpp", ".h"))
    mistakes, count = [], 0
    for path in files:
        if path.startswith(tuple(LEFT_OUT)):
            continue
        for name, line, lines in functions((ROOT / path).read_text(encoding="utf-8")):
            count += 1
            if lines > LONGEST:
                mistakes.append(f"{path}:{line}: {name} has {lines} lines, {LONGEST} are the most")
    print("\n".join(mistakes) or f"{count} functions, none longer than {LONGEST} lines")
    return 1 if mistakes or not count else 0


if __name__ == "__main__":
    sys.exit(main())
