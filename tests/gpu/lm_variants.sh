#!/bin/sh
# variants of the attention kernels, checked and timed (temporary)
cd "$(dirname "$0")/../.." || exit 1
t=${TMPDIR:-/dev/shm}/att; rm -rf $t; mkdir -p $t
make_one() { d=$t/$1; mkdir -p $d; for u in forward backward plain hopper; do nvcc -w -std=c++17 -cubin $2 -gencode=arch=compute_90a,code=sm_90a -o $d/attention_$u.cubin src/lm/cuda/attention_$u.cu & done; }
make_one lazy "-DLAZY=0"
make_one lazy_qregs "-DLAZY=0 -DQREGS"
make_one poly4 "-DLAZY=0 -DQREGS -DPOLY=4"
make_one poly2_pbf "-DQREGS -DPOLY=2 -DPBF"
for c in 40 10000; do
gcc -std=c17 -D_GNU_SOURCE -O2 -DCACHE_BYTES="(${c}ull << 20)" -o $t/lm_attention_$c tests/gpu/lm_attention.c src/lm/cuda/attention.c src/cuda/cuda_api.c src/base/error.c -ldl -lm -lpthread || exit 1
done
wait
timeout 50 $t/lm_attention_40 $t/lazy $t/lazy_qregs $t/poly4 $t/poly2_pbf
echo "# all heads together"
timeout 15 $t/lm_attention_10000 --times $t/lazy_qregs
