#!/usr/bin/env python3
"""notebook.py FILE.ipynb [--write] : runs a notebook's cells in order, in the folder it lies in, without Jupyter; --write keeps what they show.

Without --write it ends with 1 where a cell fails, or shows something of another kind (text, picture) than the notebook has: figures may move.
"""

import ast
import contextlib
import io
import json
import os
import sys


def outputs(value: object, printed: str, count: int) -> list:
    out = []
    if printed:
        out.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_svg_"):
            data["image/svg+xml"] = value._repr_svg_().splitlines(keepends=True)
        out.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return out


def run(source: str, names: dict) -> tuple:
    """The value of a cell's last expression, and what it printed."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return value, printed.getvalue()


def kinds(cell_outputs: list) -> list:
    return [sorted(o.get("data", {o["output_type"]: 0})) for o in cell_outputs]


def main() -> int:
    path, write, bad, count, names = sys.argv[1], "--write" in sys.argv, 0, 0, {}
    with open(path, encoding="utf-8") as f:
        notebook = json.load(f)
    target = os.path.abspath(path)
    os.chdir(os.path.dirname(target))
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        try:
            value, printed = run("".join(cell["source"]), names)
        except Exception as e:
            print(f"cell {count}: {type(e).__name__}: {e}")
            return 1
        now = outputs(value, printed, count)
        if not write and kinds(now) != kinds(cell["outputs"]):
            print(f"cell {count}: shows {kinds(now)}, the notebook has {kinds(cell['outputs'])}")
            bad = 1
        cell["outputs"], cell["execution_count"] = now, count
    if write:
        with open(target, "w", encoding="utf-8") as f:
            f.write(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    print(f"{count} cells")
    return bad


if __name__ == "__main__":
    sys.exit(main())
