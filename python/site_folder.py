#!/usr/bin/env python3
"""Prints the folder below a prefix in which this interpreter looks for packages; nothing where it
looks in none.

usage: site_folder.py PREFIX
"""

import pathlib
import site
import sys

prefix = pathlib.Path(sys.argv[1])
for folder in map(pathlib.Path, site.getsitepackages()):
    # /usr/local is below /usr, and another prefix
    if prefix in folder.parents and folder.relative_to(prefix).parts[0].startswith("lib"):
        print(folder)
        break
