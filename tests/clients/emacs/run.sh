#!/bin/sh
# run.sh BUILD : Emacs and eglot with the configuration that docs/editors.md gives. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/../../.." || exit 1
if ! command -v emacs >/dev/null; then echo "ok 1 - Emacs # SKIP no emacs here"; echo 1..1; exit 0; fi
if ! emacs --batch --eval '(progn (package-initialize) (kill-emacs (if (require (quote eglot) nil t) 0 1)))' >/dev/null 2>&1; then
  echo "ok 1 - Emacs # SKIP no eglot here"
  echo 1..1
  exit 0
fi
DIR=$(mktemp -d) || exit 1
DIR=$(cd "$DIR" && pwd -P)
trap 'rm -rf "$DIR"' EXIT
export DIR SNIPPET="$DIR/snippet.el" HOME="$DIR" XDG_CACHE_HOME="$DIR/cache" TMPDIR="$DIR" PATH="$build:$PATH"
cp tests/explain/row_sum.cu "$DIR/row.cu"
awk '/^```elisp/ { inside = ++n == 1; next } /^```/ { inside = 0 } inside' docs/editors.md >"$SNIPPET"
timeout 240 emacs --batch -l tests/clients/emacs/client.el >"$DIR/out" 2>"$DIR/err"
status=$?
cat "$DIR/out"
if [ $status != 0 ] && ! grep -q '^not ok' "$DIR/out"; then
  echo "not ok 99 - Emacs ended with status $status"
  tail -n 12 "$DIR/err" | cut -c 1-400 | sed 's/^/# /'
fi
exit $status
