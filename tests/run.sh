#!/bin/sh
# run.sh BUILD [STAGE...] [-- BUILD STAGE...]... : runs the tests of one build or several, each whatever the others did, and ends with one line
# for all, `N passed, N failed, N skipped`. No stages: every one of $every; unit/NAME is one unit test. The stage `unbuilt` alone stands for a
# build that failed.
#
# A stage's program either speaks TAP (ok / not ok lines) or ends with its own `N passed, N failed[, N skipped]`. What could not be tested here
# (`ok ... # SKIP why`) is skipped, never passed; a stage without a result that can be read, with fewer than it planned, or whose program is not
# there, has failed. Stages run side by side, as many as JOBS says (one more than cores otherwise: some wait), the longest first, and are shown in the order of the list.
#
# Editors and browsers of others ($clients) draw late when the machine is busy: one that failed is shown, then run once more when nothing else runs,
# and that second result counts.
every="layers hardening runner setup unit cli manners evaluate roofline accuracy rename kernels ptx cross diff measure dataset import record emulate predict fixes verify tune optimize fuse agent train tokenizers lm-gguf stories lm-cli lm-train lm-finetune serve limits openai lsp hostile nvim emacs page vscode mcp mcp-clients export library packages bundle python gate release compat faults kills fuzz"
clients="nvim emacs page vscode"
longest="fuzz optimize vscode verify tune lsp serve mcp packages hostile limits predict unit/rewrite library"
passed=0
failed=0
skipped=0
jobs=${JOBS:-$(($(nproc 2>/dev/null || echo 1) + 1))}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

add() { # NAME PASSED FAILED SKIPPED [SECONDS]
  passed=$((passed + $2))
  failed=$((failed + $3))
  skipped=$((skipped + $4))
  printf '%-28s %4d passed, %d failed, %d skipped%s\n' "$1" "$2" "$3" "$4" "${5:+, $5 s}"
}

# stage NAME COMMAND... : runs it, adds up, shows what failed and why something was skipped.
stage() {
  name=$1
  shift
  began=$(date +%s)
  # A shell lets what it starts in the background ignore these; some tests are about them.
  env --default-signal=INT,QUIT "$@" >"$out" 2>&1
  status=$?
  summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$out" | tail -n 1)
  if [ -n "$summary" ]; then
    # shellcheck disable=SC2086
    set -- $summary 0 0
    p=$1 f=$3 s=$5
  else
    s=$(grep -cE '^(not )?ok .*# SKIP' "$out") # cmocka's older versions write `not ok`
    p=$(grep '^ok ' "$out" | grep -vcE '# SKIP')
    f=$(grep '^not ok ' "$out" | grep -vcE '# SKIP')
  fi
  planned=$(awk -F '[.][.]' '/^1[.][.][0-9]+/ { n += $2 } END { print n + 0 }' "$out")
  if [ $status -ne 0 ] && [ "$f" -eq 0 ]; then
    f=1
    echo "ended with status $status" >>"$out"
  elif [ -z "$summary" ] && [ $((p + f + s)) -lt "$planned" ]; then
    echo "planned $planned tests, ended after $((p + f + s))" >>"$out"
    f=$((f + 1))
  elif [ $((p + f + s)) -eq 0 ]; then
    f=1
    echo "no result in what it printed" >>"$out"
  fi
  add "$name" "$p" "$f" "$s" $(($(date +%s) - began))
  if [ "$f" -gt 0 ]; then
    grep -vE '^ok |^1\.\.|^[0-9]+ passed' "$out" | sed 's/^/    /' | head -n 60
  fi
  grep -E '^(not )?ok .*# SKIP|^skipped: ' "$out" | sed -E 's/^(not )?ok [0-9]* *(- )*/skipped: /; s/# SKIP *//; s/^/    /'
}
absent() { # NAME PROGRAM : true, and a failure, when it was not built
  [ -x "$2" ] && return 1
  add "$1" 0 1 0
  echo "    $2 is not there: make all units"
}
skip() { # NAME WHY
  add "$1" 0 0 1
  echo "    skipped: $2"
}

