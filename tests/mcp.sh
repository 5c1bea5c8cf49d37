#!/bin/sh
# mcp.sh BUILD : `warpwise mcp` over pipes and over HTTP, both eras of the protocol, the hostile messages too. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/.." || exit 1
program=$build/warpwise
repo=$PWD
dir=$(mktemp -d) || exit 1
dir=$(cd "$dir" && pwd -P)
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$dir"' EXIT
. tests/tap.sh
if ! "$program" --help | grep -q '^  mcp '; then echo "ok 1 - mcp # SKIP built without libmicrohttpd"; echo 1..1; exit 0; fi

mkdir "$dir/root"
cp tests/explain/row_sum.cu tests/fixes/turn.cl examples/saxpy.cu examples/spmv.cl "$dir/root/"
echo 'extern "C" __global__ void secret(float *x) { x[0] = 1; } // SECRET' >"$dir/outside.cu"
ln -s "$dir/outside.cu" "$dir/root/link.cu"
printf "%s\n" '{"file":"saxpy.cu","kernel":"saxpy","grid":4096,"block":256,"count":10,"args":[{"value":1048576},{"value":2},{"buffer":{"bytes":4194304}},{"buffer":{"bytes":4194304}}]}' '{"file":"saxpy.cu","kernel":"none","grid":1,"block":32,"count":2}' >"$dir/root/launches.jsonl"
echo '{"file":"../outside.cu","kernel":"secret","grid":1,"block":32}' >"$dir/root/outside.jsonl"

# ---- pipes ----
# talk OPTIONS... : messages on stdin, answers into $dir/out, the exit code into $dir/code
talk() { "$program" mcp --root "$dir/root" "$@" >"$dir/out" 2>"$dir/err"; echo $? >"$dir/code"; }
# has PATTERN... : '' when the answers match each extended regular expression
has() {
  [ "$(cat "$dir/code")" = 0 ] || echo "exit code $(cat "$dir/code"): $(head -c 400 "$dir/err")"
  [ -s "$dir/err" ] && echo "stderr: $(head -c 400 "$dir/err")"
  for p in "$@"; do grep -qE -- "$p" "$dir/out" || echo "no $p in: $(head -c 500 "$dir/out")"; done
}
call() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"$2\",\"arguments\":$3}}"; }
V='"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
META="\"_meta\":{$V,\"io.modelcontextprotocol/clientCapabilities\":{}}"
modern() { echo "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"$2\",\"params\":{$META${3:+,$3}}}"; }

for v in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
  echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"$v\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}" | talk
  report "initialize $v" "$(has "\"id\":1,\"result\":\{\"protocolVersion\":\"$v\",\"capabilities\":\{\"tools\":\{\}.*\"serverInfo\":\{\"name\":\"warpwise\"")"
done
talk <<'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"ping"}
{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}
{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}
{"jsonrpc":"2.0","id":5,"method":"server/discover"}
{"jsonrpc":"2.0","id":6,"method":"tools/list"}
{"jsonrpc":"2.0","id":7,"method":"resources/list"}
{"jsonrpc":"2.0","id":8,"method":"resources/templates/list"}
{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"warpwise://gpus/h200"}}
{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"warpwise://metrics"}}
{"jsonrpc":"2.0","id":11,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}
{"jsonrpc":"2.0","id":12,"method":"prompts/list"}
{"jsonrpc":"2.0","id":13,"method":"prompts/get","params":{"name":"why_slow","arguments":{"file":"a.cu","gpu":"a100"}}}
{"jsonrpc":"2.0","id":14,"method":"prompts/get","params":{"name":"none"}}
{"jsonrpc":"2.0","id":16,"method":"resources/read","params":{"uri":"warpwise://schemas"}}
{"jsonrpc":"2.0","id":15,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"warpwise://gpus/{name}"},"argument":{"name":"name","value":"h"}}}
END
report "an unknown version: the newest one" "$(has '"id":1,"result":\{"protocolVersion":"2025-11-25"')"
report "ids come back as they were written" "$(has '"id":"two","result":\{\}' '"id":9007199254740993,"result":\{\}')"
report "initialize without a version" "$(has '"id":4,"error":\{"code":-32602')"
report "server/discover is of the other era" "$(has '"id":5,"error":\{"code":-32601')"
names=$(sed -n '/"id":6,/p' "$dir/out" | grep -oE '\{"name":"[a-z_]+","title"' | cut -d '"' -f 4 | tr '\n' ' ')
report "tools in their order" "$([ "$names" = "list_kernels predict explain fix roofline sweep compare verify_kernels tune_kernel optimize_kernel batch measure evaluate " ] || echo "$names")"
report "the list of tools is short: every client reads it" "$([ "$(sed -n '/"id":6,/p' "$dir/out" | wc -c)" -lt 12288 ] || sed -n '/"id":6,/p' "$dir/out" | wc -c)"
report "tools with schemas and hints, of results as a resource" "$(has '"inputSchema":\{"type":"object".*"readOnlyHint":true' '"id":16,.*outputSchema' '"enum":\[[^]]*"h200"' '"sources":\{"description":"folder that files')"
report "resources and a template" "$(has '"uri":"warpwise://gpus/h200"' '"uriTemplate":"warpwise://gpus/\{name\}"' '"id":9,.*"mimeType":"application/json","text":".*peak_gbps' '"id":10,.*dram_read_bytes')"
report "a resource that is none" "$(has '"id":11,"error":\{"code":-32602,.*"data":\{"uri":"file:///etc/passwd"\}'; grep -c 'root:' "$dir/out" | grep -v '^0')"
report "prompts" "$(has '"id":12,.*"name":"why_slow"' '"id":13,.*a.cu on a100' '"id":14,"error":\{"code":-32602')"
report "completion" "$(has '"id":15,"result":\{"completion":\{"values":\["h100","h200"\]')"
report "one line an answer, nothing else" "$([ "$(grep -c '^{"jsonrpc":"2.0",.*}$' "$dir/out")" = "$(wc -l <"$dir/out")" ] || cat "$dir/out")"

