"""Talks to the driver: a text with numbers goes out, a refusal or outputs come back. A driver that
dies or that takes too long is started again."""

import re
import select
import subprocess

import numpy as np


class Answer:
    """kind: outputs, refused, error, died, late."""

    def __init__(self):
        self.kind, self.words, self.category = "outputs", "", 0
        self.outputs, self.asked, self.unused = {}, "", []


class Driver:
    def __init__(self, command, seconds=20):
        self.command, self.seconds = command, seconds
        self.process = None

    def start(self):
        self.process = subprocess.Popen([self.command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.rest = b""

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, text, inputs, extents):
        """`inputs`: name to an array; whole numbers go as such."""
        if self.process is None:
            self.start()
        lines = text.split("\n")
        out = [f"text\t{len(lines)}"] + lines
        for name, a in inputs.items():
            a = np.asarray(a)
            kind = "i" if a.dtype.kind in "iu" else "f"
            fields = ["input", name, kind, str(a.ndim)] + [str(n) for n in a.shape]
            fields += [repr(float(x)) for x in a.ravel()]
            out.append("\t".join(fields))
        out += [f"extent\t{i}\t{n}" for i, n in extents.items()]
        out.append("run")
        answer = Answer()
        try:
            self.process.stdin.write(("\n".join(out) + "\n").encode("utf-8"))
            self.process.stdin.flush()
            for line in self.lines():
                self.take(answer, line.split("\t"))
        except TimeoutError:
            answer.kind = "late"
            self.stop()
        except (EOFError, BrokenPipeError):
            answer.kind = "died"
            self.stop()
        return answer

    def lines(self):
        while True:
            while b"\n" in self.rest:
                line, self.rest = self.rest.split(b"\n", 1)
                if line == b"done":
                    return
                yield line.decode("utf-8", "replace")
            ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
            if not ready:
                raise TimeoutError
            more = self.process.stdout.read1(1 << 20)
            if not more:
                raise EOFError
            self.rest += more

    @staticmethod
    def take(answer, f):
        if f[0] == "refused":
            answer.kind, answer.category, answer.words = "refused", int(f[1]), f[2]
        elif f[0] == "error":
            answer.kind, answer.words = "error", f[1]
        elif f[0] == "asked":
            answer.asked = f[1]
        elif f[0] == "unused":
            answer.unused.append(f[1])
        elif f[0] == "output":
            rank = int(f[2])
            shape = tuple(int(n) for n in f[3:3 + rank])
            values = np.array([float(x) for x in f[3 + rank:]])
            answer.outputs[bare(f[1])] = values.reshape(shape)


def bare(name):
    """A name without what may be written around it."""
    return re.sub(r"\\text|[{} ]", "", name)
