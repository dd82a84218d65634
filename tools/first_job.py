#!/usr/bin/env python3
"""CPU seconds from a fresh clone to the main job's numbers, for one commit or several, one after the other.

    tools/first_job.py COMMIT...

Each is cloned into a folder of its own, its tools/quickstart.sh is run until it says that the main job was built and
run, and what that took of processor time is printed, its own and that of all that it ran; beside the first, a ratio.
The compiler cache, where there is one, is left out. All runs on one processor: two that are threads of one core slow
each other by as much as half. What quickstart.sh installs has to be there before.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DONE = re.compile(r"built and run in \d+ s")


def used(process: int) -> float:
    """Seconds of processor time of what `process` has waited for, and of what these have."""
    # The name, which is in brackets, may have blanks in it.
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def first_job(commit: str) -> float:
    """The seconds that `commit` takes."""
    with tempfile.TemporaryDirectory(prefix="ricci-first-job-") as folder:
        clone = pathlib.Path(folder) / "ricci"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        subprocess.run(["git", "-C", str(clone), "checkout", "-q", commit], check=True)
        script = subprocess.Popen(
            ["sh", "tools/quickstart.sh"],
            cwd=clone,
            env=os.environ | {"CCACHE_DISABLE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert script.stdout is not None
        seconds = None
        for line in script.stdout:
            if DONE.search(line):
                seconds = used(script.pid)
                break
        if seconds is None:
            sys.exit(f"{commit}: tools/quickstart.sh ended without the main job's numbers")
        # What it builds after that is not asked for.
        os.killpg(script.pid, signal.SIGTERM)
        script.stdout.close()
        script.wait()
        return seconds


def main() -> None:
    """Prints a line for each commit."""
    commits = sys.argv[1:]
    if not commits or commits[0].startswith("-"):
        sys.exit(__doc__)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    first = None
    for commit in commits:
        seconds = first_job(commit)
        first = first or seconds
        print(f"{commit:<16} {seconds:8.1f} s {seconds / first:6.2f}", flush=True)


if __name__ == "__main__":
    main()
