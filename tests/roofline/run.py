#!/usr/bin/env python3
"""run.py BUILD : `warpwise evaluate --task roofline` on a table and a suite made here: our predictors, and endpoints that play a part. Prints TAP."""
import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
program = os.path.join(os.path.abspath(sys.argv[1]), "warpwise")
work = tempfile.TemporaryDirectory()
KEY = "sk-secret-4711"
n = bad = 0
processes = []
atexit.register(lambda: [(p.terminate(), p.wait()) for p in processes])


def check(text, problem):
    global n, bad
    n += 1
    print(("ok %d - %s" if not problem else "not ok %d - %s") % (n, text))
    if problem:
        bad = 1
        print("\n".join("# " + line for line in str(problem)[:1600].split("\n")))


def path(*names):
    return os.path.join(work.name, *names)


def write(name, text):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), "w") as f:
        f.write(text)
    return path(name)


# ---- a suite of two programs, and what somebody measured of it ----
write("src/common/factor.h", "#define FACTOR SCALE\n")
write("src/one-cuda/Makefile", "CFLAGS := -std=c++17 -DSCALE=3 -I../common -O3\nifeq ($(DEBUG),yes)\n CFLAGS += -DSCALE=oops\nendif\n")
write("src/one-cuda/kernels.h", """#include "factor.h"
__global__ void grow(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= FACTOR;
}
template <typename T> __global__ void spin(int n, T *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  T v = x[i];
  for (int k = 0; k < 2000; k++) v = v * (T)0.999 + (T)FACTOR;
  x[i] = v;
}
""")
write("src/one-cuda/main.cu", """#include <cuda_runtime.h>
#include "kernels.h"
#define GLOBAL __global__
GLOBAL static void made(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += FACTOR;
}
int main() {
  float *x;
  cudaMalloc(&x, sizeof(float) << 20);
  grow<<<4096, 256>>>(1 << 20, x);
  spin<float><<<4096, 256>>>(1 << 20, x);
  spin<double><<<2048, 256>>>(1 << 19, (double *)x);
  made<<<4096, 256>>>(1 << 20, x);
}
""")
write("src/one-cuda/unrelated.cpp", "int grow_up(int x) { return x + 1; }\n")
write("src/two-omp/main.cpp", """void grow(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) x[i] *= 3.0f;
}
void spin(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    float v = x[i];
    for (int k = 0; k < 2000; k++) v = v * 0.999f + 3.0f;
    x[i] = v;
  }
}
int main() {
  static float x[1 << 20];
  grow(1 << 20, x);
  spin(1 << 20, x);
}
""")
head = '"Kernel Name","traffic","dpAI","spAI","dpPerf","spPerf","xtime","Block Size","Grid Size","intPerf","intAI","targetName","exeArgs","kernelName"\n'
omp = "__omp_offloading_10_2f__Z%siPf_l%d"


def row(name, kernel, target, sp, grid=4096, words=""):
    return '"%s","5e11","0.0","%g","0.0","%g","2000.0","(256, 1, 1)","(%d, 1, 1)","1e9","0.002","%s","%s","%s"\n' % (name, sp, sp * 5e11, grid, target, words, kernel)


rows = [row("grow(int, float *)", "grow", "one-cuda", 0.1, words="7 ""x"), row("grow(int, float *)", "grow", "one-cuda", 50, 8),
        row("void spin<float>(int, T1 *)", "spin", "one-cuda", 500), row(omp % ("4grow", 2), omp % ("4grow", 2), "two-omp", 0.1),
        row(omp % ("4spin", 9), omp % ("4spin", 9), "two-omp", 500)]  # spin's line has moved since
table = write("table.csv", head + "".join(rows))


def evaluate(*options, csv=table, status=0, out="json"):
    """(what it printed, stderr); a test of its own where it does not end with `status`."""
    words = [program, "evaluate", "--task", "roofline", "--csv", csv, "--sources", path("src"), *options] + (["--json"] if out == "json" else [])
    p = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, WARPWISE_LLM_KEY=KEY))
    if p.returncode != status:
        check(" ".join(options) + " ends with %d" % status, "status %d: %s" % (p.returncode, p.stderr))
        return {}, p.stderr
    return (json.loads(p.stdout) if out == "json" and status == 0 else p.stdout), p.stderr


