"""A question, in the forms that the library and the program take."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from ._types import UsageError

Shape = Union[int, str, Sequence[Union[int, str]]]
# struct's letters of an array's elements -> a launch's types
TYPES = {"f": "f32", "d": "f64", "e": "f16", "b": "i8", "B": "u8", "h": "i16", "H": "u16",
         "i": "i32", "I": "u32", "l": "i64", "L": "u64", "q": "i64", "Q": "u64"}  # fmt: skip


class Options(TypedDict, total=False):
    """What every function takes, for type checkers: Question's members, without the source."""

    text: Optional[str]
    kernel: Optional[str]
    gpu: Union[str, Sequence[str]]
    launch: Optional[Mapping[str, Any]]
    grid: Optional[Shape]
    block: Optional[Shape]
    shared: Optional[int]
    args: Optional[Mapping[str, Any]]
    flags: Sequence[str]
    instantiate: Sequence[str]
    language: Optional[str]
    model: Optional[str]
    seconds: float


@dataclass
class Question:
    source: Union[str, "os.PathLike[str]", None]
    text: Optional[str] = None
    kernel: Optional[str] = None
    gpu: Union[str, Sequence[str]] = ("h200",)
    launch: Optional[Mapping[str, Any]] = None
    grid: Optional[Shape] = None
    block: Optional[Shape] = None
    shared: Optional[int] = None
    args: Optional[Mapping[str, Any]] = None
    flags: Sequence[str] = ()
    instantiate: Sequence[str] = ()
    language: Optional[str] = None
    model: Optional[str] = None
    seconds: float = 60

    def __post_init__(self) -> None:
        if self.source is None and not (self.launch and "file" in self.launch):
            raise UsageError("name a source: its path, or with text= what it is called, such as 'kernel.cu'", "usage")
        if self.model not in (None, "machine", "grounded"):
            raise UsageError(f"model: 'machine' or 'grounded', not {self.model!r}", "usage")

    def gpus(self) -> List[str]:
        return [self.gpu] if isinstance(self.gpu, str) else list(self.gpu)

    def path(self) -> Optional[str]:
        return None if self.source is None else os.fspath(self.source)

    def words(self) -> List[Tuple[str, str]]:
        """What replaces the launch's own: ("grid", "n/256"), ("n", "1048576"), ("x", "f32[n]:random")."""
        given = [("grid", self.grid), ("block", self.block), ("shared", self.shared)]
        out = [(name, shape(v)) for name, v in given if v is not None]
        for name, v in (self.args or {}).items():
            if not is_array(v):
                out.append((name, plain(name, v)))
        return out

    @contextmanager
    def spec(self) -> Iterator[Optional[str]]:
        """The launch as a JSON file, where words are not enough: a launch spec that was given, arrays' contents."""
        arrays = {k: v for k, v in (self.args or {}).items() if is_array(v)}
        if self.launch is None and not arrays:
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="warpwise-") as folder:
            spec = dict(self.launch or {})
            args = [dict(a) for a in spec.get("args", [])]
            args = [a for a in args if a.get("name") not in arrays]
            args += [{"name": k, "buffer": buffer(k, v, folder)} for k, v in arrays.items()]
            if args:
                spec["args"] = args
            if self.kernel:
                spec["kernel"] = self.kernel
            if "file" in spec:
                spec["file"] = os.path.abspath(spec["file"])
            path = Path(folder) / "launch.json"
            path.write_text(json.dumps(spec), encoding="utf-8")
            yield str(path)

    @contextmanager
    def on_disk(self) -> Iterator[Optional[str]]:
        """The source's path; a text becomes a file of that name in a folder that goes again."""
        if self.text is None:
            yield self.path()
            return
        with tempfile.TemporaryDirectory(prefix="warpwise-") as folder:
            path = Path(folder) / Path(self.path() or "kernel.cu").name
            path.write_text(self.text, encoding="utf-8")
            yield str(path)


def shape(v: Shape) -> str:
    return ",".join(str(x) for x in v) if isinstance(v, (list, tuple)) else str(v)


def plain(name: str, v: Any) -> str:
    if isinstance(v, bool):
        return str(int(v))
    if isinstance(v, (int, float, str)):
        return str(v)
    if hasattr(v, "item"):  # a scalar of numpy
        return str(v.item())
    raise UsageError(f"argument {name}: a number, words such as 'f32[n]:random', or an array, not {type(v).__name__}", "usage")


def is_array(v: Any) -> bool:
    """numpy's arrays and everything else with the buffer protocol; numpy itself is not needed."""
    if isinstance(v, (str, int, float)) or (hasattr(v, "item") and getattr(v, "ndim", 1) == 0):
        return False
    try:
        memoryview(v)
    except TypeError:
        return False
    return True


def buffer(name: str, v: Any, folder: str) -> Dict[str, Any]:
    view = memoryview(v)
    if not view.c_contiguous:
        raise UsageError(f"argument {name}: its elements do not lie one behind the other; pass a contiguous copy", "usage")
    path = Path(folder) / f"{len(os.listdir(folder))}.bin"
    path.write_bytes(view.tobytes())
    out: Dict[str, Any] = {"bytes": view.nbytes, "fill": {"file": str(path)}}
    kind = TYPES.get(view.format.lstrip("<=@"))
    if kind:
        out["type"] = kind
    return out
