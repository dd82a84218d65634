#!/usr/bin/env python3
"""Writes the HTML, the style and the scripts of a page as C++ constants.

usage: embed.py OUTPUT HTML STYLE SCRIPT...

One literal a line of text: compilers do not take literals of any length. The scripts become one
function, so that none of their names is seen by others.
"""

import pathlib
import sys


def literal(line):
    text = line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    # octal, since a hexadecimal escape has no end
    parts = (c if ord(c) < 128 else "".join(f"\\{b:03o}" for b in c.encode()) for c in text)
    return '"' + "".join(parts) + '\\n"'


def constant(name, lines):
    body = "".join(f"    {literal(line)},\n" for line in lines)
    return f"constexpr std::string_view {name}[] = {{\n{body}}};\n"


def main():
    output, html, style, *scripts = map(pathlib.Path, sys.argv[1:])
    lines = {"html_lines": html.read_text("utf-8").splitlines(),
             "style_lines": style.read_text("utf-8").splitlines()}
    code = [line for script in scripts for line in script.read_text("utf-8").splitlines()]
    lines["code_lines"] = ['"use strict";', "(() => {", *code, "})();"]
    size = sum(len(line.encode()) + 1 for part in lines.values() for line in part)
    output.write_text(
        "// Made by embed.py.\nnamespace {\n" + "".join(constant(*part) for part in lines.items()) +
        f"constexpr std::size_t characters_of_parts = {size};\n}}  // namespace\n",
        encoding="utf-8")


if __name__ == "__main__":
    main()
