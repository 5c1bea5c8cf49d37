#!/bin/sh
# bundle.sh BUILD [SHOTS] : BUILD/warpwise-linux-x64.vsix, which brings the program, in a VS Code that has nothing else. Prints TAP. `make test-bundle` runs it.
set -eu
cd "$(dirname "$0")/../../.."
build=${1:-build}
tools=$PWD/.cache/clients/vscode
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
export CHROMIUM
tests/clients/vscode/install.sh "$tools" >/dev/null
exec node tests/clients/vscode/bundle.mjs "$tools" "$build/warpwise-linux-x64.vsix" "${2:-$build/vscode}"
