#!/bin/sh
# run.sh BUILD : records programs without a GPU and checks the lines. Speaks TAP.
#
# X.cu is a program; X.want has one text a line that the recorded launches must hold. Comments at its top: `args:` of the
# program, `options:` of the command, `ends:` the program's exit status when it is not 0.
build=$(cd "$1" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd) || exit 1
ww=$build/warpwise
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
n=0

tell() { # tell WHAT : ok when nothing was complained about
  n=$((n + 1))
  if [ -s complaints ]; then
    echo "not ok $n - $1"
    sed 's/^/# /' complaints | cut -c1-300
  else
    echo "ok $n - $1"
  fi
  : >complaints
}
said() { sed -n "s|^// $1: *||p" "$2" | head -n 1; }

: >complaints
echo 12 >input.txt
echo before >outside.txt
for source in "$here"/*.cu; do
  name=$(basename "$source" .cu)
  args=$(said args "$source")
  [ "$name" = files ] && args="$args $dir/outside.txt"
  ends=$(said ends "$source")
  # shellcheck disable=SC2046,SC2086 # words
  "$ww" record --emulate "$source" $(said options "$source") -o "$name.jsonl" --json -- \
    $([ "$name" = saxpy ] && echo 5000) $args >summary 2>errors
  status=$?
  if [ "$name" = files ] && grep -q Landlock errors; then
    n=$((n + 1))
    echo "ok $n - files # SKIP this kernel has no Landlock"
    echo before >outside.txt
    continue
  fi
  [ $status = 0 ] || { echo "status $status"; cat summary errors; } >>complaints
  grep -q "\"exit_code\":${ends:-0}," summary || { echo "the program should end with ${ends:-0}"; cat summary errors; } >>complaints
  while IFS= read -r want; do
    grep -qF -- "$want" "$name.jsonl" || { echo "not recorded: $want"; cat "$name.jsonl"; } >>complaints
  done <"$here/$name.want"
  tell "$name"
done

[ "$(cat input.txt)" = 12 ] && [ ! -e output.txt ] && [ "$(cat outside.txt)" = before ] || ls >>complaints
tell "the working folder is left alone"
[ "$(wc -l <errors.jsonl)" -eq 1 ] || cat errors.jsonl >>complaints
tell "refused launches are not recorded"

echo 'int main() { return missing(); }' >broken.cu
"$ww" record --emulate broken.cu -o broken.jsonl >summary 2>errors
[ $? = 3 ] && grep -q "broken.cu:1.*missing" errors || cat errors >>complaints
tell "a program that does not compile: its first error, status 3"
echo 'int missing(); __global__ void k() {} int main() { k<<<1,1>>>(); return missing(); }' >broken.cu
"$ww" record --emulate broken.cu -o broken.jsonl >summary 2>errors
[ $? != 0 ] && grep -q "missing()" errors || cat errors >>complaints
tell "a program that does not link: what is missing"
"$ww" record --emulate "$here/saxpy.cu" -o c.jsonl --contents -- 5000 >summary 2>errors
[ -n "$(ls c.jsonl.d 2>/dev/null)" ] && "$ww" trace --launch c.jsonl >traced 2>&1 || cat traced errors >>complaints
tell "contents are beside the launches, and trace reads them"
mkdir lib # an object for a fixed address, and a library in a folder of the user's
cat >fixed.c <<'END'
static int table[] = {3, 5, 7};
int fixed(int i) { return table[i & 1]; }
END
echo 'int more(void) { return 11; }' >lib/more.c
cat >mixed.cu <<'END'
extern "C" int fixed(int), more(void);
__constant__ int add[4];
__global__ void put(int *p) { *p = add[1]; }
int main() {
  int *p, h[4] = {0, fixed(1) + more()}, back = 0;
  cudaMalloc(&p, 4);
  cudaMemcpyToSymbol(add, h, sizeof h);
  put<<<1, 1>>>(p);
  cudaMemcpy(&back, p, 4, cudaMemcpyDeviceToHost);
  return back;
}
END
gcc -O1 -fno-pie -mcmodel=small -c fixed.c -o fixed.o && gcc -O1 -c lib/more.c -o lib/more.o && ar rc lib/libmore.a lib/more.o
"$ww" record --emulate --execute all mixed.cu fixed.o -Llib -lmore -o mixed.jsonl --json >summary 2>errors
grep -q '"exit_code":16,' summary || cat summary errors >>complaints
tell "objects and libraries of the user's, position-independent or not"
"$ww" record --emulate "$here"/parts/main.cu "$here"/parts/step.cu "$here"/parts/law.cu -DFACTOR=3 -o parts.jsonl >printed 2>errors
grep -q '"files":\[".*parts/law.cu"\]' parts.jsonl || cat parts.jsonl errors >>complaints
grep alone parts.jsonl | grep -q '"files"' && cat parts.jsonl >>complaints
tell "a launch names the files that its device functions are in, and no others"
"$ww" predict --batch parts.jsonl >predicted 2>errors && grep -q apart predicted || cat predicted errors >>complaints
tell "which is all that predict needs"
"$ww" record --emulate "$here"/parts/*.cu -DFACTOR=3 -o parts.jsonl >printed 2>errors
[ "$(cat printed)" = stepped ] && grep -q '^to the error stream$' errors || cat printed errors >>complaints
tell "what the program prints is printed"
"$ww" record --emulate "$here"/parts/*.cu -DFACTOR=3 -o parts.jsonl --quiet >printed 2>errors
[ ! -s printed ] && [ ! -s errors ] || cat printed errors >>complaints
tell "but with --quiet"
"$ww" predict --batch library.jsonl >predicted 2>errors && grep -q 'cublasSgemm' predicted || cat predicted errors >>complaints
"$ww" predict --launch library.jsonl --gpu a100 --json >predicted 2>errors && grep -q 'opaque: a call of cublas' predicted || cat predicted errors >>complaints
tell "calls of libraries are predicted, and marked"
call() { printf '{"kernel":"%s us","library":{"name":"%s","call":"%s","type":"%s","size":[%s]}}\n' "$@"; }
{ # as measured on an H200
  call 2682 cublas gemm f32 4096,4096,4096
  call 9 cublas gemm f16 1024,1024,1024
  call 2221 cublas gemm f64 4096,4096,4096
  call 468 cublas gemm f32 128,128,128,4096
  call 490 cublas dot f32 268435456
  call 651 cufft c2c f32 1048576,64
  call 4089 curand normal f32 268435456
  call 2923 thrust sort u32 134217728
} >measured.jsonl
"$ww" predict --launch measured.jsonl --gpu h200 --json >predicted 2>errors || cat errors >>complaints
sed -n 's/.*"kernel":"\([0-9]*\) us","gpu".*"time_us":{"value":[^,]*,"low":\([^,]*\),"high":\([^}]*\)}.*/\1 \2 \3/p' predicted |
  awk '$1 < $2 || $1 > $3 { print "not between: " $0 } END { if (NR != 8) print NR " of 8 times" }' >>complaints
tell "measured times of library calls lie in their intervals"
"$ww" trace --launch library.jsonl >predicted 2>errors
grep -q 'cublasSgemm is a call of a library' errors || cat predicted errors >>complaints
tell "and have no code to trace"
"$ww" record --emulate "$here/converge.cu" -o none.jsonl --execute none --json >summary 2>errors
grep -q '"launches":2,.*"exit_code":1,' summary || cat summary errors >>complaints
tell "kernels are run by need, unless none is to be"
"$ww" record --emulate "$here/converge.cu" -o none.jsonl --execute some >summary 2>errors
[ $? = 2 ] && grep -q 'none, all or auto' errors || cat errors >>complaints
tell "an unknown word for --execute: those that are known"
. "$here/sandbox/run.sh"
[ -f "$here/omp_run.sh" ] && . "$here/omp_run.sh"
echo "1..$n"
