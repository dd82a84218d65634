"""What papers write, with names and letters that are drawn: each recipe gives the lines of a
text."""


def softmax(m):
    i, j, a, k = m.letters(4)
    S, A, Q, K = m.name(), m.name(), m.name(), m.name()
    score = m.pick(S(i, j), f"{Q(i, a)} {K(j, a)}", f"{m.number()} {S(i, j)}",
                   f"{S(i, j)} - {m.pick('m', 'w')} |{i} - {j}|",
                   f"\\frac{{1}}{{\\sqrt{{d_k}}}} {Q(i, a)} {K(j, a)}")
    def at(x):
        return score.replace(f"{j}", x) if x != j else score
    exp = m.pick("\\exp(%s)", "e^{%s}")
    bound = m.pick(k, j + "'")
    if "\\" in score and bound != j + "'":
        bound = k
    fixed = f"{S(i, j)}"
    way = m.pick(1, 2, 3, 4)
    if way == 1:
        return [f"{S(i, j)} = {Q(i, a)} {K(j, a)}",
                f"{A(i, j)} = \\frac{{{exp % S(i, j)}}}{{\\sum_{{{bound}}} {exp % S(i, bound)}}}"]
    if way == 2:
        E = m.name()
        return [f"{E(i, j)} = {exp % score}",
                f"{A(i, j)} = \\frac{{{E(i, j)}}}{{\\sum_{{{bound}}} {E(i, bound)}}}"]
    if way == 3:
        E, Z = m.name(), m.name()
        return [f"{E(i, j)} = {exp % score}", f"{Z(i)} = \\sum_{{{j}}} {E(i, j)}",
                f"{A(i, j)} = "
                f"{m.pick(f'{E(i, j)} / {Z(i)}', chr(92) + 'frac{' + E(i, j) + '}{' + Z(i) + '}')}"]
    left, word = A(i, j), m.pick("\\text{softmax}", "\\operatorname{softmax}")
    return [f"{left} = {word}_{m.pick(j, '{' + j + '}')}({score})"]


def inline_softmax(m):
    i, j, a, k = m.letters(4)
    A, Q, K = m.name(), m.name(), m.name()
    return [f"{A(i, j)} = "
            f"\\frac{{\\exp({Q(i, a)} {K(j, a)})}}{{\\sum_{k} \\exp({Q(i, a)} {K(k, a)})}}"]


def masked(m):
    i, j, a = m.letters(3)
    S, A, M, V, Y = (m.name() for _ in range(5))
    condition = m.pick(f"{j} > {i}", f"{j} \\ge {i}", f"|{i} - {j}| > 1", f"{j} \\ne {i}")
    allowed = m.pick(f"{j} \\le {i}", f"|{i} - {j}| \\le 1")
    way = m.pick(1, 2, 3)
    if way == 1:
        lines = [f"{A(i, j)} = \\operatorname{{softmax}}_{j}({S(i, j)} - \\infty \\cdot "
                 f"[{condition}])"]
    elif way == 2:
        lines = [f"{M(i, j)} = \\begin{{cases}} 0 & \\text{{if }} {allowed} \\\\ -\\infty & "
                 f"\\text{{otherwise}} \\end{{cases}}",
                 f"{A(i, j)} = \\operatorname{{softmax}}_{j}({S(i, j)} + {M(i, j)})"]
    else:
        k = j + "'"
        lines = [f"{M(i, j)} = {S(i, j)} - \\infty \\cdot [{condition}]",
                 f"{A(i, j)} = \\frac{{\\exp({M(i, j)})}}{{\\sum_{{{k}}} \\exp({M(i, k)})}}"]
    if m.chance(0.5):
        lines.append(f"{Y(i, a)} = {A(i, j)} {V(j, a)}")
    return lines


def logsumexp(m):
    i, j = m.letters(2)
    S, F = m.name(), m.name()
    b = m.pick("\\beta", "2", "b")
    return [m.pick(f"{F(i)} = -\\frac{{1}}{{{b}}} \\log \\sum_{j} \\exp({b} {S(i, j)})",
                   f"{F(i)} = \\log \\sum_{{{j}}} e^{{{S(i, j)}}}",
                   f"{F(i)} = \\operatorname{{logsumexp}}_{j} {S(i, j)}",
                   f"{F(i)} = \\max_{j} {S(i, j)} + \\log \\sum_{j} \\exp({S(i, j)})",
                   f"{F()} = \\log \\sum_{{{i},{j}}} \\exp(-{S(i, j)})")]


