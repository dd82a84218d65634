"""Recipes of texts with derivatives, and of what papers claim of them."""


def loss(m, x, i):
    """A loss of x with its index, as a right side."""
    W = m.name(plain=True)
    t = m.name(plain=True)
    j = m.letters(1, {i})[0]
    return m.pick(f"\\sum_{i} ({x(i)})^3", f"\\frac{{1}}{{2}} \\sum_{i} ({x(i)} - {t(i)})^2",
                  f"\\sum_{i} \\exp({W(i, j)} {x(j)})", f"\\sum_{{{i}}} {x(i)} \\tanh({x(i)})",
                  f"\\log \\sum_{i} \\exp({x(i)})",
                  f"{x(i)} {W(i, j)} {x(j)}", f"\\sum_{i} {x(i)} \\log {x(i)}",
                  f"\\sum_{i} \\frac{{1}}{{1 + ({x(i)})^2}}")


def derivatives(m):
    m.heights_up()
    i, j, k = m.letters(3)
    x = m.name(plain=True)
    L, M, D, G = (m.name(plain=True) for _ in range(4))
    lines = [f"{L()} = {loss(m, x, i)}"]
    def d(f, *y):
        return f"\\frac{{\\partial {f}}}{{{' '.join(chr(92) + 'partial ' + s for s in y)}}}"
    def d2(f, a, b):
        return f"\\frac{{\\partial^2 {f}}}{{\\partial {a} \\partial {b}}}"
    way = m.pick(1, 2, 3, 4, 5, 6, 7, 8)
    if way == 1:
        lines += [f"{G(j)} = {d(L(), x(j))}"]
    if way == 2:
        lines += [f"{M()} = \\sum_{i} ({d(L(), x(i))})^2" + m.pick("", f" + {L()}"),
                  f"{D(j)} = {d(M(), x(j))}"]
    if way == 3:
        lines += [f"{G(i, j)} = {d2(L(), x(i), x(j))}"]
    if way == 4:
        lines += [f"{G(i)} = {d(L(), x(i))}", f"{M()} = {G(i)} {G(i)} {L()}",
                  f"{D(j)} = {d(M(), x(j))}"]
    if way == 5:
        v = m.name(plain=True)
        lines += [f"{G(i)} = {d2(L(), x(i), x(j))} {v(j)}"]
    if way == 6:
        lines += [f"{G(i)} = {x(i)} - 0.1 {d(L(), x(i))}", f"{M()} = \\sum_{i} {G(i)}",
                  f"{D(k)} = {d(M(), x(k))}"]
    if way == 7:
        A = m.name(plain=True)
        z = m.name(plain=True)
        lines = [f"{z(i)} = {A(i, j)} {x(j)} {m.pick('', x(i))}", f"{G(i, j)} = {d(z(i), x(j))}"]
        if m.chance(0.5):
            lines += [f"{M()} = \\sum_{{{i},{j}}} ({G(i, j)})^2", f"{D(i, j)} = {d(M(), A(i, j))}"]
    if way == 8:
        lines += [f"{G(j)} = {d(L(), x(j))}", f"{M()} = {L()} + \\sum_{j} {x(j)} {G(j)}",
                  f"{D(i, j)} = {d2(M(), x(i), x(j))}"]
    m.random.shuffle(lines)
    return lines


