# md2man.awk : a manual page from one of docs/*.md, with -v name= section= summary= day= version=. Knows what these documents use: headings, paragraphs,
# lists, code (fenced, or indented by four), tables (as lists: the first column is the term), `code`, **bold** and [links](...).

function inline(s,   out, m, before, word) {
  gsub(/\\/, "\\e", s)
  out = ""
  while (match(s, /`[^`]+`|\*\*[^*]+\*\*|\[[^]]+\]\([^)]*\)/)) {
    before = substr(s, 1, RSTART - 1)
    m = substr(s, RSTART, RLENGTH)
    s = substr(s, RSTART + RLENGTH)
    if (m ~ /^`/) word = "\\fB" substr(m, 2, length(m) - 2) "\\fR"
    else if (m ~ /^\*\*/) word = "\\fB" substr(m, 3, length(m) - 4) "\\fR"
    else {
      word = m
      sub(/^\[/, "", word)
      sub(/\]\(.*$/, "", word)
      gsub(/`/, "", word)
      if (m ~ /\(launch\.md/) word = "\\fBwarpwise-launch\\fR(5)"
      else if (m ~ /\(report\.md/) word = "\\fBwarpwise-report\\fR(5)"
      else if (m ~ /\(metrics\.md/) word = "\\fBwarpwise-metrics\\fR(5)"
      else if (m ~ /\(gpus\.md/) word = "\\fBwarpwise-gpu\\fR(5)"
    }
    gsub(/-/, "\\-", word)
    out = out before word
  }
  s = out s
  if (s ~ /^[.']/) s = "\\&" s
  return s
}
function text(s) { print inline(s); headed = 0 }
function literal(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  if (s ~ /^[.']/) s = "\\&" s
  print s
}
function begin_code() { if (!headed) print ".PP"; headed = 0; print ".RS 4"; print ".nf" }
function end_code() { print ".fi"; print ".RE"; fresh = 1 }
function paragraph() { if (fresh && !headed) print ".PP"; fresh = 0 }
function finish() { if (indented) { end_code(); indented = 0 } intable = 0 }

function row(s,   n, cell, i, t) {
  gsub(/\\\|/, "\001", s)
  sub(/^ *\| */, "", s)
  sub(/ *\| *$/, "", s)
  n = split(s, cell, / *\| */)
  for (i = 1; i <= n; i++) gsub(/\001/, "|", cell[i])
  if (!intable) { # the heading names the columns
    intable = 1
    columns = n
    for (i = 1; i <= n; i++) head[i] = cell[i]
    return
  }
  print ".TP"
  text(cell[1] == "" ? "\\&" : cell[1])
  t = cell[2]
  for (i = 3; i <= columns; i++) if (cell[i] != "") t = t "; " (head[i] == "" ? "" : head[i] ": ") cell[i]
  text(t == "" ? "\\&" : t)
  fresh = 1
}

BEGIN {
  title = toupper(name)
  gsub(/-/, "\\-", title)
  printf ".TH \"%s\" \"%s\" \"%s\" \"warpwise %s\"\n", title, section, day, version
  shown = name
  gsub(/-/, "\\-", shown)
  printf ".SH NAME\n%s \\- %s\n", shown, summary
  if (section == 3) print ".SH SYNOPSIS\n.nf\n\\fB#include <warpwise.h>\\fR\n.PP\n\\fBcc\\fR ... $(\\fBpkg\\-config\\fR \\-\\-cflags \\-\\-libs warpwise)\n.fi"
  print ".SH DESCRIPTION"
  headed = 1
}
/^```/ {
  if (fenced) { fenced = 0; end_code() } else { finish(); fenced = 1; begin_code() }
  next
}
fenced { literal($0); next }
/^<!--/ { next }
/^# / { next }
/^## / { finish(); s = toupper(substr($0, 4)); gsub(/`/, "", s); gsub(/-/, "\\-", s); print ".SH " s; headed = 1; next }
/^###+ / { finish(); s = $0; sub(/^#+ /, "", s); gsub(/`/, "", s); gsub(/-/, "\\-", s); print ".SS " s; headed = 1; next }
/^\|[-:| ]*-[-:| ]*$/ { next }
/^\|/ { if (indented) finish(); row($0); next }
/^!\[/ { next } # pictures
/^    / && (indented || blank) && !inlist { if (!indented) { finish(); indented = 1; begin_code() } literal(substr($0, 5)); blank = 0; next }
/^[-*] / { finish(); print ".IP \\(bu 3"; text(substr($0, 3)); inlist = 1; fresh = 1; blank = 0; next }
/^ +[^ ]/ && inlist { s = $0; sub(/^ +/, "", s); text(s); next }
/^$/ { if (!indented) { intable = 0; fresh = 1; inlist = 0 } else held = 1; blank = 1; next }
{
  finish()
  inlist = 0
  paragraph()
  text($0)
  blank = 0
}
END {
  finish()
  print ".SH SEE ALSO"
  if (section == 3) print "\\fBwarpwise\\fR(1), \\fBwarpwise\\-launch\\fR(5), \\fBwarpwise\\-report\\fR(5), \\fBwarpwise\\-metrics\\fR(5)"
  else print "\\fBwarpwise\\fR(1), \\fBlibwarpwise\\fR(3)"
}
