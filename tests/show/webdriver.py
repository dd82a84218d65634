"""A browser that a test drives: Chromium by its WebDriver, which speaks plain HTTP."""

import base64
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

NAMES = ("chromium", "chromium-browser", "google-chrome")
SHOT_SECONDS = 60


def missing():
    """What is not there for these tests, in words; empty where all is."""
    if not shutil.which("chromedriver"):
        return "chromedriver is not there"
    return "" if any(map(shutil.which, NAMES)) else "chromium is not there"


class Browser:
    """`listening`: to what pages ask of a network, which takes as long as what they do."""

    def __init__(self, listening=False):
        self.profile = tempfile.TemporaryDirectory(prefix="ricci-browser-",
                                                   ignore_cleanup_errors=True)
        self.driver = subprocess.Popen([shutil.which("chromedriver"), "--port=0"],
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       start_new_session=True)
        self.port = self.announced_port()
        program = next(filter(None, map(shutil.which, NAMES)))
        arguments = [
            "--headless=new", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,900",
            "--force-device-scale-factor=1", "--disable-dev-shm-usage",
            f"--user-data-dir={self.profile.name}"
        ]
        # a user who is root has no sandbox to be in
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        wanted = {
            "browserName": "chrome", "goog:chromeOptions": {"binary": program, "args": arguments},
            "goog:loggingPrefs": {
                "browser": "ALL", **({"performance": "ALL"} if listening else {})
            }
        }
        self.session = ""
        self.session = "/session/" + self.ask(
            "POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def announced_port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found[1])
        raise RuntimeError("chromedriver says no port")

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{self.session}{path}", data,
                                         method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=SHOT_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.load(e)["value"]["message"]) from None

    def quit(self):
        try:
            self.ask("DELETE", "")
        finally:
            # the driver and the browser that it started: both are one group of processes
            os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.wait(20)
            self.driver.stdout.close()
            self.profile.cleanup()

    def open(self, path):
        """Opens a page and waits until it is drawn; the milliseconds that took, by the page's own
        clock."""
        self.ask("POST", "/url", {"url": pathlib.Path(path).resolve().as_uri()})
        return float(self.run_later("""
            const done = arguments[0], look = () => document.documentElement.dataset.drawn
                ? done(document.documentElement.dataset.drawn) : setTimeout(look, 5);
            look();"""))

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_later(self, script, *arguments):
        """A script that calls the last of its arguments when it is done."""
        return self.ask("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.run_later(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => "
            "done(1)));"
        )

    def command(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def media(self, kind="", scheme="light"):
        self.command("Emulation.setEmulatedMedia", media=kind,
                     features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def size(self, width, height, ratio=1):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=ratio, mobile=False)
        self.settle()

    def element(self, selector):
        return next(
            iter(
                self.ask("POST", "/element",
                         {"using": "css selector", "value": selector}).values()))

    def click(self, selector):
        self.ask("POST", f"/element/{self.element(selector)}/click", {})
        self.settle()

    def keys(self, text, shift=False):
        """Presses keys, one after another, where the focus is."""
        steps = [
            step for key in text
            for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})
        ]
        if shift:
            steps = [{"type": "keyDown", "value": "\ue008"}, *steps,
                     {"type": "keyUp", "value": "\ue008"}]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})
        self.settle()

    def pointer(self, *steps):
        """Moves and presses the mouse: (x, y), "down" and "up"."""
        actions = []
        for step in steps:
            if isinstance(step, str):
                actions.append({"type": "pointer" + step.capitalize(), "button": 0})
            else:
                actions.append({
                    "type": "pointerMove", "duration": 0, "x": round(step[0]), "y": round(step[1])
                })
        self.ask(
            "POST", "/actions", {
                "actions": [{
                    "type": "pointer", "id": "mouse", "actions": actions,
                    "parameters": {"pointerType": "mouse"}
                }]
            })
        self.settle()

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def whole_page(self, path, width=1280):
        """The page from top to bottom in a window of this width."""
        self.size(width, 700)
        self.size(width, self.run("return document.documentElement.scrollHeight"))
        self.screenshot(path)

    def print(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("POST", "/print", {})))

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})