unit() { # NAME
  t=$build/tests/unit/test_$1
  absent "unit/$1" "$t" || stage "unit/$1" env CMOCKA_MESSAGE_OUTPUT=TAP "$t"
}
one() { # STAGE
  case $1 in
  layers) stage layers scripts/layers.sh ;;
  unit/*) unit "${1#unit/}" ;;
  hardening) stage hardening tests/hardening.sh "$build" ;;
  runner) stage runner tests/runner.sh ;;
  setup) stage setup tests/setup.sh "$build" ;;
  cli) stage cli tests/cli.sh "$build/warpwise" ;;
  manners) stage manners tests/manners.sh "$build" ;;
  export) stage export tests/export.sh "$build" ;;
  predict) stage predict tests/predict.sh "$build/warpwise" ;;
  fixes) stage fixes tests/fixes.sh "$build/warpwise" ;;
  verify) stage verify tests/verify/run.sh "$build" ;;
  tune) stage tune tests/tune/run.sh "$build" ;;
  optimize)
    stage optimize tests/optimize/run.sh "$build"
    stage optimize/device tests/optimize/device.sh "$build"
    ;;
  agent) stage agent tests/agent/run.py "$build" ;;
  serve) stage serve tests/serve.sh "$build" ;;
  limits) stage limits tests/limits.sh "$build" ;;
  lsp) stage lsp tests/lsp.sh "$build" ;;
  hostile) stage hostile tests/hostile.sh "$build" ;;
  nvim) stage nvim tests/clients/nvim/run.sh "$build" ;;
  emacs) stage emacs tests/clients/emacs/run.sh "$build" ;;
  page) stage page tests/clients/page/run.sh "$build" ;;
  vscode) stage vscode tests/clients/vscode/run.sh "$build" ;;
  faults) stage faults tests/faults/run.sh "$build" some ;;
  kills)
    stage kills tests/faults/kills.sh "$build" 8
    stage kills/optimize tests/optimize/kills.sh "$build" 4
    ;;
  library) stage library tests/library.sh "$build" ;;
  packages) stage packages tests/packages.sh "$build" ;;
  bundle) stage bundle tests/bundle.sh "$build" ;;
  python) stage python tests/python.sh "$build" ;;
  gate) stage gate tests/gate.sh "$build" ;;
  release) stage release tests/release.sh "$build" ;;
  compat) stage compat tests/compat/run.sh "$build" ;;
  fuzz) stage fuzz tests/fuzz/test.sh "$build" ;;
  mcp) stage mcp tests/mcp.sh "$build" ;;
  mcp-clients) stage mcp-clients tests/clients/mcp/run.sh "$build" ;;
  evaluate) stage evaluate tests/evaluate.sh "$build/warpwise" ;;
  rename) stage rename python3 tests/rename.py --count 12 --warpwise "$build/warpwise" ;;
  roofline) stage roofline tests/roofline/run.py "$build" ;;
  accuracy) stage accuracy tests/accuracy.sh "$build/warpwise" ;;
  train) stage train tests/train.sh "$build/warpwise" ;;
  tokenizers) stage tokenizers tests/lm/tokenizers.sh "$build" ;;
  lm-gguf) stage lm-gguf tests/lm/gguf.sh "$build" ;;
  stories) stage stories tests/lm/stories.sh "$build" ;;
  lm-cli) stage lm-cli tests/lm/cli.sh "$build/warpwise" ;;
  lm-train) stage lm-train tests/lm/train.sh "$build/warpwise" ;;
  lm-finetune) stage lm-finetune tests/lm/finetune.sh "$build/warpwise" ;;
  openai) stage openai tests/clients/openai/run.sh "$build" ;;
  measure) stage measure tests/measure.sh "$build/warpwise" ;;
  import) stage import tests/import.sh "$build/warpwise" ;;
  dataset) stage dataset tests/dataset.sh "$build/warpwise" ;;
  kernels) absent kernels "$build/tests/run_kernels" || stage kernels "$build/tests/run_kernels" "$build/warpwise" ;;
  ptx) stage ptx tests/ptx.sh "$build" ;;
  cross)
    if absent cross "$build/tests/run_cross" || absent cross "$build/tests/cl_host"; then return; fi
    stage cross "$build/tests/run_cross" "$build/warpwise" "$build/tests/cl_host"
    ;;
  diff) absent diff "$build/tests/run_diff" || stage diff tests/diff/run.sh "$build" ;;
  record)
    if absent record "$build/tests/cl_program" || absent record "$build/libwarpwise-record.so"; then return; fi
    stage record tests/record/run.sh "$build"
    ;;
  emulate | fuse)
    if grep -q __asan_init "$build/libwarpwise.a"; then
      skip "$1" "programs are not linked with a sanitised library"
    elif [ "$1" = fuse ]; then
      stage fuse tests/optimize/fuse.sh "$build"
    else
      stage emulate tests/emulate/run.sh "$build"
    fi
    ;;
  *)
    add "$1" 0 1 0
    echo "    run.sh: unknown stage $1"
    ;;
  esac
}

# each STAGE... : one word for each thing to run
each() {
  for word in "$@"; do
    case $word in
    unit) for source in tests/unit/test_*.c; do name=${source##*/test_} && echo "unit/${name%.c}"; done ;;
    *) echo "$word" ;;
    esac
  done
}

