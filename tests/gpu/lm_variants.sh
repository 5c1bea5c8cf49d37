#!/bin/sh
# variants of the attention kernels, checked and timed (temporary)
cd "$(dirname "$0")/../.." || exit 1
t=${TMPDIR:-/dev/shm}/att; rm -rf $t; mkdir -p $t
make_one() { d=$t/$1; mkdir -p $d; for u in forward backward plain hopper; do nvcc -std=c++17 -cubin $2 -gencode=arch=compute_90a,code=sm_90a -o $d/attention_$u.cubin src/lm/cuda/attention_$u.cu & done; }
make_one base
make_one lazy_qregs "-DLAZY -DQREGS"
make_one poly4 "-DLAZY -DQREGS -DPOLY=4"
make_one poly2 "-DQREGS -DPOLY=2"
gcc -std=c17 -D_GNU_SOURCE -O2 -o $t/lm_attention tests/gpu/lm_attention.c src/lm/cuda/attention.c src/cuda/cuda_api.c src/base/error.c -ldl -lm -lpthread || exit 1
wait
timeout 60 $t/lm_attention $t/base $t/lazy_qregs $t/poly4 $t/poly2
