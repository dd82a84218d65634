"""Recipes of conditions below sums, products and functions over an index."""


def below_functions(m):
    m.heights_up()
    i, j, k = m.letters(3)
    x, z, v, Y = (m.name() for _ in range(4))
    word = m.pick("\\sum", "\\prod", "\\max", "\\min", "\\operatorname{logsumexp}",
                  "\\operatorname{mean}")
    holds = m.pick(f"{j} \\le {i}", f"{j} < {i}", f"{i} \\ge {j}", f"{j} \\ne {i}",
                   f"|{i} - {j}| \\le 1", f"{j} : {j} \\le {i}", f"{j} : |{i} - {j}| \\le 1",
                   f"{j} : ({i} - {j}) \\bmod 2 = 0", f"{j} \\le {i} \\land {j} \\ne 2")
    of = f"{word}_{{{holds}}}({x(j)})"
    pairs = f"{word}_{{{m.pick(holds, f'{i} < {j}')}}}({x(i, j)})"
    return [m.pick(f"{Y(i)} = {of}", f"{Y(i)} = {of} {z(i)}", f"{Y(i)} = {z(i)} - {of}",
                   f"{Y()} = {v(i)} {of}", f"{Y()} = {v(i)} {z(i)} {of}", f"{Y(i)} = {pairs}",
                   f"{Y()} = {pairs}", f"{Y(i)} = \\exp({of})", f"{Y()} = {v(i)} \\tanh({of})",
                   f"{Y(i)} = \\sum_{{{j} \\le {i}}} {word}_{{{k} \\le {j}}}({x(k)})",
                   f"{Y(i)} = [{i} > 0] {word}_{{{j} < {i}}}({x(j)})",
                   f"{Y()} = ({of}) ({word}_{{{k} \\le {i}}}({z(k)})) {v(i)}")]


def masked_softmax(m):
    m.heights_up()
    i, j, a = m.letters(3)
    S, A, V, Y = (m.name() for _ in range(4))
    holds = m.pick(f"{j} \\le {i}", f"{j} < {i}", f"{j} : {i} \\ge {j}", f"{i} \\ge {j}",
                   f"{j} \\ne {i}")
    return [f"{A(i, j)} = \\operatorname{{softmax}}_{{{holds}}}({S(i, j)})",
            f"{Y(i, a)} = {A(i, j)} {V(j, a)}"]


def counts(m):
    i, a, k = m.letters(3)
    x, t, c = (m.name() for _ in range(3))
    n = m.pick("n", "d", "N")
    return [f"{n}_{k} = \\sum_{{{i}}} [{t(i)} = {k}]",
            f"{c(k, a)} = \\frac{{1}}{{\\max({n}_{k}, 1)}} \\sum_{{{i}}} [{t(i)} = {k}] {x(i, a)}"]


def masks(m):
    m.heights_up()
    i, j = m.letters(2)
    M = m.name()
    return [f"{M(i, j)} = \\begin{{cases}} 0 & \\text{{if }} {j} {m.pick(chr(92) + 'bmod 2 = 0', '< w')} "
            f"\\\\ -\\infty & \\text{{otherwise}} \\end{{cases}}"]
