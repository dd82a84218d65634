"""Recipes of texts whose indices are more than letters: digits, heights, gathers, arithmetic."""


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
    m.heights_up()
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


def extrema(m):
    m.heights_up()
    i, j, a = m.letters(3)
    X, Z, Q, L = (m.name(plain=True) for _ in range(4))
    if "y" in m.names:
        return [f"{L(i)} = {Z(i)}"]
    m.names |= {"y"}
    word = m.pick("argmax", "argmin")
    place = f"y_{i} = \\operatorname{{{word}}}_{j}"
    pairs = m.pick(f"({X(i, a)} {Z(j, a)})", f" \\sum_{a} ({X(i, a)} - {Z(j, a)})^2",
                   f" |{X(i, a)} {Z(j, a)}|", f"(\\sin(7 {X(i, a)} {Z(j, a)}))")
    row = m.pick(f"({X(i, j)})", f" {X(i, j)}", f"({X(i, j)} + {Q(j)})", f"(-{j} {X(i, j)})",
                 f"(\\begin{{cases}} {X(i, j)} & \\text{{if }} {j} \\le {i} \\\\ -\\infty & "
                 f"\\text{{otherwise}} \\end{{cases}})", f"(\\lfloor 2 {X(i, j)} \\rfloor)")
    return m.pick(
        [place + pairs, f"{Q(i, a)} = {Z.base}^{{y_{i} {a}}}"],
        [place + pairs, f"{Q(i, a)} = {Z.base}^{{y_{i} {a}}}",
         f"{L()} = \\sum_{{{i},{a}}} ({X(i, a)} - {Q(i, a)})^2",
         f"{m.name(plain=True)(j, a)} = \\frac{{\\partial {L()}}}{{\\partial {Z(j, a)}}}"],
        [place + pairs, f"{L(j)} = \\sum_{i} [y_{i} = {j}] {X(i, a)} {Z(i, a)}"],
        [place + row], [place + row, f"{L(j)} = \\sum_{i} [y_{i} = {j}]"],
        [place + row, f"{L()} = \\sum_{i} {X.base}^{{{i} y_{i}}}"],
        [f"y = \\operatorname{{{word}}}_{i} {X(i)}"],
        [place + row + " + 1"], [place + row, f"{L()} = \\sum_{i} y_{i}"],
        [f"y = \\operatorname{{{word}}}_{{{i}{j}}} {X(i, j)}"],
        [f"y_{i} = \\operatorname{{{word}}}_{{{j} \\le {i}}} {X(i, j)}"])


def merged(m):
    m.heights_up()
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
    m.heights_up()
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
        f"{Y(i)} = \\sum_{{{k} \\le {i}}} {W(k)} {X(f'{i}-{k}')}",
        f"{Y(i)} = \\sum_{{{k}=0}}^{{{i}}} {X(f'{i}-{k}')} {W(k)}",
        f"{Y(i)} = \\sum_{{{k} < {i}}} {W(k)} {X(f'{i}-{k}')} + {B(i)}",
        f"{Y(i)} = {X(f'{i}-{k}')} {W(k)}", f"{Y(i)} = {X(f'{i}-{k}+0')} {W(k)}",
        f"{Y(i)} = {X(f'3-{i}')}", f"{Y(i)} = {X(f'{i}-{k}+3')} {W(k)}",
        f"{Y(i, j)} = [{j} \\le {i}] {X(f'{i}-{j}')} {W(i)} {B(j)}",
        f"{Y(i, j)} = [{i} + {j} \\ge {k}] {X(f'{i}+{j}-{k}')} {W(k)}",
        f"{Y(i, j)} = \\begin{{cases}} {X(f'{i}-{j}')} & \\text{{if }} {j} \\le {i} \\\\ {B(j)} & "
        f"\\text{{otherwise}} \\end{{cases}}",
        f"{Y(i)} = {W(i, j)} {X(f'{i}-{j}')}", f"{Y(i)} = {W(i, j)} {X(f'{i}-2{j}')} {B(j)}",
        f"{Y(i)} = [{i} \\ge {j}] {W(i, j)} {X(f'2{i}-{j}')}",
        f"{Y(i, j)} = {B(f'{i}-{j}')} + {W(i)} {X(j)} + {B(i)} {B(i)} {W(j)}",
        f"{Y(i, j)} = {B(f'{i}-{j}')} + {B(f'{i}+1')} {X(j)}",
        f"{Y(i)} = {X(f'{i}+2')} - 2 {X(f'{i}+1')} + {X(i)}",
        f"{Y()} = \\sum_{i} {X(f'{i}+1')} {X(i)}",
        f"{Y(i)} = \\begin{{cases}} {X(f'{i}-1')} & \\text{{if }} {i} \\ge 1 \\\\ {B(i)} & "
        f"\\text{{otherwise}} \\end{{cases}}",
        f"{Y(i)} = \\max_{k} {X(f'2{i}+{k}')} {W(k)}" if False
        else f"{Y(i)} = \\max_{k} ({X(f'2{i}+{k}')} {W(k)})",
        f"{Y(i, j)} = {X(f'({i}+{k})', f'({j}+{a})')} {W(k, a)}")]


def bounds(m):
    m.heights_up()
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


def padded(m):
    m.heights_up()
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
