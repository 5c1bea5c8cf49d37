#!/bin/sh
# run.sh BUILD [STAGE...] : runs the tests and ends with one line, `N passed, N failed`.
#
# A stage's program either speaks TAP (ok / not ok lines) or ends with its own `N passed, N failed`; one that does
# neither counts as one test by its exit status. Stages: layers unit cli manners evaluate kernels cross measure dataset import record emulate predict fixes train tokenizers lm-gguf stories lm-cli lm-train serve openai lsp nvim emacs page vscode mcp mcp-clients export library packages hostile.
build=${1:-build}
[ $# -gt 0 ] && shift
stages=${*:-layers unit cli manners evaluate kernels cross measure dataset import record emulate predict fixes train tokenizers lm-gguf stories lm-cli lm-train serve openai lsp nvim emacs page vscode mcp mcp-clients export library packages hostile}
passed=0
failed=0
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

# stage NAME COMMAND... : runs it, adds up, shows what failed.
stage() {
  name=$1
  shift
  "$@" >"$out" 2>&1
  status=$?
  summary=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$out" | tail -n 1)
  if [ -n "$summary" ]; then
    p=${summary%% passed*}
    f=${summary#*, }
    f=${f%% failed*}
  else
    p=$(grep -c '^ok ' "$out")
    f=$(grep '^not ok ' "$out" | grep -vc '# SKIP') # what a test leaves out for want of a tool is no failure
  fi
  # a crash, or nothing recognised: the status decides
  if [ $status -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  if [ $status -eq 0 ] && [ $((p + f)) -eq 0 ]; then p=1; fi
  passed=$((passed + p))
  failed=$((failed + f))
  printf '%-28s %4d passed, %d failed\n' "$name" "$p" "$f"
  if [ "$f" -gt 0 ]; then
    grep -vE '^ok |^1\.\.|^[0-9]+ passed' "$out" | sed 's/^/    /' | head -n 60
  fi
}

skip() { echo "$1: skipped, $2"; }

for s in $stages; do
  case $s in
  layers) stage layers scripts/layers.sh ;;
  unit)
    for t in "$build"/tests/unit/test_*; do
      case $t in *.d) continue ;; esac
      if [ -x "$t" ]; then stage "unit/$(basename "$t" | sed 's/^test_//')" env CMOCKA_MESSAGE_OUTPUT=TAP "$t"; fi
    done
    ;;
  cli) stage cli tests/cli.sh "$build/warpwise" ;;
  manners) stage manners tests/manners.sh "$build" ;;
  export) stage export tests/export.sh "$build" ;;
  predict) stage predict tests/predict.sh "$build/warpwise" ;;
  fixes) stage fixes tests/fixes.sh "$build/warpwise" ;;
  serve) stage serve tests/serve.sh "$build" ;;
  lsp) stage lsp tests/lsp.sh "$build" ;;
  hostile) stage hostile tests/hostile.sh "$build" ;;
  nvim) stage nvim tests/clients/nvim/run.sh "$build" ;;
  emacs) stage emacs tests/clients/emacs/run.sh "$build" ;;
  page) stage page tests/clients/page/run.sh "$build" ;;
  vscode) stage vscode tests/clients/vscode/run.sh "$build" ;;
  library) stage library tests/library.sh "$build" ;;
  packages) stage packages tests/packages.sh "$build" ;;
  mcp) stage mcp tests/mcp.sh "$build" ;;
  mcp-clients) stage mcp-clients tests/clients/mcp/run.sh "$build" ;;
  evaluate) stage evaluate tests/evaluate.sh "$build/warpwise" ;;
  train) stage train tests/train.sh "$build/warpwise" ;;
  tokenizers) stage tokenizers tests/lm/tokenizers.sh "$build" ;;
  lm-gguf) stage lm-gguf tests/lm/gguf.sh "$build" ;;
  stories) stage stories tests/lm/stories.sh "$build" ;;
  lm-cli) stage lm-cli tests/lm/cli.sh "$build/warpwise" ;;
  lm-train) stage lm-train tests/lm/train.sh "$build/warpwise" ;;
  openai) stage openai tests/clients/openai/run.sh "$build" ;;
  measure) stage measure tests/measure.sh "$build/warpwise" ;;
  import) stage import tests/import.sh "$build/warpwise" ;;
  dataset) stage dataset tests/dataset.sh "$build/warpwise" ;;
  kernels)
    if [ ! -x "$build/tests/run_kernels" ]; then continue; fi
    if ! "$build/warpwise" --help | grep -q '^  trace '; then skip kernels "this build has no trace command"; continue; fi
    stage kernels "$build/tests/run_kernels" "$build/warpwise"
    ;;
  cross)
    if [ ! -x "$build/tests/run_cross" ] || [ ! -x "$build/tests/cl_host" ]; then continue; fi
    program="$build/warpwise"
    "$program" --help | grep -q '^  trace ' || program=-
    stage cross "$build/tests/run_cross" "$program" "$build/tests/cl_host"
    ;;
  record)
    if [ ! -x "$build/tests/cl_program" ] || [ ! -e "$build/libwarpwise-record.so" ]; then continue; fi
    stage record tests/record/run.sh "$build"
    ;;
  emulate)
    if grep -q __asan_init "$build/libwarpwise.a"; then skip emulate "programs are not linked with a sanitised library"; continue; fi
    stage emulate tests/emulate/run.sh "$build"
    ;;
  *) echo "run.sh: unknown stage $s" >&2; failed=$((failed + 1)) ;;
  esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
