#!/usr/bin/env python3
"""Makes docs/pictures/show.png: the worked example's page as Chromium draws it.

usage: tools/pictures.py [RICCI]     chromium and chromium-driver are needed
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "show"))

import webdriver  # noqa: E402: it lies beside the tests


def main():
    ricci = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "tools" / "command" / "ricci"
    if webdriver.missing():
        sys.exit(webdriver.missing())
    worked = ROOT / "examples" / "worked"
    browser = webdriver.Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            subprocess.run([ricci, "run", worked / "attention.tex", *[f"{name}={worked / name}.npy" for name in "QKV"],
                            "h:2", "d_k=2", "--show", f"A={page}", "--labels", worked / "tokens.txt"], check=True)
            browser.open(page)
            browser.media()
            browser.size(860, 800)
            browser.run("document.querySelector('#panels canvas').focus()")
            browser.keys("\ue015\ue014\ue014")
            browser.run("document.activeElement.blur(); document.querySelector('footer').hidden = true")
            browser.whole_page(ROOT / "docs" / "pictures" / "show.png", 860)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
