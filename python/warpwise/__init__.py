"""How fast a GPU kernel will run and why, from its source, without a GPU.

    import warpwise
    for r in warpwise.predict("saxpy.cu", kernel="saxpy", gpu=["h200", "a100"], args={"n": 1 << 24}):
        print(r)                         # saxpy on h200: 57.3 us (49.9 .. 64.1), limited by DRAM bandwidth

Predictions come from libwarpwise in this process; sweep, verify, tune and pictures from the program, because they start processes of
their own. Sources are read by clang 17 or newer, which must be installed; `warpwise.doctor()` says what is there.
"""

from __future__ import annotations

import functools
import os
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Union

from . import _find, _library, _program
from ._question import Options, Question
from ._types import (
    Finding, InputError, LimitError, Line, MissingError, Picture, Quantity, Report, Sweep, Tuning, UsageError, Variant, Verdict,
    WarpwiseError,
)  # fmt: skip

__all__ = [
    "predict", "explain", "sweep", "verify", "tune", "roofline", "gpus", "doctor", "version",
    "Report", "Quantity", "Finding", "Line", "Sweep", "Verdict", "Tuning", "Variant", "Picture",
    "WarpwiseError", "UsageError", "InputError", "MissingError", "LimitError",
]  # fmt: skip

if TYPE_CHECKING:  # type checkers have it; nothing has to be installed
    from typing_extensions import Unpack

Path = Union[str, "os.PathLike[str]"]
Errors = Literal["raise", "skip"]


@functools.lru_cache(maxsize=1)
def _engine() -> Optional[_library.Library]:
    return _library.opened(_find.library())


def version() -> str:
    """The version of what answers: the library's, or where it cannot be loaded the program's."""
    engine = _engine()
    return engine.version() if engine else _program.run(["--version"]).split()[1]


def gpus() -> List[Dict[str, Any]]:
    """The GPUs that are described: name, full_name, vendor, architecture."""
    engine = _engine()
    return engine.gpus() if engine else _program.objects(_program.run(["gpus", "--json"]))


def doctor() -> str:
    """What is installed here, what is missing, and what brings it."""
    return _program.run(["doctor"])


def _reports(q: Question, explained: bool, errors: Errors) -> List[Report]:
    engine = _engine()
    if engine:
        found = engine.predict(q, explained)
    else:
        found = _program.objects(_program.ask(["explain" if explained else "predict"], [q]))
    if errors == "skip":
        found = [o for o in found if "error" not in o]
    return [Report.of(o) for o in found]


def predict(source: Optional[Path] = None, *, errors: Errors = "raise", **question: Unpack[Options]) -> List[Report]:
    """A report for each kernel of the source (kernel= names one) and each GPU.

    source       a path; with text=, what the text is called: its ending tells the language
    gpu          a name or several: "h200", ["h200", "a100"]; or the path of a description
    grid, block  4096, (64, 64), or expressions over arguments: "(n+255)/256"
    args         {"n": 1 << 20, "x": "f32[n]:random", "y": an array}: numpy arrays, and others with a buffer, give their contents
    launch       a launch spec (docs/launch.md) instead; grid, block and args replace parts of it
    flags        for clang: ["-DN=4", "-Iinclude"]
    model        "machine": the machine model alone
    errors       "raise" for the first kernel that cannot be predicted; "skip" leaves such kernels out
    What is not given is found in the source, or assumed: a report's `assumed` lists it.
    """
    return _reports(Question(source, **question), False, errors)


def explain(source: Optional[Path] = None, *, errors: Errors = "raise", **question: Unpack[Options]) -> List[Report]:
    """predict(), with `findings` (what to change, the largest gain first) and `lines` (what each costs)."""
    return _reports(Question(source, **question), True, errors)


def sweep(source: Path, over: str, **question: Unpack[Options]) -> Sweep:
    """An argument over sizes: "n=1K..64M", "n=1K..64M:9", "block=64,128,256". One kernel: name it where the source has several."""
    q = Question(source, **question)
    with tempfile.TemporaryDirectory(prefix="warpwise-") as folder:
        svg = os.path.join(folder, "sweep.svg")
        text = _program.ask(["predict"], [q], ["--sweep", over, "--svg", svg])
        reports = [Report.of(o) for o in _program.objects(text)]
        with open(svg, encoding="utf-8") as f:
            picture = Picture(f.read())
    name = over.partition("=")[0]
    return Sweep(name, _swept(reports, name), reports, picture)


def _swept(reports: List[Report], name: str) -> List[float]:
    """The size of each report: of a shape its threads or blocks, of an argument the one value that is not the same in all."""
    if name in ("block", "grid"):
        return [float(x * y * z) for x, y, z in (r.launch[name] for r in reports)]
    values = [[a.get("value") for a in r.launch["args"]] for r in reports]
    moving = [column for column in zip(*values) if len(set(column)) > 1]
    return [float(v) for v in moving[0]] if len(moving) == 1 else [float("nan")] * len(reports)


def verify(old: Path, new: Path, *, seed: Optional[int] = None, new_kernel: Optional[str] = None, old_text: Optional[str] = None,
           new_text: Optional[str] = None, **question: Unpack[Options]) -> Verdict:  # fmt: skip
    """Are two kernels the same? Both run whole at small sizes in the interpreter, over cases that tell them apart."""
    more = ["--seed", str(seed)] if seed is not None else []
    more += ["--new-kernel", new_kernel] if new_kernel else []
    question.setdefault("seconds", 120)
    question["text"] = old_text
    first = Question(old, **question)
    return Verdict.of(_program.objects(_program.ask(["verify"], [first, Question(new, text=new_text)], more))[0])


def tune(source: Path, params: Optional[Mapping[str, Union[str, Sequence[Any]]]] = None, *, where: Sequence[str] = (),
         verify: bool = True, most: Optional[int] = None, **question: Unpack[Options]) -> Tuning:  # fmt: skip
    """The best values of parameters: {"BX": "32..512:x2", "TILE": [1, 2, 4]}; macros, constants, launch shapes. None: the source is asked."""
    more: List[str] = []
    for name, values in (params or {}).items():
        more += ["--param", f"{name}={values if isinstance(values, str) else ','.join(map(str, values))}"]
    for condition in where:
        more += ["--where", condition]
    more += [] if verify else ["--no-verify"]
    more += ["--most", str(most)] if most else []
    return Tuning.of(_program.objects(_program.ask(["tune"], [Question(source, **question)], more))[0])


def roofline(source: Path, *more: Path, **question: Unpack[Options]) -> Picture:
    """Kernels under the roofs of one or several GPUs."""
    questions = [Question(source, **question), *(Question(s) for s in more)]
    return Picture(_program.ask(["roofline"], questions, ["--svg", "-"], as_json=False))