def norms(m):
    i, a = m.letters(2)
    X, Y, mu, v = m.name(), m.name(), m.name(), m.name()
    way = m.pick(1, 2, 3, 4, 5)
    if way == 1:
        return [f"{mu(i)} = \\operatorname{{mean}}_{a} {X(i, a)}",
                f"{v(i)} = \\operatorname{{mean}}_{a} (({X(i, a)} - {mu(i)})^2)",
                f"{Y(i, a)} = \\frac{{{X(i, a)} - {mu(i)}}}{{\\sqrt{{{v(i)} + \\epsilon}}}}"]
    if way == 2:
        return [f"{Y(i, a)} = \\frac{{{X(i, a)}}}"
                f"{{\\sqrt{{\\operatorname{{mean}}_b (({X(i, 'b')})^2) + \\epsilon}}}}"]
    if way == 3:  # refused: two readings
        return [f"{v(i)} = \\operatorname{{mean}}_{a} ({X(i, a)} - {mu(i)})^2"]
    if way == 4:
        return [f"{v()} = (\\operatorname{{mean}}_{a} ({X(a)}))^2 - \\operatorname{{mean}}_{a} "
                f"(({X(a)})^2)"]
    return [f"{v()} = \\operatorname{{mean}}_{a}(({X(a)})^2) "
            f"- \\operatorname{{mean}}_{a}({X(a)})^2"]


def own_function(m):
    i, g, f = m.letters(3)
    Z, v, U = m.name(), m.name(), m.name()
    name = m.pick("\\phi", "\\psi", "f", "h", "\\rho")
    body = m.pick("\\frac{x}{1+e^{-x}}", "x^2", "x \\tanh(x)", "\\frac{x}{1 + |x|}", "x^3 + x",
                  "\\max(x, 0)^2", "x - x^2")
    define = f"{name}(x) = {body}"
    use = m.pick(f"{Z(f)} = {name}({v(g)} {U(g, f)})", f"{Z(f)} = {name}({v(g)} {U(g, f)})^2",
                 f"{Z(f)} = {name}({v(g)} {U(g, f)}) + {name}({v(f)})",
                 f"{Z()} = \\sum_{f} {name}({v(g)} {U(g, f)})",
                 f"{Z(f)} = {U(g, f)} {name}({v(g)})", f"{Z(f)} = {name}({name}({v(g)} {U(g, f)}))",
                 f"{Z(i, f)} = {name}({v(f)}) {name}({U(i, g)} {U(g, f)})")
    lines = [define, use]
    m.random.shuffle(lines)
    return lines


def over_an_index(m):
    i, a = m.letters(2)
    X, Z = m.name(), m.name()
    body = m.pick("x - \\operatorname{mean}_a x",
                  "\\frac{x - \\operatorname{mean}_a x}{\\sqrt{\\operatorname{mean}_a ((x - "
                  "\\operatorname{mean}_a x)^2) + \\epsilon}}",
                  "\\frac{x}{\\sqrt{\\sum_a x^2}}", "\\frac{\\exp(x)}{\\sum_a \\exp(x)}")
    return [f"\\operatorname{{LN}}_a(x) = {body}",
            f"{Z(i, a)} = \\operatorname{{LN}}_{a}({X(i, a)})"]


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


def upper(m):
    if m.style in ("physics", "mixed"):
        m.style = "upper"


def derivatives(m):
    upper(m)
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


def digits(m):
    a, b, i, j = m.letters(4)
    Y = m.name(plain=True)
    W = m.base(True)
    X = m.base(True)
    return [m.pick(
        f"{Y(i, b)} = {X}^{{{i}{a}}} {W}_1^{{{a}{b}}} + {X}^{{{i}{b}}} {W}_2^{{{b}}}",
        f"{Y(i)} = {X}_{{{i}}} - {X}_0",
        f"{Y(i)} = {X}^{{{i}}} - {X}_0",
        f"{Y(i)} = {W}_1^{{{i}}} + {W}_2^{{{i}}} {X}_{{12}}",
        f"{Y(i)} = \\text{{head}}_1^{{{i}}} - \\text{{head}}_2^{{{i}}}",
        f"{Y(i)} = {X}^{{{i}0{a}}} {X}^{{{i}1{a}}}",
        f"{Y(i)} = {X}^{{2{i}}} + {X}^{{2{i}+1}}",
        f"{Y(i)} = {X}^{{2{i}}} + {X}^{{{i}}}",
        f"{Y(i)} = {X}^{{2{i}}} + {X}^{{{i}{a}}} {W}^{{{a}}}",
        f"{Y(i)} = {X}^{{2,{i}}} + {X}^{{{a}{i}}} {W}^{{{a}}}",
        f"{Y(i)} = {X}^2 {W}^{{{i}}}",
        f"{Y(i)} = {X}^2 {X}^{{{i}}}",
        f"{Y()} = {X}^{{00}}",
        f"{Y()} = {X}_{{11}} + {X}_{{{i}{j}}} {X}_{{{i}{j}}}",
        f"{Y()} = {X}^{{{a}{a}}} + {X}^{{0{a}}} {W}^{{{a}}}",
        f"{Y(i)} = {X}_{{{i},0}} + {X}_{{{i},1}}",
        f"{Y(i)} = {X}_{{{i}}}^2 + {W}_1^2",
        f"{Y(i)} = {X}^{{{i}2}} - {X}^{{{i}0}}",
        f"{Y(i)} = {X}^{{3{i}}} {W}^{{{i}}}",
        f"{Y(i)} = {X}^{{1{i}}} - {X}^{{0{i}}}")]


