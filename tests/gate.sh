#!/bin/bash
# gate.sh BUILD : pull requests in a repository made here, held back or let through by scripts/gate.py, as action.yml runs it. Prints TAP.
cd "$(dirname "$0")/.." || exit 1
top=$PWD
WARPWISE=$(realpath "$1/warpwise")
export WARPWISE
. tests/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_CACHE_HOME="$dir/cache" GIT_CONFIG_NOSYSTEM=1 GATE_BASE=main GATE_OUT="$dir/gate"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
mkdir "$dir/repo"
cd "$dir/repo" || exit 1
git init -q -b main .
cat >stencil.cu <<'END'
// warpwise: grid=n/32,n/8 block=32,8 n=2048 now=f32[n*n] next=f32[n*n]
__global__ void step(const float *now, float *next, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  next[i] = 0.25f * (now[i - 1] + now[i + 1] + now[i - n] + now[i + n]);
}
// warpwise: grid=n/256 block=256 n=1<<20 x=f32[n]
__global__ void twice(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}
END
echo text >README
git add . && git commit -qm base

pr() { # NAME : a branch from main; what the caller then changes is committed by gate
  git checkout -q --detach main && git checkout -q -b "$1"
}
gate() { # [MESSAGE] : $code, $dir/log, $dir/summary
  git add -A && git commit -q --allow-empty -m "${1:-change}"
  rm -rf "$dir/gate" "$dir/summary"
  GITHUB_STEP_SUMMARY=$dir/summary timeout 300 "$top/scripts/gate.py" >"$dir/log" 2>&1
  code=$?
}
holds() { # TEXT CODE [FILE PATTERN]... : a pattern with ! in front is not there
  local text=$1 want=$2 problem=
  shift 2
  [ "$code" = "$want" ] || problem="ended with $code, not $want"
  while [ $# -gt 1 ]; do
    case $2 in
    !*) ! grep -qE -- "${2#!}" "$dir/$1" || problem="$problem; $1 has ${2#!}" ;;
    *) grep -qE -- "$2" "$dir/$1" || problem="$problem; $1 lacks $2" ;;
    esac
    shift 2
  done
  report "$text" "$([ -z "$problem" ] || { echo "$problem" && cat "$dir/log" "$dir/summary" 2>/dev/null; })"
}

pr slow
sed -i 's/int i = y \* n + x;/int i = x * n + y;/' stencil.cu
gate
holds "a stencil that becomes slower is held back" 1 log '^::error file=stencil.cu,line=2,title=slower::step on h200: [0-9.]+ times as long' log '!twice.*times as long'
holds "... the lines behind it are annotated, other kernels not" 1 log '^::(warning|notice) file=stencil.cu,line=6' log '!line=11,'
holds "... the summary has a table and a roofline" 1 summary '^\| <code>stencil.cu</code> \| <code>step</code> \|' summary '<summary>Roofline</summary>' summary '^1 slower'
report "... and a picture" "$(grep -q '</svg>' "$dir/gate/roofline.svg" || echo none)"
report "... nothing is left in the checkout" "$(git status --short; git worktree list | sed 1d)"

