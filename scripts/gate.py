#!/usr/bin/env python3
"""gate.py : holds a pull request back that makes kernels slower, by prediction, on a machine without a GPU.

Compares every kernel of the changed sources with its version on the base branch, annotates changed lines and kernels that became slower with what
`warpwise explain` finds there, and writes a summary. Run in the checkout; everything is given by the environment, as action.yml does:

  GATE_BASE       what to compare with (default origin/main); the point where the branches parted counts
  GATE_GPU        names, h200,a100 (default h200)
  GATE_THRESHOLD  how much slower a kernel may be (default 5%)
  GATE_OUT        folder for summary.md and roofline.svg (default gate-out)
  WARPWISE        the program (default warpwise)

Exit code: 0 ok, 1 a kernel is slower, 2 usage, 3 a kernel that could be predicted can no more, 4 no program or no base.

Names of files and kernels, comments and compilers' messages are a stranger's: they reach no shell, are printed only behind a prefix so that no line
of the log is a workflow command, and are escaped in commands and in the summary.
"""

import html
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = (".cu", ".cl", ".hip")
HEADERS = (".cuh", ".clh", ".h", ".hpp", ".hh", ".hxx", ".inl")


class Stop(Exception):
    """Nothing can be compared: a message and an exit code."""


def say(text):
    """A line of the log. Runners also read `##[command]`, wherever it stands in a line."""
    plain = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+", " ", text)
    print("gate: " + plain.replace("##[", "## ["), flush=True)


def escaped(s):
    """As GitHub's toolkit does."""
    return re.sub("[\ud800-\udfff]", "?", str(s)).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(s):
    return escaped(s).replace(":", "%3A").replace(",", "%2C")


def command(kind, text, **properties):
    given = ",".join(f"{k}={escaped_property(v)}" for k, v in properties.items())
    print(f"::{kind} {given}::{escaped(text)}", flush=True)


def code(text):
    """Text of a stranger's in a cell of a markdown table: no markup, no end of the cell."""
    clean = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]+", " ", text)
    return "<code>" + re.sub(r"[|\\`*_\[\]!@#~:]", lambda m: f"&#{ord(m[0])};", html.escape(clean)) + "</code>"


def git(*words, binary=False):
    p = subprocess.run(["git", "-c", "core.hooksPath=/dev/null", *words], capture_output=True, check=False)
    if p.returncode:
        raise Stop(f"git {words[0]}: {p.stderr.decode(errors='replace').strip()}", 4)
    return p.stdout if binary else p.stdout.decode(errors="surrogateescape")