# In a process of its own; what it has to show and its counts lie in $work/STAGE/ when it is done.
start() { # STAGE
  place=$work/$1
  mkdir -p "$place"
  (
    out=$place/out
    passed=0 failed=0 skipped=0
    one "$1" >"$place/text"
    echo "$passed $failed $skipped" >"$place/counts.part"
    mv "$place/counts.part" "$place/counts"
  ) &
}

show() { # STAGE
  cat "$work/$1/text"
  read -r p f s <"$work/$1/counts"
  case " $clients " in
  *" $1 "*)
    if [ "$f" -gt 0 ] && [ -z "$alone" ]; then
      echo "    does not count: $1 is run once more when nothing else runs"
      again="$again $1" p=0 f=0 s=0
    fi
    ;;
  esac
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  rm -rf "${work:?}/$1"
}

# first STAGE... : the order in which they are started: those that take longest first, so that all cores have work until the end.
first() {
  for stage in $longest; do case " $* " in *" $stage "*) echo "$stage" ;; esac; done
  for stage in "$@"; do case " $longest " in *" $stage "*) ;; *) echo "$stage" ;; esac; done
}

# Shows what is done, up to the first of the list that is not.
shown() {
  while [ -n "$list" ] && [ -f "$work/${list%% *}/counts" ]; do
    show "${list%% *}"
    list=${list#* }
  done
}

run() { # STAGE...
  list="$* " # not shown yet, in the order of the list
  running= alone= again=
  for stage in $(first "$@"); do
    start "$stage"
    running="$running $stage"
    while :; do
      still= count=0
      for started in $running; do
        [ -f "$work/$started/counts" ] || still="$still $started" count=$((count + 1))
      done
      running=$still
      shown
      [ $count -ge "$jobs" ] || break
      sleep 0.1
    done
  done
  wait
  shown
  alone=yes
  for stage in $again; do
    start "$stage"
    wait
    show "$stage"
  done
}

half() { # BUILD STAGE...
  build=$1
  shift
  echo "$build:"
  if [ "$*" = unbuilt ]; then
    add "$build" 0 1 0
    echo "    it could not be built, see above; none of its tests ran"
  elif ! absent "$build" "$build/warpwise"; then
    # shellcheck disable=SC2046,SC2048,SC2086
    run $(each ${*:-$every})
  fi
}

words=
for word in "$@"; do
  if [ "$word" = -- ]; then
    # shellcheck disable=SC2086
    half ${words:-build}
    words=
    echo
  else
    words="$words $word"
  fi
done
# shellcheck disable=SC2086
half ${words:-build}
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
