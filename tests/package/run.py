#!/usr/bin/env python3
"""Installs the library into a folder of its own and uses it from outside in every promised way:
with pkg-config (shared, static), with CMake (shared, static), and as a Meson subproject. Then asks
of what a build consists where parts are left out.

usage: run.py BUILD-FOLDER PREFIX LIBDIR COMPILER [ARGUMENT ...]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXPECTED = "415 0"


# How the sources fit into a project is asked, not how fast they run: kernels for the baseline alone.
QUICK = ["-Dricci:skipped_targets=SSSE3,SSE4,AVX2,AVX3,AVX3_DL", "-Dricci:default_library=static",
         "-Dricci:files=disabled"]


class Failure(Exception):
    """A command that failed, with what it printed."""


def run(command, cwd, **environment):
    """What `command` prints; raises Failure with all of it when it does not succeed."""
    inherited = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False,
                          env=inherited | {k: str(v) for k, v in environment.items()})
    if done.returncode != 0:
        raise Failure(f"$ {' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def check(program, **environment):
    printed = run([program], program.parent, **environment).strip()
    if printed != EXPECTED:
        raise Failure(f"{program} printed {printed!r} instead of {EXPECTED!r}")


class Outside:
    """The installed tree, and a folder for the programs that use it."""

    def __init__(self, folder, build, prefix, libdir, compiler):
        self.folder, self.compiler = folder, compiler
        self.stage = folder / "stage"
        run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", self.stage],
            folder)
        # What is installed has to work wherever it is moved to, hence another name than the prefix.
        self.tree = folder / "moved"
        (self.stage / prefix.lstrip("/")).rename(self.tree)
        self.prefix = prefix
        self.libdir = libdir
        # A second tree without the shared library: with both, the linker prefers the shared one.
        self.static_tree = folder / "static"
        shutil.copytree(self.tree, self.static_tree, symlinks=True)
        for shared in (self.static_tree / libdir).glob("libricci*.so*"):
            shared.unlink()

    def headers(self):
        """Nothing is installed that no public header leads to."""
        include = self.tree / "include"
        needed, todo = set(), list((include / "ricci").glob("*.hpp"))
        while todo:
            header = todo.pop()
            if header not in needed and header.exists():
                needed.add(header)
                names = re.findall(r"^#include <(ricci/[^>]+)>", header.read_text(encoding="utf-8"), re.MULTILINE)
                todo += [include / name for name in names]
        beyond = [path for path in include.rglob("*.hpp") if path not in needed]
        if beyond:
            raise Failure("installed, and used by no public header (see exclude_files in meson.build):\n"
                          + "\n".join(str(path.relative_to(include)) for path in sorted(beyond)))

    def has(self, pattern):
        return any((self.tree / self.libdir).glob(pattern))

    def pkg_config(self, tree, *options, package="ricci", source="consumer.cpp"):
        """Builds the consumer with the flags that pkg-config gives and runs it."""
        flags = run(["pkg-config", f"--define-variable=prefix={tree}", "--cflags", "--libs",
                     *options, package], self.folder,
                    PKG_CONFIG_PATH=tree / self.libdir / "pkgconfig").split()
        program = self.folder / "with_pkg_config"
        run([*self.compiler, "-std=c++20", HERE / source, "-o", program, *flags],
            self.folder)
        check(program, LD_LIBRARY_PATH=tree / self.libdir)

    def precompiled(self, tree):
        """Builds the consumer as docs/getting-started.md does by hand, with the header precompiled. The
        compiler says where it does not take what was precompiled, and a mistake is said as ever."""
        asked = ["pkg-config", f"--define-variable=prefix={tree}"]
        where = {"PKG_CONFIG_PATH": tree / self.libdir / "pkgconfig"}
        flags = run([*asked, "--cflags", "ricci"], self.folder, **where).split()
        libraries = run([*asked, "--libs", "ricci"], self.folder, **where).split()
        header, program = self.folder / "all.hpp", self.folder / "with_precompiled_header"
        header.write_text("#include <ricci/ricci.hpp>\n", encoding="utf-8")
        is_clang = "clang" in run([*self.compiler, "--version"], self.folder)
        made = header.with_name("all.hpp.pch" if is_clang else "all.hpp.gch")
        compiled = [*self.compiler, "-std=c++20", "-Winvalid-pch", "-Werror=invalid-pch", *flags]
        run([*compiled, "-x", "c++-header", header, "-o", made], self.folder)
        compiled += ["-include", header]
        run([*compiled, HERE / "consumer.cpp", "-o", program, *libraries], self.folder)
        check(program, LD_LIBRARY_PATH=tree / self.libdir)
        wrong = self.folder / "wrong.cpp"
        wrong.write_text('#include <ricci/ricci.hpp>\nusing namespace ricci::literals;\n'
                         'constexpr auto wrong = "Y^i = X^{ij}"_eq;\n', encoding="utf-8")
        try:
            run([*compiled, "-c", wrong], self.folder)
        except Failure as failure:
            said = "\n".join(str(failure).splitlines()[1:6])
            if "wrong.cpp:3" not in said or "the index j" not in said:
                raise Failure(f"a mistake is not said in the first lines:\n{failure}") from failure
        else:
            raise Failure(f"{wrong} holds a mistake, and compiled")

    def pkg_config_of_files(self):
        self.pkg_config(self.tree, package="ricci-files", source="files_consumer.cpp")

    def pkg_config_of_mpi(self):
        """Builds a program of several ranks with MPI's own compiler wrapper, as its users do."""
        flags = run(["pkg-config", f"--define-variable=prefix={self.tree}", "--cflags", "--libs", "ricci-mpi"],
                    self.folder, PKG_CONFIG_PATH=self.tree / self.libdir / "pkgconfig").split()
        program, words = self.folder / "with_mpi", " ".join(self.compiler)
        run(["mpicxx", "-std=c++20", HERE / "mpi_consumer.cpp", "-o", program, *flags], self.folder,
            OMPI_CXX=words, MPICH_CXX=words)
        check(program, LD_LIBRARY_PATH=self.tree / self.libdir)

    def cmake(self, tree, kind):
        """Builds the consumer with the CMake package and runs it."""
        source = self.folder / f"cmake_{tree.name}_{kind or 'any'}"
        source.mkdir()
        for name in ("CMakeLists.txt", "consumer.cpp", "files_consumer.cpp"):
            shutil.copy(HERE / name, source)
        files = self.has("libricci-files.*")
        run(["cmake", "-S", source, "-B", source / "build", "-G", "Ninja",
             f"-DCMAKE_PREFIX_PATH={tree}", f"-DKIND={kind}", f"-DFILES={'ON' if files else 'OFF'}",
             f"-DCMAKE_CXX_COMPILER={self.compiler[-1]}"], source)
        run(["cmake", "--build", source / "build"], source)
        check(source / "build" / "consumer")
        if files:
            check(source / "build" / "files_consumer")

    def subproject(self):
        """Builds the consumer in a Meson project that has ricci's sources under subprojects/."""
        source = self.folder / "subproject"
        inner = source / "subprojects" / "ricci"
        inner.mkdir(parents=True)
        shutil.copy(HERE / "consumer.cpp", source)
        shutil.copy(HERE / "outside.build", source / "meson.build")
        (source / "pch").mkdir()
        (source / "pch" / "all.hpp").write_text("#include <ricci/ricci.hpp>\n", encoding="utf-8")
        for name in ("meson.build", "meson_options.txt"):
            shutil.copy(ROOT / name, inner)
        for name in ("include", "src", "tools", "python"):
            shutil.copytree(ROOT / name, inner / name)
        run(["meson", "setup", "build", "-Dbuildtype=debug", "-Doptimization=0", "-Ddebug=false",
             *QUICK], source,
            CXX=" ".join(self.compiler), LDFLAGS="", CXXFLAGS="")
        built = source / "build"
        archive = self.tree / self.libdir / "libricci.a"
        if archive.exists():
            self.subproject_without_library(built, archive)
        else:
            run(["ninja", "-C", built, "consumer"], source)
        check(built / "consumer")

    def subproject_without_library(self, built, archive):
        """Builds what a project around ours may break: a file of each library, with the flags that all of its files
        have, and the consumer, whose command links it with the library that is installed. The sources are the same,
        and have been compiled once."""
        command = run(["ninja", "-C", built, "-t", "commands", "consumer"], built).splitlines()[-1]
        archives = [word for word in command.split() if word.endswith(".a") and not word.startswith("/")]
        ours = [word for word in archives if word.endswith("/libricci.a")]
        targets = run(["ninja", "-C", built, "-t", "inputs", "consumer"], built).split()
        one_of = {}
        for name in targets:
            if name.endswith(".o"):
                one_of.setdefault(name.rpartition("/")[0], name)
        if len(ours) != 1 or len(one_of) < len(archives):
            raise Failure(f"of objects there are {sorted(one_of)}, and the consumer is linked by\n{command}")
        run(["ninja", "-C", built, *one_of.values()], built)
        # The whole library is of the others, which are named behind it.
        for name in archives:
            (built / name).parent.mkdir(parents=True, exist_ok=True)
            if name in ours:
                shutil.copy(archive, built / name)
            else:
                run(["ar", "qc", name], built)
        run(["sh", "-c", command], built)

    def folders_built(self, *without):
        """The folders below src/ and tools/ from which a build without these parts compiles something."""
        build = self.folder / "parts"
        options = [f"-D{part}={'disabled' if part in without else 'auto'}"
                   for part in ("files", "mpi", "command", "check", "draw", "show")]
        # set up once: what the compiler and the system have is asked for half a minute, and is the same
        run(["meson", "setup", *(["--reconfigure"] if build.exists() else []), build, ROOT,
             "-Dtests=disabled", "-Dexamples=disabled", "-Dbench=disabled", "-Dpython=disabled", *options],
            self.folder, CXX=" ".join(self.compiler), LDFLAGS="", CXXFLAGS="")
        targets = json.loads(run(["meson", "introspect", "--targets", build], self.folder))
        used = [target for target in targets if target["build_by_default"]]
        sources = [pathlib.Path(source).relative_to(ROOT).parts for target in used
                   for group in target["target_sources"] for source in group.get("sources", [])
                   if ROOT in pathlib.Path(source).parents]
        # a tool is compiled when the command, which is built, has its library in it
        tools = {target["defined_in"].split("/")[-2] for target in targets if not target["build_by_default"]
                 and target["type"] == "static library"} if any(t["name"] == "ricci" and
                                                                t["type"] == "executable" for t in used) else set()
        return {parts[1] for parts in sources if parts[0] in ("src", "tools")} | tools

    def parts(self):
        """What is left out is not compiled: of the tools each, and all but the core."""
        around = {"files", "mpi", "placement", "command", "formula", "papers", "judge", "check", "draw", "show"}
        everything = self.folders_built()
        if not around <= everything:
            print(f"parts: only {sorted(around & everything)} of {sorted(around)} can be built here")
        core = self.folders_built("files", "mpi", "command")
        if core != everything - around:
            raise Failure(f"the core alone is compiled from {sorted(core)}")
        for option, folders in (("check", {"judge", "check"}), ("draw", {"draw"}), ("show", {"show"})):
            without = self.folders_built(option)
            if without != everything - folders:
                raise Failure(f"-D{option}=disabled compiles {sorted(without)}, all is {sorted(everything)}")


