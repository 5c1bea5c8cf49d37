#!/usr/bin/env python3
"""endpoint.py LOG [WAY] : an OpenAI-compatible endpoint on the loopback address that answers the roofline question. The port is printed first.

WAY:  arithmetic   reads balance points and figures from the question itself, divides and compares; without figures it says that it cannot
      last         the class of the last solved example, else Bandwidth, in a sentence with both words before its last line
      broken       every second request is refused (400); the others are answered as by `last`
      down         every request is refused
      slow         answers after 30 s
      vague        names both classes
LOG gets a line a request: {"key", "body"}."""
import http.server
import json
import re
import sys
import threading
import time

log = open(sys.argv[1], "a")
way = sys.argv[2] if len(sys.argv) > 2 else "arithmetic"
lock = threading.Lock()
asked = 0
KINDS = {"Double precision": "Double-precision operations", "Single precision": "Single-precision operations", "Half precision": "Half-precision operations",
         "Tensor": "Tensor operations", "Integer": "Integer operations"}


def arithmetic(messages):
    text = messages[-1]["content"]
    points = dict(re.findall(r"^(.*): peak .*, balance point ([0-9.e+-]+) operations per byte$", text, re.M))
    figures = dict(re.findall(r"^([A-Z][a-z -]+): ([0-9.e+-]+)$", text, re.M))
    if "Bytes read and written in memory" not in figures:
        return "There are no figures here."
    moved = float(figures["Bytes read and written in memory"])
    above = [kind for kind, point in points.items() if float(figures.get(KINDS[kind], 0)) >= float(point) * moved > 0]
    return "Compute" if above else "Bandwidth"


def last(messages):
    said = [m["content"] for m in messages if m["role"] == "assistant"]
    return "It is a matter of bandwidth or compute.\nAnswer: %s" % (said[-1] if said else "Bandwidth")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        global asked
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            log.write(json.dumps({"key": self.headers.get("Authorization"), "body": body}) + "\n")
            log.flush()
            asked += 1
            odd = asked % 2
        if way == "down" or (way == "broken" and odd):
            return self.send(400, {"error": {"message": "not today, %s" % self.headers.get("Authorization")}})
        if way == "slow":
            time.sleep(30)
        text = "Bandwidth and Compute." if way == "vague" else arithmetic(body["messages"]) if way == "arithmetic" else last(body["messages"])
        self.send(200, {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                        "usage": {"total_tokens": sum(len(m["content"]) for m in body["messages"]) // 4 + 1}})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