pr fast
sed -i 's/0.25f \* (now\[i - 1\]/0.25f * (0.0f + now[i - 1]/' stencil.cu
gate
holds "one that stays as fast is let through" 0 log 'step: as before' summary '^No kernel is slower'
pr renamed
git mv stencil.cu heat.cu && echo '// a line' >>heat.cu
gate
holds "a renamed file is compared with its old self" 0 summary '<code>heat.cu</code> \| <code>step</code> \| <code>h200</code> \| [0-9.]+ us' summary '!new'
pr renamed-slow
git mv stencil.cu heat.cu && sed -i 's/int i = y \* n + x;/int i = x * n + y;/' heat.cu
gate
holds "... and held back if it is slower" 1 log '^::error file=heat.cu,line=2,title=slower'
pr deleted
sed -i '/^\/\/ warpwise: grid=n\/256/,$d' stencil.cu
gate
holds "a deleted kernel is named" 0 summary '<code>twice</code> .*<code>removed</code>'
pr gone
git rm -q stencil.cu
gate
holds "a deleted file is named" 0 summary 'deleted with its file'
pr broken
sed -i 's/next\[i\] = 0.25f/next[i] = = 0.25f/' stencil.cu
gate
holds "what no longer compiles says where and why" 3 log '^::error file=stencil.cu,line=2,title=warpwise::can no longer be predicted: .*stencil.cu:6:13: expected expression' summary 'no longer be predicted'
pr nothing
echo more >>README
gate
holds "no changed kernels" 0 summary '^No kernels changed'
pr header
echo '#define A 1' >common.cuh
gate
holds "a header is mentioned" 0 summary 'common.cuh.*include it'

# ---- names and texts of a stranger's ----
pr copied
sed 's/int i = y \* n + x;/int i = x * n + y;/' stencil.cu >other.cu
echo '// a line' >>stencil.cu
gate
holds "kernels of the same name in two files" 0 summary '<code>other.cu</code> \| <code>step</code> .*<code>new</code>' summary '^<pre>flop/s|h200 +predicted'
report "... are both in the picture" "$([ "$(grep -c ' step ' "$dir/summary")" -ge 2 ] || cat "$dir/summary")"

pr hostile
evil='$(touch pwned) `touch pwned`; touch pwned, ::error::x %0A|<b>.cu'
sed 's/int i = y \* n + x;/int i = x * n + y; \/\/ ::set-output name=x::y/' stencil.cu >"./-$evil"
printf 'a\n::error::name.cu' | tr -d '\0' >name
cp stencil.cu "$(printf 'a\n::error::injected.cu')" && rm name
printf '__global__ void k(int *a) {\n#error ::error::from the compiler\n a[0] = 1; }\n' >error.cu
printf '__global__ void caf\303\251(int *a) { a[threadIdx.x] = 1; }\n' >unicode.cu
sed 's/int i = y \* n + x;/int i = x * n + y; \/\/ a name that looks like an option/' stencil.cu >"./--patch=pwned.cu"
cp stencil.cu '##[error]x.cu'
ln -s /etc/passwd link.cu
gate '$(touch pwned) ::error::commit'
holds "hostile names: nothing runs, nothing injects" 3 log '!^[[:space:]]*::error::' log '!^[[:space:]]*::set-output' log '!^name.cu' log '!^gate:.*##\[' summary '!<b>' summary '!^::error'
report "... no command of a name was run" "$(find "$dir" -name 'pwned*')"
holds "... a name that begins with - is a file" 3 log '^gate: --patch=pwned.cu: step: new' log '^gate: -.*touch.*: step: new'
report "... every line of the log is the gate's or an escaped annotation" "$(grep -vE '^gate: |^::(error|warning|notice) file=[^:]*,line=[0-9]+,title=[a-z0-9-]+::' "$dir/log")"
holds "... a link is not read" 3 log 'link.cu.*regular file' log '!root:'
GATE_THRESHOLD='5%; touch pwned' gate
holds "a threshold that is none" 2 log 'a percentage such as 5%'
GATE_BASE='--help' gate
holds "a base that is none" 4 log 'fetch-depth'
WARPWISE=/nonesuch gate
holds "no program" 4 log 'install warpwise'

cd "$top" || exit 1
report "action.yml hands inputs over as values: none stands in a command" "$(awk '/^ *run:/ { r = 1 } /^ *(env|uses|with|- name|shell):/ { r = 0 } r && /\$\{\{/' action.yml)"
report "action.yml runs this script and no other way to compare" "$(grep -q 'scripts/gate.py' action.yml || echo 'it does not')"
echo "1..$n"
exit $bad
