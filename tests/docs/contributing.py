#!/usr/bin/env python3
"""Runs the commands of CONTRIBUTING.md, as who works on ricci would, and looks whether they find
what they name.

usage: contributing.py BUILD

Commands are the lines of ```sh blocks, and what stands in backquotes and begins as one. They run in
a copy of the sources whose `build` is the folder BUILD, as they stand but for this:
- what sets up a build does so in a folder `fresh`, and what builds in that one says only what it
  would compile: for hours, otherwise;
- what runs suites lists them;
- scripts in LONG_SCRIPTS, which build all anew, are read by the shell and not run;
- n and FILE stand for a number and a file.
A program of tests has to pass some test, or it was asked for one that is not there; a list may not
be empty; and what was recorded has to be what is recorded in the sources.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`([^`]+)`")
# A variable and its value, or a program: `ricci explain`, `build/bench/bench_places 1`.
BEGINNING = re.compile(r"(?:[A-Z_]+=\S+ +\S|(?:sh|python3|meson|ninja|ricci) +\S|build/\S+ +\S)")
LONG_SCRIPTS = {"tools/test.sh", "tools/fuzz.sh", "tools/tsan.sh", "tools/arm.sh",
                "tools/wheel.sh"}
SECONDS = 400
EQUATION = "Y^i = \\sum_j X^{ij}\n"


def commands_of(text):
    """Each command, and the line of the page that it stands on."""
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1)) + 1
        for k, line in enumerate(block[1].splitlines()):
            if command := re.sub(r"\s{2,}#.*", "", line).strip():
                yield command, first + k
    prose = BLOCK.sub(lambda b: "\n" * b[0].count("\n"), text)
    for quoted in QUOTED.finditer(prose):
        words = " ".join(quoted[1].split())
        if BEGINNING.match(words):
            yield words, prose.count("\n", 0, quoted.start()) + 1


def suites_named(text):
    """The suites that the page names behind the command that runs one."""
    found = re.search(r"#\s*a suite: (.*)", text)
    return re.findall(r"\w+", found[1]) if found else []


def as_run(command):
    """The words that are run for a command of the page, and what they have to print some of."""
    script = re.match(r"sh (\S+)", command)
    if script and script[1] in LONG_SCRIPTS:
        return f"sh -n {script[1]}", None
    if command.startswith("meson setup build "):
        return command.replace("setup build", "setup fresh"), r"Build targets in project: \d"
    if command.startswith("ninja -C build "):
        return command.replace("-C build", "-C fresh -n"), r"Linking target"
    if command.startswith("meson test "):
        return command + " --list", r"(?m)^\S.* / \S"
    command = command.replace("RICCI_SEED=n", "RICCI_SEED=3").replace(" FILE ", " equations.tex ")
    if re.search(r"(?:^| )build/tests/", command):
        return command, r"All tests passed|[1-9]\d* passed"
    if command.startswith("build/bench/"):
        return command, r"(?m)^\S+ +\d+\.\d"
    return command, None


def copy_of_sources(folder, build):
    def left_out(path, names):
        return [name for name in names if name in (".git", "__pycache__", "shared") or
                (pathlib.Path(path) / name / "build.ninja").exists()]
    shutil.copytree(ROOT, folder, ignore=left_out, symlinks=True, dirs_exist_ok=True)
    (folder / "build").symlink_to(build)
    (folder / "equations.tex").write_text(EQUATION, encoding="utf-8")


def is_built(command, build):
    """Whether the program of the build folder that the command runs is there."""
    program = re.search(r"(?:^| )build/(\S+)", command)
    return not program or (build / program[1]).exists()


def fault_of(command, folder, environment):
    """What is wrong with a command, or nothing."""
    words, wanted = as_run(command)
    ran = subprocess.run(["bash", "-c", words], cwd=folder, env=environment, timeout=SECONDS,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    if ran.returncode != 0:
        return f"$ {words}\nends with {ran.returncode}:\n{ran.stdout[-1500:]}"
    if wanted and not re.search(wanted, ran.stdout):
        return f"$ {words}\nfinds nothing:\n{ran.stdout[-1500:]}"
    return ""


def changed_records(folder):
    """The files of the sources that a command has written otherwise."""
    for path in folder.rglob("recorded/*.txt"), folder.glob("tests/*/*.txt"):
        for file in path:
            source = ROOT / file.relative_to(folder)
            if not source.exists() or source.read_bytes() != file.read_bytes():
                yield f"{file.relative_to(folder)} is written otherwise than it is recorded"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    text = PAGE.read_text("utf-8")
    commands = list(commands_of(text))
    run_suites = next((c for c, _ in commands if c.startswith("meson test ")), None)
    if run_suites:
        commands += [(re.sub(r"--suite \w+", f"--suite {suite}", run_suites), 0)
                     for suite in suites_named(text)]
    failures, run = [], 0
    path = os.pathsep.join([str(build / "tools" / "command"), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copy_of_sources(folder, build)
        environment = {**os.environ, "PATH": path}
        for command, line in commands:
            if not is_built(command, build):
                print(f"{PAGE.name}:{line}: {command}: not built here")
                continue
            run += 1
            if words := fault_of(command, folder, environment):
                failures.append(f"{PAGE.name}:{line}: {words}")
        failures += changed_records(folder)
    print("\n".join(failures))
    print(f"{run} of {len(commands)} commands run, {len(failures)} failed")
    return 1 if failures or run < len(commands) / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