def warpwise(*words):
    """Exit code and output. A path is never an option, whatever it begins with."""
    given = [os.path.join(".", w) if isinstance(w, Path) else w for w in words]
    try:
        p = subprocess.run([os.environ.get("WARPWISE") or "warpwise", *given], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as e:
        raise Stop(f"{e.filename}: {e.strerror}; install warpwise, or name it in WARPWISE", 4) from e
    return p.returncode, p.stdout.decode(errors="replace")


def objects(words):
    """Exit code, objects of its JSON lines."""
    status, text = warpwise(*words, "--json", "--quiet")
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return status, found


def shown(path):
    return path.encode(errors="surrogateescape").decode(errors="replace")


def changes(base):
    """(status, old path, new path) of every changed file."""
    words = git("diff", "--name-status", "-z", "-M", "--no-ext-diff", base, "HEAD").split("\0")
    out, i = [], 0
    while i < len(words) - 1:
        kind = words[i][0]
        two = kind in "RC"
        old, new = words[i + 1], words[i + 2 if two else i + 1]
        out.append((kind, None if kind == "A" else old, None if kind == "D" else new))
        i += 3 if two else 2
    return out


def changed_lines(base, old, new):
    text = git("diff", "-U0", "-M", "--no-ext-diff", "--no-color", base, "HEAD", "--", *{old or new, new})
    lines = set()
    for first, count in re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", text, re.M):
        lines.update(range(int(first), int(first) + int(count or 1)))
    return lines


def kernels(path):
    """Mangled name -> kernel, of a source; None and why where none of it can be read. Links are not followed."""
    if path.is_symlink() or not path.is_file():
        return None, "it is not a regular file"
    status, found = objects(["kernels", path])
    if not found or "kernels" not in found[0]:
        return None, found[0]["error"]["message"] if found and "error" in found[0] else f"warpwise kernels ended with {status}"
    # A header's kernels belong to the header.
    own = [k for k in found[0]["kernels"] if os.path.realpath(k.get("file") or path) == os.path.realpath(path)]
    return {k["mangled"]: k for k in own}, ""


class Gate:
    def __init__(self, base, gpu, threshold, out):
        self.base, self.gpu, self.threshold, self.out = base, gpu, threshold, out
        self.rows, self.notes = [], []
        self.slower = self.broken = 0
        self.slow = set()  # (file, kernel)
        self.drawn = []  # (path, mangled name)

    def row(self, file, kernel, gpu, before, after, verdict):
        self.rows.append((shown(file), kernel, gpu, before, after, verdict))
        say(f"{shown(file)}: {kernel or '-'}: {verdict}")

    def broke(self, file, kernel, line, why):
        self.broken += 1
        self.row(file, kernel, "", "", "", f"can no longer be predicted: {why}")
        command("error", f"can no longer be predicted: {why}", file=shown(file), line=line, title="warpwise")

    def compare(self, old_path, new_path, file, k):
        status, found = objects(["predict", "--diff", old_path, new_path, "--kernel", k["mangled"], "--gpu", self.gpu,
                                 "--fail-if-slower", self.threshold])  # fmt: skip
        if status not in (0, 1) or not found or any("speedup" not in o for o in found):
            why = next((o["error"]["message"] for o in found if "error" in o), f"warpwise ended with {status}")
            return self.broke(file, k["name"], k["line"], why)
        for o in found:
            before, after = (o[x]["metrics"]["time_us"]["value"] for x in ("old", "new"))
            limit = 1 + float(self.threshold.rstrip("%")) / 100
            if after > before * limit:
                self.slower += 1
                self.slow.add((file, k["name"]))
                verdict = f"{after / before:.2f} times as long"
                command("error", f"{k['name']} on {o['gpu']}: {verdict} as before, {after:.1f} us instead of {before:.1f} us; "
                        f"limited by {o['new']['bottleneck']}", file=shown(file), line=k["line"], title="slower")  # fmt: skip
            else:
                verdict = "as before" if 0.99 < after / before < 1.01 else f"{before / after:.2f} times as fast"
            self.row(file, k["name"], o["gpu"], f"{before:.1f} us", f"{after:.1f} us", verdict)
        return None

    def alone(self, path, file, k, verdict):
        _, found = objects(["predict", path, "--kernel", k["mangled"], "--gpu", self.gpu])
        for o in found:
            after = f"{o['metrics']['time_us']['value']:.1f} us" if "metrics" in o else ""
            self.row(file, k["name"], o.get("gpu", ""), "", after, verdict if after else o["error"]["message"])

    def annotate(self, path, file, lines):
        """Findings at lines that the pull request changed and in kernels that it made slower, as `explain --github` words them."""
        _, text = warpwise("explain", path, "--gpu", self.gpu, "--github", "--quiet")
        for line in text.splitlines():
            m = re.match(r"::(warning|notice) file=[^,]*,line=(\d+),title=([\w-]+)::(.*)$", line)
            if m and (int(m[2]) in lines or (file, m[4].partition(":")[0]) in self.slow):
                print(f"::{m[1]} file={escaped_property(shown(file))},line={m[2]},title={m[3]}::{m[4]}", flush=True)

    def file(self, kind, old, new, before_tree):
        path = Path(".") / new
        now, why = kernels(path)
        then, _ = kernels(before_tree / old) if old else ({}, "")
        then = then or {}
        if now is None:
            if any(k["interpretable"] for k in then.values()) or kind == "A":
                self.broke(new, "", 1, why)
            else:
                self.notes.append(f"{code(shown(new))} could not be read before either: {code(why)}")
            return
        for name, k in now.items():
            was = then.get(name)
            if k["interpretable"] and path.absolute().as_posix().isprintable():
                self.drawn.append((path.absolute(), name))
            if k["interpretable"] and was and was["interpretable"]:
                self.compare(before_tree / old, path, new, k)
            elif k["interpretable"]:
                self.alone(path, new, k, "new" if not was else "could not be predicted before")
            elif was and was["interpretable"]:
                self.broke(new, k["name"], k["line"], k["reason"] or "")
            else:
                self.row(new, k["name"], "", "", "", f"cannot be predicted: {k['reason']}")
        for name, k in then.items():
            if name not in now:
                self.row(new, k["name"], "", "", "", "removed")
        self.annotate(path, new, changed_lines(self.base, old, new))

    def picture(self):
        """Every kernel that was compared or is new: each with its own file, since names may come twice."""
        if not self.drawn:
            return ""
        launches = self.out / "kernels.jsonl"
        launches.write_text("".join(json.dumps({"file": str(f), "kernel": k}) + "\n" for f, k in self.drawn), encoding="utf-8")
        words = ["roofline", "--launch", str(launches), "--gpu", self.gpu.split(",")[0], "--color", "never", "--quiet"]
        return warpwise(*words, "--svg", str(self.out / "roofline.svg"))[1]

    def summary(self, plot):
        head = "No kernel is slower." if self.rows and not self.slower else f"{self.slower} slower." if self.slower else "No kernels changed."
        if self.broken:
            head += f" {self.broken} can no longer be predicted."
        text = [f"## Kernels on {html.escape(self.gpu)}", "", head, ""]
        if self.rows:
            text += ["| file | kernel | GPU | before | now | |", "|---|---|---|--:|--:|---|"]
            text += [f"| {code(f)} | {code(k) if k else ''} | {code(g) if g else ''} | {b} | {a} | {code(v)} |" for f, k, g, b, a, v in self.rows]
        text += ["", *[f"- {n}" for n in self.notes], ""]
        if plot:
            text += ["<details><summary>Roofline</summary>", "", f"<pre>{html.escape(plot)}</pre>", "</details>", ""]
        text += [f"Predicted by Warpwise from the sources; slower means by more than {html.escape(self.threshold)}.", ""]
        (self.out / "summary.md").write_text("\n".join(text), encoding="utf-8")
        if os.environ.get("GITHUB_STEP_SUMMARY"):
            with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as f:
                f.write("\n".join(text))


def gate():
    threshold = os.environ.get("GATE_THRESHOLD") or "5%"
    if not re.fullmatch(r"[0-9]+([.][0-9]+)?%?", threshold):
        raise Stop("GATE_THRESHOLD: a percentage such as 5%", 2)
    gpu = os.environ.get("GATE_GPU") or "h200"
    base = os.environ.get("GATE_BASE") or "origin/main"
    os.chdir(git("rev-parse", "--show-toplevel").rstrip("\n"))
    try:
        parted = git("merge-base", "--end-of-options", base, "HEAD").strip()
    except Stop as e:
        raise Stop(f"no common commit with {base}: check out with fetch-depth: 0, or set GATE_BASE ({e.args[0]})", 4) from e
    out = Path(os.environ.get("GATE_OUT") or "gate-out").absolute()
    out.mkdir(parents=True, exist_ok=True)
    g = Gate(parted, gpu, threshold, out)
    with tempfile.TemporaryDirectory(prefix="gate-") as folder:
        tree = Path(folder) / "before"
        git("worktree", "add", "--detach", "--quiet", str(tree), parted)
        try:
            for kind, old, new in changes(parted):
                name = new or old
                if name.endswith(HEADERS):
                    g.notes.append(f"{code(shown(name))} changed: sources that include it are compared only if they changed too")
                if not name.endswith(SOURCES):
                    continue
                if new is None:
                    for k in (kernels(tree / old)[0] or {}).values():
                        g.row(old, k["name"], "", "", "", "deleted with its file")
                    continue
                g.file(kind, old if old and old.endswith(SOURCES) else None, new, tree)
        finally:
            git("worktree", "remove", "--force", str(tree))
    g.summary(g.picture())
    say(f"{len(g.rows)} compared, {g.slower} slower, {g.broken} can no longer be predicted")
    return 1 if g.slower else 3 if g.broken else 0


if __name__ == "__main__":
    try:
        sys.exit(gate())
    except Stop as e:
        say(e.args[0])
        sys.exit(e.args[1])