def main():
    build, prefix, libdir, *compiler = sys.argv[1:]
    failed = 0

    def step(words, action, *arguments):
        nonlocal failed
        try:
            action(*arguments)
            print(f"{words}: works", flush=True)
        except Failure as failure:
            failed += 1
            print(f"{words}: FAILED\n{failure}", flush=True)

    with tempfile.TemporaryDirectory(prefix="ricci-package-") as folder:
        try:
            outside = Outside(pathlib.Path(folder), build, prefix, libdir, compiler)
        except Failure as failure:
            print(f"installing: FAILED\n{failure}")
            return 1
        step("headers", outside.headers)
        if outside.has("libricci.so*"):
            step("pkg-config, shared", outside.pkg_config, outside.tree)
            step("precompiled header", outside.precompiled, outside.tree)
        if outside.has("libricci-files.so*"):
            step("pkg-config, files", outside.pkg_config_of_files)
        if outside.has("libricci-mpi.so*") and shutil.which("mpicxx"):
            step("pkg-config, MPI", outside.pkg_config_of_mpi)
        if outside.has("libricci.a"):
            step("pkg-config, static", outside.pkg_config, outside.static_tree, "--static")
        if shutil.which("cmake"):
            step("CMake", outside.cmake, outside.tree, "")
            if outside.has("libricci.so*"):
                step("CMake, shared", outside.cmake, outside.tree, "shared")
            if outside.has("libricci.a"):
                step("CMake, static", outside.cmake, outside.tree, "static")
                step("CMake, only static there", outside.cmake, outside.static_tree, "")
        else:
            print("CMake: skipped, not installed")
        step("Meson subproject", outside.subproject)
        step("parts that are left out", outside.parts)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