def claims(m):
    m.heights_up()
    i, j, a, k, d = m.letters(5)
    S, Q, K, Z, C, W = (m.name(plain=True) for _ in range(6))
    def dd(f, x):
        return f"\\frac{{\\partial {f}}}{{\\partial {x}}}"
    x, L = m.name(plain=True), m.name(plain=True)
    return m.pick(
        [f"{S(i, j)} = {Q(i, a)} {K(j, a)} = {K(j, a)} {Q(i, a)}"],
        [f"{S(i, j)} = {Q(i, a)} {K(j, a)} = {Q(j, a)} {K(i, a)}"],
        [f"{S(i)} = {x(i)} ({Q(i)} + {K(i)}) = {x(i)} {Q(i)} + {K(i)} {x(i)}"],
        [f"{S(i)} = {x(i)} ({Q(i)} + {K(i)}) = {x(i)} {Q(i)} + {K(i)}"],
        [f"{S(i)} = ({x(i)} - {Q(i)})^2 = ({x(i)})^2 - 2 {x(i)} {Q(i)} + ({Q(i)})^2"],
        [f"{S(i)} = ({x(i)} - {Q(i)})^2 = ({x(i)})^2 - {x(i)} {Q(i)} + ({Q(i)})^2"],
        [f"{L()} = \\sum_{i} ({x(i)})^3", f"{dd(L(), x(j))} = 3 ({x(j)})^2"],
        [f"{L()} = \\sum_{i} ({x(i)})^3", f"{dd(L(), x(j))} = 3 {x(j)}"],
        [f"{L()} = \\frac{{1}}{{2}} {x(i)} {W(i, j)} {x(j)}",
         f"{dd(L(), x(k))} = {m.pick('', chr(92) + 'frac{1}{2} ')}({W(k, j)} {x(j)} + {x(j)} "
         f"{W(j, k)})"],
        [f"{S(i)} = {W(i, j)} {x(j)}", f"{dd(S(i), x(j))} = {W(i, j)}"],
        [f"{S(i)} = {W(i, j)} {x(j)}", f"{dd(S(i), x(j))} = {W(j, i)}"],
        [f"{C(i, j)} = \\operatorname{{softmax}}_{j}({x(i, j)})",
         f"{dd(C(i, j), x(k, d))} = \\delta^{{{i}}}_{{{k}}} {C(i, j)} (\\delta^{{{j}}}_{{{d}}} - "
         f"{C(i, d)})"],
        [f"{C(i, j)} = \\operatorname{{softmax}}_{j}({x(i, j)})",
         f"{dd(C(i, j), x(k, d))} = \\delta^{{{i}}}_{{{k}}} {C(i, j)} (\\delta^{{{j}}}_{{{d}}} - "
         f"{C(k, j)})"],
        [f"{Z(i, j)} = \\exp({Q(i)} + {K(j)}) = \\exp({Q(i)}) \\exp({K(j)})"],
        [f"{Z(i, j)} = \\exp({Q(i)} {K(j)}) = \\exp({Q(i)}) \\exp({K(j)})"],
        [f"{Z(i)} = \\frac{{{x(i)} + {Q(i)}}}{{{K(i)}}} = \\frac{{{x(i)}}}{{{K(i)}}} + "
         f"\\frac{{{Q(i)}}}{{{K(i)}}}"],
        [f"{Z(i)} = \\frac{{{K(i)}}}{{{x(i)} + {Q(i)}}} = \\frac{{{K(i)}}}{{{x(i)}}} + "
         f"\\frac{{{K(i)}}}{{{Q(i)}}}"],
        [f"{C(i, f'({k}{d})')} = {Q(k, i, d)}",
         f"{Z(i, a)} = {C(i, f'({k}{d})')} {W(k, d, a)} = {Q(k, i, d)} {W(k, d, a)}"],
        [f"{Z(i, j)} = {x(f'{i}+{j}')} {Q(i)} {K(j)} = {x(f'{j}+{i}')} {K(j)} {Q(i)}"],
        [f"{L()} = \\sum_{i} \\exp({x(i)})",
         f"{S(i, j)} = \\frac{{\\partial^2 {L()}}}{{\\partial {x(i)} \\partial {x(j)}}} = "
         f"\\delta^{{{i}{j}}} \\exp({x(i)})"],
        [f"{S(i, j)} = {Q(i, a)} {K(j, a)}",
         f"{Z(i)} = {S(i, j)} {W(j)} = {Q(i, a)} {K(j, a)} {W(j)}"],
        [f"{L()} = \\sum_{i} {x(i)} {x(i)} = {x(i)} {x(i)}"],
        [f"{S(i)} = \\operatorname{{mean}}_{j} {x(i, j)} = "
         f"\\frac{{\\sum_{j} {x(i, j)}}}{{\\sum_{j} 1}}"],
        [f"{L()} = \\log \\sum_{i} \\exp({x(i)})",
         f"{dd(L(), x(i))} = \\operatorname{{softmax}}_{i}({x(i)})"],
        [f"{S(i)} = |{x(i)}| = \\max({x(i)}, -{x(i)})"],
        [f"{S(i)} = \\tanh({x(i)}) = \\frac{{e^{{2 {x(i)}}} - 1}}{{e^{{2 {x(i)}}} + 1}}"],
        [f"{S(i)} = \\sum_{j} [{j} \\le {i}] {x(j)} {W(i)} = \\sum_{{{j} \\le {i}}} {x(j)} {W(i)}"])


def loss_claims(m):
    """Gradients of a loss that the text does not define, true and false."""
    m.heights_up()
    i, j, a, k, b = m.letters(5)
    X, Q, K, S, A, V, O, W = (m.name(plain=True) for _ in range(8))
    def dL(x):
        return f"\\frac{{\\partial L}}{{\\partial {x}}}"
    if "L" in m.names:
        return [f"{X(i)} = {Q(i)}"]
    m.names.add("L")
    lines = [f"{S(i, j)} = {Q(i, a)} {K(j, a)}", f"{A(i, j)} = \\text{{softmax}}_{j}({S(i, j)})",
             f"{O(i, b)} = {A(i, j)} {V(j, b)}"]
    e = f"{X(i, j)} = {m.pick('-', '2 ')}{S(i, j)}"
    if m.chance(0.3):
        lines.append(e)
    lines.append(m.pick(
        f"{dL(Q(i, a))} = {dL(S(i, j))} {K(j, a)}", f"{dL(K(j, a))} = {dL(S(i, j))} {Q(i, a)}",
        f"{dL(Q(i, a))} = {dL(S(j, i))} {K(j, a)}", f"{dL(V(j, b))} = {A(i, j)} {dL(O(i, b))}",
        f"{dL(A(i, j))} = {dL(O(i, b))} {V(j, b)}", f"{dL(A(i, j))} = {dL(O(i, b))} {V(i, b)}",
        f"{dL(S(i, j))} = {A(i, j)} ({dL(A(i, j))} - \\sum_{k} {A(i, k)} {dL(A(i, k))})",
        f"{dL(S(i, j))} = {A(i, j)} ({dL(A(i, j))} - \\sum_{k} {A(i, k)} {dL(A(i, j))})",
        f"{dL(Q(i, a))} = {dL(S(k, j))} \\frac{{\\partial {S(k, j)}}}{{\\partial {Q(i, a)}}}",
        f"{dL(V(j, b))} = {dL(O(i, k))} \\frac{{\\partial {O(i, k)}}}{{\\partial {V(j, b)}}}"))
    return lines
