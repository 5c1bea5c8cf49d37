#!/bin/sh
# limits.sh BUILD : sources that would hold the program for minutes or take all memory: the command line, servers, an editor. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/.." || exit 1
program=$build/warpwise
dir=$(mktemp -d) || exit 1
dir=$(cd "$dir" && pwd -P)
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$dir"' EXIT
. tests/tap.sh
${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -o "$dir/held" tests/limits.c || exit 1
mb=1200 # clang and LLVM among it
if grep -q __asan_init "$build/libwarpwise.a"; then mb=6000; fi

# ---- the sources ----
source_of() { # NAME : the kernel k
  case $1 in
  memcpy) echo '__global__ void k(char *x) { __builtin_memcpy(x, x + 1, 1ull << 60); }' ;;
  memset) echo '__global__ void k(char *x) { __builtin_memset(x, 1, 1ull << 60); }' ;;
  memmove) echo '__global__ void k(char *x) { __builtin_memmove(x + 3, x, 1ull << 62); }' ;;
  length) echo '__global__ void k(char *x, long n) { __builtin_memset(x, 1, -n * n); }' ;;
  copies) echo '__global__ void k(char *x, long n) { for (long i = 0; i < 1l << 40; i++) __builtin_memcpy(x, x + (1 << 20) + (i & 7), n << 10); }' ;;
  struct) echo 'struct S { char b[1 << 28]; }; __global__ void k(S *x) { x[0] = x[1]; }' ;;
  overlap) echo 'struct S { char b[1 << 28]; }; __global__ void k(char *x) { *(S *)x = *(S *)(x + 1); }' ;;
  nested) echo 'struct A { int a[256]; }; struct B { A a[256]; }; struct C { B b[256]; }; struct D { C c[8]; }; __global__ void k(D *x) { D d = x[5]; x[6] = d; }' ;;
  returned) echo 'struct S { int b[1 << 24]; }; __device__ __attribute__((noinline)) S make(int i) { S s; for (int k = 0; k < 1 << 24; k++) s.b[k] = i; return s; } __global__ void k(S *x) { x[1] = make(3); }' ;;
  local) echo '__global__ void k(int *x) { int a[1 << 26]; __builtin_memset(a, x[0], sizeof a); x[1] = a[x[2]] + a[x[3]]; }' ;;
  shared) echo '__global__ void k(int *x) { __shared__ int s[1 << 28]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[threadIdx.x ^ 1]; }' ;;
  endless) echo '__global__ void k(volatile unsigned *x) { for (unsigned s = threadIdx.x | 1; s; s = (s * 1664525u + 1013904223u) | 1) x[threadIdx.x] = s; }' ;;
  spin) echo '__global__ void k(unsigned *x) { for (unsigned s = 1; s; s = (s * 1664525u + 1013904223u) | 1) atomicAdd(x + threadIdx.x, s); }' ;;
  calls) echo '__device__ __attribute__((noinline)) int f(int n, volatile int *x) { if (n <= 0) return *x; return f(n - 1, x) + f(n - 1, x) + 1; } __global__ void k(int *x) { x[0] = f(60, x); }' ;;
  deep) echo '__device__ __attribute__((noinline)) int f(int n, volatile int *x) { if (n <= 0) return *x; return f(n - 1, x) + f(n - 2, x) + 1; } __global__ void k(int *x) { x[0] = f(1 << 30, x); }' ;;
  templates) echo 'template <int N, int M> __device__ int f(int *x) { if constexpr (N == 0) return x[M & 1]; else return f<N - 1, M * 2>(x) + f<N - 1, M * 2 + 1>(x); } __global__ void k(int *x) { x[0] = f<24, 1>(x); }' ;;
  macros)
    echo '#define A0 x[0]+'
    for i in $(seq 30); do echo "#define A$i A$((i - 1)) A$((i - 1))"; done
    echo '__global__ void k(int *x) { x[0] = A30 1; }'
    ;;
  constants) echo 'constexpr unsigned long f() { unsigned long s = 0; for (unsigned long i = 0; i < 1ul << 40; i++) s += i; return s; } __global__ void k(unsigned long *x) { constexpr unsigned long v = f(); x[0] = v; }' ;;
  terms)
    echo '__global__ void k(int *x, int i) { x[0] = x[i]'
    seq 20000 | sed 's/.*/+ x[&] * i/'
    echo '; }'
    ;;
  cases)
    echo '__global__ void k(int *x, int i) { switch (i) {'
    seq 50000 | sed 's/.*/case 7 * &: x[&] = &; break;/'
    echo '} }'
    ;;
  full) echo '__global__ void k(int *x) { x[threadIdx.x] += 1; }' ;;
  fine) echo '__global__ void k(int *x) { x[threadIdx.x] = x[threadIdx.x] + 1; }' ;;
  esac
}
for k in memcpy memset memmove length copies struct overlap nested returned local shared endless spin calls deep templates macros constants terms cases full fine; do
  source_of $k >"$dir/$k.cu"