{
  call 1 list_kernels '{"file":"saxpy.cu"}'
  call 2 predict '{"file":"saxpy.cu","kernel":"saxpy","gpu":["h200","a100"]}'
  call 3 explain '{"file":"row_sum.cu","gpu":"h200"}'
  call 4 roofline '{"file":"saxpy.cu","gpu":["h200"],"plot":"svg"}'
  call 5 compare '{"file":"saxpy.cu","kernel":"saxpy_strided","other_kernel":"saxpy","gpu":["h200"]}'
  call 6 compare '{"file":"row_sum.cu","gpu":["h200","a100"]}'
  call 7 predict '{"source":"__kernel void f(__global float *x) { x[get_global_id(0)] += 1.0f; }","lang":"opencl","launch":"grid=64 block=64 x=f32[4096]"}'
  call 8 predict '{"source":"__kernel void f(__global float *x) { x[get_global_id(0)] += 1.0f; }","lang":"opencl","launch":{"grid":[64],"block":[64]},"detail":"full"}'
  call 17 verify_kernels '{"file":"saxpy.cu","kernel":"saxpy","other_source":"__global__ void saxpy(int n, float a, const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n - 1) y[i] = a * x[i] + y[i]; }"}'
  call 18 verify_kernels '{"source":"// warpwise: grid=(n+63)/64 block=64 n=4096\n__kernel void f(__global float *x, int n) { int i = get_global_id(0); if (i < n) x[i] += 1.0f; }","lang":"opencl","other_source":"__kernel void f(__global float *x, int n) { int i = get_global_id(0); if (i < n) x[i] = 1.0f + x[i]; }"}'
  call 19 verify_kernels '{"file":"saxpy.cu","kernel":"saxpy"}'
  call 9 compare '{"file":"row_sum.cu","other_source":"// warpwise: grid=n/256 block=256 n=1<<20\n__global__ void row_sum(const float *a, float *b, int n, int m) { b[blockIdx.x * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x]; }"}'
} | talk
report "verify_kernels: another one" "$(has '"id":17,.*"structuredContent":\{"verdict":\{.*"same":false.*"difference":\{"kind":"result".*"buffer":"y"')"
report "verify_kernels: the same" "$(has '"id":18,.*"structuredContent":\{"verdict":\{.*"same":true.*"text":"same')"
report "verify_kernels needs two" "$(has '"id":19,.*needs other_file.*"isError":true')"
report "list_kernels" "$(has '"id":1,.*"structuredContent":\{"dialect":"cuda","kernels":\[\{"name":"saxpy","line":4,"parameters":\["int n"')"
report "predict: two GPUs, intervals" "$(has '"id":2,.*"structuredContent":\{.*"gpu":"h200".*"time_us":\{"value":[0-9.]+,"low":[0-9.]+,"high":[0-9.]+\}.*"gpu":"a100"')"
report "explain: findings and lines" "$(has '"id":3,.*"structuredContent":\{.*"findings":\[\{"line":9,"rule":"uncoalesced-load".*"speedup":[0-9.]+.*"lines":\[\{"line":9,"share":0?\.?[0-9]')"
report "roofline, with its plot" "$(has '"id":4,.*"mimeType":"image/svg\+xml","text":".*</svg>' '"structuredContent":\{"kernels":\[\{"kernel":"saxpy","gpu":"h200","ai":.*"share_of_roof":')"
report "compare: two kernels" "$(has '"id":5,.*"version":"before","kernel":"saxpy_strided".*"version":"after","kernel":"saxpy".*"speedup":[1-9][0-9.]*,"verdict":"faster".*"changed":\[\{"metric"')"
report "compare: two GPUs" "$(has '"id":6,.*"gpu":"h200".*"gpu":"a100".*"speedup":0\.')"
report "compare: a file with a text" "$(has '"id":9,.*"version":"after".*"verdict":"faster')"
report "a launch in its short form" "$(has '"id":7,.*"grid":\[64\],"block":\[64\]')"
report "details on request" "$(has '"id":8,.*"full":\[\{"schema_version":1' && [ "$(sed -n '/"id":7,/p' "$dir/out" | wc -c)" -lt 2500 ] || echo "long")"
report "the text is the structured result" "$(sed -n '/"id":1,/p' "$dir/out" | grep -qE '"text":"\{\\"dialect\\":\\"cuda\\"' || echo "it is not")"

{
  call 1 sweep '{"file":"saxpy.cu","kernel":"saxpy","sweep":"n=1M..4M","gpu":["h200","a100"]}'
  call 2 sweep '{"file":"saxpy.cu","kernel":"saxpy"}'
  call 3 fix '{"file":"turn.cl","gpu":["h200"],"detail":"full"}'
  call 4 batch '{"launches":"launches.jsonl","gpu":["h200","a100"]}'
} | talk
report "sweep: sizes by GPUs" "$(has '"id":1,.*"structuredContent":\{"kernel":"saxpy","name":"n","gpus":\["h200","a100"\],"points":\[\{"value":1048576,.*"value":4194304')"
report "sweep says what it needs" "$(has '"id":2,.*needs .sweep')"
report "fix: a patch, and the text with it" "$(has '"id":3,.*"structuredContent":\{.*"rule":"bank-conflict".*"in_patch":true.*"patch":"--- .*\[33\].*"source":".*\[33\]')"
report "batch: a sum that says what it leaves out" "$(has '"id":4,.*"totals":\[\{"gpu":"[ah][12]00","launches":12,"unanswered":2,"time_us":[0-9.]+\}.*"kernels":\[\{"kernel":"saxpy.*"kernel":"none".*"error"')"
call 5 batch '{"launches":"outside.jsonl"}' | talk
report "batch: files outside of the root" "$(has '"id":5,.*outside of the folder.*"isError":true')"
call 6 batch '{}' | talk
report "batch says what it needs" "$(has '"id":6,.*needs .launches')"

call 1 predict '{"file":"row_sum.cu"}' | talk --gpu a100,a10
report "the GPUs that the server was started for" "$(has '"gpu":"a100".*"gpu":"a10"'; grep -o '"gpu":"h200"' "$dir/out")"

{
  call 1 predict '{"file":"../outside.cu"}'
  call 2 list_kernels '{"file":"link.cu"}'
  call 3 predict '{"file":"/etc/passwd"}'
  call 4 predict '{"file":"saxpy.cu","gpus":["h200"]}'
  call 5 predict '{"file":"saxpy.cu","gpu":["h9000"]}'
  call 6 predict '{"gpu":["h200"]}'
  call 7 explain '{"source":"__global__ void k(int *x) { x[0] = y; }"}'
  call 8 none '{}'
  call 9 predict '[1]'
  call 10 predict '{"file":"saxpy.cu","flags":["-fplugin=/tmp/x.so"]}'
  call 11 roofline '{"file":"saxpy.cu","plot":"gif"}'
  call 12 compare '{"file":"saxpy.cu"}'
  call 13 evaluate '{"measured":"../x.jsonl"}'
  call 14 evaluate '{}'
  call 15 evaluate '{"measured":"none.jsonl","limit":"many"}'
  echo '{"jsonrpc":"2.0","id":16,"method":"tools/call","params":{}}'
  echo '{"jsonrpc":"2.0","id":17,"method":"tools/call"}'
  echo '{"jsonrpc":"2.0","id":18,"method":"tools/call","params":[1]}'
} | talk
for k in '1 no path below' '2 no path below' '3 no path below' "4 no argument 'gpus'" '5 no GPU .h9000' '6 give .source' "7 undeclared identifier" \
  "10 is not accepted here" '11 expected none\|svg' '12 two names' '13 no path below' '14 needs .measured' '15 limit: expected'; do
  report "an error that a model can read: ${k#* }" "$(has "\"id\":${k%% *},\"result\":\{\"content\":\[\{\"type\":\"text\",\"text\":\"[^}]*$(echo "${k#* }" | sed 's/|/\\|/')[^}]*\}\],\"isError\":true")"
done
report "unknown tools, arguments that are none" "$(has '"id":8,"error":\{"code":-32602,"message":"Unknown tool' '"id":9,"error":\{"code":-32602' '"id":16,"error":\{"code":-32602' '"id":17,"error":\{"code":-32602' '"id":18,"error":\{"code":-32602')"
report "nothing of outside is told" "$(grep -o 'SECRET\|root:' "$dir/out")"

{
  modern 1 server/discover
  modern 2 tools/list
  modern 3 tools/call '"name":"list_kernels","arguments":{"file":"saxpy.cu"}'
  modern 4 ping
  modern 5 initialize
  modern 6 nothing/known
  echo "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{\"_meta\":{$V}}}"
  echo '{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}'
  echo '{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}}'
  modern 10 resources/read '"uri":"warpwise://gpus/none"'
} | talk
report "stateless: discover" "$(has '"id":1,"result":\{"supportedVersions":\["2026-07-28"\],"capabilities":\{"tools":.*"resultType":"complete","ttlMs":[0-9]+,"cacheScope":"public","_meta":\{"io.modelcontextprotocol/serverInfo":\{"name":"warpwise"')"
report "stateless: lists may be kept" "$(has '"id":2,"result":\{"tools":.*"ttlMs":[0-9]+,"cacheScope":"public"')"
report "stateless: a call without a handshake" "$(has '"id":3,"result":\{"content":.*"isError":false,"resultType":"complete"')"
report "stateless: what it no longer has" "$(has '"id":4,"error":\{"code":-32601' '"id":5,"error":\{"code":-32601' '"id":6,"error":\{"code":-32601')"
report "stateless: _meta that lacks something" "$(has '"id":7,"error":\{"code":-32602,"message":"[^"]*clientCapabilities' '"id":9,"error":\{"code":-32602')"
report "stateless: another version" "$(has '"id":8,"error":\{"code":-32022,.*"data":\{"supported":\["2026-07-28"\],"requested":"2030-01-01"\}')"
report "stateless: a resource that is none" "$(has '"id":10,"error":\{"code":-32602')"

{
  echo 'not JSON'
  echo '{"jsonrpc":"2.0","id":1,"method":"ping"'
  echo '[]'
  echo '[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":3,"method":"none"},4]'
  echo '{"id":4,"method":"ping"}'
  echo '{"jsonrpc":"2.0","id":{},"method":"ping"}'
  echo '{"jsonrpc":"2.0","id":5,"method":7}'
  echo '{"jsonrpc":"2.0","id":6,"result":{}}'
  echo '"text"'
  printf '{"jsonrpc":"2.0","id":"\0","method":"ping"}\n'
  head -c 200000 /dev/zero | tr '\0' '['
  echo
  head -c 200000 /dev/zero | tr '\0' 'a'
  echo
  echo
  printf '\r\n'
  printf '{"jsonrpc":"2.0","id":7,"method":"ping"}'
} | talk --max-body 64
report "malformed JSON" "$(has '"id":null,"error":\{"code":-32700')"
report "a batch: one array, in any order" "$(has '^\[.*"id":2,"result":\{\}.*"id":3,"error":\{"code":-32601' '^\[.*"id":null,"error":\{"code":-32600')"
report "an empty batch, messages that are none" "$(has '"id":null,"error":\{"code":-32600' '"id":4,"error":\{"code":-32600' '"id":5,"error":\{"code":-32600')"
report "oversized lines" "$(has 'at most 65536 bytes')"
report "the last line without its end" "$(has '"id":7,"result":\{\}')"

# ---- long calls over pipes ----
{ echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"evaluate\",\"arguments\":{\"measured\":\"data/corpus-h200.jsonl.zst\",\"limit\":4,\"by\":\"machine\"},\"_meta\":{\"progressToken\":\"mine\"}}}"; } |
  talk --root "$repo"
report "evaluate, with progress" "$(has '"method":"notifications/progress","params":\{"progressToken":"mine","progress":4,"total":4' '"id":1,"result":.*"structuredContent":\{"data":"corpus-h200.jsonl.zst".*"launches":4,"answered":4,"metrics":\{"time_us":\{"n":4,')"
echo "$program evaluate --json $repo/data" >"$dir/pattern" # in a file: no command line but theirs has it
evaluations() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -oF -f "$dir/pattern" | wc -l; }
# a child with the sanitizers on a busy machine takes seconds to go
wait_children() { for i in $(seq 300); do test "$(evaluations)" "$1" 0 && return 0; sleep 0.1; done; return 1; }
left_over() { # what runs on, its state and its parent
  for p in /proc/[0-9]*; do
    if tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -qF -f "$dir/pattern"; then grep -E '^(State|PPid|SigQ|SigBlk|SigPnd)' "$p/status" | tr '\n\t' '  '; fi
  done
}
whole='{"measured":"data/corpus-h200.jsonl.zst","by":"machine"}'
{ call 1 evaluate "$whole"; sleep 2; call 2 evaluate "$whole"; sleep 1; echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'; sleep 1; echo '{"jsonrpc":"2.0","id":3,"method":"ping"}'; } |
  talk --root "$repo"
report "one at a time" "$(has '"id":2,"result":.*another measurement or evaluation runs')"
report "a cancelled call ends, and gets no result" "$(has '"id":3,"result":\{\}'; grep '"id":1,' "$dir/out"; wait_children -eq || echo "its child runs on: $(left_over)")"

# ---- tuning and optimising ----
columns='// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=512 a=f32[n*n] b=f32[n*n]\n__kernel void twice(int n, __global const float *a, __global float *b) { int row = get_global_id(0), col = get_global_id(1); if (row < n && col < n) b[row * n + col] = 2.0f * a[row * n + col]; }'
{
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"optimize_kernel\",\"arguments\":{\"source\":\"$columns\",\"lang\":\"opencl\",\"rounds\":1,\"seed\":3,\"seconds\":400},\"_meta\":{\"progressToken\":5}}}"
} | talk
report "optimize_kernel: a patch" "$(has '"id":1,.*"structuredContent":\{"kernel":"twice".*"improved":true.*"patch":"--- .*get_global_id\(1\).*"tried":\[\{.*"state":"verified"')"
report "... with progress that only grows" "$(grep -o '"progressToken":5,"progress":[0-9]*' "$dir/out" | cut -d : -f 3 | awk '$1 <= last { print "after " last " comes " $1 } { last = $1 } END { if (NR < 3) print NR " notifications" }')"
{
  call 1 tune_kernel '{"source":"#ifndef W\n#define W 1\n#endif\n// warpwise: grid=n/64/W block=64 n=65536 x=f32[n] y=f32[n]\n__kernel void s(__global const float *x, __global float *y, int n) { int i = get_global_id(0) * W; for (int k = 0; k < W; k++) if (i + k < n) y[i + k] = x[i + k]; }","lang":"opencl","param":["W=1,2,4"],"where":["W<4"]}'
} | talk
report "tune_kernel: ranked variants" "$(has '"id":1,.*"structuredContent":\{.*"variants":2.*"best":\{"label":"W=[12]".*"verdict":"same".*"ranked":\[\{"label"')"
call 1 optimize_kernel "{\"source\":\"#include \\\"$dir/outside.cu\\\"\"}" | talk
report "optimize_kernel: an include from outside" "$(has '"id":1,.*"isError":true'; grep -o SECRET "$dir/out")"
call 2 optimize_kernel '{"file":"saxpy.cu","kernel":"saxpy","gpu":["h200","a100"]}' | talk
report "optimize_kernel: several GPUs" "$(has '"id":2,.*one GPU at a time.*"isError":true')"
echo "$program optimize --json" >"$dir/pattern"
{ call 1 optimize_kernel '{"file":"saxpy.cu","kernel":"saxpy_strided"}'; sleep 4; echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'; sleep 1; echo '{"jsonrpc":"2.0","id":3,"method":"ping"}'; } | talk
report "optimize_kernel: cancelled, it ends with all its children" "$(has '"id":3,"result":\{\}'; grep '"id":1,' "$dir/out"; wait_children -eq || echo "its child runs on: $(left_over)")"
echo "$program evaluate --json $repo/data" >"$dir/pattern"
mkfifo "$dir/in"
"$program" mcp --root "$repo" <"$dir/in" >"$dir/out" 2>"$dir/err" &
pid=$!
pids="$pids $pid"
exec 9>"$dir/in"
call 1 evaluate "$whole" >&9
wait_children -gt
kill -TERM $pid
for i in $(seq 50); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
report "SIGTERM ends it and its child" "$(kill -0 $pid 2>/dev/null && echo "it runs on"; wait_children -eq || echo "its child runs on: $(left_over)")"
exec 9>&-
wait $pid
code=$?
report "with exit code 0" "$([ $code = 0 ] || { echo "exit code $code"; cat "$dir/err"; })"
{ for k in 1 2 3 4 5; do modern $k tools/list; done; sleep 0.5; modern 9 tools/list; sleep 0.5; } | { "$program" mcp --root "$dir/root" 2>"$dir/err"; echo $? >"$dir/code"; } | head -n 1 >/dev/null
report "a client that reads no more" "$([ "$(cat "$dir/code")" = 0 ] || { echo "exit code $(cat "$dir/code")"; cat "$dir/err"; })"

printf '%s\n' '{"schema_version":1,"file":"../outside.cu","kernel":"secret","gpu":"h200","by":"hardware","launch":{"file":"../outside.cu","kernel":"secret","grid":[1,1,1],"block":[32,1,1]},"metrics":{"time_us":{"value":1}}}' >"$dir/root/paths.jsonl"
printf '%s\n' '{"schema_version":1,"file":"saxpy.cu","kernel":"saxpy","gpu":"h200","by":"hardware","launch":{"file":"saxpy.cu","kernel":"saxpy","grid":[1,1,1],"block":[32,1,1],"flags":["-fplugin=./x.so"]},"metrics":{"time_us":{"value":1}}}' >"$dir/root/flags.jsonl"
{ call 1 evaluate '{"measured":"paths.jsonl"}'; sleep 1; call 2 evaluate '{"measured":"flags.jsonl"}'; sleep 1; call 3 evaluate '{"measured":"saxpy.cu"}'; } | talk
report "a table that names files outside" "$(has '"id":1,"result":.*outside of the folder.*"isError":true')"
report "a table with compiler flags" "$(has '"id":2,"result":.*not accepted here.*"isError":true')"
report "a table that is none" "$(has '"id":3,"result":.*"isError":true')"
if "$program" measure --device pocl --time-only --json examples/spmv.cl >/dev/null 2>&1; then
  { call 1 measure '{"file":"spmv.cl","device":"pocl"}'; sleep 2; } | talk
  report "measure on PoCL" "$(has '"id":1,.*"structuredContent":\{"device":".*"reports":\[\{"kernel":"spmv","by":"hardware".*"time_us":\{"value":')"
  call 1 measure '{"source":"__kernel void f(__global float *x) { x[get_global_id(0)] += 1.0f; }","lang":"opencl","launch":"grid=64 block=64 x=f32[4096]"}' | talk --device pocl
  report "measure a text" "$(has '"id":1,.*"kernel":"f","by":"hardware","grid":\[64\]')"
  call 1 measure '{"file":"saxpy.cu","device":"--help"}' | talk
  report "a device that is none" "$(has '"id":1,.*"isError":true')"
else
  n=$((n + 1))
  echo "ok $n - measure # SKIP nothing to measure on"
fi

# ---- HTTP ----
if ! command -v curl >/dev/null; then echo "ok $((n + 1)) - HTTP # SKIP no curl"; echo "1..$((n + 1))"; exit $bad; fi
listen() { # NAME COMMAND OPTIONS... : starts a server, sets url and pid
  name=$1
  shift
  "$program" "$@" --port 0 >"$dir/$name.url" 2>"$dir/$name.err" &
  pid=$!
  pids="$pids $pid"
  for i in $(seq 100); do
    { [ -s "$dir/$name.url" ] || ! kill -0 $pid 2>/dev/null; } && break
    sleep 0.1
  done
  url=$(cat "$dir/$name.url")
}
# ask CODE PATTERN BODY [CURL OPTIONS...] : '' when the status is CODE and head and body match the extended regular expression
ask() {
  want=$1 pattern=$2 body=$3
  shift 3
  [ -n "$body" ] && set -- -H 'Content-Type: application/json' --data-binary "$body" "$@"
  status=$(curl -s -m 60 -D "$dir/head" -o "$dir/answer" -w '%{http_code}' "$@" "$url")
  [ "$status" = "$want" ] || echo "status $status, want $want: $(head -c 300 "$dir/answer")"
  cat "$dir/head" "$dir/answer" 2>/dev/null | tr -d '\r' | grep -qE -- "$pattern" || echo "no $pattern in: $(head -c 300 "$dir/answer")"
}
ACCEPT='Accept: application/json, text/event-stream'
init='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
ping='{"jsonrpc":"2.0","id":2,"method":"ping"}'
listen plain mcp --http --root "$repo" --max-body 64
report "it says where it listens" "$(grep -qE '^http://127.0.0.1:[0-9]+/mcp$' "$dir/plain.url" || cat "$dir/plain.url" "$dir/plain.err")"
report "initialize begins a session" "$(ask 200 '^[Mm]cp-[Ss]ession-[Ii]d: [0-9a-f]{32}$' "$init" -H "$ACCEPT"; grep -q '"protocolVersion":"2025-11-25"' "$dir/answer" || cat "$dir/answer")"
session=$(tr -d '\r' <"$dir/head" | sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: //p')
report "a notification: 202, no body" "$(ask 202 . '{"jsonrpc":"2.0","method":"notifications/initialized"}' -H "$ACCEPT" -H "Mcp-Session-Id: $session" -H 'MCP-Protocol-Version: 2025-11-25'; [ -s "$dir/answer" ] && cat "$dir/answer")"
report "ping" "$(ask 200 '"id":2,"result":\{\}' "$ping" -H "$ACCEPT" -H 'MCP-Protocol-Version: 2025-11-25')"
report "measuring is not offered unasked" "$(ask 200 '"name":"evaluate"' '{"jsonrpc":"2.0","id":3,"method":"tools/list"}'; grep -o '"name":"measure"' "$dir/answer")"
report "nor done" "$(ask 200 '"code":-32602,"message":"Unknown tool' "$(call 4 measure '{"file":"examples/spmv.cl"}')")"
report "a call" "$(ask 200 '"kernel":"saxpy"' "$(call 5 predict '{"file":"examples/saxpy.cu","kernel":"saxpy"}')" -H "$ACCEPT")"
report "an unknown method, with a handshake" "$(ask 200 '"id":6,"error":\{"code":-32601' '{"jsonrpc":"2.0","id":6,"method":"none"}')"
report "no JSON" "$(ask 400 '"id":null,"error":\{"code":-32700' '{"jsonrpc"')"
report "no message" "$(ask 400 '"id":7,"error":\{"code":-32600' '{"id":7,"method":"ping"}')"
report "an answer to nothing" "$(ask 202 . '{"jsonrpc":"2.0","id":1,"result":{}}')"
report "a batch of the version that has them" "$(ask 200 '^\[.*"id":2,"result":\{\}.*\]$' "[$ping,$ping]")"
report "a batch of a later one" "$(ask 400 '"code":-32600' "[$ping]" -H 'MCP-Protocol-Version: 2025-06-18'; ask 400 '"code":-32600' "[$(modern 1 tools/list)]")"
report "a version that nobody speaks" "$(ask 400 '"code":-32600' "$ping" -H 'MCP-Protocol-Version: 1999-01-01')"
report "GET and DELETE" "$(ask 405 '^Allow: POST$' '' -X GET -H 'Accept: text/event-stream'; ask 405 . '' -X DELETE)"
report "no answer that the client takes" "$(ask 406 . "$ping" -H 'Accept: text/html')"
report "text that is not called JSON" "$(ask 415 . '' -X POST -H 'Content-Type: text/plain' -d "$ping")"
report "a body that is too large" "$(head -c 100000 /dev/zero | tr '\0' ' ' >"$dir/large"; ask 413 'larger than' "@$dir/large")"
report "another site's page" "$(ask 403 'other sites' "$ping" -H 'Origin: https://example.com')"
report "a name that was made to mean this address" "$(ask 403 'name in Host' "$ping" -H 'Host: example.com')"
report "our own page" "$(ask 200 '"result":\{\}' "$ping" -H "Origin: ${url%/mcp}")"
report "another path" "$(url=${url%mcp}other; ask 404 . "$ping")"

# The stateless era: headers repeat what the body says.
say() { echo "-H MCP-Protocol-Version:2026-07-28 -H Mcp-Method:$1${2:+ -H Mcp-Name:$2}"; }
# shellcheck disable=SC2046
{
report "stateless: discover" "$(ask 200 '"supportedVersions":\["2026-07-28"\]' "$(modern 1 server/discover)" $(say server/discover))"
report "stateless: a call" "$(ask 200 '"resultType":"complete"' "$(modern 2 tools/call '"name":"list_kernels","arguments":{"file":"examples/saxpy.cu"}')" $(say tools/call list_kernels))"
report "stateless: the name in base64" "$(ask 200 '"resultType":"complete"' "$(modern 2 resources/read '"uri":"warpwise://rules"')" $(say resources/read '=?base64?d2FycHdpc2U6Ly9ydWxlcw==?='))"
report "stateless: an unknown method" "$(ask 404 '"id":3,"error":\{"code":-32601' "$(modern 3 ping)" $(say ping))"
report "stateless: another method in the header" "$(ask 400 '"id":4,"error":\{"code":-32020' "$(modern 4 tools/list)" $(say prompts/list))"
report "stateless: another name" "$(ask 400 '"code":-32020' "$(modern 5 tools/call '"name":"predict","arguments":{}')" $(say tools/call explain))"
report "stateless: a name that is no base64" "$(ask 400 '"code":-32020' "$(modern 5 tools/call '"name":"predict","arguments":{}')" $(say tools/call '=?base64?cHJlZGljd?='))"
report "stateless: no name" "$(ask 400 '"code":-32020' "$(modern 6 tools/call '"name":"predict","arguments":{}')" $(say tools/call))"
report "stateless: no headers" "$(ask 400 '"code":-32020' "$(modern 7 tools/list)")"
report "stateless: another version in the header" "$(ask 400 '"code":-32020' "$(modern 8 tools/list)" -H MCP-Protocol-Version:2025-11-25 -H Mcp-Method:tools/list)"
report "stateless: no _meta" "$(ask 400 '"id":9,"error":\{"code":-32602' '{"jsonrpc":"2.0","id":9,"method":"tools/list"}' $(say tools/list))"
report "stateless: a version that nobody speaks" "$(ask 400 '"code":-32022,.*"requested":"2031-01-01"' "$(modern 10 tools/list | sed 's/2026-07-28/2031-01-01/')" -H MCP-Protocol-Version:2031-01-01 -H Mcp-Method:tools/list)"
}

# ---- streams ----
slow() { echo "{\"jsonrpc\":\"2.0\",\"id\":\"e\",\"method\":\"tools/call\",\"params\":{\"name\":\"evaluate\",\"arguments\":$1,\"_meta\":{\"progressToken\":5}}}"; }
report "progress as events, then the result" "$(ask 200 '^[Cc]ontent-[Tt]ype: text/event-stream' "$(slow '{"measured":"data/corpus-h200.jsonl.zst","limit":3,"by":"machine"}')" -H "$ACCEPT"; grep -q '^data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":3,"total":3' "$dir/answer" || cat "$dir/answer"; tail -n 2 "$dir/answer" | grep -q '^data: {"jsonrpc":"2.0","id":"e","result":.*"launches":3' || tail -n 2 "$dir/answer")"
report "JSON where events are not taken" "$(ask 200 '"launches":3' "$(slow '{"measured":"data/corpus-h200.jsonl.zst","limit":3,"by":"machine"}')" -H 'Accept: application/json'; grep -o 'notifications/progress' "$dir/answer")"
curl -s -N -H 'Content-Type: application/json' -H "$ACCEPT" -H "Mcp-Session-Id: $session" --data-binary "$(slow "$whole")" "$url" >"$dir/events" &
client=$!
for i in $(seq 150); do grep -qs 'notifications/progress' "$dir/events" && break; sleep 0.1; done
report "another session's cancellation means nothing here" "$(ask 202 . '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"e"}}' -H 'Mcp-Session-Id: 0123456789abcdef0123456789abcdef'; sleep 0.5; [ "$(evaluations)" != 0 ] || echo "it ended")"
report "the session's own ends the call" "$(ask 202 . '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"e"}}' -H "Mcp-Session-Id: $session"; wait_children -eq || echo "it runs on")"
wait $client
report "and its stream, without a result" "$(grep '"id":"e"' "$dir/events"; grep -q 'notifications/progress' "$dir/events" || echo "no progress")"
curl -s -N -H 'Content-Type: application/json' -H "$ACCEPT" --data-binary "$(slow "$whole")" "$url" >"$dir/events" &
client=$!
wait_children -gt
kill $client
report "a client that leaves ends its call" "$(wait_children -eq || echo "it runs on")"
curl -s -N -H 'Content-Type: application/json' -H "$ACCEPT" --data-binary "$(slow "$whole")" "$url" >"$dir/events" &
client=$!
wait_children -gt
kill -INT $pid
wait $pid
code=$?
report "SIGINT ends it with 0, its calls too" "$([ $code = 0 ] || { echo "exit code $code"; cat "$dir/plain.err"; }; wait_children -eq || echo "a child runs on")"
wait $client

echo 0123456789abcdef0123456789abcdef >"$dir/token"
listen token mcp --http --measure --root "$dir/root" --token-file "$dir/token"
report "no token, no answer" "$(ask 401 Bearer "$ping")"
report "with it" "$(ask 200 '"result":\{\}' "$ping" -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef')"
report "measuring where it was allowed" "$(ask 200 '"name":"measure"' '{"jsonrpc":"2.0","id":3,"method":"tools/list"}' -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef')"
kill -INT $pid
wait $pid
listen serve serve --root "$dir/root"
url=${url}mcp
report "/mcp of serve" "$(ask 200 '"protocolVersion":"2025-11-25"' "$init"; ask 200 '"kernel":"row_sum"' "$(call 1 explain '{"file":"row_sum.cu"}')"; ask 200 '"name":"compare"' '{"jsonrpc":"2.0","id":3,"method":"tools/list"}'; grep -o '"name":"measure"' "$dir/answer")"
kill -INT $pid
wait $pid
code=$?
report "serve ends with 0" "$([ $code = 0 ] || { echo "exit code $code"; cat "$dir/serve.err"; })"
"$program" mcp --http --bind 0.0.0.0 --port 0 >"$dir/out" 2>"$dir/err"
code=$?
report "other addresses need a token" "$([ $code = 2 ] && grep -q 'give a token' "$dir/err" || cat "$dir/err")"
echo "1..$n"
exit $bad
