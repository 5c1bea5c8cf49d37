#!/usr/bin/env python3
"""pages.py BUILD : README.md, docs/trace.md and docs/tutorial.md show what their commands print now.

The tests compare these pages with the program (tests/cli.sh, tests/predict.sh); after a change of
numbers this brings the pages up to date. The tutorial's commands run in an empty folder, its
source saved and its edit made, as the page says.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)


def printed(command, folder, path):
    run = subprocess.run(["sh", "-c", command], cwd=folder, env={**os.environ, "PATH": path},
                         stdin=subprocess.DEVNULL, capture_output=True, text=True)
    lines = (run.stdout + run.stderr).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("warpwise: warning"))


def console(text, folder, path):
    """A block with the output of each of its `$` lines made again."""
    out = ""
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            out += line + printed(line[2:], folder, path)
        elif not out:
            out += line
    return out


def rewrite(page, folder, path):
    def block(m):
        kind, text = m[1], m[2]
        source = pathlib.Path(folder) / "blur.cu"
        if kind == "cuda":
            source.write_text(text)
        elif kind == "diff":
            (source.parent / "old.cu").write_text(source.read_text())
            subprocess.run(["patch", "-s", "-p0"], cwd=folder, input=text, text=True, check=True)
        elif kind in ("", "console") and text.startswith("$ warpwise"):
            text = console(text, folder, path)
        return f"```{kind}\n{text}```"

    file = ROOT / page
    file.write_text(BLOCK.sub(block, file.read_text()))


def main():
    program = (ROOT / sys.argv[1] / "warpwise").resolve()
    with tempfile.TemporaryDirectory() as empty:
        tools = pathlib.Path(empty) / "bin"
        tools.mkdir()
        (tools / "warpwise").symlink_to(program)
        path = f"{tools}:{os.environ['PATH']}"
        for page in ("README.md", "docs/trace.md"):
            rewrite(page, ROOT, path)
        work = pathlib.Path(empty) / "work"
        work.mkdir()
        rewrite("docs/tutorial.md", work, path)


main()