done

# ---- the command line: refused at once, or ended at its limit with a message that names the kernel and the option ----
# held SECONDS PATTERN COMMAND... : '' when it ended with 3 within SECONDS and the message matches
held() {
  most=$1 pattern=$2
  shift 2
  out=$("$dir/held" "$most" $mb "$program" "$@" 2>&1)
  code=$?
  [ $code = 3 ] || [ $code = 2 ] || echo "exit code $code"
  printf '%s\n' "$out" | grep -qE -- "$pattern" || printf '%s\n' "$out" | head -n 5
}
launch='--grid 64 --block 64 --gpu h200'
"$program" predict "$dir/fine.cu" $launch >/dev/null 2>&1 # headers are precompiled
for k in memcpy memset memmove; do
  report "$k of 2^60 bytes is out of range before its first byte" "$(held 30 "^warpwise: .*mem(cpy|set) of 4 bytes at byte .* of .x." predict "$dir/$k.cu" $launch)"
done
report "a length below 0" "$(held 30 'mem(cpy|set) of 4 bytes' predict "$dir/length.cu" $launch --arg n=4)"
late='took longer than 2 s; --seconds raises the limit'
for k in struct overlap nested copies endless spin calls; do
  set -- predict "$dir/$k.cu" $launch --seconds 2
  [ $k = copies ] && set -- "$@" --arg n=1024
  report "predict: $k" "$(held 20 "(kernel .k.|reading .*) $late" "$@")"
done
for c in trace explain roofline; do
  report "$c: struct" "$(held 20 "(kernel .k.|reading .*) $late" $c "$dir/struct.cu" $launch --seconds 2)"
done
for k in templates macros terms cases; do
  report "kernels: $k" "$(held 20 "reading .*$k.cu $late" kernels "$dir/$k.cu" --seconds 2)"
done
# it takes memory as fast as the machine is: whichever limit comes first
report "kernels: returned" "$(held 20 "reading .*returned.cu (took more than 600 MB of memory|$late)" kernels "$dir/returned.cu" --seconds 2 --memory 600)"
report "kernels: a loop at compile time" "$(held 20 "$late|constant expression" predict "$dir/constants.cu" $launch --seconds 2)"
report "local and shared memory that no GPU has" "$(held 30 'local memory of more than' predict "$dir/local.cu" $launch; held 30 'bytes of shared memory: no GPU' predict "$dir/shared.cu" $launch)"
report "calls that nest without end" "$(held 30 'calls nest deeper' predict "$dir/deep.cu" $launch)"
report "a grid of 2^31 x 65535 x 65535 in full" "$(held 20 "kernel .k. $late" trace "$dir/full.cu" --full --grid 2147483647,65535,65535 --block 64 --seconds 2)"
report "with --json it is a report" "$("$dir/held" 20 $mb "$program" predict "$dir/struct.cu" $launch --seconds 2 --json | grep -q '"error":{"code":"limit","message":"[a-z]* .* took longer than 2 s; --seconds' || echo "no report")"
report "a limit of memory" "$(held 30 'took more than 40 MB of memory; --memory raises the limit' predict "$dir/terms.cu" $launch --seconds 25 --memory 40)"
cat >"$dir/two.jsonl" <<END
{"file":"$dir/struct.cu","kernel":"k","grid":[64],"block":[64]}
{"file":"$dir/fine.cu","kernel":"k","grid":[64],"block":[64]}
END
report "a batch goes on with the next line" "$("$dir/held" 40 $mb "$program" predict --batch "$dir/two.jsonl" --gpu h200 --seconds 6 2>&1 | grep -qE '64 x 64 +[0-9.]+ ' || echo "the second launch has no time")"
report "0 takes the limit away" "$("$program" predict "$dir/fine.cu" $launch --seconds 0 --memory 0 2>&1 >/dev/null)"
report "a limit that is no number" "$(held 10 '.--?seconds: expected a number|^warpwise: --seconds: expected a number' predict "$dir/fine.cu" --seconds soon)"