def same(got, **want):
    """'' where every member is as it should be."""
    return "\n".join("%s is %r, want %r" % (k, got.get(k), v) for k, v in want.items() if got.get(k) != v)


class Endpoint:
    def __init__(self, way):
        self.log = path(way + str(len(processes)) + ".log")
        open(self.log, "w").close()
        self.p = subprocess.Popen([sys.executable, os.path.join(here, "endpoint.py"), self.log, way], stdout=subprocess.PIPE, text=True)
        processes.append(self.p)
        self.options = ["--llm", "http://127.0.0.1:%s/v1" % self.p.stdout.readline().strip(), "--model", way]

    def asked(self):
        return [json.loads(line) for line in open(self.log)]


# ---- our predictors ----
got, err = evaluate("--by", "grounded,machine,text")
by = {r["by"]: r for r in got.get("rows", [])}
check("a kernel of each language and class, the first launch of each", same(got, kernels=4, seed=505, gpu="rtx3080") or
      ("" if [(d["language"], d["class"], d["kernels"], d["of"]) for d in got["drawn"]] ==
       [(l, c, 1, 1) for l in ("cuda", "openmp") for c in ("bandwidth", "compute")] else got["drawn"]))
check("from the sources: a header's kernel, an instance, two regions, one of which has moved",
      same(by["grounded"], n=4, answered=4, accuracy=1, f1=1, mcc=1, recall_bandwidth=1, recall_compute=1, calls=0, unanswered=[]))
check("of each language too", same(by["grounded"]["languages"]["openmp"], n=2, answered=2, accuracy=1))
check("the machine model alone is a row of its own", same(by["machine"], n=4, answered=4, accuracy=1))
check("so is the language model", same(by["text"], n=4, answered=4))
check("what each row says of each kernel", "" if [(x["program"], x["language"], x["class"], x["said"]["machine"]) for x in got["list"]] ==
      [("one-cuda", "cuda", c, c) for c in ("bandwidth", "compute")] + [("two-omp", "openmp", c, c) for c in ("bandwidth", "compute")] else got["list"])
text, err = evaluate("--by", "machine", out="text")
check("as a table", "" if re.search(r"^  machine +4 +100.0 % +100.0 % +1.000 +1.000 +100.0 % +100.0 % +100.0 % +100.0 % ", text, re.M) else text)

more = write("more.csv", head + "".join(rows) + row("grow(int)", "grow", "gone-cuda", 500) + row("absent(int)", "absent", "one-cuda", 0.2) +
             row(omp % ("4none", 2), omp % ("4none", 2), "two-omp", 0.2) + row(omp % ("4none", 3), omp % ("4none", 3), "two-omp", 500))
got, err = evaluate("--by", "machine", csv=more)
r = got["rows"][0]
check("no answer is a wrong one, and told apart", same(r, n=8, answered=4, accuracy=0.5) or same(r["of_answered"], accuracy=1) or
      same({w["why"]: w["kernels"] for w in r["unanswered"]}, **{"no file of the program has the kernel": 3, "the program is not in the suite": 1}))
macro = write("macro.csv", head + row("_ZL4madeiPf", "made", "one-cuda", 0.2) + "".join(rows[2:]))
check("a kernel that a macro makes", same(evaluate("--by", "machine", csv=macro)[0]["rows"][0], answered=4, accuracy=1))
drawn = {seed: tuple(sorted(x["body"]["messages"][-1]["content"] for x in e.asked())) for seed in ("1", "2", "3", "1 again")
         for e in [Endpoint("last")] for _ in [evaluate("--per-class", "1", "--seed", seed[0], *e.options, "--ask", "profile", csv=more)]}
check("the seed decides which kernels", "" if drawn["1"] == drawn["1 again"] and len(set(drawn.values())) > 1 else drawn)

# A recording goes before the sources: its launch is so small that no byte comes from memory twice.
os.makedirs(path("recordings"))
with open(path("recordings", "one-cuda.jsonl"), "w") as f:
    f.write('{"file":"%s","kernel":"_Z4growiPf","flags":["-DSCALE=3","-I%s"],"grid":[4096,1,1],"block":[256,1,1],"args":[{"value":0},{"buffer":{"bytes":4}}]}\n'
            % (path("src/one-cuda/main.cu"), path("src/common")))
