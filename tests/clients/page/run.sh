#!/bin/sh
# run.sh BUILD : the page of `warpwise serve` in chromium (page.mjs); playwright-core comes from npm into the build folder. Prints TAP.
# PICTURES=docs/page also makes the pictures of the manual.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
case ${PICTURES:-/} in /*) ;; *) export PICTURES="$PWD/$PICTURES" ;; esac
here=$(cd "$(dirname "$0")" && pwd)
skip() {
  echo "ok 1 - page # SKIP $1"
  echo 1..1
  exit 0
}
command -v node >/dev/null || skip "no node"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
[ -n "$CHROMIUM" ] || skip "no chromium"
"$build/warpwise" --help | grep -q '^  serve ' || skip "built without libmicrohttpd"
client=$build/clients-page
mkdir -p "$client"
cp "$here/page.mjs" "$client/"
if ! cmp -s "$here/package-lock.json" "$client/installed"; then
  cp "$here/package.json" "$here/package-lock.json" "$client/"
  (cd "$client" && npm ci --ignore-scripts --no-audit --no-fund >/dev/null 2>&1) || skip "npm could not bring playwright-core"
  cp "$here/package-lock.json" "$client/installed"
fi
export CHROMIUM
cd "$client" && exec timeout 300 node page.mjs "$build/warpwise"
