"""Where the library and the program are: in this package, in $WARPWISE_HOME (an unpacked bundle, a build folder), or installed."""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import shutil
from pathlib import Path
from typing import Iterator, Optional

from ._types import MissingError

HERE = Path(__file__).resolve().parent
SONAME = "libwarpwise.so.0"


def _homes() -> Iterator[Path]:
    home = os.environ.get("WARPWISE_HOME")
    if home:
        yield Path(home)
    yield HERE


def build_info() -> dict:
    """What `make wheel` wrote down: version, LLVM, and the Debian packages that the carried files need."""
    try:
        return json.loads((HERE / "build.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def advice() -> str:
    packages = " ".join(build_info().get("packages", [])) or "clang-19"
    return (
        f"install what it needs (Debian: apt-get install {packages}), "
        "or set WARPWISE_HOME to an unpacked warpwise bundle"
    )


def program() -> str:
    """The program: for what the library does not do (sweep, verify, tune, pictures)."""
    for home in _homes():
        for place in (home / "bin" / "warpwise", home / "warpwise"):
            if place.is_file() and os.access(place, os.X_OK):
                return str(place)
    found = shutil.which("warpwise")
    if found:
        return found
    raise MissingError("there is no warpwise program in this package or on PATH: " + advice())


def library() -> Optional[ctypes.CDLL]:
    """libwarpwise, or None where it is not there or cannot be loaded: the program answers then."""
    places = [home / "lib" / SONAME for home in _homes()]
    installed = shutil.which("warpwise")
    if installed:
        places.append(Path(installed).resolve().parent.parent / "lib" / SONAME)
    for place in [str(p) for p in places if p.is_file()] + [SONAME]:
        try:
            return ctypes.CDLL(place)
        except OSError:
            continue
    return None
