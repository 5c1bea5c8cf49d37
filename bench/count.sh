#!/bin/sh
# count.sh BUILD : nanoseconds per event of the counting observer (bench/count.c).
build=${1:-build}
${CC:-gcc} -std=c17 -D_GNU_SOURCE -O2 -o "$build/bench_count" bench/count.c "$build/libwarpwise.a" \
  $(${LLVM_CONFIG:-llvm-config-19} --ldflags --libs) -lcjson -lm -ldl -pthread && "$build/bench_count"
