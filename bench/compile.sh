#!/bin/sh
# compile.sh BUILD [KERNELS] [PROCESSES] : kernels compiled a second by NVRTC (bench/compile.c); default 1200, one process a core.
build=${1:-build}
[ $# -gt 0 ] && shift
llvm=$(${LLVM_CONFIG:-llvm-config-19} --ldflags --libs 2>/dev/null)
${CC:-gcc} -std=c17 -D_GNU_SOURCE -O2 -o "$build/bench_compile" bench/compile.c "$build/libwarpwise.a" \
  $llvm -lcjson -lzstd -lm -ldl -pthread && "$build/bench_compile" "$@"
