"""Functions of matrices, as they stand in filters, Gaussian processes, implicit steps and geometry.
Most matrices are written so that they have an inverse."""


def regular(m, i, j, batch="", definite=False):
    """A matrix at i and j as a text writes it; batches stand before the indices."""
    K, A, s = m.name(plain=True), m.name(plain=True), m.base(True)
    a = m.letters(1, without=(i, j, batch))[0]
    b = [batch] if batch else []
    ways = [f"{A(*b, i, a)} {A(*b, j, a)} + \\delta^{{{i}{j}}}",
            f"\\exp(-({A(*b, i)} - {A(*b, j)})^2) + {s} \\delta^{{{i}{j}}}",
            f"[{i} \\ge {j}] {A(*b, i, j)}"]
    if not definite:
        ways += [f"{K(*b, i, j)}", f"{K(*b, j, i)}", f"{K(*b, i, j)} + 4 \\delta^{{{i}{j}}}",
                 f"{K(*b, i, a)} {A(a, j)}", f"{A(*b, i, a)} {K(*b, a, j)} + [{i} = {j}]"]
    else:
        ways.pop()
    return m.pick(*ways)


def solving(m):
    m.heights_up()
    i, j, b, r = m.letters(4)
    x, y, K, z = (m.name(plain=True) for _ in range(4))
    solve = f"\\operatorname{{solve}}_{{{i}{j}}}"
    lone, many = regular(m, i, j), regular(m, i, j, b)
    return m.pick(
        [f"{x(j)} = {solve}({lone}, {y(i)})"],
        [f"{x(j, r)} = {solve}({lone}, {y(i, r)})"],
        [f"{x(b, j, r)} = {solve}({many}, {y(b, i, r)})"],
        [f"{x(r, j, b)} = {solve}({many}, {y(i, r)})"],
        [f"{x(j)} = {solve}({lone}, {solve}({K(j, i)} + 3 \\delta^{{{i}{j}}}, {y(i)}))"],
        [f"{x(j)} = {solve}({lone}, {y(i, r)} {z(r)})"],
        [f"{x(j)} = {solve}({lone}, {y(i)}) + \\exp({z(j)})"],
        [f"{x()} = {solve}({lone}, {y(i)}) {z(j)}"],
        [f"{x(j)} = {solve}({many}, {y(b, i)})"],
        [f"{x(j, r)} = {solve}({lone}, \\delta^{{{i}{r}}})"],
        [f"{K(i, j)} = {lone}", f"{x(j)} = {solve}({K(i, j)}, {y(i)})",
         f"{z()} = {x(i)} {x(i)} + \\operatorname{{logdet}}_{{{i}{j}}}({K(i, j)})"],
        [f"{x(j)} = {solve}({lone}, {y(i, j)})"],
        [f"{x(j)} = {solve}({lone}, {y(r)})"])


def determinants(m):
    m.heights_up()
    i, j, b = m.letters(3)
    d, w = m.name(plain=True), m.name(plain=True)
    lone, many = regular(m, i, j), regular(m, i, j, b)
    sure = regular(m, i, j, definite=True)
    det = m.pick("\\det", "\\operatorname{logdet}", "\\log \\det") + f"_{{{i}{j}}}"
    return [m.pick(
        f"{d()} = {det}({lone})", f"{d(b)} = {det}({many})", f"{d(b)} = {w(b)} {det}({many})",
        f"{d()} = \\sum_{{{b}}} {det}({many})", f"{d(b)} = \\tanh({det}({many}))",
        f"{d()} = {det}({sure}) - 2 {w()}", f"{d()} = {det}({many}) {w(b)}",
        f"{d(i)} = {det}({lone})", f"{d()} = (\\det_{{{i}{j}}}({lone}))^2")]


