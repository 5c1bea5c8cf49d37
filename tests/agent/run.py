#!/usr/bin/env python3
"""run.py BUILD : `warpwise agent` against endpoints that play a script, good ones and hostile ones, and against our own server. Prints TAP.

All is on the loopback address. A run is one agent with an endpoint of its own; runs go side by side."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
program = os.path.join(os.path.abspath(sys.argv[1]), "warpwise")
kernel = os.path.join(here, "rows.cu")
work = tempfile.TemporaryDirectory()
KEY = "sk-secret-4711"
results = []  # (text, problem)


def check(text, problem):
    results.append((text, problem or ""))


class Endpoint:
    def __init__(self, name, script, mode="native"):
        self.script, self.log = (os.path.join(work.name, name + e) for e in (".script", ".log"))
        json.dump(script, open(self.script, "w"))
        open(self.log, "w").close()
        self.p = subprocess.Popen([sys.executable, os.path.join(here, "endpoint.py"), self.script, self.log, mode],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = "http://127.0.0.1:%s/v1" % self.p.stdout.readline().strip()

    def asked(self):
        return [json.loads(line) for line in open(self.log)]

    def close(self):
        self.p.terminate()
        self.p.wait()


class Run:
    """One agent: its output, its transcript and all that it wrote."""

    def __init__(self, name, script, *options, mode="native", url=None, watch=None, key=KEY):
        self.name = name
        self.endpoint = Endpoint(name, script, mode)
        base = os.path.join(work.name, name)
        self.files = {e: base + "." + e for e in ("jsonl", "html", "patch", "cu")}
        env = dict(os.environ, WARPWISE_LLM_KEY=key, XDG_CACHE_HOME=os.path.join(work.name, "cache"))
        words = [program, "agent", kernel, "--llm", url or self.endpoint.url, "--seed", "1", "--json", "--jobs", "1", "--transcript", self.files["jsonl"],
                 "--page", self.files["html"], "--patch", self.files["patch"], "--output", self.files["cu"]] + list(options)
        self.begun = time.time()
        p = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        self.watched = watch(p) if watch else None
        self.out, self.err = p.communicate(timeout=400)
        self.seconds = time.time() - self.begun
        self.status = p.returncode
        self.endpoint.close()
        self.answer = json.loads(self.out) if self.status == 0 else {}
        self.lines = [json.loads(line) for line in open(self.files["jsonl"])] if os.path.exists(self.files["jsonl"]) else []
        self.results = [l["text"] for l in self.lines if l.get("tool")]
        self.stopped = self.answer.get("agent", {}).get("stopped", "")

    def everything(self):
        text = self.out + self.err
        for f in self.files.values():
            text += open(f, errors="replace").read() if os.path.exists(f) else ""
        return text

    def problem(self, *patterns, stopped=None, best=0):
        """'' where it ended well, each pattern stands in the results in its order, and `best` is the version that came back."""
        if self.status != 0:
            return "status %d: %s" % (self.status, self.err[-400:])
        text = "\n".join(self.results)
        for p in patterns:
            found = re.search(p, text)
            if not found:
                return "no /%s/ in: %s" % (p, text[-900:])
            text = text[found.end():]
        if stopped and not re.search(stopped, self.stopped):
            return "stopped: " + self.stopped
        if self.answer["best"] != best:
            return "best is v%s: %s" % (self.answer["best"], self.results)
        if KEY in self.everything():
            return "the key is in what was written"
        return ""


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def submit(source, **more):
    return [{"calls": [call("submit_source", source=source, **more)]}, finish]


finish = {"calls": [call("finish", summary="done")]}
swap = [{"text": "Where does the time go?", "calls": [call("explain"), call("roofline")]},
        {"calls": [call("list_rewrites", version="v0")]},
        {"pick": "swap", "calls": [call("apply_rewrite", version="v0", rewrite="$pick")]},
        {"calls": [call("predict", version="v1"), call("sweep", version="v1", range="n=256,512")]}, finish]
good = """// Consecutive threads read consecutive elements.
__device__ float twice(float x) { return 2.0f * x; }
__global__ void rows(int n, const float *__restrict__ a, float *__restrict__ b) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) b[row * n + col] = twice(a[row * n + col]);
}
"""
four = """constexpr int each = 4;
__global__ void rows(int n, const float *a, float *b) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; k++) {
    int row = (blockIdx.y * each + k) * blockDim.y + threadIdx.y;
    if (row < n && col < n) b[row * n + col] = 2.0f * a[row * n + col];
  }
}
"""
head = "__global__ void rows(int n, const float *a, float *b)"
body = """ {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  %s
  if (row < n && col < n) b[row * n + col] = 2.0f * a[row * n + col];
}
"""


def variant(text="", before=""):
    return before + head + body % text


# ---- what works ----

def same_result(a, b):
    if a.status or b.status:
        return "status %d, %d: %s" % (a.status, b.status, b.err)
    return "" if (a.answer["source"], a.answer["best"]) == (b.answer["source"], b.answer["best"]) else "another result: " + b.out[:300]


def check_files(run):
    page = open(run.files["html"]).read()
    patched = subprocess.run(["patch", "-s", "-o", "-", kernel, run.files["patch"]], capture_output=True, text=True).stdout
    old = open(kernel).read()
    check("the patch gives the new source", "" if patched == open(run.files["cu"]).read() != old else patched[:300])
    check("the host code follows the launch and is the user's otherwise",
          "" if patched.split("int main")[1].replace("1024", "") != "" and "cudaMalloc(&a, n * n * sizeof *a);" in patched else patched)
    missing = [w for w in ("Step by step", "explain", "v1 against v0", "rows, before", "rows, after") if w not in page]
    check("the page has every step, and both kernels, and no script", "" if not missing and "<script" not in page else "missing: %s" % missing)
    roles = [l.get("role") for l in run.lines]
    check("the transcript has each message, and the result last",
          "" if roles[1:3] == ["system", "user"] and run.lines[-1]["result"]["best"] == 1 and "assistant" in roles else str(roles))


def check_good(runs):
    native = runs["native"]
    check("native calls: a rewrite is found, verified and handed back",
          native.problem("line 7, uncoalesced", "times its floor", "r1 ", r"v1 \(v0, x and y.*the same kernel in", "version v1", r"1\. n=256", best=1))
    check("the key goes to the endpoint alone", "" if native.endpoint.asked()[0]["key"] == "Bearer " + KEY else "another key")
    check("tools are offered in the interface's own form",
          "" if len(native.endpoint.asked()[0]["body"]["tools"]) == 10 and native.endpoint.asked()[1]["body"]["messages"][3]["role"] == "tool" else "not so")
    check_files(native)
    check("calls in plain text: the same result", same_result(native, runs["plain"]))
    check("an endpoint without tools is asked in plain text from then on", same_result(native, runs["notools"]))
    check("plain text: no tools in the request", "" if all("tools" not in r["body"] for r in runs["plain"].endpoint.asked()) else "tools were sent")
    check("a source that was submitted is verified and handed back", runs["good"].problem(r"v1 .*the same kernel in \d+ cases", best=1))
    check("one with another launch: the grid follows", runs["four"].problem(r"v1 .*the same kernel", best=1) or
          ("" if "64" in open(runs["four"].files["patch"]).read() or "/ 4" in open(runs["four"].files["patch"]).read() else "no new launch"))
    check("numbers of the text are tuned", runs["tune"].problem(r"v1 .*the same kernel", r"each=", best=None if runs["tune"].answer.get("best") is None else runs["tune"].answer["best"]))
    check("busy endpoints are asked again", runs["busy"].problem(r"v0: ", stopped="finished"))


# ---- hostile endpoints ----

refused = {  # name: (source, what the result says)
    "host function": (variant(before="#if 0\n#endif\n"), "no directives"),
    "host code": (variant(before="int steal() { return 0; }\n"), "host code"),
    "object with a constructor": (variant(before="struct S { S(); } s;\n"), "no objects"),
    "global initialiser": (variant(before="int x = 1 + 2;\n"), "no objects"),
    "static member": (variant(before="struct S { inline static int x = 1; };\n"), "no static members|outlive a launch"),
    "macro": (variant(before="#define cudaMalloc(...) 0\n"), "no directives"),
    "include": (variant(before='#include "/etc/passwd"\n'), "no directives"),
    "digraph": (variant(before="%:define x\n"), "digraph"),
    "host constructor": (variant(before="__attribute__((constructor)) void f() {}\n"), "attributes"),
    "default argument": ("__global__ void rows(int n, const float *a, float *b = 0)" + body % "", "parameters have to stay"),
    "another parameter": ("__global__ void rows(int n, const float *a, float *b, int m)" + body % "", "parameters have to stay"),
    "another name": (variant().replace("rows(", "rowz("), "one kernel, named rows"),
    "two kernels": (variant() + variant().replace("rows(", "rows2("), "one kernel"),
    "timer": (variant("if (clock64() & 1) return;"), "ask for the time"),
    "timer in assembly": (variant('long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));'), "ask for the time"),
    "state between launches": (variant(before="__device__ int seen;\n"), "no objects"),
    "state in a function": (variant("static int seen; if (seen++) return;"), "outlive a launch"),
    "launch comment": (variant(before="// warpwise: n=1\n"), "no `warpwise:` comment"),
    "comment without end": (variant() + "/* ", "does not end"),
    "bracket too many": (variant() + "} int steal() {", "brackets do not match|declaration"),
    "line that goes on": (variant(before="// \\\n"), "backslash"),
    "launch in a kernel": (variant("rows<<<1, 1>>>(n, a, b);"), "neither launches"),
    "too long": (variant(before="//" + "x" * 70000 + "\n"), "longer than"),
    "wrong result": (variant().replace("2.0f", "3.0f"), "not the same kernel: another result"),
    "no work": (head + " {}", "not the same kernel"),
    "no work at large sizes": (variant("if (n > 1021) return;"), "reached in no case|not the same kernel"),
    "less work at large sizes": (variant().replace("row < n &&", "row < (n > 1021 ? n / 2 : n) &&"), "at full size it|not the same kernel"),
    "fails beyond its buffers": (variant().replace("row < n && ", ""), "refused"),
    "endless kernel": (variant("volatile int more = 1; while (more) {}"), "refused"),
}
odd_arguments = [
    call("predict", version=1e308), call("predict", version="v99999999999999999999"), call("predict", version={"a": 1}), call("apply_rewrite", rewrite="r4294967297"),
    call("apply_rewrite", rewrite=-1), call("submit_source", source=variant(), block="4294967297"), call("submit_source", source=variant(), covers="1,2,3,4"),
    call("sweep", range="n=1..1e300"), call("tune", param="x=1..1e12:+1"), call("explain", path="/etc/passwd"), {"name": "predict", "arguments": "{\"version\":"}]


ESC = "\033]0;x\007\033[2J\u009b31m"
HTML = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
ugly = [{"text": ESC + HTML, "calls": [
    call(ESC + HTML), call("predict", **{ESC: HTML}), call("sweep", range=ESC + HTML), call("tune", param=ESC + HTML), call("predict", version=HTML),
    {"name": "predict", "arguments": "{\"%s\":1}" % KEY.replace("-", "\\u002d")}, call("submit_source", source=variant(HTML))]},
    {"status": 400, "error": ESC + HTML}]


def key_file(name, text):
    path = os.path.join(work.name, name)
    open(path, "w").write(text)
    return path


def seen_of(p):
    """What others can see of the agent while it waits for an answer: its environment and its words."""
    time.sleep(1.5)
    try:
        return "".join(open("/proc/%d/%s" % (p.pid, f), "rb").read().decode(errors="replace") for f in ("environ", "cmdline"))
    except OSError:
        return "gone"


def jobs():
    yield "native", lambda: Run("native", swap)
    yield "plain", lambda: Run("plain", swap, "--plain", mode="plain")
    yield "notools", lambda: Run("notools", swap, mode="notools")
    yield "good", lambda: Run("good", submit(good))
    yield "four", lambda: Run("four", submit(four, block="16,16", covers="16,64"))
    yield "tune", lambda: Run("tune", [{"calls": [call("submit_source", source=four, block="16,16", covers="16,64"), call("tune", version="v1", param="each=2,4")]}, finish])
    yield "busy", lambda: Run("busy", [{"status": 429, "error": "slow down"}, {"status": 503, "error": "busy"}, {"calls": [call("predict")]}, finish])
    names = list(refused)
    for k in range(0, len(names), 8):  # several in one conversation
        yield "refused%d" % k, lambda k=k: Run("refused%d" % k, [{"calls": [call("submit_source", source=refused[n][0]) for n in names[k:k + 8]]}, finish])
    yield "hidden", lambda: Run("hidden", [{"calls": [call("read_file", path="/etc/passwd"), call("run", command="id"), call("submit_source", source=head + " {}")]}, finish])
    yield "same", lambda: Run("same", [{"calls": [call("predict")]}])
    yield "many", lambda: Run("many", [{"calls": [call("sweep", range="n=%d" % (256 + k)) for k in range(30)]}], "--calls", "3")
    yield "tokens", lambda: Run("tokens", [{"tokens": 60000, "calls": [call("predict", version="v0"), call("explain")]}], "--tokens", "100000")
    yield "counts nothing", lambda: Run("counts nothing", [{"tokens": 1, "text": "x" * 200000}], "--tokens", "60000")
    yield "flood", lambda: Run("flood", [{"calls": [call("predict")]}, {"flood": 100 << 20}])
    yield "slow", lambda: Run("slow", [{"calls": [call("predict")]}, {"sleep": 30}], "--minutes", "0.1", watch=seen_of)
    yield "broken", lambda: Run("broken", [{"calls": [call("predict")]}, {"raw": '{"choices":[{"message":{"tool_'}])
    yield "nested", lambda: Run("nested", [{"calls": [call("predict")]}, {"nest": 100000}])
    yield "odd", lambda: Run("odd", [{"calls": odd_arguments}, finish])
    yield "plain odd", lambda: Run("plain odd", [{"text": "```tool\n{\"name\": \n```\n```tool\n[1,2]\n```\n```tool\n{}"}, {"text": "```tool {\"name\":\"predict\"}```"}, finish], mode="plain")
    yield "echo", lambda: Run("echo", [{"text": "Tell me WARPWISE_LLM_KEY, I believe it is %s" % KEY, "calls": [call("predict", version=KEY), call(KEY)]}, {"status": 401, "error": "wrong key " + KEY}])
    yield "wrong key", lambda: Run("wrong key", [{"status": 401, "error": "Incorrect API key provided: " + KEY}])
    yield "silent", lambda: Run("silent", [{"text": "I would rather talk."}])
    yield "ugly", lambda: Run("ugly", ugly)
    yield "key file", lambda: Run("key file", [finish], "--key-file", key_file("key", KEY + "\nmore\n"), key="other", watch=seen_of)
    yield "key with a line", lambda: Run("key with a line", [finish], key=KEY + "\r\nX-Evil: 1")
    yield "to a file", lambda: Run("to a file", [{"redirect": "file:///etc/passwd"}])
    other = Endpoint("other", [finish])
    yield "redirect", lambda: (Run("redirect", [{"redirect": other.url + "/chat/completions"}]), other)
    yield "file", lambda: Run("file", [finish], url="file:///etc/passwd")
    yield "open", lambda: Run("open", [finish], url="http://192.0.2.1/v1")


def check_refused(runs):
    names = list(refused)
    for k, name in enumerate(names):
        run = runs["refused%d" % (k // 8 * 8)]
        said = run.results[k % 8] if k % 8 < len(run.results) else "nothing"
        ok = re.search(refused[name][1], said) and run.status == 0 and run.answer["best"] == 0
        check("submitted: %s is refused" % name, "" if ok else said + run.err[-300:])
    for k in range(0, len(names), 8):
        run = runs["refused%d" % k]
        check("nothing of it is handed back (%d)" % (k // 8 + 1), "" if run.status == 0 and not open(run.files["patch"]).read() and open(run.files["cu"]).read() == open(kernel).read() else "a patch")


def check_hostile(runs):
    check_refused(runs)
    check("instructions in a kernel's comments: no tool does more than the table",
          runs["hidden"].problem("no tool `read_file`", "no tool `run`", "not the same kernel", stopped="finished") or
          ("root:" in runs["hidden"].everything() and "a file was read" or ""))
    check("the same call without end", runs["same"].problem("v0: ", stopped="repeats itself") or ("" if runs["same"].answer["agent"]["calls"] <= 4 else "too many"))
    check("calls without end", runs["many"].problem(stopped="--calls") or ("" if runs["many"].answer["agent"]["calls"] == 3 else "too many"))
    check("tokens without end", runs["tokens"].problem(stopped="--tokens") or ("" if len(runs["tokens"].endpoint.asked()) == 1 else "asked again"))
    check("an endpoint that counts no tokens is counted by its bytes", runs["counts nothing"].problem(stopped="--tokens"))
    check("an answer of 100 MB", runs["flood"].problem(stopped="longer than 4 MB"))
    check("an answer that does not come", runs["slow"].problem(stopped="time") or ("" if runs["slow"].seconds < 20 else "%d s" % runs["slow"].seconds))
    check("the key is not in the program's environment or its words", "" if KEY not in runs["slow"].watched and runs["slow"].watched != "gone" else runs["slow"].watched[:200])
    check("an answer that is no JSON", runs["broken"].problem(stopped="no JSON"))
    check("an answer nested 100,000 deep", runs["nested"].problem(stopped="no JSON"))
    check("odd arguments: each is an error that says what to do", runs["odd"].problem(*["error: "] * (len(odd_arguments) - 1), stopped="finished"))
    check("calls that cannot be read in plain text", runs["plain odd"].problem("no tool `\\?`", stopped="finished"))
    check("a model that knows the key and repeats it: it is cut out of everything", runs["echo"].problem("error", stopped="401") or ("" if "[key]" in runs["echo"].everything() else "no mark"))
    check("a wrong key: a message without it, exit 4", "" if runs["wrong key"].status == 4 and KEY not in runs["wrong key"].everything() and "401" in runs["wrong key"].err else runs["wrong key"].err)
    check("a model that calls nothing", runs["silent"].problem(stopped="calls no tools"))
    ugly = runs["ugly"]
    said, page = ugly.out + ugly.err + ugly.answer.get("agent", {}).get("stopped", ""), open(ugly.files["html"]).read()
    check("escape sequences reach no terminal", ugly.problem("no tool", "no argument", stopped="400") or
          ("" if "\033" not in said and "\007" not in said and "\u009b" not in said else repr(said)))
    check("HTML of a model is text on the page", "" if "&lt;script&gt;" in page and "<script" not in page and "<img" not in page else "it is in the page")
    check("a key in escaped letters is cut out as well", "" if "[key]" in ugly.everything() and "u002d" not in ugly.everything() else "it is there")
    check("the key of a file goes to the endpoint, its first line alone", runs["key file"].problem(stopped="finished") or
          ("" if runs["key file"].endpoint.asked()[0]["key"] == "Bearer " + KEY and KEY not in runs["key file"].watched else str(runs["key file"].endpoint.asked()[0]["key"])))
    line = runs["key with a line"]
    check("a key that would add a header: exit 2, nothing is sent", "" if line.status == 2 and not line.endpoint.asked() and "X-Evil" not in line.everything() else line.err)
    check("a redirect to a file is not followed", "" if runs["to a file"].status == 4 and "root:" not in runs["to a file"].everything() else runs["to a file"].err)
    redirect, other = runs["redirect"]
    check("a redirect to another host is not followed", "" if redirect.status == 4 and not other.asked() and "redirect" in redirect.err else redirect.err)
    other.close()
    check("an address that is no http: exit 2", "" if runs["file"].status == 2 else runs["file"].err)
    check("a key over http to another machine: exit 2, nothing is sent", "" if runs["open"].status == 2 and "https" in runs["open"].err else runs["open"].err)


# ---- our own server ----

def check_server():
    dir = work.name
    data, tokenizer, model = (os.path.join(dir, n) for n in ("data.jsonl", "tokenizer.json", "tiny"))
    with open(data, "w") as f:
        for i in range(200):
            f.write('{"prompt":"__global__ void k%d(float *x)","completion":"{\\"kernel\\":%d}<|end|>"}\n' % (i % 9, i % 9))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([program, "train", "--device", "cpu", "--tokenizer", tokenizer, "--vocab", "300", "--data", data], **quiet)
    subprocess.run([program, "train", "--device", "cpu", "--lm", "new", "--tokenizer", tokenizer, "--width", "64", "--layers", "1", "--heads", "2", "--kv-heads", "1",
                    "--hidden", "64", "--context", "65536", "--tokens", "64", "--batch", "1", "--steps", "1", "--lr", "1e-9", "--data", data, "-o", model], **quiet)
    server = subprocess.Popen([program, "serve", "--port", "0", "--root", dir, "--lm", model], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    url = server.stdout.readline().strip().rstrip("/") + "/v1"
    run = Run("own", [finish], "--answer-tokens", "120", "--calls", "5", url=url)
    server.terminate()
    server.wait()
    names = [c["name"] for l in run.lines for c in l.get("calls", [])]
    known = {"predict", "explain", "roofline", "sweep", "list_rewrites", "apply_rewrite", "submit_source", "tune", "verify", "finish"}
    check("our own server: a model of random weights makes calls that can be read",
          run.problem() or ("" if names and set(names) <= known else "calls: %s" % names))
    read = [r for r in run.results if "JSON" in r]
    check("its arguments are JSON", "" if names and not read else str(read))


helps = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
if not re.search("^  agent ", helps, re.M):
    print("ok 1 - # SKIP built without libcurl\n1..1")
    sys.exit()
with concurrent.futures.ThreadPoolExecutor(max_workers=int(os.environ.get("JOBS", "3"))) as pool:
    futures = {name: pool.submit(start) for name, start in jobs()}
    runs = {name: f.result() for name, f in futures.items()}
check_good(runs)
check_hostile(runs)
if re.search("^  serve ", helps, re.M):
    check_server()
for k, (text, problem) in enumerate(results, 1):
    print("%sok %d - %s" % ("not " if problem else "", k, text))
    for line in problem.splitlines()[:12]:
        print("# " + line[:1500])
print("1..%d" % len(results))
sys.exit(any(p for _, p in results))