def heights(m):
    a, b, c, d = m.letters(4)
    s, T, v = (m.base(True) for _ in range(3))
    g = m.pick("g", "\\eta", "h")
    lines = m.pick(
        [f"{v}^{a} = {g}^{{{a}{b}}} {v}_{b}", f"{s} = {v}^{a} {v}_{a}"],
        [f"{s} = {v}^{a} {v}_{a}"],
        [f"{T}^{{{a}{b}}} = {s}^{{{a}{c}}} {g}_{{{c}{d}}} {s}^{{{d}{b}}} - \\frac{{1}}{{4}} "
         f"{g}^{{{a}{b}}} {s}^{{{c}{d}}} {s}_{{{c}{d}}}"],
        [f"{g}_{{{a}{b}}} = \\delta_{{{a}{b}}}",
         f"{s} = {v}^{a} {g}_{{{a}{b}}} {v}^{b} + {v}^{a} {v}_{a}"],
        [f"{s}^{{{a}{b}}} = {T}^{{{a}{c}}} {v}^{{{c}{b}}} + {T}_{{{a}{c}}} {v}^{{{c}{b}}}"],
        [f"{s}^{{{a}{b}}} = {T}^{{{a}{c}}} {v}_{{{c}{b}}} + {T}_{{{a}{b}}}"],
        [f"{s}^{a} = {T}^{{{a}{c}}} {v}_{c} + {T}^{{{a}{c}}} {v}^{c}"],
        [f"{s}_{{{a}{b}}} = \\sum_{c} {T}^{{{a}{c}}} {T}_{{{c}{b}}}"],
        [f"{T}^{a}{{}}_{b} = {s}^{a} {v}_{b}", f"{m.base(True)} = {T}^{a}{{}}_{a}"],
        [f"{s}_{{{a}{b}}} = {T}_{c}^{a} {T}^{b}_{c}"],
        [f"{s}_{{{a}{b}}} = {T}_{c}^{a} {T}_{c}^{b}"],
        [f"{s}^{a} = {T}^{a}_{{{b}{c}{d}}} {v}^{b} {g}^{{{c}{d}}}",
         f"{m.base(True)} = {g}_{{{a}{b}}} {s}^{a} {s}^{b}"],
        [f"C^{{{a}{b}}} = {T}^{{{a}{c}}} {s}^{{{c}{b}}} \\quad \\Leftrightarrow \\quad "
         f"C_{{{a}{b}}} = \\sum_{c} {T}_{{{a}{c}}} {s}_{{{c}{b}}}"],
        [f"{s} = {v}^{a} {v}_{a} {v}^{a}"],
        [f"{s}_{b} = \\delta^{a}_{b} {v}_{a}"])
    return lines


def gathers(m):
    upper(m)
    i, v, a, b = m.letters(4)
    E, X, Z, U, L = (m.name(plain=True) for _ in range(5))
    x, y = m.pick(("x", "y"), ("t", "y"), ("\\tau", "y"))
    m.names |= {x, y}
    sp = " "
    way = m.pick(1, 2, 3, 4, 5, 6)
    if way == 1:
        return [f"{X(i, a)} = {E.base}^{{{x}_{i} {a}}}"]
    if way == 2:
        return [f"{L()} = \\operatorname{{mean}}_{i} (\\operatorname{{logsumexp}}_{v} {Z(i, v)} - "
                f"{Z.base}^{{{i} {y}_{i}}})"]
    if way == 3:
        return [f"{L()} = \\sum_{i} {U(i)} {Z.base}^{{{i} {y}_{i}}}"]
    if way == 4:
        return [f"{X(b, i, a)} = {E.base}^{{{x}_{{{b}{i}}} {a}}} + {U(i, a)}"]
    if way == 5:
        return [f"{X(i, a)} = {E.base}^{{{x}_{i} {a}}} {U(i)}",
                f"{L()} = \\sum_{{{i},{a}}} ({X(i, a)})^2",
                f"{Z(v, a)} = \\frac{{\\partial {L()}}}{{\\partial {E(v, a)}}}"]
    return [f"{Z(v, a)} = \\sum_{i} [{v} = {x}_{i}] {E(i, a)}"]


