#!/bin/sh
# manners.sh BUILD : completions load in their shells and offer what the tables have; manual pages are set without complaint; doctor
# says what is missing. Prints TAP.
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${1:-build}" && pwd) || exit 1
ww=$build/warpwise
PATH=$build:$PATH
export PATH
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
bad=0
ok() { # WHAT STATUS
  n=$((n + 1))
  if [ "$2" = 0 ]; then echo "ok $n - $1"; else
    echo "not ok $n - $1"
    bad=1
  fi
}
skip() { n=$((n + 1)) && echo "ok $n - # SKIP $1"; }

# ---- completion ----
if command -v bash >/dev/null; then
  offered=$(bash -c 'source <("$0" completion bash); COMP_WORDS=(warpwise pre); COMP_CWORD=1; _warpwise; echo "${COMPREPLY[@]}"' "$ww")
  [ "$offered" = predict ]
  ok "bash offers the command" $?
  offered=$(bash -c 'source <("$0" completion bash); COMP_WORDS=(warpwise predict --sw); COMP_CWORD=2; _warpwise; echo "${COMPREPLY[@]}"' "$ww")
  [ "$offered" = --sweep ]
  ok "bash offers the option of a command" $?
  offered=$(bash -c 'source <("$0" completion bash); COMP_WORDS=(warpwise dataset collect --sto); COMP_CWORD=3; _warpwise; echo "${COMPREPLY[@]}"' "$ww")
  [ "$offered" = --store ]
  ok "bash offers the option of a command in a command" $?
  offered=$(bash -c 'source <("$0" completion bash); COMP_WORDS=(warpwise predict --gpu rtx308); COMP_CWORD=3; _warpwise; echo "${COMPREPLY[@]}"' "$ww")
  [ "$offered" = rtx3080 ]
  ok "bash offers the GPUs" $?
fi
if command -v zsh >/dev/null; then
  "$ww" completion zsh >"$dir/_warpwise"
  zsh -n "$dir/_warpwise"
  ok "zsh reads its completion" $?
  said=$(zsh -fc "fpath=($dir \$fpath); autoload -Uz compinit; compinit -D -u; source $dir/_warpwise; echo \$_comps[warpwise]" 2>&1)
  [ "$said" = _warpwise ]
  ok "zsh knows whom to ask" $?
else skip "no zsh here" && skip "no zsh here"; fi
if command -v fish >/dev/null; then
  "$ww" completion fish >"$dir/warpwise.fish"
  offered=$(fish --no-config -c "source $dir/warpwise.fish; complete -C 'warpwise roof'" 2>&1 | cut -f1)
  [ "$offered" = roofline ]
  ok "fish offers the command" $?
  offered=$(fish --no-config -c "source $dir/warpwise.fish; complete -C 'warpwise dataset collect --sto'" 2>&1 | cut -f1)
  [ "$offered" = --store ]
  ok "fish offers the option of a command in a command" $?
else skip "no fish here" && skip "no fish here"; fi
"$ww" completion tcsh >/dev/null 2>"$dir/err"
[ $? = 2 ] && grep -q "bash, zsh or fish" "$dir/err"
ok "another shell is a usage error" $?

# ---- manual ----
if command -v scdoc >/dev/null; then
  for page in $("$ww" manual --list); do
    "$ww" manual "$page" | scdoc >"$dir/$page.1" 2>"$dir/err" || echo "$page: $(cat "$dir/err")"
  done >"$dir/complaints"
  [ ! -s "$dir/complaints" ]
  ok "every manual page can be set" $?
  sed 's/^/# /' "$dir/complaints"
  grep -q -- '--sweep' "$dir/warpwise-predict.1" && grep -q 'SYNOPSIS' "$dir/warpwise-dataset-collect.1"
  ok "they have the options" $?
else skip "no scdoc here" && skip "no scdoc here"; fi

# ---- help ----
without=
for page in $("$ww" manual --list | sed -n 's/^warpwise-//p'); do
  words=$(echo "$page" | sed 's/^dataset-/dataset /; s/^lm-/lm /')
  # shellcheck disable=SC2086
  "$ww" $words --help | grep -q "^  .*warpwise $words" || without="$without $page"
done
[ -z "$without" ]
ok "--help of every command has an example of it" $?
[ -z "$without" ] || echo "# without:$without"

# ---- doctor ----
"$ww" doctor >"$dir/out" 2>&1
ok "all that predictions need is here" $?
grep -q "OpenCL device" "$dir/out"
ok "doctor looks for devices" $?
grep -q "^ok  emulation " "$dir/out"
ok "programs can be recorded without a GPU" $?
# A compiler whose linker lacks something: as without a library's -dev package, and as without anything.
linker() { # PATTERN : of the word that it does not find
  printf '#!/bin/sh\nfor w in "$@"; do case $w in %s) echo "ld: cannot find $w" >&2; exit 1 ;; esac; done\nexec "%s" "$@"\n' "$1" "$clang" >"$dir/clang"
  chmod +x "$dir/clang"
}
clang=$("$ww" doctor | sed -n 's/^ok  CUDA sources *read by //p')
linker '-lcjson|-lzstd'
WARPWISE_CLANG=$dir/clang "$ww" doctor 2>&1 | grep -q "^ok  emulation "
ok "no -dev package is needed for it" $?
linker '*libwarpwise.a'
WARPWISE_CLANG=$dir/clang "$ww" doctor >"$dir/out" 2>&1
[ $? = 0 ] && grep -q "^--  emulation .*cannot find .*libwarpwise.a" "$dir/out"
ok "doctor tries the link, and says what it lacks" $?
WARPWISE_CLANG=/nowhere/clang "$ww" doctor >"$dir/out" 2>&1
[ $? = 1 ] && grep -q "^!!  CUDA sources .*/nowhere/clang" "$dir/out" && grep -q "to fix: *apt-get install clang-" "$dir/out"
ok "no clang: said, with the command that brings it" $?
"$ww" doctor --json | grep -o '"verdict":"[a-z]*","found":"[^"]*"[^}]*' | grep -v '"verdict":"ok"' | grep -qv '"fix":"'
[ $? = 1 ]
ok "whatever is missing has its fix" $?
WARPWISE_DATA=$dir "$ww" doctor --json >"$dir/out" 2>&1
[ $? = 1 ] && grep -q '"what":"GPU descriptions","verdict":"missing"' "$dir/out"
ok "what is missing is said, with exit code 1" $?
echo "1..$n"
exit $bad
