#!/bin/sh
# make.sh PROGRAM : one of each kind of file that the program writes and reads, into tests/compat/VERSION/, for the versions that come after it.
#
# Run once, before the version is raised; tests/compat/run.sh then asks each later program to read them. A device of OpenCL (PoCL) is needed.
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")"
out=$PWD/$("$program" --version | awk '{ print $2 }')
[ ! -e "$out" ] || { echo "make.sh: $out is there: what a released version wrote is not made again" >&2 && exit 2; }
work=/tmp/warpwise-compat # jobs name their files by their whole path
rm -rf "$work" && mkdir "$work"
cp sources/* "$work"
models=$PWD/../../models
cd "$work"

"$program" record --emulate program.cu -o launches.jsonl
"$program" predict --batch launches.jsonl --gpu h200 --json >reports.jsonl
"$program" explain scale.cl --gpu h200 --json >explained.jsonl
WARPWISE_IR=$PWD/ir
mkdir ir
export WARPWISE_IR
"$program" predict scale.cl --gpu h200 --json >/dev/null
unset WARPWISE_IR
"$program" measure scale.cl --device pocl --json >measured.jsonl
"$program" dataset collect --store store.sqlite --grammar 1 --seed 2850 --launches 2 --count 2 --device pocl --batch 1
"$program" dataset pack store.sqlite store.sqlite.zst
rm -f store.sqlite store.sqlite-*
"$program" tune scale.cl --param W=1,2 --param BX=64,128 --block BX --grid '(n+BX*W-1)/(BX*W)' --propose tune.job --measurements 2
"$program" measure --job tune.job --device pocl
"$program" optimize naive.cl --seed 7 --rounds 1 --beam 1 --propose optimize.job
"$program" measure --job optimize.job --device pocl
"$program" verify scale.cl same.cl --propose verify.job
"$program" measure --job verify.job --device pocl

# A description of a GPU as a user keeps one, and a language model so small that it says nothing.
"$program" gpus show a10 --json >gpu.json
awk 'BEGIN { for (i = 0; i < 60; i++)
  printf "{\"prompt\":\"kernel %d: \",\"completion\":\"%d us\"}\n", i % 9, i % 9 * 7 }' >questions.jsonl
"$program" train --device cpu --tokenizer tokenizer.json --vocab 300 --data questions.jsonl
"$program" train --device cpu --lm new --tokenizer tokenizer.json --width 16 --layers 1 --heads 2 --hidden 16 \
  --context 32 --batch 2 --tokens 64 --data questions.jsonl -o model --steps 4 --checkpoint state --every 2
rm -rf state/00000004
"$program" lm convert model model.gguf --type f16
rm tokenizer.json

# The fitted model that came with the version, and a correction on top of it, of generated kernels that all take 9 ms.
mkdir models
cp "$models/machine.json" models/
k=0
for family in gen.map gen.chain gen.gather gen.grid2 gen.branchy gen.table gen.vector gen.dp; do
  for i in 0 1 2 3 4 5 6 7 8; do
    printf '{"schema_version":1,"key":"g1/7/%d","origin":"generated","version":1,"seed":7,"index":%d,' $k $k
    printf '"family":"%s","dialect":"cuda","number":%d,"kernel":"g1_7_%d","gpu":"h200","by":"hardware",' $family $i $k
    printf '"metrics":{"time_us":{"value":9000},"registers":{"value":40}}}\n'
    k=$((k + 1))
  done
done >exported.jsonl
"$program" train --correction exported.jsonl --features rows.zst -o models/correction.json.zst --rows 200 --each 1
rm exported.jsonl
cp -R "$work" "$out"
rm -rf "$work"
du -sb "$out"
