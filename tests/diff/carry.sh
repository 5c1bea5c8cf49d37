#!/bin/sh
# carry.sh GRAMMAR COUNT [SEED] : run_diff and the IR of COUNT kernels in build-gpu/carry/, to be
# taken to a machine that has a GPU and no LLVM. There:
#
#   cd build-gpu/carry && export LD_LIBRARY_PATH=$PWD WARPWISE_IR=$PWD/ir1
#   ./run_diff cuda --grammar 1 --seed 16016 --count 10240 --jobs 16 --rows rows.jsonl
#
# The IR goes without source positions and packed hard: 1.4 KB a kernel of grammar 1, 1.8 of 2.
cd "$(dirname "$0")/../.." || exit 1
grammar=${1:?usage: carry.sh GRAMMAR COUNT [SEED]}
count=${2:?usage: carry.sh GRAMMAR COUNT [SEED]}
seed=${3:-16016}
carry=build-gpu/carry
ir=$carry/ir$grammar
fresh=build-gpu/ir$grammar
make build/tests/run_diff || exit 1
make LLVM_CONFIG=none BUILD=build-gpu build-gpu/tests/run_diff || exit 1
mkdir -p "$ir" "$fresh"
cp build-gpu/tests/run_diff "$carry/" && strip "$carry/run_diff"
for l in libcjson.so.1 libzstd.so.1; do cp -uL "$(cc -print-file-name=$l)" "$carry/"; done
WARPWISE_IR=$fresh build/tests/run_diff cuda --prepare --grammar "$grammar" --seed "$seed" \
  --count "$count" --jobs "$(nproc)" || exit 1
for f in "$fresh"/*.zst; do
  to=$ir/$(basename "$f")
  [ -s "$to" ] && continue
  zstd -dcq "$f" | sed 's/  !.*$//' | zstd -19 -qfo "$to.part" && mv "$to.part" "$to"
done
du -sh "$ir"
