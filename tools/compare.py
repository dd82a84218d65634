#!/usr/bin/env python3
"""Ratios of what the benchmarks of two builds printed: the second half of tools/compare.sh.

usage: compare.py FOLDER, with files LIST.old.PAIR and LIST.new.PAIR
"""

import math
import pathlib
import re
import statistics
import sys

SLOWER = 1.03

# Best of a row where it is printed, otherwise the median; nothing but ratios is made of it.
CONTRACT = re.compile(r'^(\S+)\s+(\S*->\S*)\s+((?:[a-z]=\d+ )+)\s*(?:(\d+)\s+)?[\d.]+\s+(\d+\.\d+)')
ATTENTION = re.compile(r'^(S\d+)\s+(causal gradients|gradients|causal|forward)\s+(\d+)\s+([\d.]+)')
LAYER = re.compile(r'^N(\d+)\s+D(\d+)\s+H(\d+)\s+(forward \+ gradients|forward)\s+(\d+)\s+([\d.]+)')
CALLS = re.compile(r'^(float|double)\s+(\d+)((?:\s+[\d.]+){7})$')
PLANNING = re.compile(r'^(\S+: .*?)\s+([\d.]+)$')


def contract_row(line):
    found = CONTRACT.match(line)
    if found:
        kind, text, extents, threads, best = found.groups()
        name = f'{kind} {text} {extents.strip()}' + (f' {threads} thr.' if threads else '')
        yield name, float(best)


def attention_row(line):
    found = ATTENTION.match(line)
    if found:
        yield f'{found[1]} {found[2]} {found[3]} thr.', float(found[4])


def layer_row(line):
    found = LAYER.match(line)
    if found:
        yield f'N{found[1]} D{found[2]} H{found[3]} {found[4]} {found[5]} thr.', float(found[6])


def calls_row(line):
    found = CALLS.match(line)
    if not found:
        return
    columns = ('prepared', 'read', 'einsum_into', 'einsum', 'equation', 'run', 'allocation')
    values = dict(zip(columns, map(float, found[3].split())))
    values['read'] *= values['prepared']  # printed as a multiple of it
    for column in columns[:-1]:
        yield f'{found[1]} {found[2]} {column}', values[column]


def planning_row(line):
    found = PLANNING.match(line)
    if found:
        yield found[1], float(found[2])


ROWS = {'contract': contract_row, 'quick': contract_row, 'small': contract_row, 'calls': calls_row,
        'attention': attention_row, 'layer': layer_row, 'planning': planning_row}


def cases_of(path, rows):
    return {name: value for line in path.read_text().splitlines() for name, value in rows(line)}


def pairs_of(folder, name):
    """By case: (old, new) of each pair that both have."""
    cases = {}
    for old in sorted(folder.glob(f'{name}.old.*')):
        new = folder / old.name.replace('.old.', '.new.')
        if not new.exists():
            continue
        before, now = cases_of(old, ROWS[name]), cases_of(new, ROWS[name])
        for case in before.keys() ^ now.keys():
            print(f'{name}: only one build has {case}', file=sys.stderr)
        for case, value in before.items():
            if case in now and value > 0:
                cases.setdefault(case, []).append((value, now[case]))
    return cases


def median_of(pairs):
    return statistics.median(new / old for old, new in pairs)


def line_of(case, pairs):
    """The median of the ratios, their middle half, the ratio of the best of all, the case."""
    ratios = [new / old for old, new in pairs]
    low = high = ratios[0]
    if len(ratios) > 1:
        low, _, high = statistics.quantiles(ratios, n=4, method='inclusive')
    best = min(new for _, new in pairs) / min(old for old, _ in pairs)
    return f'  {median_of(pairs):6.3f}  ({low:.3f} .. {high:.3f})  best {best:6.3f}  {case}'


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    slower, means = [], []
    for name in ROWS:
        cases = pairs_of(folder, name)
        if not cases:
            continue
        print(f'{name}: new / old')
        for case, pairs in cases.items():
            print(line_of(case, pairs))
            if median_of(pairs) > SLOWER:
                slower.append((median_of(pairs), name, line_of(case, pairs)))
        mean = math.exp(statistics.fmean(math.log(median_of(pairs)) for pairs in cases.values()))
        count = max(len(pairs) for pairs in cases.values())
        means.append(f'{name}: {mean:.3f}, geometric mean of {len(cases)} cases, {count} pairs')
    print('\n'.join(means))
    print(f'above {SLOWER}: {len(slower)}')
    for _, name, line in sorted(slower, reverse=True):
        print(f'{line}  [{name}]')


main()