# ---- Ctrl-C: nothing stays behind ----
children() { # PID : its children
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v of="$1" '{ id = $1; sub(/.*\) . /, ""); if ($1 == of) print id }'
}
gone() { # SECONDS PID... : '' when none of them runs any more by then
  for i in $(seq $(($1 * 10))); do
    left=
    for p in $2; do [ -d "/proc/$p" ] && ! grep -q ') Z' "/proc/$p/stat" 2>/dev/null && left="$left $p"; done
    [ -z "$left" ] && return
    sleep 0.1
  done
  echo "still there:$left"
}
"$program" kernels "$dir/templates.cu" >/dev/null 2>&1 &
pid=$!
pids="$pids $pid"
for i in $(seq 50); do started=$(children $pid); [ -n "$started" ] && break; sleep 0.1; done
kill -TERM $pid
wait $pid 2>/dev/null
report "SIGTERM ends clang too" "$([ -n "$started" ] || echo "clang was not started"; gone 3 "$started")"

# ---- a server ----
if command -v curl >/dev/null && "$program" --help | grep -q '^  serve '; then
  cp tests/explain/good/axpy.cu "$dir/"
  cat >"$dir/host.cu" <<'END'
__global__ void scale(int n, float a, const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i]; }
int main() { float *x, *y; cudaMalloc(&x, 4 << 20); cudaMalloc(&y, 4 << 20); scale<<<4096, 256>>>(1 << 20, 2.5f, x, y); }
END
  { # the same behind host code that LLVM is at for long
    echo 'int f(int i, const int *x) { return x[i]'
    seq 40000 | sed 's/.*/+ x[&] * i/'
    echo '; }'
    cat "$dir/host.cu"
  } >"$dir/slowhost.cu"
  serve() { # OPTIONS... : starts a server, sets url and pid
    : >"$dir/url"
    "$program" serve --port 0 --root "$dir" --seconds 4 --memory 256 --workers 3 "$@" >"$dir/url" 2>"$dir/serve.err" &
    pid=$!
    pids="$pids $pid"
    for i in $(seq 100); do [ -s "$dir/url" ] && break; sleep 0.1; done
    url=$(sed 's|/$||' "$dir/url")
  }
  predict() { # FILE ANSWER : prints the status and the seconds
    curl -s -m 60 -o "$2" -w '%{http_code} %{time_total}' -H 'Content-Type: application/json' \
      -d "{\"file\":\"$1\",\"gpu\":\"h200\",\"launch\":{\"grid\":[64],\"block\":[64]}}" "$url/v1/predict"
  }
  within() { # WANT SECONDS PATTERN ANSWER "STATUS TIME"
    echo "$5" | awk -v want="$1" -v most="$2" '$1 != want || $2 > most { print "status " $1 " after " $2 " s" }'
    grep -qE -- "$3" "$4" || head -c 300 "$4"
  }
  serve
  report "serve: an answer" "$(within 200 60 '"time_us"' "$dir/a" "$(predict fine.cu "$dir/a")")"
  for i in 1 2 3; do # the first one may have headers to read
    plain=$(curl -s -m 60 -H 'Content-Type: application/json' -d '{"file":"host.cu","gpu":"h200"}' "$url/v1/predict")
    case $plain in *time_us*) break ;; esac
  done
  report "serve: launches of the host code, as the command finds them" "$(cd "$dir" && "$program" predict host.cu --gpu h200 --json | grep -o '"time_us":{"value":[^}]*' >want; grep -q . want || echo "the command has none"; printf '%s' "$plain" | grep -o '"time_us":{"value":[^}]*' | cmp - want 2>&1 || printf '%s' "$plain" | head -c 300)"
  slow='took longer than a request may; --seconds raises the limit'
  for pair in "struct memcpy" "overlap nested" "endless terms" "templates spin" "returned cases"; do
    one=${pair% *} two=${pair#* }
    predict $one.cu "$dir/one" >"$dir/one.took" &
    first=$!
    predict $two.cu "$dir/two" >"$dir/two.took" &
    second=$!
    sleep 1
    took=$(predict axpy.cu "$dir/other")
    wait $first $second
    report "serve: $one and $two at once, another in its own time" "$(
      within 200 4 '"time_us"' "$dir/other" "$took"
      for i in one two; do
        awk '$1 == 200 || $2 > 8 { print "status " $1 " after " $2 " s" }' "$dir/$i.took"
        grep -qE "$slow|took more memory|memcpy of 4 bytes" "$dir/$i" || head -c 300 "$dir/$i"
      done
    )"
  done
  report "serve: host code that takes long" "$(within 200 10 '"reports"|"error"' "$dir/a" "$(curl -s -m 60 -o "$dir/a" -w '%{http_code} %{time_total}' -H 'Content-Type: application/json' -d '{"file":"slowhost.cu","gpu":"h200"}' "$url/v1/predict")" | grep -v '^status 503')"
  predict endless.cu "$dir/a" >"$dir/took" &
  asking=$!
  crash=
  for i in $(seq 60); do
    for p in $(children $pid); do grep -q serve "/proc/$p/cmdline" 2>/dev/null && crash=$p; done
    [ -n "$crash" ] && break
    sleep 0.05
  done
  kill -SEGV "$crash"
  wait $asking
  report "serve: a prediction that crashes is its own request's error" "$(within 422 8 'kernel .k. cannot be predicted.*signal 11' "$dir/a" "$(cat "$dir/took")"; within 200 10 '"time_us"' "$dir/b" "$(predict fine.cu "$dir/b")")"
  report "serve: its memory" "$(awk '/^VmHWM/ && $2 > 1500000 { print $2, "kB" }' "/proc/$pid/status")"
  predict struct.cu "$dir/a" >/dev/null &
  predict templates.cu "$dir/b" >/dev/null &
  sleep 1.5
  started=$(children $pid)
  kill -TERM $pid
  report "serve: SIGTERM ends it and what it started" "$([ -n "$started" ] || echo "nothing was started"; gone 3 "$pid $started")"
  wait $pid 2>/dev/null
  serve --seconds 60
  predict struct.cu "$dir/a" >/dev/null 2>&1 &
  sleep 1.5
  started=$(children $pid)
  kill -TERM $pid
  kill -TERM $pid
  report "serve: two SIGTERM at once" "$(gone 3 "$pid $started")"
  wait $pid 2>/dev/null
  serve --seconds 60
  predict struct.cu "$dir/a" >/dev/null 2>&1 &
  sleep 1.5
  started=$(children $pid)
  kill -KILL $pid
  report "serve: killed, its predictions end too" "$(gone 3 "$started")"
  wait $pid 2>/dev/null