def merged(m):
    upper(m)
    i, h, a, c, d = m.letters(5)
    P, Q, O, Y, W = (m.name(plain=True) for _ in range(5))
    way = m.pick(1, 2, 3, 4, 5)
    if way == 1:
        return [f"{Q(h, i, a)} = {P(i, f'({h}{a})')} {W(h)} {Y(a)}"]
    if way == 2:
        return [f"{Y(i, f'({h}{c})')} = {O(h, i, c)}"]
    if way == 3:
        return [f"{Y(i, f'({h}{c})')} = {O(h, i, c)}",
                f"{P(i, d)} = {Y(i, f'({h}{c})')} {W(h, c, d)}"]
    if way == 4:
        return [f"{P(i, f'({h}{a})')} = {O(i, 'b')} {W('b', f'({h}{a})')}",
                f"{Q(h, i, a)} = {P(i, f'({h}{a})')} {Y(h)} {Q.m.name(plain=True)(a)}"]
    return [f"{P(f'({h}{i})', f'({a}{c})')} = {O(i, a)} {W(h, c)}"]


def shifts(m):
    upper(m)
    i, k, j, a = m.letters(4)
    X, W, Y, B = (m.name(plain=True) for _ in range(4))
    return [m.pick(
        f"{Y(i)} = {X(f'{i}+{k}')} {W(k)}", f"{Y(i)} = \\sum_{k} {X(f'{i}+{k}')} {W(k)}",
        f"{Y(i)} = {X(f'{i}+1')} - {X(i)}",
        f"{Y(i)} = {X(f'2{i}')}", f"{Y(i)} = {X(f'2{i}+1')} {B(i)}",
        f"{Y(i, j)} = {B(f'{i}-{j}')} + {W(i)} {X(j)}",
        f"{Y(i)} = [{i} \\ge 1] {X(f'{i}-1')} + {B(i)}", f"{Y(i)} = {X(f'{i}-1')} {B(i)}",
        f"{Y(i)} = {X(chr(92) + 'operatorname{clamp}(' + i + '-1)')} {X(i)}",
        f"{Y(i)} = {X(chr(92) + 'operatorname{wrap}(' + i + '+1)')} - {X(i)}",
        f"{Y(i)} = {X(chr(92) + 'operatorname{pad}(' + i + '+1)')} + {X(i)}",
        f"{Y(i, j)} = {W(i, a)} {X(f'({i}-{j})', a)} {B(j)}", f"{Y(i)} = {X(f'2{i}+{k}')} {W(k)}",
        f"{Y(i)} = {X(f'{i}+2')} - 2 {X(f'{i}+1')} + {X(i)}",
        f"{Y()} = \\sum_{i} {X(f'{i}+1')} {X(i)}",
        f"{Y(i)} = \\begin{{cases}} {X(f'{i}-1')} & \\text{{if }} {i} \\ge 1 \\\\ {B(i)} & "
        f"\\text{{otherwise}} \\end{{cases}}",
        f"{Y(i)} = \\max_{k} {X(f'2{i}+{k}')} {W(k)}" if False
        else f"{Y(i)} = \\max_{k} ({X(f'2{i}+{k}')} {W(k)})",
        f"{Y(i, j)} = {X(f'({i}+{k})', f'({j}+{a})')} {W(k, a)}")]


def bounds(m):
    upper(m)
    i, j, a = m.letters(3)
    X, Y, W = (m.name(plain=True) for _ in range(3))
    d = m.pick("d", "N", "n")
    return [m.pick(
        f"{Y(i)} = \\sum_{{{j} \\le {i}}} {X(j)}", f"{Y(i)} = \\sum_{{{j} < {i}}} {X(j)} {W(i)}",
        f"{Y(i)} = \\sum_{{{j} \\ne {i}}} {X(j)} {W(i, j)}",
        f"{Y()} = \\sum_{{{i}<{j}}} {X(i)} {X(j)}",
        f"{Y()} = \\sum_{{{i} \\ne {j}}} {W(i, j)}", f"{Y(i)} = \\prod_{j} {W(i, j)}",
        f"{Y()} = \\sum_{{{a}=1}}^{{{d}}} {X(a)}",
        f"{Y()} = \\sum_{{{a}=0}}^{{{d}-1}} {X(a)}", f"{Y()} = \\sum_{{{a}=1}}^{{2}} {X(a)}",
        f"{Y()} = \\sum_{{{a}=1}}^{{{d}}} {a} {X(a)}",
        f"{Y(i)} = \\sum_{{{j}=1}}^{{{i}}} {X(j)}",
        f"{Y(i)} = \\sum_{{{j}=1}}^{{{i}-1}} {X(j)} {W(i)}",
        f"{Y()} = \\sum_{{{a}=1}}^{{{d}-1}} {X(a)}", f"{Y()} = \\sum_{{{a}=0}}^{{{d}}} {X(a)}",
        f"{Y()} = \\sum_{{{a}=0}}^{{{d}-1}} {a} {X(a)}",
        f"{Y()} = \\sum_{{{i},{j}}} {W(i, j)} {X(i)}",
        f"{Y(i)} = \\prod_{{{j} < {i}}} {X(j)}", f"{Y()} = \\prod_{i} (1 - {X(i)})",
        f"{Y()} = \\sum_{i} ({X(i)})^2",
        f"{Y()} = \\prod_{i} ({X(i)})^2")]


