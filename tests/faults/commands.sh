# commands.sh - the commands that run.sh lets fail, each with its inputs; small ones, for each runs hundreds of times.
#
# try NAME FILTER OUTPUTS COMMAND, see run.sh. $W is the program.
plain=cat
untimed() { sed -E 's/[0-9.]+ (ms|s|us)\b//g; s/"(elapsed_s|seconds|device_s|waited_s|interp_s|load_s|trace_s|build_s|run_s|inputs_ms|trace_ms|trace_cpu_ms|load_ms|clang_ms|lower_ms|predict_ms)":[0-9.e+-]+//g' "$1"; }
wants() { case $only in "  ") ;; *) for w in "$@"; do case $only in *" $w "* | *" $w:"*) return 0 ;; esac; done; false ;; esac; }
stores= rows=0

for c in kernels trace predict explain roofline; do seed $c examples/saxpy.cu; done
try kernels $plain "" '$W kernels --json saxpy.cu'
try trace untimed "" '$W trace saxpy.cu -k saxpy --json'
try predict untimed "" '$W predict saxpy.cu -k saxpy --gpu h200 --json'
# Without the file's text lines are named, not shown.
unquoted() { untimed "$1" | grep -vE '^ +[0-9]+ \|' | sed -E 's/ \| .*//'; }
try explain unquoted "" '$W explain saxpy.cu -k saxpy --gpu h200'
old roofline/roofline.svg
try roofline untimed "roofline.svg" '$W roofline saxpy.cu -k saxpy --gpu h200 --svg roofline.svg'
seed fix tests/explain/tone.cu
try fix untimed "tone.cu" '$W explain tone.cu --gpu h200 --fix --write'
mkdir -p "$dir/seed/gpus"
try gpus $plain "" '$W gpus show h200 --json'
mkdir -p "$dir/seed/doctor"
try doctor "" "" '$W doctor'
seed evaluate examples/saxpy.cu
if wants evaluate evaluate-page; then
  seed evaluate-page examples/saxpy.cu
  (cd "$dir/seed/evaluate" && "$program" predict saxpy.cu -k saxpy --gpu h200 --json | sed 's/"by":"[a-z]*"/"by":"hardware"/' >measured.jsonl)
  cp "$dir/seed/evaluate/measured.jsonl" "$dir/seed/evaluate-page/"
  old evaluate-page/page.html
fi
# A launch that could not be predicted is counted and named in the answer.
try evaluate "" "" '$W evaluate measured.jsonl --json -j 1'
try evaluate-page "" "page.html" '$W evaluate measured.jsonl -j 1 --html page.html -q'

# ---- a device ----
cat >"$dir/twice.cl" <<'END'
// warpwise: grid=4 block=64 n=256 x=f32[n]
__kernel void twice(int n, __global float *x) { int i = get_global_id(0); if (i < n) x[i] *= 2; }
END
seed measure "$dir/twice.cl"
if wants measure collect && "$program" measure "$dir/twice.cl" --device pocl --time-only >/dev/null 2>&1; then
  try measure "" "" '$W measure twice.cl --device pocl --time-only --json'
  mkdir -p "$dir/seed/collect"
  (cd "$dir/seed/collect" && "$program" dataset collect --store s.sqlite --grammar 1 --seed 2850 --launches 1 --count 1 --device pocl --batch 1 >/dev/null 2>&1)
  stores=s.sqlite rows=1
  try collect "" "s.sqlite" '$W dataset collect --store s.sqlite --grammar 1 --seed 2850 --launches 1 --count 2 --device pocl --batch 1 -j 1 --json'
  stores= rows=0
elif wants measure collect; then
  skip "measure and collect: no PoCL here"
fi
if grep -q __asan_init "$build/libwarpwise.a"; then skip "record: programs are not linked with a sanitised library"; else
  seed record tests/emulate/saxpy.cu
  old record/launches.jsonl '{"kernel":"old"}'
  try record "" "launches.jsonl" '$W record --emulate saxpy.cu -o launches.jsonl -q'
fi

