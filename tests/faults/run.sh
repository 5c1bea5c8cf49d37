#!/bin/sh
# run.sh BUILD [FEW|all|some] [CASE[:CLASS:FEW]...] : every allocation, file and process call of each command fails once. Prints TAP, a test for
# each command and class of calls.
#
# First a run that counts the calls (inject.c, alloc.c), then one for each of them, each in a fresh folder. FEW: so many of each
# class of a command, spread evenly (default 3); all: every one, of allocations LIMIT spread evenly where there are more (default 200).
# some: the commands and classes that `make test` takes, below.
# A run must end by itself, within a documented exit code, with a message unless it succeeded; it leaves no temporary
# file, no process and no changed input; an output is the old one or the whole new one; a store is sound and has its rows.
#
#   JOBS=N       so many pairs of a command and a class at a time, each in a run of its own
#   TOOLS=DIR    inject, alloc.so and store compiled already, where there is no compiler
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
few=${2:-3}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] && shift
some="gpus:write:2 kernels:open:4 predict:map:14 predict:process:4 predict:alloc:6 roofline:write:2 roofline:change:4 fix:change:4
  merge:alloc:200 merge:write:4 import:change:4 pack:read:12 pack:write:4 export:look:8 export-zst:write:6 correction:write:4 lm-convert:write:4
  lm-inspect:open:2 lsp:write:6 lsp:alloc:6 mcp:map:6 generate:change:4 doctor:process:4"
only=" $* "
if [ "$few" = some ]; then few=2 only=" $(echo $some) "; fi
limit=${LIMIT:-200}
jobs=${JOBS:-1}
seconds=${SECONDS_EACH:-60}
cd "$(dirname "$0")/../.." || exit 1
repo=$PWD
program=$build/warpwise
. tests/tap.sh
dir=$(mktemp -d) || exit 1
dir=$(cd "$dir" && pwd -P)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp" "$dir/cache" "$dir/pocl" "$dir/seed"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache" POCL_CACHE_DIR="$dir/pocl" OMP_NUM_THREADS=1
cc="${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -Wall"
if [ -n "${TOOLS:-}" ]; then cp "$TOOLS/inject" "$TOOLS/alloc.so" "$TOOLS/store" "$dir/"; else
  $cc -o "$dir/inject" tests/faults/inject.c && $cc -shared -fPIC -o "$dir/alloc.so" tests/faults/alloc.c -ldl &&
    $cc -o "$dir/store" tests/faults/store.c -lsqlite3
fi || exit 1
"$dir/inject" "$program" none 0 10 true 3>"$dir/line" || { skip "faults: this machine's registers are not known, or tracing is not allowed"; echo "1..$n"; exit 0; }
total=0
runs=0
classes=${CLASSES:-open read write change look process map alloc}

# ---- side by side ----
# The slowest class of all, allocations, first; a command that shows nothing at all has failed.
if [ -n "${JOBS:-}" ]; then
  export JOBS= TOOLS="$dir" TMPDIR="$dir" # of each run its own below
  pairs=$only
  [ "$only" != "  " ] || pairs=$(sed -n 's/^ *try \([a-z-]*\) .*/\1/p' tests/faults/commands.sh)
  for class in $(echo "$classes" | tr ' ' '\n' | sort | grep -x alloc) $(echo "$classes" | tr ' ' '\n' | grep -vx alloc); do
    for pair in $pairs; do
      case $pair in *:*:*) [ "$class" = "${classes%% *}" ] && echo "$pair" ;; *) echo "$pair:$class:$few" ;; esac
    done
  done | xargs -P "$jobs" -I{} sh -c 'tests/faults/run.sh "$1" "$2" "$3" >"$TOOLS/out.$3" 2>&1; cat "$TOOLS/out.$3"' run "$build" "$few" {} |
    awk -v pairs="$(echo $pairs)" '/^(not )?ok / { sub(/ok [0-9]+/, "ok " ++n); bad += /^not/; at = index($0, " - "); split(substr($0, at + 3), w, ":"); seen[w[1]] = 1 }
      /# SKIP/ { k = split($0, w, /[^a-z-]+/); for (i = 1; i <= k; i++) seen[w[i]] = 1 }
      /^# [0-9]+ runs, / { runs += $2; faults += $4; next } /^1[.][.]/ { next } { print; fflush() }
      END { k = split(pairs, all, " ")
        for (i = 1; i <= k; i++) { sub(/:.*/, "", all[i]); if (!seen[all[i]]++) { print "not ok " ++n " - " all[i] ": nothing was counted"; bad++ } }
        print "# " runs + 0 " runs, " faults + 0 " faults"; print "1.." n + 0; exit bad > 0 }'
  exit
