#!/usr/bin/env python3
"""binary_seeds.py DIR: messages of JSON-RPC in DIR/rpc, requests in DIR/api, stores in DIR/store, for the fuzzers to start from."""
import json, os, sys

out = sys.argv[1]


def save(kind, name, data):
    os.makedirs(f"{out}/{kind}", exist_ok=True)
    with open(f"{out}/{kind}/{name}", "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def call(method, i=None, params=None):
    m = {"jsonrpc": "2.0", "method": method}
    if i is not None:
        m["id"] = i
    if params is not None:
        m["params"] = params
    return m


calls = [call("echo", 1, {"a": [1, 2.5, None, "x"]}), call("work", "two", [1]), call("work", 3), call("fail", 4), call("fail", 5, {}), call("idle", 6), call("ask", 7), call("refused", 8),
         call("none", 9), call("echo"), call("none"), call("$/cancelRequest", None, {"id": 3}), {"jsonrpc": "2.0", "id": 1, "result": 5}, {"jsonrpc": "2.0", "id": 2, "error": {"code": 1, "message": "no"}},
         [call("echo", 1), call("work", 2), call("echo"), 7], [], {"id": 3}, call("echo", {}), call("echo", 1.5, 3), call("end", 99)]
texts = [json.dumps(c) for c in calls]


def framed(t):
    return f"Content-Length: {len(t.encode())}\r\nContent-Type: application/x\r\n\r\n{t}"


save("rpc", "framed", b"\x00" + "".join(map(framed, texts)).encode())
save("rpc", "lines", b"\x01" + "\n".join(texts).encode() + b"\n")
save("rpc", "small", b"\x04" + "".join(map(framed, texts[:9])).encode())
save("rpc", "small_lines", b"\x0d" + "\n".join(texts[:9]).encode())
save("rpc", "wrong", b"\x00{}{}\r\nno header\r\n\r\nContent-Length: x\r\n\r\n" + b"x" * 5000 + b"\r\nxContent-Length: 2\r\n\r\n{}Content-length:99999\r\n\r\n")
for k, t in enumerate(texts):
    save("rpc", f"take{k}", b"\x02" + t.encode())
    save("rpc", f"one{k}", bytes([8 * (k % 2)]) + framed(t).encode())

source = "__global__ void k(float *x, int n) { x[threadIdx.x] = n; }"
body = {"source": source, "name": "a.cu", "lang": "cuda", "flags": ["-DN=4", "-I.", "-std=c++17"], "instantiate": ["k<int>"], "kernel": "k", "gpu": ["h200", "a100"], "launch": "grid=4 block=64 n=1<<10",
        "cache": "warm", "by": "machine", "budget": 100000}
for path in ("predict", "explain", "roofline.svg", "sweep", "sweep.svg", "report.html", "kernels", "source"):
    save("api", path, f"POST /v1/{path}\n" + json.dumps(body))
    save("api", path + "_file", f"POST /v1/{path}\n" + json.dumps({"file": "k.cu", "launch": {"grid": [4], "block": [64], "args": [{"name": "n", "value": 3}]}, "gpu": "h200"}))
save("api", "sweep_full", "POST /v1/sweep\n" + json.dumps({"source": source, "sweep": "n=1K..64M", "points": 5, "kernel": "k"}))
for path in ("/v1/files", "/v1/gpus", "/healthz", "/openapi.json", "/none"):
    save("api", path.replace("/", "_"), f"GET {path}\n")
save("api", "method", "PUT /v1/predict\n{}")
save("api", "outside", 'POST /v1/source\n{"file": "../../etc/passwd"}')
save("api", "bare", "POST /v1/predict")

statements = ["", "UPDATE kernel SET origin=-1", "UPDATE kernel SET origin=99, key=NULL", "UPDATE kernel SET name=NULL, dialect=x'00', file=zeroblob(9)", "UPDATE launch SET status=77, time_us=NULL",
              "UPDATE launch SET status=-1, grid_x=-5, samples=1<<62", "DELETE FROM family", "DELETE FROM gpu; DELETE FROM machine", "DROP TABLE failure", "UPDATE launch SET spec=zeroblob(99), iqr_us='x'",
              "PRAGMA user_version=9", "PRAGMA application_id=1", "DROP VIEW measured; DROP TABLE machine; CREATE VIEW machine AS SELECT 1 AS id", "UPDATE sqlite_schema SET sql=replace(sql,' STRICT','')",
              "UPDATE sqlite_schema SET sql='CREATE TABLE gpu(id, name)' WHERE name='gpu'", "INSERT INTO kernel VALUES(9,0,1,'cuda',0,0,0,0,0,'','k',NULL)",
              "INSERT INTO launch SELECT 99,number,gpu,machine,status,failure,samples,passes,accumulates,grid_x,grid_y,grid_z,block_x,block_y,block_z,spec,iqr_us FROM launch",
              "CREATE TRIGGER t AFTER INSERT ON launch BEGIN DELETE FROM launch; END", "UPDATE machine SET sms=-1, l2_size=1<<62, device=x'ff00'", "UPDATE family SET name=printf('%.600c','x')",
              "UPDATE kernel SET key=printf('%.900c','g'), seed=-1, idx=-1, version=-1", "UPDATE launch SET number=-7"]
statements += ["SELECT 1\n@4096=13\n@4097=255\n", "@18=2\n@19=2", "@100=7", "@28=0\n@31=200", "@5000=255\n@9000=255\n@13000=255", "@16=0\n@17=1", "@0=0", "@68=0\n@60=9", "@56=3"]
for k, s in enumerate(statements):
    save("store", f"sql{k}", s)
save("store", "empty", b"")
save("store", "not", b"SQLite format 3\0" + b"\0" * 90)

command = {"directory": "DIR", "file": "a.cu", "command": "nvcc -DA=1 -I inc -Iother -isystem=sys '-DB=\"x y\"' -include a.h -U C -std=c++14 --std=c++17 @rsp -o a.o -MF x --options-file rsp -include-pch p DIR/a.cu"}
save("commands", "command", json.dumps([command]))
save("commands", "arguments", json.dumps([{"directory": "DIR", "file": "DIR/a.cu", "arguments": ["clang", "-D", "X", "-idirafter", "d", "-iquote", "q", "@rsp", "-I"]}, command]))
save("commands", "other", json.dumps([{"file": "b.cu"}, {"directory": ".", "file": "a.cu", "command": "x"}]))
save("commands", "object", "{}")

settings = {"$schema": "x", "gpu": "h200", "gpus": ["h200", "a100"], "flags": ["-DN=4", "-I", "inc", "-Iinc", "-isystem", "s", "-include", "a.h", "-std=c++17", "-cl-std=CL2.0", "-UX", "-D", "Y", "-O3"],
            "instantiate": ["k<float>"], "launches": {"k": "grid=n/256 block=256 n=1<<20 x=f32[n]", "j": {"grid": [4], "block": [64], "args": [{"name": "n", "value": 3}, {"buffer": {"bytes": 4096, "fill": "zeros"}}]}},
            "cache": "warm", "by": "machine", "budget": 5000, "debounce": 10, "codeLens": False, "inlayHints": True, "diagnostics": False, "hover": None, "hotPercent": 7.5, "minGain": 1.5}
save("settings", "all", json.dumps(settings))
for k, v in settings.items():
    save("settings", "only_" + k.strip("$"), json.dumps({k: v}))
    save("settings", "wrong_" + k.strip("$"), json.dumps({k: 7 if isinstance(v, (str, list, dict)) else "x"}))
save("settings", "odd", json.dumps({"nothing": 1, "cache": "hot", "launches": {"k": 5, "j": {"file": "x", "grid": 1}, "i": "grid="}, "gpus": [1]}))

for k, s in enumerate(["1", "n*4", "(n+255)/256", "1<<20", "0x10", "1e6", "1.5*n", "-n%7", "a>>2", "9223372036854775807+1", "1/0", "64,64", "[64,n]", "uniform(0,n*2)", "monotone(0,nnz)", "file(x.bin)", "zeros",
                       "n=1<<20", "x=f32[n]:uniform(0,3)", "s=hex:0a0b", "y=[n*4]", "x=null", "p=float4[3]:zipf(0,9)", "1 << 64", "18446744073709551615", "((((1))))", "n n", "1e999", "z=0.5", "permutation", "ones", "index"]):
    save("expr", f"e{k}", s)

save("json", "all", '{"a":[1,2.5,-3e9,"x\\u00e9\\ud83d\\ude00\\n",null,true,false,18446744073709551615,{"b":{}}],"name":"\\"","deep":[[[[[[]]]]]]}')
save("launch", "comment", "grid=(n+255)/256 block=256 n=1<<14 x=[n]:uniform(0,n*2) y=f32[n]:zeros shared=n%7\n")
save("launch", "rows", "grid=rows/128 block=128 rows=1<<12 start=i32[rows+1]:monotone(0,rows*16) col=[rows*16]:zipf(0,rows)\n")
save("grammar", "words.gbnf", 'root ::= word (", " word){1,3} "." # two to four\nword ::= [a-z]{2,5} | "\\u00e9" [^a-z .]* | (root)? "x"+\n')
save("grammar", "tree.json", '{"$defs":{"t":{"type":"object","properties":{"n":{"type":["number","null"]},"of":{"type":"array","items":{"$ref":"#/$defs/t"},"maxItems":3},"k":{"enum":["a",7]}},"required":["n"]}},'
     '"anyOf":[{"$ref":"#/$defs/t"},{"const":"x"},true]}')
save("grammar", "strings.json", '{"type":"object","properties":{"s":{"type":"string","minLength":1,"maxLength":4,"pattern":"^[a-c]+$"},"i":{"type":"integer","minimum":0,"maximum":99},"b":{"type":"boolean"}},'
     '"additionalProperties":false,"required":["s","i"]}')
save("comment", "above", "// warpwise: grid=n/256 block=256 n=1<<20\n__global__ void k(float *x, int n) { x[0] = n; }\n/* warpwise: grid=4 */ __global__ void j() {}\n")
save("packed", "frame", bytes.fromhex("28b52ffd2005290000") + b"hello")

note = "corpus/gemm/gemm.cu:k%20-DN=4 cuda number=3 us=12 structure=ff source=1"
report = {"schema_version": 1, "file": "a.cu", "kernel": "k", "gpu": "h200", "by": "hardware", "launch": {"kernel": "k", "grid": [4, 1, 1], "block": [64, 1, 1], "args": [{"value": 3}], "note": note}, "assumed": ["x"],
          "metrics": {"time_us": {"value": 3.5, "low": 3, "high": 4}, "registers": {"value": 32}}, "roofline": {"class": "bandwidth"}, "bottleneck": "dram",
          "findings": [{"file": "a.cu", "line": 3, "rule": "redundant-load", "message": "m", "gain": 1.5}], "sampled": {"blocks": 3, "of": 16}}
failed = {"schema_version": 1, "file": "a.cu", "kernel": "k", "error": {"code": "device", "message": "no", "file": "a.cu", "line": 3}, "launch": report["launch"]}
for name, r in {"hardware": report, "failed": failed, "other": {**report, "schema_version": 2}, "by": {**report, "by": "x"}, "lists": {**report, "assumed": 3, "findings": 5}}.items():
    save("report", name, json.dumps(r))
    save("rows", name, json.dumps(r) + "\n# a comment\n\n" + json.dumps({**r, "origin": "generated", "key": "g1/7/1", "version": 1, "seed": 7, "index": 1, "family": "gen.x", "source_hash": "ff"}) + "\n")
save("rows", "import", json.dumps({**report, "launch": {**report["launch"], "note": "import/ff:k x=1 %25"}, "origin": "imported", "suite": "s"}))
save("rows", "origin", json.dumps({**report, "origin": "x"}))

buffer = {"bytes": 4096, "offset": 16, "id": "a", "type": "f32", "fill": {"uniform": [0, "n*2"]}, "head": "0a0b"}
full = {"file": "a.cu", "kernel": "saxpy", "grid": ["n/256", 1], "block": 64, "shared": 4096, "cache": "warm", "flags": ["-DN=4"], "seed": 7, "count": 3, "note": note,
        "args": [{"name": "n", "value": 1024}, {"value": "n*2"}, {"buffer": buffer}, {"buffer": {"count": "n", "type": "float4", "fill": "zeros"}}, {"hex": "00" * 16, "ptrs": [{"at": 8, "buffer": buffer}]}],
        "symbols": {"scale": {"value": 2}, "tile": {"hex": "00000000"}}}
save("launch", "full", json.dumps(full))
save("launch", "lines", json.dumps(full) + "\n# a comment\n" + json.dumps({"grid": 4, "block": [32, 2], "cache": "cold", "args": [{"buffer": {"bytes": 64, "local": True}}, None, {"value": 1.5}]}) + "\n")
for name, wrong in {"cache": "hot", "flags": 3, "count": 0, "grid": [0], "block": "n,2", "args": [{"buffer": {"head": "zz"}}], "symbols": [], "seed": -1, "shared": "1<<60", "none": 1}.items():
    save("launch", "wrong_" + name, json.dumps({**full, name: wrong}))
save("safetensors", "index", json.dumps({"metadata": {"total_size": 3}, "weight_map": {"x": "x"}}))
for k, m in enumerate([{"x": "y"}, {"y": "x"}, {"x": 3}, {"x": "../x"}, {"x": "x", "y": "x"}, {}]):
    save("safetensors", f"index{k}", json.dumps({"weight_map": m}))