got, err = evaluate("--by", "machine", "--recordings", path("recordings"))
check("a recording goes before the sources", same(got["rows"][0], answered=4, recall_compute=1, recall_bandwidth=0.5))

# ---- language models ----
e = Endpoint("arithmetic")
out = path("answers.jsonl")
got, err = evaluate(*e.options, "--ask", "profile,zero-shot", "--out", out)
by = {r["by"]: r for r in got["rows"]}
check("the figures suffice", same(by["profile"], n=4, answered=4, accuracy=1, calls=4))
check("what it costs", "" if by["profile"]["tokens"] > 400 and by["profile"]["seconds"] > 0 else by["profile"])
check("an answer that names no class is none", same(by["zero-shot"], answered=0, calls=4, accuracy=0,
                                                    unanswered=[{"why": "the answer names no class, or both", "kernels": 4}]))
asked = e.asked()
check("the key goes to the endpoint", "" if {x["key"] for x in asked} == {"Bearer " + KEY} else asked[0])
kept = open(out).read()
check("and nowhere else", "the key is there" if KEY in kept + err + json.dumps(got) else "")
check("no tools, the model's name, a system message", "" if all("tools" not in x["body"] and x["body"]["model"] == "arithmetic" and
                                                                [m["role"] for m in x["body"]["messages"]] == ["system", "user"] for x in asked) else asked[0])
texts = {re.search(r"Kernel: (.*)", x["body"]["messages"][1]["content"])[1]: x["body"]["messages"][1]["content"] for x in asked
         if "Source:" in x["body"]["messages"][1]["content"]}
check("the source with its header, the launch, the program's arguments",
      "" if "x[i] *= FACTOR" in texts["grow(int, float *)"] and "#define FACTOR SCALE" in texts["grow(int, float *)"] and
      "```cuda" in texts["grow(int, float *)"] and "Arguments of the program: 7" in texts["grow(int, float *)"] and
      "Grid: 4096 x 1 x 1 blocks" in texts["grow(int, float *)"] and "```openmp" in texts[omp % ("4grow", 2)] else texts)
again, err = evaluate(*e.options, "--ask", "profile,zero-shot", "--out", out)
check("what has an answer is not asked again", "" if again == got and len(e.asked()) == 8 else again)
with open(out, "w") as f:
    f.write("\n".join(kept.rstrip("\n").split("\n")[:5]) + '\n{"key":"12')
again, err = evaluate(*e.options, "--ask", "profile,zero-shot", "--out", out)
check("a file that was cut off goes on", same({r["by"]: r for r in again["rows"]}["profile"], accuracy=1, calls=4) or ("" if len(e.asked()) == 11 else len(e.asked())))
check("another model is another question", same(evaluate(*e.options[:2], "--model", "other", "--ask", "profile", "--out", out)[0]["rows"][0], calls=4) or
      ("" if len(e.asked()) == 15 else len(e.asked())))

e = Endpoint("last")
got, err = evaluate(*e.options, "--ask", "few-shot,cot,tools")
by = {r["by"]: r for r in got["rows"]}
check("two solved examples before a few-shot question", same(by["few-shot"], answered=4, recall_compute=1, recall_bandwidth=0, mcc=0) or
      ("" if sum([m["role"] for m in x["body"]["messages"]] == ["system", "user", "assistant", "user", "assistant", "user"] for x in e.asked()) == 4 else e.asked()[0]))
check("a chain of thought is asked for, its last line counts", same(by["cot"], answered=4, recall_bandwidth=1) or
      ("" if sum("Think step by step" in x["body"]["messages"][-1]["content"] for x in e.asked()) == 4 else "not asked for"))
check("tools: it is told what we predict", same(by["tools"], answered=4) or
      ("" if sum(bool(re.search(r"Predicted by[^\n]*\nTime in microseconds: [0-9.]+\nBytes", x["body"]["messages"][-1]["content"])) for x in e.asked()) == 4 else "not told"))

e = Endpoint("broken")
out = path("broken.jsonl")
got, err = evaluate(*e.options, "--ask", "zero-shot", "--out", out, "--jobs", "1")
check("an endpoint's failures do not lose the run", same(got["rows"][0], answered=2, calls=2) or
      ("" if "2 of 4 questions have no answer" in err and "the same command asks them again" in err else err))
