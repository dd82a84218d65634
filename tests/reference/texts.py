"""Random texts of what people write: recipes of papers with names and letters of their own, and
equations made from a grammar of products, sums and functions. Many mean something; some are refused
by the page on purpose."""

import random

import recipes

CAPITALS = list("ABCDEFGHJKMNOPQRSUVWXYZ")
SMALL = list("bcqruvwxyzst")
GREEK = ["\\alpha", "\\beta", "\\gamma", "\\theta", "\\xi", "\\omega", "\\Gamma", "\\Lambda",
         "\\tau", "\\chi"]
WORDS = ["\\text{Output}", "\\text{mask}", "\\text{value}"]
LABELS = ["_Q", "_K", "_{QKV}", "_{\\text{new}}", "_O", "_{\\text{in}}"]
LETTERS = list("ijklmnpqrabcd")


class Maker:
    """Names, letters and heights of one text."""

    def __init__(self, seed, without=()):
        self.random = random.Random(seed)
        drawn = recipes.LATER if seed % 20 == 3 else recipes.ALL
        self.recipes = [x for x in drawn if x.__name__ not in without]
        r = self.random
        self.style = r.choice(["upper", "upper", "upper", "lower", "mixed", "physics"])
        self.names = set()
        self.known = []  # (writer, rank) of tensors that stand in the text
        self.lines = []

    # what texts are made of -----------------------------------------------------------------------
    def chance(self, p):
        return self.random.random() < p

    def pick(self, *of):
        return self.random.choice(of)

    def heights_up(self):
        """Has all indices above from here on, where they were in two heights."""
        if self.style in ("physics", "mixed"):
            self.style = "upper"

    def letters(self, count, without=()):
        return self.random.sample([x for x in LETTERS if x not in without], count)

    def base(self, plain=False):
        """A name that the text does not have yet."""
        r = self.random
        for _ in range(200):
            if plain or self.chance(0.7):
                name = r.choice(CAPITALS + SMALL)
            elif self.chance(0.5):
                name = r.choice(GREEK)
            elif self.chance(0.3):
                name = r.choice(["PE", "dA", "KL", "FFN"])
            elif self.chance(0.5):
                name = f"\\{r.choice(['tilde', 'hat', 'bar'])}{{{r.choice(CAPITALS)}}}"
            else:
                name = r.choice(CAPITALS) + "'"
            if name not in self.names:
                self.names.add(name)
                return name
        raise ValueError("no name is left")

    def name(self, plain=False):
        """How a new tensor is written: a function of its places."""
        base = self.base(plain)
        label = "" if plain or self.chance(0.85) else self.pick(*LABELS)
        if label and base.endswith("'"):
            label = ""
        return Writer(self, base, label)

    def scalar(self):
        if self.chance(0.4):
            return self.pick("d_k", "n_x", "d_h")
        return self.base(True)

    def number(self):
        return self.pick("2", "3", "\\frac{1}{2}", "0.5", "10^{-1}", "4")

    # whole texts ----------------------------------------------------------------------------------
    def text(self):
        r = self.random
        parts = 1 if self.chance(0.7) else 2
        for _ in range(parts):
            if self.style == "physics" and self.chance(0.5):
                self.lines += self.pick(recipes.heights, recipes.gravity, recipes.inverses)(self)
            elif self.style != "physics" and self.chance(0.7):
                recipe = r.choice(self.recipes)
                lines = recipe(self)
                self.lines += lines
            else:
                self.lines += Grammar(self).equations()
        self.vary_lines()
        separator = "\n" if self.chance(0.9) else self.pick("; ", " \\\\\n", "\n")
        out = separator.join(self.lines)
        return self.dressed(out) if self.chance(0.1) else out

    def vary_lines(self):
        """Definitions by :=, equations on two lines, and lines that keep what they name."""
        k = self.random.randrange(len(self.lines))
        left, sign, right = self.lines[k].partition(" = ")
        if not sign:
            return
        if self.chance(0.08):
            self.lines[k] = left + self.pick(" := ", " \\coloneqq ") + right
        if self.chance(0.08):
            self.lines.append(left)
        line = self.lines[k]
        places = [at for at in range(len(line)) if line[at:at + 3] in (" + ", " - ", " = ")]
        if places and self.chance(0.1):
            at = self.random.choice(places)
            operator = line[at + 1]
            self.lines[k] = line[:at] + self.pick(
                f"\n  {operator} ", f" {operator}\n  ", f" \\\\\n  {operator} ",
                f"\n\n{operator} ") + line[at + 3:]

    def dressed(self, text):
        """The same as it is pasted from a page."""
        r = self.random
        text = text.replace("\\le ", r.choice(["\\leq ", "\\le "]))
        if self.chance(0.3):
            text = text.replace(" - ", " − ")
        if self.chance(0.3):
            text = text.replace("\\cdot", "·")
        if self.chance(0.3):
            text = "\n".join(line + r.choice([",", ".", " \\tag{3}", " \\label{eq:one}", ""])
                             for line in text.split("\n"))
        if self.chance(0.3):
            lines = [x.replace("=", "&=", 1) if x.count("=") == 1 else x for x in text.split("\n")]
            text = "\\begin{align}\n" + " \\\\\n".join(lines) + "\n\\end{align}"
        return text


