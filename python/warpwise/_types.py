"""What questions are answered with. Every object keeps the JSON that it was read from in `json`: nothing of a report is lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional


class WarpwiseError(Exception):
    """A question that could not be answered; `code` is a report's error.code: "usage", "io", "parse", "unsupported", ..."""

    def __init__(self, message: str, code: str = "", file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.file = file
        self.line = line


class UsageError(WarpwiseError, ValueError):
    """The question itself is wrong: an option, a name, a range."""


class InputError(WarpwiseError):
    """A source, a launch or a file that cannot be read or predicted."""


class MissingError(WarpwiseError):
    """Something is not installed: clang, the program, a GPU's description, a device."""


class LimitError(WarpwiseError):
    """It would take longer, or more memory, than it may."""


KINDS = {
    "usage": UsageError,
    "limit": LimitError,
    "cancel": LimitError,
    "device": MissingError,
    "data": MissingError,
}


def error_of(code: str, message: str, file: str = "", line: int = 0) -> WarpwiseError:
    return KINDS.get(code, InputError)(message, code, file, line)


@dataclass(frozen=True)
class Quantity:
    """A value with the interval that is made to hold 90 % of the time; without one, low and high are None."""

    value: float
    low: Optional[float] = None
    high: Optional[float] = None

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        interval = "" if self.low is None or self.high is None else f" ({self.low:.4g} .. {self.high:.4g})"
        return f"{self.value:.4g}{interval}"

    @classmethod
    def of(cls, o: Mapping[str, Any], value: str = "value") -> "Quantity":
        return cls(o[value], o.get("low"), o.get("high"))


@dataclass(frozen=True)
class Finding:
    """What to change: the largest gain first. `gain` is how many times faster without the cause; None: not known."""

    rule: str
    message: str
    file: str
    line: int
    gain: Optional[float]
    cause: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Line:
    """What a source line costs: `share` of the kernel's time, warps' instructions, bytes of global memory's sectors."""

    file: str
    line: int
    share: float
    instructions: float
    bytes: float
    sectors_per_request: Optional[float] = None


@dataclass(frozen=True)
class Report:
    """One kernel on one GPU; docs/report.md has every member of `json`."""

    file: str
    kernel: str
    gpu: str
    model: str
    grade: str
    time_us: Quantity
    metrics: Dict[str, Quantity]
    roofline: str
    bottleneck: str
    launch: Dict[str, Any]
    assumed: List[str]
    findings: List[Finding]
    lines: List[Line]
    json: Dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.kernel} on {self.gpu}: {self.time_us} us, limited by {self.bottleneck}"

    @classmethod
    def of(cls, o: Dict[str, Any]) -> "Report":
        if "error" in o:
            e = o["error"]
            raise error_of(e.get("code", ""), f"{o.get('kernel', '')}: {e['message']}".lstrip(": "), o.get("file", ""))
        metrics = {name: Quantity.of(q) for name, q in o["metrics"].items()}
        findings = [
            Finding(f["rule"], f["message"], f.get("file", ""), f.get("line", 0), f.get("gain"), f.get("cause", ""), f.get("remedy", ""))
            for f in o.get("findings", [])
        ]
        lines = [
            Line(x["file"], x["line"], x["share"], x["instructions"], x["bytes"], x.get("sectors_per_request"))
            for x in o.get("lines", [])
        ]
        return cls(
            o.get("file", ""), o["kernel"], o["gpu"], o["by"], o.get("grade", ""), metrics["time_us"], metrics,
            o.get("roofline", {}).get("class", ""), o.get("bottleneck", ""), o.get("launch", {}), o.get("assumed", []),
            findings, lines, o,
        )  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """An SVG: shown by notebooks as it is."""

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.svg)


@dataclass(frozen=True)
class Sweep:
    """Reports over a range of sizes, and the curve; `reports` in the order of the range, GPUs within each."""

    over: str
    values: List[float]
    reports: List[Report]
    picture: Picture

    def _repr_svg_(self) -> str:
        return self.picture.svg

    def of(self, gpu: str) -> List[Report]:
        return [r for r in self.reports if r.gpu == gpu]

    def column(self, metric: str = "time_us", gpu: Optional[str] = None) -> List[float]:
        chosen = self.of(gpu) if gpu else self.reports
        return [r.metrics[metric].value if metric in r.metrics else float("nan") for r in chosen]

    def array(self, metric: str = "time_us", gpu: Optional[str] = None) -> Any:
        """column() as a numpy array."""
        import numpy  # type: ignore[import-not-found,unused-ignore]

        return numpy.array(self.column(metric, gpu))


@dataclass(frozen=True)
class Verdict:
    """Are two kernels the same? `difference` is the first one found; None: none in any case that ran."""

    same: bool
    cases: int
    seed: int
    difference: Optional[Dict[str, Any]]
    notes: List[Any]
    not_shown: List[str]
    json: Dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return self.same

    @classmethod
    def of(cls, o: Dict[str, Any]) -> "Verdict":
        return cls(o["same"], o["cases"], o["seed"], o.get("difference"), o.get("notes", []), o.get("not_shown", []), o)


@dataclass(frozen=True)
class Variant:
    """One combination of values; `verdict`: "same" where it was verified against the original."""

    label: str
    values: Dict[str, Any]
    time_us: Optional[Quantity]
    verdict: str
    json: Dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, o: Dict[str, Any]) -> "Variant":
        predicted = o.get("predicted")
        time = Quantity.of(predicted, "us") if predicted else None
        return cls(o["label"], o["values"], time, o.get("verdict", ""), o)


@dataclass(frozen=True)
class Tuning:
    """The best variant of a space; `sure`: how likely none is faster, 0 .. 1."""

    gpu: str
    best: Variant
    original: Optional[Variant]
    ranked: List[Variant]
    refused: int
    sure: float
    json: Dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, o: Dict[str, Any]) -> "Tuning":
        original = o.get("original")
        return cls(
            o["gpu"], Variant.of(o["best"]), Variant.of(original) if original else None,
            [Variant.of(v) for v in o["ranked"]], o["refused"], o["best"]["sure"], o,
        )  # fmt: skip
