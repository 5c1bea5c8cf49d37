"""libwarpwise by ctypes: include/warpwise.h, as far as it is asked for here. Reports come as JSON, which has everything."""

from __future__ import annotations

import ctypes
import json
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._question import Question
from ._types import MissingError, error_of


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("line", c_uint32), ("column", c_uint32), ("file", c_char * 256), ("message", c_char * 512)]


class Source(ctypes.Structure):
    _fields_ = [
        ("path", c_char_p), ("text", c_char_p), ("language", c_char_p), ("flags", POINTER(c_char_p)), ("flag_count", c_uint32),
        ("instantiate", POINTER(c_char_p)), ("instantiate_count", c_uint32),
    ]  # fmt: skip


class Ask(ctypes.Structure):
    _fields_ = [
        ("source", Source), ("kernel", c_char_p), ("launch", c_void_p), ("gpus", POINTER(c_char_p)), ("gpu_count", c_uint32),
        ("model", c_int), ("explain", c_bool), ("budget", c_uint64), ("seconds", c_double), ("payload", c_void_p),
        ("cancelled", c_void_p),
    ]  # fmt: skip


class Gpu(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p), ("full_name", c_char_p), ("vendor", c_char_p), ("architecture", c_char_p), ("calibrated", c_char_p),
        ("multiprocessors", c_uint32), ("lanes", c_uint32),
    ]  # fmt: skip


def bytes_of(s: Optional[str]) -> Optional[bytes]:
    return None if s is None else s.encode()


def names(v: Sequence[str]) -> Tuple[Any, int]:
    return (c_char_p * len(v))(*[s.encode() for s in v]), len(v)


class Library:
    """One context, kept: an answer that is known takes less than a millisecond."""

    def __init__(self, lib: ctypes.CDLL) -> None:
        self.lib = lib
        for name, result, arguments in [
            ("warpwise_version", c_char_p, []),
            ("warpwise_status_name", c_char_p, [c_int]),
            ("warpwise_open", c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
            ("warpwise_gpu_count", c_uint32, [c_void_p]),
            ("warpwise_gpu_at", Gpu, [c_void_p, c_uint32]),
            ("warpwise_launch_new", c_void_p, []),
            ("warpwise_launch_parse", c_int, [c_char_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
            ("warpwise_launch_set", c_int, [c_void_p, c_char_p, POINTER(Error)]),
            ("warpwise_launch_free", None, [c_void_p]),
            ("warpwise_predict", c_int, [c_void_p, POINTER(Ask), POINTER(c_void_p), POINTER(Error)]),
            ("warpwise_answer_free", None, [c_void_p]),
            ("warpwise_report_count", c_uint32, [c_void_p]),
            ("warpwise_report_at", c_void_p, [c_void_p, c_uint32]),
            ("warpwise_report_json", c_char_p, [c_void_p]),
        ]:
            f = getattr(lib, name)
            f.restype, f.argtypes = result, arguments
        self.context = c_void_p()
        self.check("warpwise_open", None, byref(self.context))

    def check(self, name: str, *arguments: Any) -> None:
        error = Error()
        if getattr(self.lib, name)(*arguments, byref(error)):
            code = self.lib.warpwise_status_name(error.code).decode()
            message = error.message.decode(errors="replace")
            raise error_of(code, message, error.file.decode(errors="replace"), error.line)

    def version(self) -> str:
        return self.lib.warpwise_version().decode()

    def gpus(self) -> List[Dict[str, Any]]:
        out = []
        for i in range(self.lib.warpwise_gpu_count(self.context)):
            g = self.lib.warpwise_gpu_at(self.context, i)
            members = {field[0]: getattr(g, field[0]) for field in Gpu._fields_}
            out.append({k: v.decode() if isinstance(v, bytes) else v for k, v in members.items()})
        return out

    def launch(self, q: Question, spec: Optional[str]) -> c_void_p:
        launch = c_void_p()
        if spec:
            with open(spec, "rb") as f:
                self.check("warpwise_launch_parse", f.read(), None, byref(launch))
        else:
            launch = c_void_p(self.lib.warpwise_launch_new())
        try:
            for name, value in q.words():
                self.check("warpwise_launch_set", launch, f"{name}={value}".encode())
        except Exception:
            self.lib.warpwise_launch_free(launch)
            raise
        return launch

    def predict(self, q: Question, explain: bool) -> List[Dict[str, Any]]:
        ask, answer = Ask(), c_void_p()
        if q.path() is not None:
            ask.source.path, ask.source.text = bytes_of(q.path()), bytes_of(q.text)
        ask.source.language = bytes_of(q.language)
        ask.source.flags, ask.source.flag_count = names(list(q.flags))
        ask.source.instantiate, ask.source.instantiate_count = names(list(q.instantiate))
        ask.kernel = bytes_of(q.kernel)
        ask.gpus, ask.gpu_count = names(q.gpus())
        ask.model, ask.explain, ask.seconds = int(q.model == "machine"), explain, q.seconds
        with q.spec() as spec:
            launch = self.launch(q, spec)
            ask.launch = launch.value
            try:
                self.check("warpwise_predict", self.context, byref(ask), byref(answer))
            finally:
                self.lib.warpwise_launch_free(launch)
        try:
            at = [self.lib.warpwise_report_at(answer, i) for i in range(self.lib.warpwise_report_count(answer))]
            return [json.loads(self.lib.warpwise_report_json(r)) for r in at]
        finally:
            self.lib.warpwise_answer_free(answer)


def opened(lib: Optional[ctypes.CDLL]) -> Optional[Library]:
    """None: there is no library, or one that this package does not know, or one without its data; the program is asked then."""
    try:
        return Library(lib) if lib else None
    except (AttributeError, MissingError):
        return None
