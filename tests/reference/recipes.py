"""What papers write, with names and letters that are drawn: each recipe gives the lines of a
text."""

from recipes_claims import claims, derivatives, loss_claims
from recipes_conditions import below_functions, counts, masked_softmax, masks
from recipes_matrices import (determinants, factors, inverses, matrix_claims, matrix_gradients,
                              solving)
from recipes_places import bounds, digits, extrema, gathers, halves, heights, merged, padded, shifts


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


def cases(m):
    m.heights_up()
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
    m.heights_up()
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
    m.heights_up()
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


def norm_signs(m):
    m.heights_up()
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
       logsumexp, norms, own_function, own_function, over_an_index, derivatives, derivatives,
       derivatives, digits, digits, heights, heights, gathers, merged, shifts, shifts, bounds,
       bounds, claims, claims, claims, loss_claims, loss_claims, parentheses, scalars, halves,
       cases, exponentials, left_sides, refused, attention, norm_signs, functions, solving, solving,
       determinants, inverses, inverses, factors, matrix_gradients, matrix_claims,
       below_functions, below_functions, below_functions, masked_softmax, counts, masks]
# Drawn by the number of a text alone, so that the others stay what they were.
LATER = [extrema]
