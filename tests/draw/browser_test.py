#!/usr/bin/env python3
"""Looks at diagrams in Chromium: where it draws each word, in light and in dark.

usage: browser_test.py COMMAND

Says that it is skipped (exit code 77) where there is no Chromium.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TEXTS = {
    "attention": r"""Q^{hia} = X^{ic} W_Q^{hca}
K^{hja} = X^{jc} W_K^{hca}
V^{hjc} = X^{jd} W_V^{hdc}
S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
A^{hij} = \operatorname{softmax}_j(S^{hij})
O^{hic} = A^{hij} V^{hjc}
Y^{id} = O^{hic} W_O^{hcd}
""",
    "chain": "T^{ijklmnpq} = A^{ia} B^{ajb} C^{bkc} D^{cld} E^{dme} F^{enf} G^{fpg} H^{gq}\n",
    "merged": "Q^{hia} = P^{i(ha)}; Z^{i(hc)} = A^{hij} V^{hjc}\n",
    "normalised": r"""\mu^i = \operatorname{mean}_a(X^{ia})
v^i = \operatorname{mean}_a((X^{ia} - \mu^i)^2)
Y^{ia} = g^a \frac{X^{ia} - \mu^i}{\sqrt{v^i + \epsilon}}
""",
}
TEXTS["process"] = r"""
K^{ij} = \exp(-\frac{1}{2 \ell^2} \sum_a (X^{ia} - X^{ja})^2) + \sigma^2 \delta^{ij}
\alpha^{j} = \operatorname{solve}_{ij}(K^{ij}, y^{i})
L = -\frac{1}{2} y^i \alpha^i - \frac{1}{2} \operatorname{logdet}_{ij}(K^{ij})
M^{ij} = \begin{cases} K^{ij} & \text{if } |i - j| \leq w \\ 0 & \text{otherwise} \end{cases}
"""
# Letters that are wide, on lines and in nodes, and lines that can be broken nowhere.
TEXTS["wide"] = r"""
H^{HMNUVWXYZ} = A^{HMN} B^{UVW} C^{XYZ}
M_{WWW}^{mw} = W_{MMM}^{mw} + \text{WWWWMMMM}^{mw} W_{\text{MMMMWWWW}} + \mu\omega^{mw} - 3
Q = \log(\sum_{hi} \exp(M^{hi} + N^{hi} - W^{hi} + X^{hi} - G^{hi} + K^{hi} - O^{hi} + U^{hi}))
T = \sum_{dmh} X_U^{dm} X_V^{mhd} X_Q^{hmd} W_O^{hmd} W_V^{hmd} W_K^{hmd} K^{hm}
"""
TEXTS["logarithm"] = r"""
H^i = -\sum_j A^{ij} \log A^{ij}
L = -\sum_{ij} y^{ij} \log(\sum_k \exp(x^{ik}) w^{kj})
C^{ij} = \exp(A^{ik}) \exp(B^{kj}) + D^{ij} - 1
"""
TEXTS["order"] = "Y^{ad} = A^{ab} B^{bc} C^{cd}\n"
ORDER = ["--order", "A=10x2000", "B=2000x30", "C=30x5"]
GRADIENT = ["--of", "Y", "--by", "W_Q"]
CASES = [("attention", []), ("attention", ["--whole"]),
         ("attention", ["--whole", "--layout", "plain"]), ("attention", GRADIENT),
         ("attention", [*GRADIENT, "--whole"]), ("chain", []), ("merged", []), ("normalised", []),
         ("process", []), ("process", ["--of", "L", "--by", "X"]), ("wide", []),
         ("wide", ["--layout", "plain"]), ("logarithm", []), ("logarithm", ["--whole"]),
         ("order", ORDER)]

# How a reader's browser differs: on a dark screen; without the fonts of formulas, with only the
# widest of them; and without formulas, which are words then.
FONT = "<style>math, text {{ font-family: '{}' !important; }}</style>"
LOOKS = [("light", "", False), ("dark", "", False), ("serif", FONT.format("DejaVu Serif"), False),
         ("mathematical", FONT.format("DejaVu Math TeX Gyre"), False), ("words", "", True)]
FORMULA = re.compile(r"<foreignObject.*?</foreignObject>", re.DOTALL)

# The boxes of all words and nodes as the browser draws them, and the colours of paper and words.
SCRIPT = """<script>
const box = e => { const b = e.getBBox(); return [b.x, b.y, b.width, b.height]; };
const seen = [...document.querySelectorAll('svg')].map(root => {
const view = root.viewBox.baseVal;
const texts = [...root.querySelectorAll('text')].map(t =>
    ({what: t.getAttribute('class'), words: t.textContent, box: box(t)}));
const nodes = [...root.querySelectorAll(
    'rect.tensor, rect.value, rect.function, rect.argument, rect.stored')].map(box);
const corner = root.getBoundingClientRect();
for (const m of root.querySelectorAll('math')) {
    const b = m.getBoundingClientRect();
    texts.push({what: 'formula', words: m.getAttribute('alttext'),
                box: [b.x - corner.x, b.y - corner.y, b.width, b.height]});
}
const colour = c => getComputedStyle(root.querySelector(c)).fill;
return {view: [view.width, view.height], texts, nodes,
        paper: colour('.paper'), word: colour('text')};
});
document.body.innerHTML = '<pre id="seen"></pre>';
document.getElementById('seen').textContent = JSON.stringify(seen);
</script>"""


def seen_by(chromium, folder, pictures, look):
    name, style, words = look
    dark = name == "dark"
    page = folder / "page.html"
    shown = "".join(FORMULA.sub("", p) if words else p for p in pictures)
    page.write_text(f"<!doctype html><meta charset=utf-8><body>{style}{shown}{SCRIPT}",
                    encoding="utf-8")
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu",
               f"--user-data-dir={folder / 'profile'}",
               f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom",
               page.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    found = re.search(r'<pre id="seen">(.*?)</pre>', ran.stdout, re.DOTALL)
    return json.loads(html.unescape(found[1])) if found else None


def overlap(a, b):
    """Whether two boxes of words share more than the blank parts of their lines."""
    x = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    y = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return x > 1.5 and y > 0.45 * min(a[3], b[3])


def brightness(colour):
    return sum(int(n) for n in re.findall(r"\d+", colour)[:3])


def faults_of(seen):
    width, height = seen["view"]
    for text in seen["texts"]:
        x, y, w, h = text["box"]
        if x < 0 or y < -1 or x + w > width + 1 or y + h > height + 3:
            yield f"{text['words']!r} leaves the picture"
        if text["what"] == "formula":
            if w < 8 or h < 8:
                yield f"{text['words']!r} is not set"
            if any(overlap(text["box"], node) for node in seen["nodes"]):
                yield f"{text['words']!r} is on top of a node"
        if text["what"] in ("name", "word"):
            around = [
                n for n in seen["nodes"]
                if n[0] < x + w / 2 < n[0] + n[2] and n[1] < y + h / 2 < n[1] + n[3]
            ]
            if not any(n[0] - 1 <= x and x + w <= n[0] + n[2] + 1 for n in around):
                yield f"{text['words']!r} is wider than its node"
    for k, one in enumerate(seen["texts"]):
        for other in seen["texts"][:k]:
            if overlap(one["box"], other["box"]):
                yield f"{one['words']!r} is on top of {other['words']!r}"


def main():
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next((c for c in map(shutil.which, names) if c), None)
    if chromium is None:
        print("no Chromium here: nothing is looked at")
        return 77
    command = str(pathlib.Path(sys.argv[1]).resolve())
    failed = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        pictures = []
        for text, arguments in CASES:
            (folder / "equations.tex").write_text(TEXTS[text], encoding="utf-8")
            subprocess.run([command, "draw", "equations.tex", "-o", "picture.svg", *arguments],
                           cwd=folder, check=True)
            pictures.append((folder / "picture.svg").read_text(encoding="utf-8"))
        for look in LOOKS:
            dark = look[0] == "dark"
            all_seen = seen_by(chromium, folder, pictures, look)
            if all_seen is None or len(all_seen) != len(CASES):
                failed.append("Chromium does not show all pictures")
                continue
            for (text, arguments), seen in zip(CASES, all_seen):
                where = f"{text} {' '.join(arguments)}, {look[0]}: "
                failed += [where + fault for fault in faults_of(seen)]
                if (brightness(seen["paper"]) < brightness(seen["word"])) != dark:
                    failed.append(
                        f"{where}the paper is {seen['paper']} and the words are {seen['word']}")
    right = f"{len(CASES)} pictures, {len(LOOKS)} looks: all there, and nothing on top of anything"
    print("\n".join(failed) if failed else right)
    return 1 if failed else 0


sys.exit(main())