check("its own words about them have no key", "it is there" if KEY in err + open(out).read() + json.dumps(got) or "not today" not in open(out).read() else "")
got, err = evaluate(*Endpoint("last").options[:2], *e.options[2:], "--ask", "zero-shot", "--out", out)
check("they are asked again later", same(got["rows"][0], answered=4, calls=4) or ("" if not err else err))
got, err = evaluate(*Endpoint("vague").options, "--ask", "zero-shot")
check("both classes are no answer", same(got["rows"][0], answered=0, calls=4))
began = time.time()
got, err = evaluate(*Endpoint("slow").options, "--ask", "zero-shot", "--seconds", "2")
check("one that is too slow", same(got["rows"][0], answered=0, calls=0) or ("" if "in time" in err and time.time() - began < 15 else err))
many = write("many.csv", head + "".join(row("k%d(int)" % k, "k", "one-cuda", sp) for k in range(12) for sp in (0.1 + k % 2 * 90,)) +
             "".join(row(omp % ("1k", k), omp % ("1k", k), "two-omp", 0.1 + k % 2 * 90) for k in range(12)))
e = Endpoint("down")
got, err = evaluate(*e.options, "--ask", "profile", "--jobs", "2", csv=many)
check("one that is gone is not asked on and on", same(got["rows"][0], n=24, answered=0) or ("" if len(e.asked()) == 8 else len(e.asked())))

# ---- what cannot be ----
for words, pattern in [(["--by", "oracle"], "expected grounded"), (["--llm", "http://127.0.0.1:1/v1"], "--ask says what"), (["--ask", "cot"], "--ask says what"),
                       (["--llm", "http://127.0.0.1:1/v1", "--ask", "guess"], "expected zero-shot"), (["--fail-if", "coverage<3"], "do not go with --task"),
                       (["--llm", "ftp://x", "--ask", "cot"], "takes an address")]:
    text, err = evaluate(*words, status=2)
    check("refused: " + " ".join(words), "" if re.search(pattern, err) else err)

# ---- the classes of the solved examples are what we predict for that GPU too ----
for kernel, file, want in [("axpy", "elementwise/axpy.cu", "bandwidth"), ("nbody", "particles/nbody.cu", "compute"),
                           ("pick_third", "openmp/loops.c", "bandwidth"), ("collatz_steps", "openmp/loops.c", "compute")]:
    p = subprocess.run([program, "kernels", os.path.join(root, "corpus", file), "--json"], capture_output=True, text=True)
    names = [k["mangled"] for k in json.loads(p.stdout)["kernels"] if re.search(r"(^|_)%s(_l\d+)?$" % kernel, k["mangled"])]
    p = subprocess.run([program, "predict", os.path.join(root, "corpus", file), "-k", names[0], "--gpu", "rtx3080", "--json"], capture_output=True, text=True)
    check("the example %s" % kernel, same(json.loads(p.stdout)["roofline"], **{"class": want}))

# ---- our own server ----
if "  serve " not in subprocess.run([program, "--help"], capture_output=True, text=True).stdout:
    print("ok %d - # SKIP built without libmicrohttpd" % (n + 1))
    n += 1
else:
    write("data.jsonl", "".join(json.dumps({"prompt": "k%d" % (k % 9), "completion": "Compute<|end|>"}) + "\n" for k in range(60)))
    train = [program, "train", "--device", "cpu", "--tokenizer", path("tokenizer.json"), "--data", path("data.jsonl")]
    subprocess.run(train + ["--vocab", "300"], capture_output=True)
    subprocess.run(train + ["--lm", "new", "--width", "32", "--layers", "1", "--heads", "2", "--kv-heads", "1", "--hidden", "64", "--context", "4096", "--tokens", "64",
                            "--batch", "1", "--steps", "1", "-o", path("tiny")], capture_output=True)
    p = subprocess.Popen([program, "serve", "--port", "0", "--root", work.name, "--lm", path("tiny")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    processes.append(p)
    url = p.stdout.readline().strip().rstrip("/")
    got, err = evaluate("--llm", url + "/v1", "--ask", "profile", "--answer-tokens", "8")
    check("our own server is an endpoint too", same(got["rows"][0], calls=4) and str(got["rows"][0]) + err)

print("1..%d" % n)
sys.exit(bad)
