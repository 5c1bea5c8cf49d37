#!/usr/bin/env python3
"""check_json.py SCHEMA|- < LINES : each line of stdin is a JSON text of the schema (`-`: an object). Prints what is not; no other library.

Knows what constrained decoding knows of schemas, written a second time."""
import json
import sys

KINDS = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[name])


def problem(value, schema, root):
    """The first thing that is wrong, or None."""
    if schema is True:
        return None
    if "$ref" in schema:
        to = root
        for part in schema["$ref"].split("/")[1:]:
            to = to[part]
        return problem(value, to, root)
    if "const" in schema and value != schema["const"]:
        return f"{value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is none of {schema['enum']!r}"
    for many in ("anyOf", "oneOf"):
        if many in schema and all(problem(value, s, root) for s in schema[many]):
            return f"{value!r} is none of {many}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, t) for t in types):
        return f"{value!r} is no {types}"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1 << 30):
            return f"{len(value)} items"
        return next((p for p in (problem(v, schema.get("items", True), root) for v in value) if p), None)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in schema.get("required", known):
            if name not in value:
                return f"no {name}"
        for name, v in value.items():
            if known and name not in known:
                return f"{name} is no property"
            p = problem(v, known.get(name, schema.get("additionalProperties", True) or True), root)
            if p:
                return p
    return None


def main():
    schema = {"type": "object"} if sys.argv[1] == "-" else json.load(open(sys.argv[1], encoding="utf-8"))
    lines = sys.stdin.buffer.read().split(b"\n")[:-1]
    if not lines:
        print("nothing was written")
    for line in lines:
        try:
            p = problem(json.loads(line.decode("utf-8")), schema, schema)
        except ValueError as e:
            p = str(e)
        if p:
            print(f"{line[:200]!r}: {p}")


main()