class Writer:
    """Writes one tensor, with its indices at the heights that the text's style gives them."""

    def __init__(self, maker, base, label=""):
        self.m, self.base, self.label = maker, base, label
        if maker.style == "mixed":
            self.whole = maker.pick("^", "_")
        else:
            self.whole = "_" if maker.style == "lower" else "^"
        self.staggered = maker.style == "physics"

    def __call__(self, *places):
        """Places are letters or written places; in the style of physics pairs (place, height)."""
        if not places:
            return self.base + self.label
        m = self.m
        if m.style == "physics" and any(isinstance(p, tuple) for p in places):
            out, last = self.base + self.label, ""
            for p in places:
                place, h = p if isinstance(p, tuple) else (p, "^")
                if h != last:
                    out += ("{}" if last else "") + h + "{"
                    out += place
                else:
                    out = out[:-1] + " " * (place.startswith("\\") or
                                            out[-2].isalpha() and "\\" in out[-8:]) + place
                out += "}"
                last = h
            return out
        places = [p[0] if isinstance(p, tuple) else p for p in places]
        height = self.whole
        if m.style == "mixed" and m.chance(0.15):
            height = m.pick("^", "_")
        if m.style == "mixed" and len(places) == 2 and m.chance(0.0):
            return f"{self.base}{self.label}^{{{places[0]}}}_{{{places[1]}}}"
        if height == "_" and self.label:
            height = "^"
        if len(places) > 1 and any(len(p) > 1 and not p.startswith("(") and not p.startswith("\\")
                                   for p in places):
            joined = ",".join(places)
        else:
            joined = ""
            for p in places:
                apart = joined and joined[-1].isalpha() and "\\" in joined and p[0].isalpha()
                joined += (" " if apart else "") + p
        if len(joined) > 1 or m.chance(0.7):
            joined = f"{{{joined}}}"
        return f"{self.base}{self.label}{height}{joined}"


