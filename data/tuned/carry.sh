#!/bin/sh
# carry.sh : build-gpu/tuned/, to be taken to a machine that has a GPU, Python with PyTorch, and no LLVM. There:
#
#   sh build-gpu/tuned/measure.sh dev OUT
#   sh build-gpu/tuned/measure.sh blind OUT
#
# It holds a warpwise that only measures, code for sm_90a, launch specs, checks and the Triton kernels.
cd "$(dirname "$0")/../.." || exit 1
to=build-gpu/tuned
make LLVM_CONFIG=none NVCC= BUILD=build-gpu build-gpu/warpwise || exit 1
mkdir -p "$to/tuned/blind" "$to/shim" # where shim/ is, gpus/ is looked for
cp build-gpu/warpwise "$to/" && strip "$to/warpwise"
for l in libcjson.so.1 libzstd.so.1 libsqlite3.so.0 libpcre2-8.so.0 libutf8proc.so.2; do
  cp -uL "$(cc -print-file-name=$l)" "$to/"
done
cp -r gpus data/triton "$to/"
cp data/tuned/*.py data/tuned/*.cu "$to/tuned/" && cp data/tuned/blind/*.cu "$to/tuned/blind/"
cp data/tuned/measure.sh data/tuned/maps.py "$to/"
python3 data/tuned/specs.py data/tuned/launches.jsonl "$to/code" > "$to/tuned.jsonl" || exit 1
python3 data/tuned/specs.py data/tuned/blind/launches.jsonl "$to/code" > "$to/blind.jsonl" || exit 1
python3 data/tuned/check.py plan "$to/code" "$to/check.jsonl" || exit 1
python3 data/tuned/check.py plan "$to/code" "$to/check-blind.jsonl" blind || exit 1
sed -i 's|"file":"../../data/tuned/|"file":"tuned/|' "$to"/*.jsonl
du -sh "$to"
