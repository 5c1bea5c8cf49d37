#!/bin/sh
# install.sh DIR : VS Code for a browser (code-server) and playwright, at the versions of the lock file, ready to run in DIR.
#
# Does nothing when DIR holds them already. Scripts of packages do not run, apart from the three native modules that VS Code cannot do
# without; those are compiled here, against the headers of the node that runs them.
set -eu
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
cd "$dir"
if [ -e ready ] && cmp -s ready "$here/package-lock.json"; then exit 0; fi
rm -rf node_modules ready
cp "$here/package.json" "$here/package-lock.json" .

headers=$(dirname "$(dirname "$(command -v node)")")
if [ -e "$headers/include/node/node.h" ]; then npm_config_nodedir=$headers; export npm_config_nodedir; fi
export npm_config_yes=true npm_config_audit=false npm_config_fund=false npm_config_loglevel=error

npm ci --ignore-scripts
npm rebuild argon2
cd node_modules/code-server/lib/vscode
npm install --omit=dev --ignore-scripts # versions from its shrinkwrap file, which lacks one package: `npm ci` refuses it
npm rebuild @vscode/spdlog node-pty
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg # its own would be downloaded from elsewhere
ln -sfn node_modules node_modules.asar
cp "$here/package-lock.json" "$dir/ready"