def claims(m):
    upper(m)
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
    upper(m)
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


def parentheses(m):
    i, a, b = m.letters(3)
    Y, x, y = m.name(plain=True), m.name(plain=True), m.name(plain=True)
    letter = m.pick("f", "g", "\\phi", "\\psi", "\\lambda", "A", "k", "u", "\\mu")
    letter2 = letter if letter not in m.names else m.base()
    m.names.add(letter2)
    f = letter2
    return [m.pick(
        f"{Y(i)} = {f}({x(i)})", f"{Y(i)} = {f} ({x(i)} - {y(i)})", f"{Y(i)} = {f}({x(i)}) + {f}",
        f"{Y(i)} = {f}'({x(i)})", f"{Y(i)} = {f}({x(i)} + {y(i)})^2 {f}",
        f"{Y()} = \\sum_{i} ({y(i)} - {f}({x(i)}))^2",
        f"{Y(a)} = {x(a, b)}({i}) {y(b)} {Y.m.name(plain=True)(i)}",
        f"{Y(i)} = {x(i)} ({y(i)} + 1)", f"{Y(i)} = {x(i)} ({y(i)})",
        f"{Y(i)} = \\sigma({x(i)})", f"{Y(i)} = \\sigma'({x(i)})",
        f"{Y(i)} = \\sigma^{{{i}}} ({x(i)} - 1)",
        f"{Y(i)} = {f} (1 - {x(i)}) + {f} {x(i)}")]


def scalars(m):
    i, j, k, a = m.letters(4)
    upper_ = m.pick(True, False)
    A, r, x, H = (m.base(True) for _ in range(4))
    return m.pick(
        [f"n_{k} = \\sum_{i} {r}_{{{i}{k}}}",
         f"{H}_{{{k}{a}}} = \\frac{{1}}{{n_{k}}} \\sum_{i} {r}_{{{i}{k}}} {x}_{{{i}{a}}}"],
        [f"{H}^{{{i}{j}}} = \\frac{{{A}^{{{i}{j}}}}}{{\\sqrt{{d_{i} d_{j}}}}}"],
        [f"{H}^{{{i}{j}}} = \\frac{{1}}{{\\sqrt{{d_{k}}}}} {A}^{{{i}{k}}} {x}^{{{j}{k}}}"],
        [f"{H} = d_{{{i}{j}}} d_{{{i}{j}}}"],
        [f"{H}^{i} = \\frac{{{x}^{i}}}{{n_x}} + d_{{\\text{{model}}}}"],
        [f"d_{i} = \\sum_{j} {A}_{{{i}{j}}}",
         f"{H}_{{{i}{j}}} = d_{i} \\delta_{{{i}{j}}} - {A}_{{{i}{j}}}"])


def halves(m):
    i, a = m.letters(2)
    P, w, x, q = (m.base(True) for _ in range(4))
    return m.pick(
        [f"{P}^{{{i},2{a}}} = \\sin({i} {w}^{a})", f"{P}^{{{i},2{a}+1}} = \\cos({i} {w}^{a})"],
        [f"{P}^{{{i},2{a}+1}} = \\cos({i} {w}^{a})"],
        [f"{P}^{{{i}0{a}}} = {x}^{{{i}0{a}}} {w}^{a} - {x}^{{{i}1{a}}}",
         f"{P}^{{{i}1{a}}} = {x}^{{{i}1{a}}} {w}^{a} + {x}^{{{i}0{a}}}"],
        [f"{P}^{{0{i}}} = {x}^{i}", f"{P}^{{1{i}}} = {w}^{i}",
         f"{q}^{i} = {P}^{{{a}{i}}} {P}^{{{a}{i}}}"],
        [f"{P}^{{0{i}}} = {x}^{i}", f"{P}^{{2{i}}} = {w}^{i}"],
        [f"{P}^{{0{i}}} = {x}^{i}"],
        [f"PE_{{(pos, 2{i})}} = \\sin(pos {w}_{i})", f"PE_{{(pos, 2{i}+1)}} = \\cos(pos {w}_{i})"],
        [f"{P}^{i} = {x}^{i}", f"{P}^{i} = {w}^{i}"],
        [f"{P}^{i} = {x}^{i} {q}", f"{q} = {P}^{i} {w}^{i}"])


