"""The program, run with --json: for commands that the library does not have, and for all of them where it cannot be loaded."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from typing import Any, Dict, List, Optional, Sequence

from ._find import program
from ._question import Question
from ._types import error_of

STATUS = {2: "usage", 3: "parse", 4: "data"}


def run(arguments: Sequence[str]) -> str:
    """Its output; an exit code above 1 (1: a threshold was missed, the answer stands) is an exception."""
    p = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False)
    if p.returncode not in (0, 1):
        raise failure(p)
    return p.stdout


def failure(p: "subprocess.CompletedProcess[str]") -> Exception:
    for line in p.stdout.splitlines():
        try:
            e = json.loads(line).get("error")
        except (ValueError, AttributeError):
            continue
        if e:
            return error_of(e.get("code", ""), e["message"])
    message = p.stderr.strip().rpartition("warpwise: ")[2] or f"warpwise ended with {p.returncode}"
    return error_of(STATUS.get(p.returncode, ""), message)


def objects(text: str) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def options(q: Question, spec: Optional[str]) -> List[str]:
    out = ["--gpu", ",".join(q.gpus())]
    given = {"--kernel": q.kernel, "--launch": spec, "--lang": q.language, "--by": q.model}
    for name, value in given.items():
        out += [name, value] if value else []
    for name, value in q.words():
        out += [f"--{name}", value] if name in ("grid", "block", "shared") else ["--arg", f"{name}={value}"]
    for t in q.instantiate:
        out += ["--instantiate", t]
    return out


def ask(command: Sequence[str], questions: Sequence[Question], more: Sequence[str] = (), as_json: bool = True) -> str:
    """The first question's launch and options; the others' sources stand beside its own."""
    q = questions[0]
    with ExitStack() as stack:
        files = [stack.enter_context(x.on_disk()) for x in questions]
        spec = stack.enter_context(q.spec())
        words = [*command, *options(q, spec), *more]
        words += ["--seconds", str(q.seconds)] if command[0] != "optimize" else []
        words += ["--json"] if as_json else []
        words += ["--quiet"]
        words += [f for f in files if f is not None]
        words += ["--", *q.flags] if q.flags else []
        return run(words)