class Grammar:
    """Equations from a grammar: each right side has the letters of its left, and sums that it
    implies."""

    FUNCTIONS = ["\\exp", "\\tanh", "\\sin", "\\cos", "\\operatorname{sigmoid}", "\\sigma",
                 "\\operatorname{silu}",
                 "\\operatorname{relu}", "\\operatorname{gelu}", "\\log", "\\sqrt"]

    def __init__(self, maker):
        self.m = maker
        self.r = maker.random
        self.tensors = []  # (writer, rank, defined)
        self.own = []

    def equations(self):
        m = self.m
        lines = []
        if m.chance(0.3):
            lines.append(self.own_function())
        for _ in range(self.r.choice([1, 1, 2, 3])):
            free = m.letters(self.r.choice([0, 1, 1, 2, 2, 3]))
            heights = {i: ("^" if m.style != "physics" else self.r.choice("^^_")) for i in free}
            right = self.sum_([(i, heights[i]) for i in free], 2, True)
            left = m.name(plain=True)
            lines.append(f"{left(*[(i, heights[i]) for i in free])} = {right}")
            self.tensors.append((left, len(free), True))
        for name, count in self.own:
            if not any(f"{name}(" in line for line in lines[1:]):
                arguments = ", ".join(self.tensor([]) for _ in range(count))
                lines.append(f"{m.name(plain=True)()} = {name}({arguments})")
        return lines

    def own_function(self):
        m = self.m
        name = m.pick("\\phi", "\\psi", "f", "g", "\\rho")
        if name in m.names:
            name = m.base()
        m.names.add(name)
        x = m.pick("x", "z", "u", "t")
        if m.chance(0.25):
            y = m.pick("y", "w")
            body = m.pick(f"{x} {y} - \\frac{{{x}}}{{2}}", f"{x}^2 + {y}", f"\\exp(-{x} {y})",
                          f"\\frac{{{x}}}{{1 + {y}^2}}")
            self.own.append((name, 2))
            return f"{name}({x}, {y}) = {body}"
        body = m.pick(f"\\frac{{{x}}}{{1 + e^{{-{x}}}}}", f"\\operatorname{{elu}}({x}) + 1",
                      f"{x}^2", f"{x} \\tanh({x})",
                      f"\\max({x}, 0)^2", f"1 - {x}", f"\\frac{{1}}{{2}} {x} (1 + {x})",
                      f"\\log(1 + e^{{{x}}})",
                      f"{x}^3 - {x}")
        self.own.append((name, 1))
        return f"{name}({x}) = {body}"

    def sum_(self, letters, depth, first=False):
        m = self.m
        count = self.r.choice([1, 1, 2]) if depth > 0 else 1
        out = self.product(letters, depth)
        if first and m.chance(0.1):
            out = "-" + out
        for _ in range(count - 1):
            some = letters if m.style == "physics" else [x for x in letters if m.chance(0.7)]
            term = self.product(some, depth - 1) if some or m.chance(0.5) else m.number()
            out += m.pick(" + ", " - ") + term
        return out

    def product(self, letters, depth):
        m, r = self.m, self.r
        count = r.choice([1, 2, 2, 3]) if depth > 0 else r.choice([1, 2])
        slots = [[] for _ in range(count)]
        for x in letters:
            r.choice(slots).append(x)
            if m.style != "physics" and m.chance(0.2):
                other = r.choice(slots)
                if x not in other:
                    other.append(x)
        if count > 1:
            implied = r.choice([0, 0, 1, 1, 2])
            for i in m.letters(implied, {x[0] for x in letters} | self.bound):
                a, b = r.sample(range(count), 2)
                slots[a].append((i, "^"))
                slots[b].append((i, "_" if m.style == "physics" else "^"))
        for s in slots:
            r.shuffle(s)
        factors = [self.factor(s, depth) for s in slots]
        if m.chance(0.15):
            factors.insert(0, m.number() if m.chance(0.5) else m.scalar())
        out = factors[0]
        for f in factors[1:]:
            signs = [" ", " ", " ", " \\cdot ", " * ", " \\odot "]
            if f.startswith("(") and out[-1:].isalpha() and m.chance(0.8):
                signs = [" \\cdot "]
            out += m.random.choice(signs) + f
        if m.chance(0.08) and depth > 0 and m.style != "physics":
            j = m.letters(1, {x[0] for x in letters} | self.bound)[0]
            self.bound = self.bound | {j}
            out += f" \\sum_{{{j}}} " + self.product([(j, "^")] +
                                                     [x for x in letters if m.chance(0.3)], 0)
            self.bound = self.bound - {j}
        return out

    bound = frozenset()

    def factor(self, letters, depth):
        m, r = self.m, self.r
        kinds = ["tensor"] * 6
        if depth > 0:
            kinds += ["function", "function", "parenthesis", "power", "fraction", "abs",
                      "reduction"]
            if self.own:
                kinds += ["own", "own"]
            if len(letters) == 2 and m.style != "physics":
                kinds += ["bracket", "distance"]
            if len(letters) == 1 and m.style != "physics":
                kinds += ["shift", "number"]
            if m.style != "physics" and letters:
                kinds += ["softmax"]
        kind = r.choice(kinds)
        if kind == "function":
            f = r.choice(self.FUNCTIONS)
            if f == "\\sqrt":
                return f"\\sqrt{{{self.sum_(letters, depth - 1)}}}"
            return f"{f}({self.sum_(letters, depth - 1)})"
        if kind == "own":
            name, count = r.choice(self.own)
            return f"{name}({', '.join(self.sum_(letters, depth - 1) for _ in range(count))})"
        if kind == "parenthesis":
            first = self.sum_(letters, depth - 1)
            return f"({first} {m.pick('+', '-')} {self.product(letters, 0)})"
        if kind == "power":
            return f"({self.sum_(letters, depth - 1)})^{m.pick('2', '3', '{-1}', '{1/2}')}"
        if kind == "fraction":
            below = self.product([x for x in letters if m.style != "physics" and m.chance(0.5)], 0)
            return f"\\frac{{{self.sum_(letters, depth - 1)}}}{{1 + {below}}}"
        if kind == "abs":
            return f"|{self.product(letters, 0)}|"
        if kind == "reduction":
            j = m.letters(1, {x[0] for x in letters} | self.bound)[0]
            sign = m.pick("\\sum", "\\max", "\\operatorname{mean}", "\\operatorname{logsumexp}",
                          "\\min")
            self.bound = self.bound | {j}
            inside = self.sum_(letters + [(j, "^")], depth - 1)
            self.bound = self.bound - {j}
            out = f"{sign}_{m.pick(j, '{' + j + '}')} ({inside})"
            return f"({out})" if sign == "\\sum" else out
        if kind == "softmax":
            i = r.choice(letters)[0]
            return f"\\operatorname{{softmax}}_{i}({self.sum_(letters, depth - 1)})"
        if kind == "bracket":
            (i, _), (j, _) = letters
            sign = m.pick("<", "\\le", "\\ge", ">", "=", "\\ne")
            return f"[{i} {sign} {j}] {self.tensor(letters)}"
        if kind == "distance":
            (i, _), (j, _) = letters
            number = m.pick(f"|{i} - {j}|", f"{i} - {j}", f"1 + {i} + {j}")
            return f"({number}) {self.tensor(letters)}"
        if kind == "shift":
            i = letters[0][0]
            place = m.pick(f"{i}+1", f"2{i}", f"2{i}+1", f"{i}+2")
            return self.m.name(plain=True)(place)
        if kind == "number":
            i = letters[0][0]
            return f"{m.pick(f'({i} + 1)', f'{chr(92)}sin({i})')} " + self.tensor(letters)
        return self.tensor(letters)

    def tensor(self, letters):
        m = self.m
        same = [w for w, rank, defined in self.tensors if rank == len(letters)]
        if same and m.chance(0.45):
            return self.r.choice(same)(*letters)
        try:
            w = m.name(plain=m.chance(0.7))
        except ValueError:
            w = self.r.choice(same) if same else Writer(m, "\\zeta")
        self.tensors.append((w, len(letters), False))
        return w(*letters)


def text(seed, without=()):
    """The text of this number; `without` names recipes that are left out."""
    while True:
        try:
            return Maker(seed, without).text()
        except (ValueError, IndexError):
            seed += 1_000_003