def cases(m):
    upper(m)
    i, j = m.letters(2)
    Y, x, y = m.name(plain=True), m.name(plain=True), m.name(plain=True)
    def row(*rows):
        return "\\begin{cases} " + " \\\\ ".join(rows) + " \\end{cases}"
    return [f"{Y(i)} = " + m.pick(
        row(f"{x(i)} & \\text{{if }} {x(i)} > 1", f"{y(i)} & \\text{{otherwise}}"),
        row(f"{x(i)} & \\text{{if }} {i} = 0", f"1 & \\text{{if }} {i} > 1",
            f"{y(i)} & \\text{{otherwise}}"),
        row(f"{x(i)} & \\text{{if }} {i} < 2", f"0 & \\text{{if }} {i} \\ge 2"),
        row(f"{x(i)} & \\text{{if }} {x(i)} \\ge 1", f"- {x(i)} & \\text{{if }} {x(i)} < 1"),
        row(f"\\frac{{1}}{{2}} ({x(i)})^2 & \\text{{if }} |{x(i)}| \\le d",
            f"d (|{x(i)}| - \\frac{{1}}{{2}} d) & \\text{{otherwise}}"),
        f"[{x(i)} > 1] {y(i)}", f"[{i} \\bmod 2 = 0] {x(i)}",
        f"[{x(i)} < 1 \\land {y(i)} < 1] \\log {x(i)}",
        f"\\sum_{j} [{j} < {i}] \\log({i} - {j}) {x(j)} {y(i)}", f"[\\lnot [{i} > 1]] {x(i)}",
        f"[{x(i)}] {y(i)}",
        f"[{x(i)} > 0 \\lor {i} = 1] {y(i)}", f"\\max({x(i)}, {y(i)}) - \\min({x(i)}, 1)",
        f"\\mathbb{{1}}[{i} \\le 1] {x(i)}")]


def exponentials(m):
    i, j, k = m.letters(3)
    A, a, b = m.base(True), m.base(True), m.base(True)
    return m.pick(
        [f"e^{{{i}{j}}} = {a}^{i} + {b}^{j}", f"{A}^{{{i}{j}}} = e^{{{i}{j}}} {a}^{i}"],
        [f"e^{{{i}{j}}} = {a}^{i} + {b}^{j}", f"{A}^{{{i}{j}}} = \\exp(e^{{{i}{j}}})"],
        [f"e_{{{i}{j}}} = {a}_{i} {b}_{j}",
         f"{A}_{{{i}{j}}} = \\frac{{e^{{e_{{{i}{j}}}}}}}{{\\sum_{k} e^{{e_{{{i}{k}}}}}}}"],
        [f"{A}^{i} = e^{{-{a}^{i} / 2}} {b}"],
        [f"\\delta^{i} = {a}^{i} - {b}^{i}", f"{A} = \\delta^{i} \\delta^{i}"],
        [f"\\delta^{i}_{j} = {a}^{i} {b}_{j}", f"{A}^{i} = \\delta^{i}_{j} {a}^{j}"],
        [f"{A}^{i} = \\delta^{{{i}{j}}} {a}^{j} + {b}^{i}"],
        [f"{A} = \\delta^{{{i}{i}}} {a}^{i}"],
        [f"{A} = \\pi {a}^{i} {b}^{i}"])


def left_sides(m):
    upper(m)
    i, j, a = m.letters(3)
    P, Q, x, L, K = (m.base(True) for _ in range(5))
    return m.pick(
        [f"{P}({i}) = {Q}^{{{i}{a}}} {x}^{a}", f"{L} = {P}({i}) {P}({i})"],
        [f"{P}({i}, {j}) = {Q}^{{{i}{a}}} {x}^{{{j}{a}}}"],
        [f"{P}(u, v) = u^{a} {Q}_{{{a}{i}}} v^{i}"],
        [f"{L}(\\theta) = \\sum_{i} ({x}^{i} - \\theta {Q}^{i})^2"],
        [f"{L}(\\theta) = \\sum_{i} ({x}^{i} - \\theta {Q}^{i})^2",
         f"{P} = \\frac{{\\partial {L}}}{{\\partial \\theta}}"],
        [f"\\text{{tr}}({Q}) = {Q}^{{{a}{a}}}"],
        [f"{P}({i}) = {i} {x}^{i}"])


