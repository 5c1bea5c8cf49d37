#!/bin/sh
# run.sh BUILD [SHOTS] : packs the VS Code extension, installs it into a real VS Code in a browser, and uses it with BUILD/warpwise. Prints TAP.
#
# What it downloads stays in .cache/clients (a first run takes about two minutes, half of them for VS Code). Pictures go to SHOTS:
# `tests/clients/vscode/run.sh build docs/vscode` makes those of the documentation.
set -u
build=${1:-build}
shots=${2:-$build/vscode}
here=tests/clients/vscode
cd "$(dirname "$0")/../../.." || exit 1

skip() {
  echo "ok 1 - VS Code extension # SKIP $1"
  exit 0
}
command -v npm >/dev/null || skip "no npm"
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || skip "VS Code needs Node.js 20 or newer"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
[ -n "$CHROMIUM" ] || skip "no chromium"
export CHROMIUM
command -v rg >/dev/null || skip "no ripgrep"
"$build/warpwise" lsp --help >/dev/null 2>&1 || skip "this build has no lsp command"

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
network() { grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network' "$log"; }
if ! node editors/vscode/package.mjs "$build/warpwise.vsix" >"$log" 2>&1; then
  network && skip "npm packages cannot be downloaded"
  sed 's/^/# /' "$log"
  echo "not ok 1 - the extension is packed"
  exit 1
fi
if ! "$here/install.sh" "$PWD/.cache/clients/vscode" >"$log" 2>&1; then
  network && skip "npm packages cannot be downloaded"
  tail -n 20 "$log" | sed 's/^/# /'
  echo "not ok 1 - VS Code is installed"
  exit 1
fi

status=0
mkdir -p "$build/vscode"
editors/vscode/node_modules/.bin/esbuild editors/vscode/src/find.ts --bundle --platform=node --outfile="$build/vscode/find.cjs" --log-level=error || status=1
node "$here/find.mjs" "$(realpath "$build/vscode/find.cjs")" || status=1
node "$here/settings.mjs" "$build/warpwise" editors/vscode || status=1
node "$here/test.mjs" .cache/clients/vscode "$build/warpwise.vsix" "$build/warpwise" "$shots" || status=1
exit $status
