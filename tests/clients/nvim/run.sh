#!/bin/sh
# run.sh BUILD : Neovim with the configuration that docs/editors.md gives. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/../../.." || exit 1
if ! command -v nvim >/dev/null; then echo "ok 1 - Neovim # SKIP no nvim here"; echo 1..1; exit 0; fi
DIR=$(mktemp -d) || exit 1
DIR=$(cd "$DIR" && pwd -P)
trap 'rm -rf "$DIR"' EXIT
export DIR TAP="$DIR/tap" SNIPPET="$DIR/snippet.lua" HOME="$DIR" XDG_CACHE_HOME="$DIR/cache" XDG_STATE_HOME="$DIR/state" TMPDIR="$DIR" PATH="$build:$PATH"
cp tests/explain/row_sum.cu "$DIR/row.cu"
awk '/^```lua/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/editors.md >"$SNIPPET"

edit() { # CLANGD : beside it, or alone where it is empty. The client ends Neovim itself, unless it breaks off.
  : >"$TAP"
  CLANGD=$1 timeout 240 nvim --headless --clean -c "luafile tests/clients/nvim/client.lua" -c "cquit 2" >"$DIR/out" 2>&1
  status=$?
  cat "$TAP"
  if [ $status = 0 ]; then return; fi
  bad=1
  grep -q '^not ok' "$TAP" && return
  echo "not ok 99 - Neovim ended with status $status"
  tail -n 20 "$DIR/out" | sed 's/^/# /'
  sed 's/^/# /' "$DIR"/state/nvim/lsp.log "$DIR"/cache/nvim/lsp.log 2>/dev/null | tail -n 5 | cut -c 1-400
}
bad=0
edit ""
clangd=$(command -v clangd || command -v clangd-19 || true)
if [ -n "$clangd" ]; then edit "$clangd"; else echo "ok 1 - beside clangd # SKIP no clangd here"; fi
exit $bad
