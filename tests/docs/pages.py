#!/usr/bin/env python3
"""Runs what the pages of docs/ show, as a reader would, and compares what is printed.

usage: pages.py [--ricci COMMAND] [--paths PAGE]... PAGE... -- COMPILER ARGUMENT...
       pages.py --python INTERPRETER PAGE...

Of each page, in a folder of its own:
- ```tex FILE, ```python FILE and the like: a block with a file name behind the language is written
  there.
- ```cpp: the blocks of a page are one program. Lines with #include, `using` and what begins with
  `template` or `struct` go in front of main, all else into it. A block with `int main` is a program
  of its own. A block behind <!-- not run --> is not run.
- ```python, with --python, where nothing else is run: the blocks of a page are one program.
- ```text behind one: what it prints.
- ```console: lines with `$ ` are commands, run behind the programs; the lines below are what they
  print, with standard error. In both `...` stands for any text.
Blocks with other languages are looked at by nobody.

A path of the repository in backquotes, and a page that is linked to, have to be there. A word in
braces stands for one of several, a star for anything. Of a page behind --paths nothing else counts.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"(<!-- not run -->\s*\n)?^```(\w+)(?: +(\S+))?\n(.*?)^```$",
                   re.MULTILINE | re.DOTALL)
# What begins with a folder of the repository, and ends before what is no path.
PATH = re.compile(r"`((?:include|src|tests|docs|bench|tools|examples|python)/[\w./*{},-]*)[^`]*`")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)[^)]*\)")
ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = "<<<block %d>>>"
HEADER = ("#include <cstdio>\n#include <iostream>\n#include <ricci/ricci.hpp>\n"
          "using namespace ricci::literals;\n")
FOOTER = ("\n} catch (const std::exception& e) {"
          " std::cout << e.what() << std::endl; return 1; }\n")
SECONDS = 120


def matches(shown, printed):
    """Whether text is what a page shows, where `...` is any text and the ends of lines do not
    count."""
    def lines(text):
        return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
    parts = [re.escape(part) for part in lines(shown).split("...")]
    return re.fullmatch(".*".join(parts), lines(printed), re.DOTALL) is not None


def front_and_body(block):
    """What stands in front of main, and what in it."""
    front, body, inside = [], [], False
    for line in block.split("\n"):
        inside = inside or re.match(r"(template|struct|namespace|class)\b", line) is not None
        to_front = inside or re.match(r"\s*#include|using ", line)
        (front if to_front else body).append(line)
        if inside and re.match(r"\}", line):
            inside = False
    return "\n".join(front), "\n".join(body)


def spelt_out(path):
    """The paths that a{b,c} stands for."""
    before, brace, rest = path.partition("{")
    if not brace:
        return [path.rstrip("/")]
    choices, _, behind = rest.partition("}")
    return [one for word in choices.split(",") for one in spelt_out(before + word + behind)]


class page:
    def __init__(self, path, compiler, command, python, folder):
        self.path, self.compiler, self.command, self.python = path, compiler, command, python
        self.folder = pathlib.Path(folder)
        self.failures, self.examples, self.paths = [], 0, 0
        self.blocks = [(m[2], m[3], m[4], bool(m[1]),
                        path.read_text("utf-8").count("\n", 0, m.start()) + 1)
                       for m in FENCE.finditer(path.read_text("utf-8"))]

    def fail(self, line, words):
        self.failures.append(f"{self.path.name}:{line}: {words}")

    def run(self):
        self.write_files()
        if self.python:
            self.run_python()
            return
        self.run_programs()
        for language, _, text, skipped, line in self.blocks:
            if language == "console" and not skipped:
                self.run_console(text, line)

    def check_paths(self):
        text = self.path.read_text("utf-8")
        # Brackets in an example are no links.
        prose = FENCE.sub(lambda block: "\n" * block.group(0).count("\n"), text)
        for found in [*PATH.finditer(text), *LINK.finditer(prose)]:
            where = ROOT if found.re is PATH else self.path.parent
            for name in spelt_out(found[1]):
                self.paths += 1
                if not any(where.glob(name)):
                    self.fail(text.count("\n", 0, found.start()) + 1, f"{name} is not there")

    def write_files(self):
        for _, name, text, _, _ in self.blocks:
            if name:
                (self.folder / name).write_text(text, encoding="utf-8")

    def shown_behind(self, k):
        behind = self.blocks[k + 1] if k + 1 < len(self.blocks) else None
        return behind[2] if behind and behind[0] == "text" and not behind[1] else None

    def run_python(self):
        body, wanted = [], {}
        for k, (language, name, text, skipped, line) in enumerate(self.blocks):
            if language != "python" or name or skipped:
                continue
            self.examples += 1
            body.append(f'print("{MARK % k}", flush=True)\n{text}')
            wanted[k] = (self.shown_behind(k), line)
        if not wanted:
            return
        file = self.folder / "page.py"
        file.write_text("\n".join(body), encoding="utf-8")
        self.run_and_compare([self.python, str(file)], wanted,
                             min(line for _, line in wanted.values()))

    def run_programs(self):
        front, body, wanted = [], [], {}
        for k, (language, name, text, skipped, line) in enumerate(self.blocks):
            if language != "cpp" or name or skipped:
                continue
            self.examples += 1
            shown = self.shown_behind(k)
            if "int main" in text:
                self.compile_and_run(text, {None: (shown, line)}, line)
                continue
            before, inside = front_and_body(text)
            front.append(before)
            body.append(f'std::cout << "{MARK % k}\\n" << std::flush;\n{inside}\n'
                        ' std::cout.flush(); std::fflush(stdout);')
            wanted[k] = (shown, line)
        if wanted:
            # what a page shows is not always used again
            source = (HEADER + "\n".join(front) + "\nint main() try {\n" + "\n".join(body) + FOOTER)
            self.compile_and_run(source, wanted, min(line for _, line in wanted.values()))

    def compile_and_run(self, source, wanted, line):
        program, file = self.folder / "page.out", self.folder / "page.cpp"
        file.write_text(source, encoding="utf-8")
        before, _, behind = " ".join(self.compiler).partition(" -- ")
        command = [*before.split(), "-w", str(file), "-o", str(program), *behind.split()]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            self.fail(line, "the programs of this page do not compile:\n" + made.stderr[:3000])
            return
        self.run_and_compare([str(program)], wanted, line)

    def run_and_compare(self, program, wanted, line):
        ran = subprocess.run(program, cwd=self.folder, capture_output=True, text=True,
                             timeout=SECONDS, check=False)
        if ran.returncode != 0:
            self.fail(line, "a program ends badly: " + ran.stdout[-500:] + ran.stderr[-500:])
        parts = re.split(r"<<<block (\d+)>>>\n", ran.stdout)
        printed = {int(k): v for k, v in zip(parts[1::2], parts[2::2])}
        if None in wanted:
            printed = {None: parts[0]}
        for k, (shown, at) in wanted.items():
            if shown is not None and not matches(shown, printed.get(k, "")):
                self.fail(at,
                          f"the page shows\n{shown}\nand the program prints\n{printed.get(k, '')}")

    def run_console(self, text, line):
        if self.command is None:
            return
        path = os.pathsep.join(
            [str(pathlib.Path(self.command).resolve().parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}
        for entry in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            self.examples += 1
            # a command goes on where its line ends with a backslash
            command, shown = re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", entry, re.DOTALL).groups()
            ran = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment,
                                 timeout=SECONDS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, check=False)
            if not matches(shown, ran.stdout):
                self.fail(line, f"$ {command}\nshould print\n{shown}\nand prints\n{ran.stdout}")


def main():
    own, _, compiler = "\0".join(sys.argv[1:]).partition("\0--\0")
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--ricci")
    arguments.add_argument("--python")
    arguments.add_argument("--paths", action="append", default=[])
    arguments.add_argument("pages", nargs="+")
    options = arguments.parse_args(own.split("\0"))
    failed = examples = paths = 0
    for name in options.pages + options.paths:
        with tempfile.TemporaryDirectory() as folder:
            one = page(pathlib.Path(name).resolve(), compiler.split("\0"), options.ricci, options.python,
                       folder)
            one.check_paths()
            if name in options.pages:
                one.run()
        for words in one.failures:
            print(words)
        failed += len(one.failures)
        examples += one.examples
        paths += one.paths
    print(f"{examples} examples and {paths} paths of {len(options.pages)} pages, {failed} failed")
    sys.exit(1 if failed or examples == 0 else 0)


if __name__ == "__main__":
    main()