def refused(m):
    i, j, a = m.letters(3)
    Y, x, W = m.name(plain=True), m.name(plain=True), m.name(plain=True)
    return [m.pick(
        f"{Y()} = ({x(i)} - {W(i, j)} {Y.m.name(True)(j)})({x(i)} - {W(i, j)} {Y.m.name(True)(j)})",
        f"{Y(i)} = {W(i, j)}", f"{Y(i, j)} = {x(i)}",
        f"{Y(i)} = \\operatorname{{cumsum}}_{i} {x(i)}",
        f"{Y(i, a)} = \\operatorname{{LayerNorm}}_{a} {W(i, a)}",
        f"{Y(i)} = \\operatorname{{foo}}({x(i)})",
        f"{Y(i)} = \\frac{{{x(i)}}}{{\\sum_{i} {x(i)}}}",
        f"{Y()} = \\frac{{{W(i, j)} {x(j)}}}{{{W(i, j)} + 1}}",
        f"{Y(i, i)} = {x(i)}", f"{Y(i)} = {x(i)} + {x(i, j)} {W(i, j)}",
        f"{Y(i)} = {x('a b')}" if False else f"{Y(i)} = {x(i)} +",
        f"{Y(i)} = \\epx({x(i)})", f"{Y(i)} = ({x(i)}", f"{Y()} = \\exp({x(a)} {W(a)}) {x(a)}",
        f"{Y(i)} = \\frac{{{W(i, j)} {x(j)}}}{{{W(j, i)} {x(j)}}}", f"{Y()} = {x(i)} \\exp({x(i)})",
        f"{Y()} = {W(i, i)} {W(i, i)}" if False else f"{Y()} = {W(i, i)}",
        f"{Y()} = {W(i, i)} {x(i)}")]


def attention(m):
    upper(m)
    h, i, j, a, b, c, d = m.letters(7)
    X, Q, K, V, S, A, O, Y = (m.name(plain=True) for _ in range(8))
    lines = [f"{Q(h, i, a)} = {X(i, b)} W_Q^{{{h}{b}{a}}}",
             f"{K(h, j, a)} = {X(j, b)} W_K^{{{h}{b}{a}}}",
             f"{V(h, j, c)} = {X(j, b)} W_V^{{{h}{b}{c}}}",
             f"{S(h, i, j)} = \\frac{{1}}{{\\sqrt{{d_k}}}} {Q(h, i, a)} {K(h, j, a)}",
             f"{A(h, i, j)} = \\text{{softmax}}_{j}({S(h, i, j)})",
             f"{O(h, i, c)} = {A(h, i, j)} {V(h, j, c)}",
             f"{Y(i, d)} = {O(h, i, c)} W_O^{{{h}{c}{d}}}"]
    return lines


def gravity(m):
    """Names with several patterns of heights and several ranks."""
    a, b, c, d, e = m.letters(5)
    R = m.base(True)
    g = m.pick("g", "h")
    s, T, v = (m.base(True) for _ in range(3))
    return m.pick(
        [f"{R}_{{{b}{d}}} = {R}^{c}_{{{b}{c}{d}}}", f"{R} = {g}^{{{a}{b}}} {R}_{{{a}{b}}}",
         f"{T}_{{{a}{b}}} = {R}_{{{a}{b}}} - \\frac{{1}}{{2}} {R} {g}_{{{a}{b}}}"],
        [f"{v}_{a} = {g}_{{{a}{b}}} {v}^{b}", f"{s} = {v}_{a} {v}^{a}"],
        [f"{T}^{a}{{}}_{b} = {g}_{{{b}{c}}} {T}^{{{a}{c}}}", f"{s} = {T}^{a}{{}}_{a}"],
        [f"{s} = {T}_{{{a}{b}}} {T}^{{{a}{b}}}", f"{v} = {s} {T}^{{{a}{b}}} {g}_{{{a}{b}}}"],
        [f"{s}^{a} = {v}_{b} ({T}^{{{a}{b}}} - {T}^{{{b}{a}}})",
         f"{m.base(True)} = {s}^{a} {v}_{a}"],
        [f"{s}^{a} = {T}^{a}_{{{b}{c}}} {v}^{b} {v}^{c}"],
        [f"{s} = ({v}^{a} - {T}^{a}) ({v}_{a} - {T}_{a})"])