else
  skip "no curl, or built without libmicrohttpd"
fi

# ---- an editor ----
if "$program" --help | grep -q '^  lsp '; then
  frame() { printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1"; }
  quoted() { sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' "$1" | awk '{ printf "%s\\n", $0 }'; }
  for k in struct memcpy endless nested terms; do
    {
      echo "// warpwise: grid=64 block=64"
      cat "$dir/$k.cu"
    } >"$dir/edited.cu"
    {
      frame '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
      frame '{"jsonrpc":"2.0","method":"initialized","params":{}}'
      frame "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file://$dir/edited.cu\",\"languageId\":\"cuda\",\"version\":1,\"text\":\"$(quoted "$dir/edited.cu")\"}}}"
      for i in $(seq 150); do grep -q 'warpwise/answered' "$dir/said" && break; sleep 0.1; done
      frame '{"jsonrpc":"2.0","id":2,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"file://'"$dir"'/edited.cu"}}}'
      for i in $(seq 50); do grep -q '"id":2' "$dir/said" && break; sleep 0.1; done
      frame '{"jsonrpc":"2.0","id":3,"method":"shutdown"}'
      frame '{"jsonrpc":"2.0","method":"exit"}'
    } 2>/dev/null | "$program" lsp --seconds 3 >"$dir/said" 2>"$dir/err"
    report "lsp: $k" "$(grep -aqE "no prediction: .*($slow|took longer than a request may|memcpy of 4 bytes)" "$dir/said" || tail -c 400 "$dir/said"; cat "$dir/err")"
  done
else
  skip "built without a front end"
fi

echo "1..$n"
exit $bad