fi

# ---- one run ----

# fault CLASS N : the command of the case in a fresh folder $dir/w; leaves $dir/out, $dir/err and the line of inject in $line
fault() {
  rm -rf "$dir/w"
  cp -a "$dir/seed/$name" "$dir/w"
  if [ "$1" = alloc ]; then
    head -c 16 /dev/zero >"$dir/state"
    line=$(cd "$dir/w" && FAULT_PROGRAM=$program FAULT_STATE=$dir/state FAULT_AT=$2 PRELOAD=$dir/alloc.so \
      "$dir/inject" "$program" none 0 "$seconds" sh -c "$preloaded" 3>&1 >"$dir/out" 2>"$dir/err" </dev/null)
    set -- $(od -An -t u8 "$dir/state")
    [ "$2" = 0 ] && was=no || was="malloc:$1"
    line="calls=$1 fired=$was end=${line##*end=}"
  else
    line=$(cd "$dir/w" && "$dir/inject" "$program" "$1" "$2" "$seconds" sh -c "$command" 3>&1 >"$dir/out" 2>"$dir/err" </dev/null)
  fi
  runs=$((runs + 1))
}
field() { echo "$line" | sed -n "s/.*$1=\([^ ]*\).*/\1/p"; }

is_output() { case " $outputs " in *" $1 "*) ;; *) false ;; esac; }

# problems : what is wrong with the state after `fault`, a line each
problems() {
  end=$(field end) fired=$(field fired)
  case $end in
  exit:[0-4]) ;;
  *) echo "ended by $end" ;;
  esac
  [ "$(field left)" = 0 ] || echo "$(field left) processes left"
  case $end in
  exit:0)
    [ -z "$fixed" ] || $fixed "$dir/out" | cmp -s - "$dir/want" || grep -q '"no_model":' "$dir/out" || echo "code 0 and another answer: $(head -c 300 "$dir/out")"
    ;;
  exit:1) [ -s "$dir/out" ] || [ -s "$dir/err" ] || echo "code 1 and not a word" ;;
  exit:*) [ -s "$dir/err" ] || grep -q '"error"' "$dir/out" || echo "code ${end#exit:} and not a word" ;;
  esac
  grep -E 'Sanitizer|runtime error|core dumped' "$dir/err" | grep -vE 'fatal error|HINT' # LeakSanitizer cannot look while a process is traced
  case $fired in unlink* | rmdir*) ;; *)
    ls -A "$dir/tmp" | sed 's/^/left in TMPDIR: /'
    find "$dir/cache" "$dir/w" -newer "$dir/begun" \( -name '*.part' -o -name '*.tmp' -o -name '*.[A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9]' \) \
      ! -name '*.sqlite' ! -name '*.config' | sed 's/^/left: /'
    ;;
  esac
  rm -rf "$dir"/tmp/*
  LC_ALL=C diff -rq "$dir/seed/$name" "$dir/w" | while read -r a b c d e; do
    case $a in
    Only) # Only in FOLDER: NAME
      f=${c%:}/$d
      case $b in in) ;; *) echo "$a $b $c $d" ;; esac
      f=${f#"$dir/w/"} && f=${f#"$dir/seed/$name/"}
      case $c in "$dir/seed"*) is_output "$f" || echo "gone: $f" ;; *) is_output "$f" && whole "$f" || is_side "$f" || echo "new: $f" ;; esac
      ;;
    Files) # Files A and B differ
      f=${b#"$dir/seed/$name/"}
      is_output "$f" && whole "$f" || is_side "$f" || echo "changed: $f"
      ;;
    esac
  done
  for f in $stores; do
    [ ! -e "$dir/w/$f" ] || "$dir/store" "$dir/w/$f" "$rows" 2>&1
  done
}
# A new output is the baseline's, byte for byte, or a store, or a folder whose files are; where answers differ each time, it has its end.
whole() {
  case $1 in *.sqlite) return 0 ;; esac
  if [ -z "$fixed" ]; then
    case $1 in *.html) grep -q '</html>' "$dir/w/$1" ;; *.svg) grep -q '</svg>' "$dir/w/$1" ;; esac
    return
  fi
  if [ -d "$dir/w/$1" ]; then
    for g in "$dir/w/$1"/*; do [ ! -f "$g" ] || cmp -s "$g" "$dir/new/$1/${g##*/}" || return 1; done
    return 0
  fi
  cmp -s "$dir/w/$1" "$dir/new/$1"
}
is_side() { case $1 in *.sqlite-wal | *.sqlite-shm | *.sqlite-journal) ;; *) false ;; esac; }

