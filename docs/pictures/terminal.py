#!/usr/bin/env python3
"""terminal.py COMMAND < OUTPUT > PICTURE.svg : what a command prints, with its colours, as a picture of a terminal."""
import html
import re
import sys

COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea", "90": "#8b949e"}
WIDE, HIGH, EDGE = 7.82, 17, 14


def spans(line):
    style = {}
    for piece in re.split(r"(\033\[[0-9;]*m)", line):
        if not piece.startswith("\033"):
            if piece:
                yield piece, dict(style)
            continue
        for code in piece[2:-1].split(";"):
            if code in ("", "0"):
                style = {}
            elif code == "1":
                style["font-weight"] = "bold"
            elif code == "2":
                style["fill"] = "#8b949e"
            elif code in COLOURS:
                style["fill"] = COLOURS[code]


lines = ["\033[32m$\033[0m " + sys.argv[1]] + sys.stdin.read().rstrip("\n").split("\n")
columns = max(len(re.sub(r"\033\[[0-9;]*m", "", line)) for line in lines)
width, height = round(columns * WIDE + 2 * EDGE), len(lines) * HIGH + 2 * EDGE
print('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" '
      'font-size="13" fill="#e6edf3">' % (width, height, width, height))
print('<rect width="%d" height="%d" rx="8" fill="#0d1117"/>' % (width, height))
for row, line in enumerate(lines):
    column = 0
    for text, style in spans(line):
        if text.strip():
            lead = len(text) - len(text.lstrip())
            words = text.strip()
            print('<text x="%.1f" y="%d" textLength="%.1f"%s xml:space="preserve">%s</text>' % (
                EDGE + (column + lead) * WIDE, EDGE + row * HIGH + 13, len(words) * WIDE, "".join(' %s="%s"' % s for s in style.items()), html.escape(words)))
        column += len(text)
print("</svg>")
