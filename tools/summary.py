#!/usr/bin/env python3
"""Counts test results that meson wrote and prints them as one line, `N passed, N failed`.

usage: summary.py [--failed N] TESTLOG.JSON ...

Exits with 1 unless something passed and nothing failed. A log that is not there counts as a failure:
a build that broke left none. --failed adds failures of what is not one of meson's tests. The last
lines of what a failed test has printed come before the count: with several builds they are far up.
"""

import argparse
import collections
import json
import pathlib
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}
LINES_OF_A_FAILURE = 60


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--failed", type=int, default=0)
    parser.add_argument("logs", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()

    counts = collections.Counter(failed=arguments.failed)
    failures = []
    for log in arguments.logs:
        if not log.is_file():
            print(f"no test results in {log}")
            counts["failed"] += 1
            continue
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            test = json.loads(line)
            result = test["result"]
            if result in PASSED:
                counts["passed"] += 1
            elif result in SKIPPED:
                counts["skipped"] += 1
            else:
                counts["failed"] += 1
                failures.append(f"failed: {test['name']} ({result})")
                printed = (test.get("stdout") or "") + (test.get("stderr") or "")
                print(failures[-1])
                for text in printed.splitlines()[-LINES_OF_A_FAILURE:]:
                    print(f"    {text}")
    if len(failures) > 1:
        print("\n".join(failures))
    if counts["skipped"]:
        print(f"{counts['skipped']} skipped")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 0 if counts["passed"] and not counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
