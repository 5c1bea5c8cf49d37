#!/bin/sh
# run.sh BUILD : records an OpenCL program on whatever OpenCL device there is (PoCL), and checks the lines. Speaks TAP.
build=$(cd "$1" && pwd) || exit 1
ww=$build/warpwise
program=$build/tests/cl_program
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
n=0

# check WHAT COMMAND... : one test, by the command's status
check() {
  what=$1
  shift
  n=$((n + 1))
  if "$@" >check.out 2>&1; then
    echo "ok $n - $what"
  else
    echo "not ok $n - $what"
    sed 's/^/# /' check.out | cut -c1-400
  fi
}
same() { [ "$1" = "$2" ] || { echo "got '$1', want '$2'"; return 1; }; }
has() { grep -q -- "$2" "$1" || { echo "no '$2' in $1:"; cat "$1"; return 1; }; }
status() { # status WANT COMMAND... : the command ends with WANT
  want=$1
  shift
  "$@" >status.out 2>status.err
  got=$?
  [ $got = "$want" ] || { echo "status $got, want $want"; cat status.out status.err; return 1; }
}
counts() { awk '/^{/ { n += match($0, /"count":[0-9]+/) ? substr($0, RSTART + 8, RLENGTH - 8) : 1 } END { print n }' "$1"; }

# ---- lines ----
check "records" status 0 "$ww" record -o a.jsonl -- "$program"
check "the program's output stays where it was" has status.out "program output"
check "the summary" has status.err "1004 launches of 3 kernels, 4 distinct, in a.jsonl"
check "a thousand equal launches are one line" has a.jsonl '"kernel":"scale","grid":\[16,1,1\].*"count":1000'
check "counts sum up" same "$(counts a.jsonl)" 1004
check "a sub-buffer is an offset into its buffer" has a.jsonl '"bytes":4096,"offset":2048,"id":"1"'
check "local memory" has a.jsonl '{"buffer":{"bytes":128,"local":true}}'
check "a struct is bytes" has a.jsonl '{"hex":"030000000000c03f"}'
check "head: the first bytes" has a.jsonl '"head":"0000000004000000080000000c000000'
check "build options are flags" has a.jsonl '"flags":\["-DN=32","-w"\]'
check "no contents unless asked for" sh -c '! grep -q fill a.jsonl'
check "the source is the spec's file" has a.jsonl.d/*.cl "kernel void scale"

# ---- contents: the work depends on them ----
check "records contents" status 0 "$ww" record -o c.jsonl --contents -- "$program"
"$ww" trace --launch c.jsonl --full --json >trace.out 2>&1
check "every recorded line can be traced" same "$(grep -c '"metrics"' trace.out)" 4
# sum over groups of 4g iterations of an addition in 32 lanes, and one more in each of 16 groups
check "contents give the true work" has trace.out '"kernel":"sum".*"flops_fp32":{"value":15376}'
check "a limit on contents" status 0 "$ww" record -o l.jsonl --contents --contents-limit 1000 -- "$program"
check "what is beyond it is said" has l.jsonl "4096 bytes of contents left out"

# ---- a queue that waits for the program ----
check "a launch behind an open event is not waited for" status 0 timeout 60 "$ww" record -o e.jsonl --contents -- "$program" -1
check "and counted" same "$(counts e.jsonl)" 1005

# ---- bounds ----
check "100000 distinct launches" status 0 "$ww" record -o b.jsonl --per-kernel 8 -- "$program" 100000
check "are 8 lines of their kernel" same "$(grep -c '"kernel":"move"' b.jsonl)" 8
check "and counts still sum up" same "$(counts b.jsonl)" 101004

# ---- several processes, endings ----
check "a script of two programs" status 0 "$ww" record -o s.jsonl -- sh -c "$program; $program"
check "becomes one file" same "$(ls s*.jsonl)" s.jsonl
check "with both programs' launches" same "$(counts s.jsonl)" 2008
check "a program that fails is a warning" status 0 "$ww" record -o f.jsonl -- "$program" 0 7
check "that names its status" has status.err "ended with status 7"
check "a program that launches nothing" status 3 "$ww" record -o n.jsonl -- true
check "is told what to look at" has status.err "launched no kernel"
check "no such program" status 3 "$ww" record -o n.jsonl -- ./absent
check "no program at all" status 2 "$ww" record
check "no folder for the output" status 3 "$ww" record -o no/such/a.jsonl -- "$program"
echo "int main(void) {}" >main.c
check "another file is not overwritten" status 2 "$ww" record -o main.c -- "$program"
mkdir kept kept/below && mkfifo pipe
check "nor a folder" status 2 "$ww" record -o kept -- "$program"
check "nor a pipe" status 2 "$ww" record -o pipe -- "$program"
check "which are all still there" test -d kept/below -a -p pipe
check "--json: a summary object on stdout" status 0 "$ww" record --json -o j.jsonl -- "$program"
check "alone there" same "$(cat status.out)" \
  '{"schema_version":1,"recorded":"j.jsonl","launches":1004,"distinct":4,"kernels":3,"exit_code":0,"notes":[]}'
check "recording again replaces the old lines" same "$("$ww" record -q -o j.jsonl -- "$program" >/dev/null; counts j.jsonl)" 1004

# ---- and measured ----
check "--measure" status 0 "$ww" record --measure --json -- "$program"
check "gives a report of each line with its count" has status.out '"kernel":"scale".*"count":1000.*"time_us":{"value":[0-9]'
check "and leaves nothing behind" sh -c '! test -e launches.jsonl'
check "--measure and --emulate contradict" status 2 "$ww" record --measure --emulate main.c
check "--emulate wants sources" status 2 "$ww" record --emulate -DN=4 -- 1 2
check "sources want --emulate" status 2 "$ww" record main.cu -- 1
echo "1..$n"
