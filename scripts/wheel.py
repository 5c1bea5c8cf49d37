#!/usr/bin/env python3
"""wheel.py VERSION BUILD LLVM : BUILD/wheel/warpwise-VERSION-py3-none-linux_MACHINE.whl, the Python package with the library and the program.

Written with zipfile alone: no setuptools, no index. The same sources and build make the same bytes. The tag is plain linux: what is carried
depends on the C library and the LLVM of the system it was built on, which manylinux promises not to.
"""

import base64
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
# The language model is most of models/, and is asked by `predict --by text` alone.
LEFT_OUT = {"text.gguf", "text.json"}


def stripped(path: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / path.name
        subprocess.run(["strip", "--strip-unneeded", "-o", str(out), str(path)], check=True)
        return out.read_bytes()


def packages(files: list, llvm: str) -> list:
    """Debian packages of the shared libraries that the files name themselves, and the clang that goes with LLVM."""
    found = {f"clang-{llvm}"}
    for path in files:
        dynamic = subprocess.run(["readelf", "-d", str(path)], check=True, capture_output=True, text=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        loaded = subprocess.run(["ldd", str(path)], check=True, capture_output=True, text=True).stdout
        for name, place in re.findall(r"(\S+) => (/\S+)", loaded):
            if name not in needed:
                continue
            for p in (place, os.path.realpath(place), "/usr" + place):
                try:
                    owner = subprocess.run(["dpkg", "-S", p], capture_output=True, text=True, check=False)
                except FileNotFoundError:  # not a Debian
                    return sorted(found)
                if owner.returncode == 0:
                    found.add(owner.stdout.partition(":")[0].split(",")[0])
                    break
    return sorted(found - {"libc6"})


def contents(build: Path, version: str, llvm: str) -> dict:
    """Path in the wheel -> bytes, whether it is a program."""
    library, program = build / "lib" / "libwarpwise.so.0", build / "warpwise"
    for f in (library, program):
        if not f.exists():
            sys.exit(f"wheel: there is no {f}: make all")
    out = {}
    for f in sorted((TOP / "python" / "warpwise").iterdir()):
        if f.suffix == ".py" or f.name == "py.typed":
            out[f"warpwise/{f.name}"] = (f.read_bytes(), False)
    info = {"version": version, "llvm": llvm, "packages": packages([library.resolve(), program], llvm)}
    out["warpwise/build.json"] = ((json.dumps(info, indent=1) + "\n").encode(), False)
    out["warpwise/lib/libwarpwise.so.0"] = (stripped(library.resolve()), True)
    out["warpwise/bin/warpwise"] = (stripped(program), True)
    for folder, place in (("src/front/shim", "shim"), ("gpus", "gpus"), ("models", "models")):
        for f in sorted((TOP / folder).rglob("*")):
            if f.is_file() and f.name not in LEFT_OUT:
                out[f"warpwise/share/warpwise/{place}/{f.relative_to(TOP / folder)}"] = (f.read_bytes(), False)
    return out


def metadata(version: str) -> str:
    head = [
        "Metadata-Version: 2.1", "Name: warpwise", f"Version: {version}",
        "Summary: How fast a GPU kernel will run and why, from its source, without a GPU",
        "License: Apache-2.0", "License-File: LICENSE", "Requires-Python: >=3.9", "Provides-Extra: numpy",
        'Requires-Dist: numpy; extra == "numpy"', "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Typing :: Typed", "Description-Content-Type: text/markdown", "",
    ]  # fmt: skip
    return "\n".join(head) + "\n" + (TOP / "docs" / "python.md").read_text(encoding="utf-8")


def main() -> None:
    version, build, llvm = sys.argv[1], Path(sys.argv[2]), sys.argv[3].partition(".")[0]
    epoch = subprocess.run([str(TOP / "scripts" / "date.sh")], check=True, capture_output=True, text=True).stdout.strip()
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", epoch)), 315532800))[:6]  # zip begins in 1980
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"warpwise-{version}.dist-info"
    files = contents(build, version, llvm)
    files[f"{info}/METADATA"] = (metadata(version).encode(), False)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: warpwise\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), False)
    for name in ("LICENSE", "THIRD_PARTY.md"):
        if (TOP / name).exists():
            files[f"{info}/licenses/{name}"] = ((TOP / name).read_bytes(), False)
    record = ""
    for path, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), False)

    out = build / "wheel" / f"warpwise-{version}-{tag}.whl"
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for path, (data, executable) in files.items():
            entry = zipfile.ZipInfo(path, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            z.writestr(entry, data)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
