#!/bin/sh
# hostile.sh [BUILD] [SECONDS] [PAUSE_MS] [KINDS] : what 32 clients notice of a hostile one.
#
# 32 clients each edit a kernel, ask for its prediction, and pause (3000 ms in the median) before the next: people who type. For each
# kind of hostile client they do so for SECONDS (60) in all beside it, and as long without it, in turns of a third so that both see the
# same of what else the machine does. Printed: medians of both and their ratio. Exit 1 where a ratio is above 1.5, where an honest
# client got an error, or where the server does not end within ten seconds after all of it. KINDS: an extended regular expression,
# those whose name it matches.
#
#   APART=1          on a machine with many cores: each kind has a server and clients of its own on two cores of its own, as many kinds at a
#                    time as there are pairs of cores
#   CLIENT=PROGRAM   bench/serve.c compiled already, where there is no compiler
set -u
cd "$(dirname "$0")/.."
build=${1:-build}
seconds=${2:-60}
pause=${3:-3000}
kinds=${4:-.}
dir=$(mktemp -d) || exit 1
server= attack=
trap 'kill $server $attack 2>/dev/null; rm -rf "$dir"' EXIT
if [ -n "${CLIENT:-}" ]; then cp "$CLIENT" "$dir/client"; else ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -pthread -o "$dir/client" bench/serve.c; fi || exit 1
each="slow head:slow silent:slow body:slow chunks:slow read:slow idle:slow flood:pipe as source:pipe as contents:link:malformed heads"
each="$each:memcpy of 2^60 bytes:copy of 2^28 bytes:loop without end"

# The kinds in turns, turn t on the cores 2t and 2t + 1; tables are shown as one.
if [ -n "${APART:-}" ]; then
  pairs=$(($(nproc) / 2))
  [ $pairs -ge 1 ] || pairs=1
  echo "$each" | tr : '\n' | grep -E -- "$kinds" >"$dir/kinds"
  turn=0
  while [ $turn -lt $pairs ]; do
    awk -v t=$turn -v n=$pairs 'NR % n == t % n' "$dir/kinds" | while read -r kind; do
      quoted=$(echo "$kind" | sed 's/\^/\\^/')
      APART= CLIENT="$dir/client" taskset -c $((2 * turn)),$((2 * turn + 1)) "$0" "$build" "$seconds" "$pause" "^$quoted\$" >"$dir/table.$kind" 2>&1 || : >"$dir/bad"
    done &
    turn=$((turn + 1))
  done
  wait
  first=1
  while read -r kind; do
    [ $first = 1 ] && head -n 2 "$dir/table.$kind"
    first=0
    tail -n +3 "$dir/table.$kind"
  done <"$dir/kinds"
  [ ! -e "$dir/bad" ]
  exit
fi

mkdir "$dir/root"
printf 'extern "C" __global__ void k(int n, const float *x, float *y) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  y[i] = x[i] * @EDIT@;\n}\n' >"$dir/edited.cu"
launch='"launch":{"grid":[256],"block":[256],"args":[{"value":65536},{"buffer":{"bytes":262144}},{"buffer":{"bytes":262144}}]}'
mkfifo "$dir/root/pipe.cu" "$dir/root/pipe.bin"
ln -s /etc/passwd "$dir/root/link.cu"
printf '// warpwise: grid=1 block=32 x=i8[1<<20]\nextern "C" __global__ void k(char *x) { __builtin_memcpy(x, x + 1, 1ull << 60); }\n' >"$dir/root/memcpy.cu"
printf 'struct S { char c[1u << 28]; };\n// warpwise: grid=1 block=32 x=i8[1<<29]\nextern "C" __global__ void k(S *x) { x[1] = x[0]; }\n' >"$dir/root/struct.cu"
printf '// warpwise: grid=1 block=32 p=i32[1]:zeros\nextern "C" __global__ void k(volatile int *p) { for (unsigned x = 1; x; x = (x * 1664525u + 1013904223u) | 1) *p = x; }\n' >"$dir/root/endless.cu"

"$build/warpwise" serve --port 0 --workers $(($(nproc) + 1)) --root "$dir/root" >"$dir/url" 2>"$dir/err" &
server=$!
for i in $(seq 100); do [ -s "$dir/url" ] && break; sleep 0.1; done
port=$(sed 's/.*:\([0-9]*\).*/\1/' "$dir/url")
[ -n "$port" ] || { cat "$dir/err"; exit 1; }

post() { timeout "$later" "$dir/client" "$port" post /v1/predict '' 3600; }
attack() { # KIND : for a turn
  case $1 in
  'pipe as source') echo '{"file":"pipe.cu","gpu":"h200"}' | post ;;
  'pipe as contents') printf '{"source":"__global__ void k(int *x) { x[0] = 1; }","gpu":"h200","launch":"grid=1 block=32 x=i32[64]:file(pipe.bin)"}' | post ;;
  'link') echo '{"file":"link.cu","gpu":"h200"}' | post ;;
  'malformed heads') timeout "$later" "$dir/client" "$port" heads 3600 ;;
  'memcpy of 2^60 bytes' | 'copy of 2^28 bytes' | 'loop without end')
    case $1 in memcpy*) f=memcpy ;; copy*) f=struct ;; *) f=endless ;; esac
    echo "{\"file\":\"$f.cu\",\"gpu\":\"h200\"}" | post ;;
  *) timeout "$later" "$dir/client" "$port" slow "${1#slow }" 300 3600 ;;
  esac
}

bad=0
honest() { # SECONDS FILE : adds the median to the file
  "$dir/client" "$port" "$dir/edited.cu" edited.cu k "$1" 32 "$pause" "$launch" >"$dir/line" 2>>"$dir/complaints" || bad=1
  awk '{ print $1, $2, $3 }' "$dir/line" >>"$2"
}
median() { sort -n -k 3 "$1" | awk '{ v[NR] = $3 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'; }

third=$(awk -v s="$seconds" 'BEGIN { print s / 3 }')
later=$(awk -v s="$seconds" 'BEGIN { print s / 3 + 1 }')
honest 2 "$dir/warm"
echo "$(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg); 32 clients, $seconds s with and $seconds s without each; median ms"
printf '%-22s %8s %8s %6s %8s\n' 'hostile client' without with ratio errors
echo "$each" | tr : '\n' | grep -E -- "$kinds" >"$dir/kinds"
while read -r kind; do
  rm -f "$dir/without" "$dir/with"
  for turn in 1 2 3; do
    honest "$third" "$dir/without"
    attack "$kind" >/dev/null 2>&1 &
    attack=$!
    honest "$third" "$dir/with"
    wait $attack
    attack=
  done
  errors=$(awk '{ n += $2 } END { print n }' "$dir/with")
  awk -v k="$kind" -v a="$(median "$dir/without")" -v b="$(median "$dir/with")" -v e="$errors" \
    'BEGIN { r = a > 0 ? b / a : 99; printf "%-22s %8.0f %8.0f %6.2f %8d\n", k, a, b, r, e; exit !(r <= 1.5 && b > 0) }' || bad=1
done <"$dir/kinds"
[ -s "$dir/complaints" ] && { grep -m 2 '"error"' "$dir/complaints" || head -n 5 "$dir/complaints"; }
kill -TERM $server
for i in $(seq 100); do kill -0 $server 2>/dev/null || break; sleep 0.1; done
kill -0 $server 2>/dev/null && { echo "the server did not end within 10 s"; kill -9 $server; bad=1; }
exit $bad
