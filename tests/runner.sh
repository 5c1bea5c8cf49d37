#!/bin/sh
# runner.sh : tests/run.sh itself, over stages that are made up: what is counted as passed, failed and skipped, and that one half does not stop
# the other. Prints TAP.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/tests/unit" "$dir/tests/record" "$dir/scripts" "$dir/one/tests/unit" "$dir/two/tests/unit"
cp tests/run.sh "$dir/tests/"
program() { # FILE : a script, from standard input
  { echo '#!/bin/sh' && cat; } >"$dir/$1"
  chmod +x "$dir/$1"
}
program one/warpwise </dev/null
program two/warpwise </dev/null

# ends TEXT STATUS LAST_LINE ARGS... : run.sh's status, and the last thing it prints, which comes once
ends() {
  text=$1 want=$2 line=$3
  shift 3
  (cd "$dir" && tests/run.sh "$@") >"$dir/out" 2>&1
  status=$?
  why=
  [ "$(tail -n 1 "$dir/out")" = "$line" ] || why="the last line is not '$line'"
  [ "$(grep -cE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$dir/out")" = 1 ] || why="$why; not one closing line"
  [ $status = "$want" ] || why="$why; status $status"
  [ -z "$why" ] || why="$why
$(cat "$dir/out")"
  report "$text" "$why"
}

program tests/cli.sh <<'END'
printf 'ok 1 - a\nok 2 - b # SKIP no zsh here\nok 3 - # SKIP no fish here\n1..3\n'
END
ends "a test that was skipped has not passed" 0 "1 passed, 0 failed, 2 skipped" one cli
grep -q 'skipped: b no zsh here' "$dir/out"
ok "and says why" $? "$dir/out"
program tests/lsp.sh <<'END'
printf 'ok 1 - a\nnot ok 2 - b\n1..2\n'
exit 1
END
ends "a failure" 1 "1 passed, 1 failed, 0 skipped" one lsp
ends "the second half runs when the first fails, and the whole fails" 1 "2 passed, 1 failed, 2 skipped" one lsp -- two cli
ends "and the other way round" 1 "2 passed, 1 failed, 2 skipped" one cli -- two lsp
ends "a half that was not built is a failure and no more" 1 "1 passed, 1 failed, 2 skipped" one unbuilt -- two cli
ends "nor is it otherwise when its program is missing" 1 "1 passed, 1 failed, 2 skipped" three cli lsp -- two cli
program tests/emacs.sh <<'END'
[ -f second ] && echo 'ok 1 - a' && exit
touch second
echo 'not ok 1 - a'
END
mkdir -p "$dir/tests/clients/emacs" && mv "$dir/tests/emacs.sh" "$dir/tests/clients/emacs/run.sh"
ends "an editor that failed beside other stages is run once more, and that counts" 0 "2 passed, 0 failed, 2 skipped" one emacs cli
grep -q 'not ok 1 - a' "$dir/out" && grep -q 'once more' "$dir/out"
ok "and its first result is shown" $? "$dir/out"
program tests/clients/emacs/run.sh <<'END'
echo 'not ok 1 - a'
END
ends "one that fails again has failed" 1 "1 passed, 1 failed, 2 skipped" one emacs cli
program tests/serve.sh </dev/null
ends "a stage that prints nothing has failed" 1 "0 passed, 1 failed, 0 skipped" one serve
program tests/serve.sh <<'END'
echo 'ok 1 - a'
kill -SEGV $$
END
ends "so has one that ends by a signal" 1 "1 passed, 1 failed, 0 skipped" one serve
program tests/serve.sh <<'END'
printf '1..2\nok 1 - a\n'
END
ends "so has one that ends before its last test, whatever its status" 1 "1 passed, 1 failed, 0 skipped" one serve
ends "a stage whose script is missing" 1 "0 passed, 1 failed, 0 skipped" one mcp
ends "a stage that does not exist" 1 "0 passed, 1 failed, 0 skipped" one nosuch
: >"$dir/tests/unit/test_first.c" && : >"$dir/tests/unit/test_second.c"
program one/tests/unit/test_first <<'END'
printf '1..3\nok 1 - a\nok 2 # SKIP b\nnot ok 3 # SKIP c\n'
END
ends "cmocka's skips in both spellings; a unit test that was not built has failed" 1 "1 passed, 1 failed, 2 skipped" one unit
ends "one unit test" 0 "1 passed, 0 failed, 2 skipped" one unit/first
ends "programs of stages that were not built" 1 "0 passed, 3 failed, 0 skipped" one kernels cross record
program one/tests/run_kernels <<'END'
echo '7 passed, 0 failed'
END
program one/tests/run_cross <<'END'
printf 'skipped: Oclgrind is not here\n5 passed, 0 failed, 1 skipped\n'
END
cp "$dir/one/tests/run_cross" "$dir/one/tests/cl_host"
ends "stages that count by themselves" 0 "12 passed, 0 failed, 1 skipped" one kernels cross
touch "$dir/one/libwarpwise.a" && echo __asan_init >"$dir/one/libwarpwise.a"
ends "a stage that is skipped as a whole" 0 "0 passed, 0 failed, 1 skipped" one emulate

missing=$(find src -name '*.c' -not -path 'src/front/shim/*' -exec dirname {} \; | sort -u | while read -r folder; do
  grep -q "^$folder " tests/folders.def || echo "no line for $folder"
done)
report "every folder of src/ has a line in tests/folders.def" "$missing"
missing=$(grep '^src' tests/folders.def | while read -r folder stages; do
  for each in $stages; do
    case $each in
    '|') ;;
    unit/*) [ -f "tests/unit/test_${each#unit/}.c" ] || echo "$folder: no $each" ;;
    *) grep -q "^  $each)" tests/run.sh || echo "$folder: no stage $each" ;;
    esac
  done
done)
report "and names tests that there are" "$missing"
make --no-print-directory check DIR=src/nosuch >"$dir/out" 2>&1
[ $? = 2 ]
ok "make check of a folder that is not there fails" $? "$dir/out"

make --no-print-directory MAKE=false test >"$dir/out" 2>"$dir/err"
[ $? != 0 ] && [ "$(tail -n 1 "$dir/out")" = "0 passed, 2 failed, 0 skipped" ]
ok "make test says so when neither half can be built" $? "$dir/out"
echo "1..$n"
exit $bad