# ---- one command ----

# places N : which of N calls fail
places() {
  most=$1
  if [ "$each" = all ]; then most=$limit; [ "$class" = alloc ] || most=$1; else most=$each; fi
  awk -v n="$1" -v m="$most" -v s="${SHIFT:-0}" 'BEGIN { if (m >= n) for (i = 1; i <= n; i++) print i; else for (i = 0; i < m; i++) print 1 + int((i + 0.5) * n / m + s) % n }'
}

# try NAME FIXED OUTPUTS COMMAND : FIXED: a filter that makes equal answers equal, '' where they never are. Variables: $stores and $rows
try() {
  name=$1 fixed=$2 outputs=$3 command=$4
  preloaded=$(echo "$command" | sed "s|^\$W|LD_PRELOAD=\$PRELOAD \$W|; s|talk.sh \$W|talk.sh \"env LD_PRELOAD=\$PRELOAD \$W\"|")
  case $only in "  " | *" $name "* | *" $name:"*) ;; *) return ;; esac
  W=$program
  export W
  mkdir -p "$dir/seed/$name"
  fault none 0
  fault none 0
  if [ "$(field end)" != "exit:${wanted_code:-0}" ]; then report "$name without a fault" "$line $(tail -n 3 "$dir/err")"; return; fi
  [ -z "$fixed" ] || $fixed "$dir/out" >"$dir/want"
  rm -rf "$dir/new"
  cp -a "$dir/w" "$dir/new"
  sleep 0.01
  touch "$dir/begun"
  counted=0
  for class in $classes; do
    each=$few
    case $only in
    *" $name:$class:"*) each=${only#*" $name:$class:"} && each=${each%% *} ;;
    *" $name:"*) continue ;;
    esac
    fault "$class" 0
    calls=$(field calls)
    [ "${calls:-0}" -gt 0 ] || continue
    counted=$((counted + calls))
    bad_ones=
    count=0
    for k in $(places "$calls"); do
      fault "$class" "$k"
      count=$((count + 1))
      [ "$(field fired)" = no ] && continue
      total=$((total + 1))
      p=$(problems)
      [ -z "$p" ] || bad_ones="$bad_ones
$class $k of $calls, $(field fired): $(echo "$p" | tr '\n' ';') $(tail -n 1 "$dir/err" | head -c 200)"
    done
    report "$name: $count of $calls calls to $class" "$bad_ones"
    [ -z "$bad_ones" ] || [ -z "$LOG" ] || echo "== $name $bad_ones" >>"$LOG"
  done
  case $only in *" $name:"*) return ;; esac # some classes alone
  [ $counted -gt 0 ] || report "$name: calls are counted" "none was: does main() begin with ww_end_on_signals?"
}

# ---- inputs ----
seed() { # CASE FILE... : into its folder
  mkdir -p "$dir/seed/$1"
  to=$dir/seed/$1
  shift
  cp -a "$@" "$to/"
}
old() { printf '%s\n' "${2:-old}" >"$dir/seed/$1"; } # an output that is there already
. tests/faults/commands.sh
echo "# $runs runs, $total faults"
echo "1..$n"
exit $bad
