"""verify_corpus.py - the kernels of corpus/ as text, for bench/verify.py.

A kernel is cut out of its file together with everything that is not a kernel, so that line
numbers stay and a run compiles little. Offsets count from the file's begin; `masked` has the
same length as the text, with comments, strings and lines of the preprocessor blanked.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = re.compile(r"(?:__global__|__kernel|kernel)\b[^;{]*?\b(\w+)\s*\(([^(){};]*)\)\s*\{")
LAUNCH = re.compile(r"^// warpwise:[^\n]*", re.M)
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*",
                   re.S | re.M)


def mask(text):
    """The text with what is no code blanked, newlines kept."""
    return NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def closing(masked, at, pair="{}"):
    """Offset of the bracket that closes the one at `at`; -1: there is none."""
    depth = 0
    for k in range(at, len(masked)):
        depth += (masked[k] == pair[0]) - (masked[k] == pair[1])
        if depth == 0:
            return k
    return -1


class Kernel:
    """One kernel: `text` is its file with all other kernels blanked."""

    def __init__(self, path, name, params, text, launch):
        self.file = f"{path.parent.name}/{path.name}"
        self.family = path.parent.name
        self.suffix = path.suffix
        self.name = name
        self.params = params  # [(type, name)]
        self.text = text
        self.masked = mask(text)
        head = next(m for m in HEAD.finditer(self.masked) if m[1] == name)
        self.head = head.start()
        self.open = head.end() - 1
        self.close = closing(self.masked, self.open)
        self.launch = launch  # the comment's words, {"grid": "(n+255)/256", ...}
        self.id = f"{self.file}:{name}"

    @property
    def body(self):
        """Masked code between the braces."""
        return self.masked[self.open + 1:self.close]

    def edited(self, edits):
        """The text with [(begin, end, new)] put in."""
        out = self.text
        for begin, end, new in sorted(edits, reverse=True):
            out = out[:begin] + new + out[end:]
        return out


def parameters(text):
    """[(type, name)] of a parameter list."""
    out = []
    for p in text.split(","):
        m = re.match(r"\s*(.*?)(\w+)\s*$", p, re.S)
        if m:
            plain = re.sub(r"\b(__restrict__|restrict|__global|global|const)\b", "", m[1])
            out.append((re.sub(r"\s+", "", plain), m[2]))
    return out


def launch_of(text, at):
    """The `// warpwise:` comment above a kernel, as words."""
    lines = text[:at].split("\n")
    for line in reversed(lines[-5:]):
        if line.startswith("// warpwise:"):
            words = line.split(":", 1)[1].split()
            return dict(w.split("=", 1) for w in words if "=" in w)
    return {}


def kernels_of(path):
    """The kernels of one file."""
    text = path.read_text()
    masked = mask(text)
    found = []
    for m in HEAD.finditer(masked):
        begin = masked.rfind("\n", 0, m.start()) + 1
        end = closing(masked, m.end() - 1)
        if end > 0 and not re.search(r"\btemplate\b", masked[begin:m.start()]):
            found.append((begin, end + 1, m[1], parameters(m[2])))
    for begin, end, name, params in found:
        alone = text
        for b, e, other, _ in found:
            if other != name:
                alone = alone[:b] + re.sub(r"[^\n]", " ", alone[b:e]) + alone[e:]
        own = alone.rfind("// warpwise:", 0, begin)
        alone = LAUNCH.sub(lambda m, own=own: m[0] if own <= m.start() < begin else
                           " " * len(m[0]), alone[:begin]) + \
            LAUNCH.sub(lambda m: " " * len(m[0]), alone[begin:])
        yield Kernel(path, name, params, alone, launch_of(text, begin))


def kernels():
    """All kernels in CUDA and OpenCL, in a fixed order."""
    out = []
    for path in sorted(ROOT.glob("corpus/*/*.c[ul]")):
        out += kernels_of(path)
    return out