def inverses(m):
    i, j, k = m.letters(3)
    base = m.base(True)
    if m.style == "physics":
        v, s = m.base(True), m.base(True)
        inverse = f"({base}^{{-1}})"
        return m.pick(
            [f"{s}^{i} = {inverse}^{{{i}{j}}} {v}_{j}"],
            [f"{s} = {inverse}^{{{i}{j}}} {v}_{i} {v}_{j}"],
            [f"{s}^{i} = {inverse}^{{{i}{j}}} {v}_{j} + {base}_{{{j}{k}}} {v}^{{{i}{j}{k}}}"],
            [f"{s}_{{{i}{k}}} = {base}_{{{i}{j}}} {inverse}^{{{j}{k}}}"])
    m.heights_up()
    v, y, s = (m.name(plain=True) for _ in range(3))
    def at(a, b):
        return f"({base}^{{-1}})^{{{a}{b}}}"
    return m.pick(
        [f"{v(i, j)} = {at(i, j)}"], [f"{v()} = {at(i, i)}"], [f"{v(i)} = {at(i, i)}"],
        [f"{v(i)} = {at(i, j)} {y(j)}"], [f"{v()} = {y(i)} {at(i, j)} {y(j)}"],
        [f"{v(i, k)} = {at(i, j)} {y(j, k)}"], [f"{v(i, k)} = {at(i, j)} {at(j, k)}"],
        [f"{v(i, k)} = {at(i, j)} {base}^{{{j}{k}}}"],
        [f"{v(i, j)} = \\exp({at(i, j)}) + {at(j, i)}"],
        [f"{base}^{{{i}{j}}} = {regular(m, i, j)}", f"{v(i)} = {at(i, j)} {y(j)}",
         f"{s()} = {y(i)} {v(i)}"])


def factors(m):
    m.heights_up()
    i, j, b = m.letters(3)
    L, x, y = (m.name(plain=True) for _ in range(3))
    sure, many = regular(m, i, j, definite=True), regular(m, i, j, b, definite=True)
    chol = f"\\operatorname{{chol}}_{{{i}{j}}}"
    return m.pick(
        [f"{L(i, j)} = {chol}({sure})"], [f"{L(b, i, j)} = {chol}({many})"],
        [f"{L(i, j)} = {chol}({sure})",
         f"{x(j)} = \\operatorname{{solve}}_{{{i}{j}}}({L(i, j)}, {y(i)})"],
        [f"{x(i)} = {chol}({sure}) {y(j)}"], [f"{x(i)} = \\sum_{{{j}}} {chol}({sure})"])


def matrix_gradients(m):
    m.heights_up()
    i, j, a = m.letters(3)
    K, A, y, L = (m.base(True) for _ in range(4))
    k = f"{K}^{{{i}{j}}}"
    loss = m.pick(f"{y}^{i} ({K}^{{-1}})^{{{i}{j}}} {y}^{j}",
                  f"\\operatorname{{logdet}}_{{{i}{j}}}({k})", f"\\det_{{{i}{j}}}({k})",
                  f"\\log \\det_{{{i}{j}}}({k} + 5 \\delta^{{{i}{j}}})",
                  f"\\operatorname{{solve}}_{{{i}{j}}}({k}, {y}^{i}) {A}^{j}",
                  f"\\operatorname{{chol}}_{{{i}{j}}}({k} + 5 \\delta^{{{i}{j}}}) {A}^{{{i}{j}}}")
    by = m.pick(f"{K}^{{{i}{j}}}", f"{K}^{{{j}{i}}}")
    return [f"{L} = {loss}", f"G^{{{i}{j}}} = \\frac{{\\partial {L}}}{{\\partial {by}}}"]


def matrix_claims(m):
    m.heights_up()
    i, j, k = m.letters(3)
    A, B, L = (m.base(True) for _ in range(3))
    return m.pick(
        [f"{L}^{{{i}{k}}} = {A}^{{{i}{j}}} ({A}^{{-1}})^{{{j}{k}}} = \\delta^{{{i}{k}}}"],
        [f"{L} = \\det_{{{i}{k}}}({A}^{{{i}{j}}} {B}^{{{j}{k}}}) = "
         f"\\det_{{{i}{j}}}({A}^{{{i}{j}}}) \\det_{{{i}{j}}}({B}^{{{i}{j}}})"],
        [f"{L} = \\det_{{{i}{j}}}({A}^{{{i}{j}}}) = \\det_{{{j}{i}}}({A}^{{{i}{j}}})"],
        [f"{L}^{{{i}{j}}} = ({A}^{{-1}})^{{{i}{j}}} = ({A}^{{-1}})^{{{j}{i}}}"],
        [f"{L} = \\operatorname{{logdet}}_{{{i}{j}}}({A}^{{{i}{j}}})",
         f"\\frac{{\\partial {L}}}{{\\partial {A}^{{{i}{j}}}}} = ({A}^{{-1}})^{{{j}{i}}}"],
        [f"{L} = {B}^{i} ({A}^{{-1}})^{{{i}{j}}} {B}^{j}",
         f"\\frac{{\\partial {L}}}{{\\partial {B}^{i}}} = 2 ({A}^{{-1}})^{{{i}{j}}} {B}^{j}"])