def overflow(m):
    """Exponentials that leave the range of numbers, in one equation or in several."""
    i, j, a, k = m.letters(4)
    S, A, E, Z, F, V = (m.name() for _ in range(6))
    big = m.pick("600", "900", "(-800)")
    return m.pick(
        [f"{E(i, j)} = \\exp({big} {S(i, j)})",
         f"{A(i, j)} = \\frac{{{E(i, j)}}}{{\\sum_{k} {E(i, k)}}}"],
        [f"{E(i, j)} = \\exp({big} {S(i, j)})", f"{Z(i)} = \\sum_{j} {E(i, j)}",
         f"{A(i, j)} = {E(i, j)} / {Z(i)}"],
        [f"{E(i, j)} = \\exp({big} {S(i, j)})", f"{Z(i)} = \\sum_{j} {E(i, j)}",
         f"{A(i, a)} = \\frac{{{E(i, j)}}}{{{Z(i)}}} {V(j, a)}"],
        [f"{Z(i)} = \\sum_{j} \\exp({big} {S(i, j)})", f"{F(i)} = \\log {Z(i)}"],
        [f"{A(i, j)} = \\frac{{\\exp({big} {S(i, j)})}}{{\\sum_{k} \\exp({big} {S(i, k)})}}"],
        [f"{F(i)} = \\log \\sum_{j} \\exp({big} {S(i, j)})"],
        [f"{A(i, j)} = \\operatorname{{softmax}}_{j}({big} {S(i, j)})",
         f"{Z(i)} = \\sum_{j} {A(i, j)} {S(i, j)}"])


def padded(m):
    upper(m)
    i, v, b = m.letters(3)
    Z, L = m.name(plain=True), m.name(plain=True)
    y = "y"
    if y in m.names:
        return [f"{L(i)} = {Z(i)}"]
    m.names |= {y, "m"}
    return m.pick([f"m^{i} = [{y}_{i} \\ge 0]",
                   f"{L()} = \\sum_{i} m^{i} {Z.base}^{{{i} {y}_{i}}}"],
                  [f"{L()} = -\\sum_{i} [{y}_{i} \\ge 0] \\log {Z.base}^{{{i} {y}_{i}}}"],
                  [f"{L()} = \\frac{{\\sum_{i} [{y}_{i} \\ge 0] {Z.base}^{{{i} {y}_{i}}}}}"
                   f"{{\\sum_{i} [{y}_{i} \\ge 0]}}"],
                  [f"{L(i)} = \\begin{{cases}} {Z.base}^{{{i} {y}_{i}}} & \\text{{if }} {y}_{i} "
                   f"\\ge 0 \\\\ 0 & \\text{{otherwise}} \\end{{cases}}"],
                  [f"{L(b)} = {Z.base}^{{n_{{s_{b}}}}}"])


def norm_signs(m):
    upper(m)
    i, j, a = m.letters(3)
    D, x, z = m.name(plain=True), m.name(plain=True), m.name(plain=True)
    sub = m.pick("", "_2", "_1", "_F", "_\\infty")
    return [m.pick(f"{D(i, j)} = \\lVert {x(i, a)} - {z(j, a)} \\rVert{sub}",
                   f"{D()} = \\lVert {x(a)} \\rVert{sub}",
                   f"{D(i)} = \\lVert {x(i, a)} \\rVert{sub}^2",
                   f"{D(i)} = \\frac{{{z(i)}}}{{\\lVert {x(a)} \\rVert{sub}}}",
                   f"{D(i)} = \\lVert {x(i, a)} - {z(j)} \\rVert{sub}",
                   f"{D(i)} = \\lVert {x(i, a)} {z(a)} \\rVert{sub}")]


def functions(m):
    i, j = m.letters(2)
    Y, x = m.name(plain=True), m.name(plain=True)
    f = m.pick("\\tan", "\\arctan", "\\sinh", "\\cosh", "\\operatorname{softplus}",
               "\\operatorname{erf}", "\\operatorname{sign}",
               "\\operatorname{elu}", "\\sin", "\\ln")
    return [m.pick(f"{Y(i)} = {f}({x(i)})", f"{Y(i)} = {f}({x(i)})^2", f"{Y(i)} = {f} {x(i)}",
                   f"{Y(i)} = \\lfloor 2 {x(i)} \\rfloor", f"{Y(i)} = \\lceil 2 {x(i)} \\rceil",
                   f"{Y(i)} = {x(i)} \\log {x(i)}", f"{Y()} = \\sum_{i} {x(i)} \\log {x(i)}")]


ALL = [gravity, overflow, overflow, padded, softmax, softmax, inline_softmax, masked, masked,
       logsumexp, norms, own_function, own_function, over_an_index,
       derivatives, derivatives, derivatives, digits, digits, heights, heights, gathers, merged,
       shifts, shifts, bounds,
       bounds, claims, claims, claims, loss_claims, loss_claims, parentheses, scalars, halves,
       cases, exponentials, left_sides, refused, attention,
       norm_signs, functions]
