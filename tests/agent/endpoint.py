#!/usr/bin/env python3
"""endpoint.py SCRIPT LOG [plain|notools] : an OpenAI-compatible endpoint on the loopback address that plays a script.

SCRIPT is a list of answers in JSON, one a request, the last one again and again:
  {"text": .., "calls": [{"name": .., "arguments": {..}}]}   an answer; arguments may be a text, which is sent as it is
  {"pick": "swap", "calls": ..}   $pick in the arguments is the number of that rewrite, as the agent last told it
  {"status": 429, "error": "busy"}   {"raw": "<bytes>"}   {"flood": BYTES}   {"sleep": SECONDS}   {"redirect": URL}   {"nest": DEPTH}
plain: calls are blocks in the text; notools: requests with `tools` are refused with 400, calls are blocks in the text.
LOG gets a line a request: {"path", "key", "body"}. The port is printed first."""
import http.server
import json
import re
import sys
import time

script = json.load(open(sys.argv[1]))
log = open(sys.argv[2], "a")
mode = sys.argv[3] if len(sys.argv) > 3 else "native"
asked = 0


def message(step):
    calls = step.get("calls", [])
    if mode != "native":
        blocks = "".join("\n```tool\n%s\n```" % (c["raw"] if "raw" in c else json.dumps(c)) for c in calls)
        return {"role": "assistant", "content": step.get("text", "") + blocks}
    out = {"role": "assistant", "content": step.get("text")}
    if calls:
        out["tool_calls"] = [
            {"id": "call_%d_%d" % (asked, k), "type": "function",
             "function": {"name": c["name"],
                          "arguments": c["arguments"] if isinstance(c["arguments"], str) else json.dumps(c["arguments"])}}
            for k, c in enumerate(calls)]
    return out


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def flood(self, n):
        self.send_response(200)
        self.send_header("Content-Length", str(n))
        self.end_headers()
        for _ in range(n >> 16):
            self.wfile.write(b"x" * 65536)

    def do_POST(self):
        global asked
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        log.write(json.dumps({"path": self.path, "key": self.headers.get("Authorization"), "body": body}) + "\n")
        log.flush()
        if mode == "notools" and "tools" in body:
            return self.send(400, b'{"error":{"message":"this model does not support tools"}}')
        step = script[min(asked, len(script) - 1)]
        asked += 1
        time.sleep(step.get("sleep", 0))
        if "flood" in step:
            return self.flood(step["flood"])
        if "redirect" in step:
            return self.send(307, b"{}", [("Location", step["redirect"])])
        if "status" in step:
            return self.send(step["status"], json.dumps({"error": {"message": step["error"]}}).encode())
        if "raw" in step:
            return self.send(200, step["raw"].encode())
        if "nest" in step:
            return self.send(200, ('{"choices":' + "[" * step["nest"]).encode())
        if "pick" in step:
            found = re.findall(r"(r\d+) %s" % step["pick"], json.dumps(body["messages"]))
            step = json.loads(json.dumps(step).replace("$pick", found[-1] if found else "r0"))
        self.send(200, json.dumps({"choices": [{"index": 0, "message": message(step), "finish_reason": "stop"}],
                                   "usage": {"total_tokens": step.get("tokens", 1000)}}).encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
try:
    server.serve_forever()
except (KeyboardInterrupt, BrokenPipeError):
    pass