# ---- the dataset ----
mkdir -p "$dir/seed/generate"
try generate $plain "made made/launches.jsonl" '$W dataset generate --grammar 1 --seed 9 --count 2 --launches 2 --out made -q'
old generate/one.cu
try generate-file $plain "one.cu" '$W dataset generate --grammar 1 --seed 9 --count 2 --out one.cu -q'
if wants import merge pack export export-zst export-parquet stats check; then
  mkdir -p "$dir/seed/import" "$dir/seed/merge"
  zstd -qdc data/corpus-h200.jsonl.zst | head -n 24 >"$dir/reports.jsonl"
  (cd "$dir/seed/merge" && head -n 8 "$dir/reports.jsonl" >"$dir/few.jsonl" &&
    "$program" dataset import --store a.sqlite --reports "$dir/few.jsonl" && "$program" dataset import --store b.sqlite --reports "$dir/reports.jsonl") >/dev/null 2>&1
  for c in pack export export-zst export-parquet stats; do seed $c "$dir/seed/merge/b.sqlite"; done
  cp "$dir/seed/merge/a.sqlite" "$dir/seed/import/"
  cp "$dir/reports.jsonl" "$dir/seed/import/"
  old pack/packed.sqlite.zst
  old export/rows.jsonl
  old export-zst/rows.csv.zst
fi
stores=a.sqlite rows=8
try import untimed "a.sqlite" '$W dataset import --store a.sqlite --reports reports.jsonl --json'
try merge $plain "a.sqlite" '$W dataset merge a.sqlite b.sqlite --json'
stores=b.sqlite rows=24
try pack $plain "packed.sqlite.zst" '$W dataset pack b.sqlite packed.sqlite.zst'
try export $plain "rows.jsonl" '$W dataset export b.sqlite -o rows.jsonl'
try export-zst $plain "rows.csv.zst" '$W dataset export b.sqlite --as csv -o rows.csv.zst'
try export-parquet $plain "rows.parquet" '$W dataset export b.sqlite --as parquet -o rows.parquet'
try stats $plain "svg page.html" '$W dataset stats b.sqlite --svg svg --html page.html'
stores= rows=0
mkdir -p "$dir/seed/check/corpus/map"
cp examples/saxpy.cu "$dir/seed/check/corpus/map/"
wanted_code=1
try check $plain "" '$W dataset check corpus -j 1'
wanted_code=

# ---- learning ----
if wants machine correction features; then
  mkdir -p "$dir/seed/machine/corpus/elementwise" "$dir/seed/features" "$dir/seed/correction"
  cp corpus/elementwise/axpy.cu "$dir/seed/machine/corpus/elementwise/"
  zstd -qdc data/corpus-h200.jsonl.zst | head -n 2 | sed 's#"\.\./corpus/#"corpus/#g' >"$dir/two.jsonl"
  for k in 1 2 3 4 5 6 7 8 9 10 11; do cat "$dir/two.jsonl"; done >"$dir/seed/machine/measured.jsonl" # a fit needs 20
  k=0
  for family in gen.map gen.chain gen.gather gen.grid2 gen.branchy gen.table gen.vector gen.dp; do
    for i in 0 1 2 3 4 5 6 7 8; do
      printf '{"schema_version":1,"key":"g1/7/%d","origin":"generated","version":1,"seed":7,"index":%d,"family":"%s","dialect":"cuda","number":%d,"kernel":"g1_7_%d","gpu":"h200","by":"hardware","metrics":{"time_us":{"value":9000},"registers":{"value":40}}}\n' $k $k $family $i $k
      k=$((k + 1))
    done
  done >"$dir/made.jsonl"
  head -n 2 "$dir/made.jsonl" >"$dir/seed/features/made.jsonl"
  "$program" train --correction "$dir/made.jsonl" --features "$dir/seed/correction/rows.zst" -o "$dir/unused.json.zst" --each 1 -q >/dev/null 2>&1
  old machine/machine.json
  old correction/model.json.zst
fi
# A launch that could not be traced is counted in the answer.
try machine "" "machine.json" '$W train --machine measured.jsonl -o machine.json -q'
try correction untimed "model.json.zst" '$W train --correction --features rows.zst -o model.json.zst --rounds 4 -q'
wanted_code=3
# A launch that could not be predicted is counted and left out.
try features "" "rows.zst model.json.zst" '$W train --correction made.jsonl --jobs 1 --features rows.zst -o model.json.zst --rounds 2 -q'
wanted_code=

