#!/bin/sh
# layers.sh : includes point down only, and each outside library has its one home. Prints TAP.
#
# agent -> serve; api -> serve, tune -> data, opt -> query -> predict, measure -> front, trace, lm, gpu -> ir, report, cuda -> base; cmd may use everything.
cd "$(dirname "$0")/.." || exit 1
n=0
bad=0

result() { # TEXT OFFENDERS
  n=$((n + 1))
  if [ -z "$2" ]; then
    echo "ok $n - $1"
  else
    echo "not ok $n - $1"
    echo "$2" | sed 's/^/# /'
    bad=1
  fi
}

sources() { find src include -name '*.[ch]' -not -path 'src/front/shim/*' 2>/dev/null; }
outside() { sources | grep -vE "$1" | xargs grep -nE "$2" 2>/dev/null; }

# What a folder may include besides itself.
may() {
  case $1 in
  base) echo "" ;;
  ir | report | cuda) echo "base" ;;
  gpu) echo "base ir report" ;;
  lm) echo "base report cuda" ;;
  front) echo "base ir report cuda" ;;
  trace) echo "base ir report" ;;
  query) echo "base ir report cuda gpu lm front trace predict measure" ;;
  predict | measure) echo "base ir report cuda gpu lm front trace" ;;
  data | opt) echo "base ir report cuda gpu lm front trace predict measure query" ;;
  api) echo "base ir report cuda gpu lm front trace predict measure query data opt serve" ;;
  tune | serve) echo "base ir report cuda gpu lm front trace predict measure query data opt" ;;
  agent) echo "base ir report cuda gpu lm front trace predict measure query data opt serve" ;;
  *) echo "*" ;;
  esac
}

for dir in src/*/; do
  d=$(basename "$dir")
  allowed=$(may "$d")
  [ "$allowed" = "*" ] && continue
  own=$(find "$dir" -mindepth 1 -type d -not -path 'src/front/shim/*' -exec basename {} \;) # its own subfolders
  pattern=$(echo $d $own $allowed | sed 's/  */|/g; s/|$//')
  result "src/$d includes only what lies below it" \
    "$(find "$dir" -name '*.[ch]' -not -path 'src/front/shim/*' -print0 | xargs -0r grep -nE '#include "(\.\./)+[a-z]+/' /dev/null | grep -vE "\"(\.\./)+($pattern)/")"
done
result "warpwise.h, the contract with others, only in src/api" "$(outside '^(src/api|include)/' '#include [<"]warpwise\.h')"
result "src/api is nobody's but the library's" "$(outside '^src/api/' '#include "(\.\./)+api/')"
result "llvm-c/ only in src/front" "$(outside '^src/front/' '#include [<"](llvm-c|clang-c|llvm)/')"
result "microhttpd.h only in src/serve" "$(outside '^src/serve/' '#include [<"]microhttpd\.h')"
result "curl/curl.h only in src/agent/llm_http.c" "$(outside '^src/agent/llm_http\.c' '#include [<"]curl/')"
result "sqlite3.h only in src/data" "$(outside '^src/data/' '#include [<"]sqlite3\.h')"
result "CUDA headers only in src/measure and src/lm/cuda" "$(outside '^src/(cuda|measure|lm/cuda)/' '#include [<"](cuda|cupti|nvrtc|cublas|nccl)[a-zA-Z0-9_]*\.h')"
result "exit() only in src/main.c and in children (process.c, process_pool.c, child.c, sandbox.c); cleanup.c and watchdog.c end the program for a signal or a limit" "$(sources | grep -vE '^src/(main|measure/emulate/sandbox|base/(cleanup|watchdog|child|process|process_pool))\.c$' | xargs grep -nE '(^|[^_a-zA-Z0-9])(exit|_exit|longjmp) *\(' 2>/dev/null | grep -vE '^\S+\s*(/?\*|//)')"
result "every header behind a name of the shim's aliases.yaml is there, and no file has such a name" "$(for d in cuda hip; do
  sed -n "s|.*name: /warpwise-shim/\($d/[^,]*\), external-contents: \([^}]*\)}|\1 $d/\2|p" src/front/shim/$d/aliases.yaml
done | while read -r name header; do if [ -e "src/front/shim/$name" ] || [ ! -f "src/front/shim/$header" ]; then echo "$name: $header"; fi; done)"
result "a header behind such a name includes its parts as <folder/part>" "$(for d in cuda hip; do
  sed -n "s|.*external-contents: \([^}]*\)}|src/front/shim/$d/\1|p" src/front/shim/$d/aliases.yaml
done | sort -u | xargs grep -nE '#include "\.\./|#include "[^"]*/')"
result "JSON is printed by src/base/json.c alone" "$(outside '^src/base/json' 'cJSON_Print')"

# Code tells assumptions, refusals and findings apart by their kind. What clang, a linker or another tool says has no kind.
compare='(strn?cmp|strn?casecmp|strstr|strcasestr|memmem|ww_starts|ww_ends|sscanf)'
result "no message, refusal or assumption of our own is matched by its words" \
  "$(outside '^src/(report|front/hostobject\.c)' "$compare *\\([^;]*(->|\\.)(msg|message|refusal|assumed|bottleneck)(\\.v)?(\\[[^]]*\\])?,? [^;]*\"" | grep -v '"__ww_lost_"')"
pieces=$(sed -n 's/.*"\(.*\)").*/\1/p' src/report/assumptions.def | sed 's/\$[a0-9]/\n/g' | tr ',;' '\n' | sed 's/^[: ]*//; s/ *$//; s/[]\[().*`]/./g' | grep -E '.{3}[ :]' | sort -u | paste -sd '|')
result "assumptions are worded by assumptions.def alone" "$(sources | xargs grep -nE "$compare *\\([^;]*\"[^\"]*($pieces)")"
exit $bad
