#!/bin/sh
# fixes.sh PROGRAM : each kernel with a planted fault is fixed: to the byte as wanted, it compiles, the finding is gone or smaller, the predicted
# time is not worse, it computes the same, nothing is offered twice. Prints TAP.
case $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

. tests/tap.sh

explain() { (cd "$dir" && "$program" explain --gpu h200 "$@" --by machine --color never); }
time_of() { sed -n 's/.*"time_us":{"value":\([0-9.e+-]*\).*/\1/p' "$1"; }
gain_of() { sed -n "s/.*\"rule\":\"$2\",\"message\":\"[^\"]*\",\"gain\":\([0-9.e+-]*\).*/\1/p" "$1"; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 <= b + 0) }'; }

small() { # arguments for a launch that can be run as a whole
  case $1 in
  column_scan.cu) echo "--arg tiles=8" ;;
  add_columns.cu) echo "--arg rows=64 --arg cols=128" ;;
  blur_square.cu | tile_bytes.cu | turn.cl) echo "--arg n=128" ;;
  *) echo "--arg n=2048" ;;
  esac
}

# same FILE FILE OPTIONS : runs both as a whole; what they leave in memory must be the same, floats to 4 digits.
same() {
  rm -rf "$dir/d1" "$dir/d2"
  mkdir "$dir/d1" "$dir/d2"
  args=$(small "$(basename "$1")")
  # shellcheck disable=SC2086
  if ! "$program" trace "$1" $3 --full $args --dump "$dir/d1" >/dev/null 2>"$dir/err" ||
    ! "$program" trace "$2" $3 --full $args --dump "$dir/d2" >/dev/null 2>"$dir/err"; then
    cat "$dir/err"
    return
  fi
  # shellcheck disable=SC2012
  [ "$(ls "$dir/d1" | wc -l)" -gt 0 ] || echo "nothing was dumped"
  for b in "$dir"/d1/*; do
    cmp -s "$b" "$dir/d2/$(basename "$b")" && continue
    od -An -v -w4 -t f4 "$b" >"$dir/v1"
    od -An -v -w4 -t f4 "$dir/d2/$(basename "$b")" >"$dir/v2"
    paste "$dir/v1" "$dir/v2" | awk -v b="$(basename "$b")" '
      function abs(x) { return x < 0 ? -x : x }
      !($1 == $2 || abs($1 - $2) <= 1e-4 * abs($1) + 1e-6) { print b ", element " NR - 1 ": " $1 " became " $2; if (++bad > 3) exit }'
  done
}

# fixed FILE [OPTIONS] : FILE has a line `expect: RULE`; tests/fixes/want has it as it should become.
fixed() {
  name=$(basename "$1")
  rule=$(sed -n 's/.*expect: \([a-z-]*\).*/\1/p' "$1")
  cp "$1" "$dir/$name"
  lang=$2
  # shellcheck disable=SC2086
  explain "$name" $lang --json >"$dir/before" 2>"$dir/err" || { report "$name: $rule" "$(cat "$dir/err")"; return; }
  gain=$(gain_of "$dir/before" "$rule")
  [ -n "$gain" ] || { report "$name: $rule" "the fault is not found: $(grep -o '"rule":"[a-z-]*"' "$dir/before")"; return; }
  # shellcheck disable=SC2086
  explain "$name" $lang --fix --assume >"$dir/diff" 2>&1
  # shellcheck disable=SC2086
  explain "$name" $lang --fix --assume --write >"$dir/out" 2>&1 || { report "$name: --write" "$(cat "$dir/out")"; return; }
  report "$name: $rule: as wanted" "$(diff "tests/fixes/want/$name" "$dir/$name")"
  if command -v patch >/dev/null; then
    cp "$1" "$dir/patched"
    patch -s "$dir/patched" "$dir/diff" >/dev/null 2>&1
    report "$name: the diff says the same" "$(cmp "$dir/patched" "$dir/$name" 2>&1)"
  else
    report "$name: the diff says the same # SKIP no patch here" ""
  fi
  # shellcheck disable=SC2086
  explain "$name" $lang --json >"$dir/after" 2>"$dir/err" || { report "$name: compiles" "$(cat "$dir/err")"; return; }
  left=$(gain_of "$dir/after" "$rule") was=$(time_of "$dir/before") is=$(time_of "$dir/after")
  wrong=
  [ -z "$left" ] || below "$left" "$(awk -v g="$gain" 'BEGIN { print 1 + (g - 1) / 2 }')" || wrong="the gain of $rule was $gain and is $left"
  below "$is" "$was" || wrong="$wrong; it took $was us and takes $is"
  grep -q '"error"\|"partial":true' "$dir/after" && wrong="$wrong; $(cat "$dir/after")"
  report "$name: $rule: gone or smaller, $was us -> $is us" "$wrong"
  report "$name: $rule: the same results" "$(same "$1" "$dir/$name" "$lang")"
  # shellcheck disable=SC2086
  explain "$name" $lang --fix --assume >"$dir/again" 2>&1
  title=$(sed -n "s/^[^ ]*: $rule: //p" "$dir/out" | head -n 1)
  report "$name: $rule: not offered twice" "$(grep -F "${title:-the fix has no title}" "$dir/again"; [ -n "$title" ] || cat "$dir/out")"
}

for f in tests/explain/tone.cu tests/explain/column_scan.cu tests/explain/filter.cu tests/fixes/*.cu tests/fixes/*.cl; do fixed "$f"; done
for f in tests/fixes/*.c; do fixed "$f" "--lang openmp"; done
for f in tests/fixes/*.hip; do fixed "$f" "--gpu mi250"; done

# ---- manners ----
has() { grep -qE -- "$1" "$dir/out" || echo "no $1 in: $(cat "$dir/out")"; }
cp tests/explain/filter.cu tests/explain/tone.cu tests/explain/row_sum.cu "$dir/"
explain filter.cu --fix >"$dir/out" 2>&1
report "an assumption is named and left out" "$(has 'assumes that out overlaps no other buffer; --assume takes it'; grep '^@@' "$dir/out")"
cp "$dir/filter.cu" "$dir/same.cu"
explain filter.cu --fix --write >"$dir/out" 2>&1
report "--write leaves it alone then" "$(cmp "$dir/filter.cu" "$dir/same.cu" 2>&1)"
explain row_sum.cu --fix >"$dir/out" 2>&1
report "nothing to fix is said" "$(has '^No finding has a fix')"
explain tone.cu --fix --json >"$dir/out" 2>&1
report "--json: fixes of the report" "$(has '"fixes":\[\{"rule":"double-constant","line":[0-9]+,"title":"Write float constants: [^"]*","preferred":true,"launch":false,"edits":\[\{"begin":[0-9]+,"end":[0-9]+,"text":"f"\}')"
chmod 640 "$dir/tone.cu"
ln -s tone.cu "$dir/link.cu"
explain link.cu --fix --write >"$dir/out" 2>&1
report "--write keeps links and permissions" "$([ -h "$dir/link.cu" ] || echo 'the link is gone'; [ -n "$(find "$dir/tone.cu" -perm 640)" ] || ls -l "$dir/tone.cu"; diff tests/fixes/want/tone.cu "$dir/tone.cu")"
for words in "--write" "--assume" "--fix --sarif" "--fix --github" "--fix --html x.html"; do
  # shellcheck disable=SC2086
  explain tone.cu $words >"$dir/out" 2>&1
  code=$?
  report "explain $words: usage" "$([ $code -eq 2 ] || echo "exit code $code: $(cat "$dir/out")")"
done

echo "1..$n"
exit $bad