# ---- language models ----
if wants tokenizer train-lm lm-generate lm-tokenize lm-inspect lm-convert lm-score; then
  awk 'BEGIN { for (i = 0; i < 60; i++) printf "{\"prompt\":\"void k%d() // %d\\n<|answer|>\",\"completion\":\"{\\\"kernel\\\":%d}<|end|>\"}\n", i % 8, i, i % 8 }' >"$dir/data.jsonl"
  for c in tokenizer train-lm; do seed $c "$dir/data.jsonl"; done
  old tokenizer/tokenizer.json
  "$program" train --device cpu --tokenizer "$dir/tokenizer.json" --vocab 300 --data "$dir/data.jsonl" -q >/dev/null 2>&1
  cp "$dir/tokenizer.json" "$dir/seed/train-lm/"
  "$program" train --device cpu --lm new --tokenizer "$dir/tokenizer.json" --width 32 --layers 1 --heads 2 --hidden 32 --context 64 --tokens 64 --batch 1 --steps 1 --data "$dir/data.jsonl" -o "$dir/model" -q >/dev/null 2>&1
  for c in lm-generate lm-tokenize lm-inspect lm-convert lm-score; do seed $c "$dir/model"; done
  head -n 2 "$dir/data.jsonl" >"$dir/seed/lm-score/texts.jsonl"
  old lm-convert/model.gguf
fi
try tokenizer untimed "tokenizer.json" '$W train --device cpu --tokenizer tokenizer.json --vocab 300 --data data.jsonl -q'
try train-lm "" "out state log.jsonl loss.svg" '$W train --device cpu --lm new --tokenizer tokenizer.json --width 32 --layers 1 --heads 2 --hidden 32 --context 64 --tokens 64 --batch 1 --steps 4 --data data.jsonl -o out --checkpoint state --every 2 --log log.jsonl --curve loss.svg -q'
try lm-generate $plain "" '$W lm generate model "void k1()" -n 4 --threads 1'
try lm-tokenize $plain "" '$W lm tokenize model/tokenizer.json "void k1()"'
try lm-inspect $plain "" '$W lm inspect model --json'
try lm-convert untimed "model.gguf" '$W lm convert model model.gguf --type f16'
try lm-score $plain "" '$W lm score model texts.jsonl --threads 1 --json'

# ---- servers: one conversation each ----
frame() { printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1"; }
mkdir -p "$dir/seed/lsp" "$dir/seed/mcp" "$dir/seed/serve"
text=$(sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' examples/saxpy.cu | awk '{ printf "%s\\n", $0 }')
{
  frame '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
  frame '{"jsonrpc":"2.0","method":"initialized","params":{}}'
  frame "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///nowhere/saxpy.cu\",\"languageId\":\"cuda-cpp\",\"version\":1,\"text\":\"$text\"}}}"
  frame '{"jsonrpc":"2.0","id":2,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"file:///nowhere/saxpy.cu"}}}'
  frame '{"jsonrpc":"2.0","id":3,"method":"shutdown"}'
  frame '{"jsonrpc":"2.0","method":"exit"}'
} >"$dir/seed/lsp/talk"
try lsp "" "" '$W lsp <talk'
cp examples/saxpy.cu "$dir/seed/mcp/"
{
  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
  echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"predict","arguments":{"file":"saxpy.cu","gpu":"h200"}}}'
} >"$dir/seed/mcp/talk"
try mcp "" "" '$W mcp <talk'
cp examples/saxpy.cu "$dir/seed/serve/"
cat >"$dir/seed/serve/talk.sh" <<'END'
$1 serve --port 0 --workers 1 >url 2>said &
pid=$!
i=0
while [ ! -s url ] && kill -0 $pid 2>/dev/null && [ $i -lt 100 ]; do sleep 0.05; i=$((i + 1)); done
url=$(cat url)
for body in '{"file":"saxpy.cu","gpu":"h200"}' '{"file":"none.cu"}'; do
  [ -z "$url" ] || curl -s -m 20 -o answer -H 'Content-Type: application/json' -d "$body" "${url}v1/predict"
done
kill -TERM $pid 2>/dev/null
wait $pid
code=$?
cat said >&2
rm -f url said answer
exit $code
END
if command -v curl >/dev/null && "$program" --help | grep -q '^  serve '; then
  try serve "" "" 'sh talk.sh $W'
fi
