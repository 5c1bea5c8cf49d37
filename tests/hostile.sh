#!/bin/sh
# hostile.sh BUILD : folders, flags, names and requests that try to run code or to read what is not theirs. Prints TAP.
#
# Each way in is tried as on a kernel that confines nothing (tests/hostile/old_kernel.c), where the words that clang gets are all that
# protects; the first of them, and requests, as it is here too. Then a clang that has been taken over (tests/hostile/clang.c) tries what the kernel must refuse.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")/.." || exit 1
repo=$PWD
program=$build/warpwise
dir=$(mktemp -d) || exit 1
dir=$(cd "$dir" && pwd -P)
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$dir"' EXIT
. tests/tap.sh
if ! "$program" --help | grep -q '^  lsp '; then skip "hostile: built without a front end"; echo 1..1; exit 0; fi
mkdir "$dir/home" "$dir/tmp" "$dir/outside" "$dir/p"
export HOME="$dir/home" TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache"
cc=${CC:-cc}
mark=$dir/ran so=$dir/evil.so f=$dir/f bare=$dir/bare # f goes behind a flag, to which its first word belongs
$cc -shared -fPIC -DMARK="\"$mark\"" -o "$so" tests/hostile/evil.c || exit 1
$cc -std=gnu17 -o "$dir/old_kernel" tests/hostile/old_kernel.c || exit 1
$cc -std=gnu17 -D_GNU_SOURCE -o "$dir/drive" tests/lsp/drive.c -lcjson || exit 1
printf -- 'X\n-load\n%s\n' "$so" >"$f"
printf -- '-load\n%s\n' "$so" >"$bare"
printf -- '-D@%s\n' "$f" >"$dir/nested"
printf -- '@%s\n-U@%s\n' "$dir/nested" "$f" >"$dir/nested2"
printf -- '-fplugin=%s\n' "$so" >"$dir/plugin"
echo '__global__ void k(float *x) { x[threadIdx.x] = 1; }' >"$dir/p/a.cu"
echo '__kernel void k(__global float *x) { x[get_global_id(0)] = 1; }' >"$dir/p/a.cl"
"$program" kernels "$dir/p/a.cu" "$dir/p/a.cl" >"$dir/log" 2>&1
ok "the kernels alone can be read" $? "$dir/log"

landlock=$("$program" doctor 2>/dev/null | grep -c 'confinement *files (Landlock), system calls')
"$dir/old_kernel" all /bin/true && old=yes || old=no

# ---- words ----
# Flags as JSON, the words of one way in a line. SO, RESPONSE, NESTED ... are put in.
cat >"$dir/ways" <<'EOF'
"-D@RESPONSE"
"-U@RESPONSE"
"-D","@RESPONSE"
"-U","@RESPONSE"
"-I@RESPONSE"
"-I","@RESPONSE"
"-include","@RESPONSE"
"-isystem","@RESPONSE"
"-iquote","@RESPONSE"
"--define-macro=@RESPONSE"
"--pre-include","@RESPONSE"
"@BARE"
"@NESTED"
"@NESTED2"
"--options-file","NESTED"
"-Xclang","-load","-Xclang","SO"
"-Xclang","@BARE"
"-fplugin=SO"
"-fpass-plugin=SO"
"@PLUGIN"
"-mllvm","-load=SO"
"-load","SO"
"-Xcompiler","-D@RESPONSE"
"-Xcompiler","@BARE"
"--compiler-options=-U@RESPONSE,-I@RESPONSE"
"-std=@RESPONSE"
"-std","@RESPONSE"
"-x","@RESPONSE"
"-ffp-contract=@RESPONSE"
"-cl-std=@RESPONSE"
"--config=PLUGIN"
"-include","-pch","-include","SO"
"-D","X","@BARE"
"-DX=1\n@RESPONSE"
"-ivfsoverlay","RESPONSE"
EOF
sed -i "s|RESPONSE|$f|g; s|BARE|$bare|g; s|NESTED2|$dir/nested2|g; s|NESTED|$dir/nested|g; s|PLUGIN|$dir/plugin|g; s|SO|$so|g" "$dir/ways"

# quiet WAY COMMAND... : '' when nothing of the shared object ran and the command ended by itself
quiet() {
  what=$1
  shift
  rm -f "$mark"
  timeout -k 5 60 "$@" >"$dir/log" 2>&1
  code=$?
  [ -e "$mark" ] && echo "$what: code ran"
  if [ $code -ge 124 ]; then echo "$what: status $code: $(tail -n 3 "$dir/log")"; fi
}
words() { # WAY COMMAND... : without confinement, where that can be
  what=$1
  shift
  if [ $old = yes ]; then quiet "$what" "$dir/old_kernel" all "$@"; else quiet "$what" "$@"; fi
}
commands() { echo "[{\"directory\":\"$dir/p\",\"file\":\"a.$1\",\"arguments\":[\"nvcc\",$2,\"-c\",\"a.$1\"]}]" >"$dir/p/compile_commands.json"; }

why=$(while read -r words; do
  commands cu "$words"
  quiet "$words" "$program" kernels "$dir/p/a.cu"
  words "$words, unconfined" "$program" kernels "$dir/p/a.cu"
done <"$dir/ways")
report "compile_commands.json" "$why"
why=$(head -n 8 "$dir/ways" | while read -r words; do
  commands cl "$words"
  words "$words" "$program" kernels "$dir/p/a.cl"
done)
report "compile_commands.json of an OpenCL file" "$why"
rm "$dir/p/compile_commands.json"
why=$(while read -r words; do
  echo "{\"file\":\"$dir/p/a.cu\",\"kernel\":\"k\",\"grid\":1,\"block\":32,\"flags\":[$words]}" >"$dir/launch.json"
  words "$words" "$program" predict --launch "$dir/launch.json"
done <"$dir/ways")
report "a launch spec's flags" "$why"
why=$(while read -r words; do
  case $words in *'\n'*) continue ;; esac
  eval "set -- $(printf '%s' "$words" | tr ',' ' ')"
  words "$words" "$program" kernels "$dir/p/a.cu" -- "$@"
done <"$dir/ways")
report "flags of the command line" "$why"
why=$(CCC_OVERRIDE_OPTIONS="+-fplugin=$so" COMPILER_PATH="$dir" XDG_CACHE_HOME="$dir/cache2" quiet "CCC_OVERRIDE_OPTIONS" "$program" kernels "$dir/p/a.cu")
report "clang's variables of the environment" "$why"

mkdir "$dir/names"
cp "$dir/p/a.cu" "$dir/names/@a.cu"
cp "$dir/p/a.cu" "$dir/names/-load.cu"
cp "$f" "$dir/names/a.cu"
why=$(cd "$dir/names" && words "@a.cu" "$program" kernels @a.cu; grep -q ' k ' "$dir/log" || cat "$dir/log")
report "a source that is called @a.cu is read, and no response file" "$why"
why=$(cd "$dir/names" && words "@a.cu" "$program" predict @a.cu --by machine; grep -q '^k ' "$dir/log" || cat "$dir/log")
report "and predicted" "$why"
why=$(cd "$dir/names" && quiet -load.cu "$program" kernels ./-load.cu; grep -q ' k ' "$dir/log" || cat "$dir/log")
report "a source that is called -load.cu" "$why"

# ---- record --emulate ----
cat >"$dir/names/main.cu" <<'EOF'
__global__ void k(float *x) { x[threadIdx.x] = 1; }
int main() { float *x; cudaMalloc(&x, 128); k<<<1, 32>>>(x); return cudaDeviceSynchronize(); }
EOF
printf -- '-Wl,-plugin,%s\n' "$so" >"$dir/names/x.o"
printf 'INPUT(%s)\n' "$so" >"$dir/names/script.a"
if grep -q __asan_init "$build/libwarpwise.a"; then
  skip "record --emulate: programs are not linked with a sanitised library"
else
  why=$(cd "$dir/names" && for words in "-D@$f" "-U@$f" "-I@$f" "-include @$f" "-Xclang -load -Xclang $so" "-fplugin=$so" "-Wl,@$f" \
    "-Wl,-plugin,$so" "-L@x.o -l@x.o" "@x.o" "./@x.o" "-l:$so" "-T$so" "-Xlinker -plugin -Xlinker $so" "-B$dir" "--cflags -D@$f" \
    "--cflags=-fplugin=$so" "--cflags=-Wl,-plugin,$so"; do
    words "$words" "$program" record --emulate -o "$dir/l.jsonl" main.cu $words
  done)
  report "record --emulate" "$why"
  (cd "$dir/names" && "$program" record --emulate -o "$dir/l.jsonl" main.cu) >"$dir/log" 2>&1
  ok "which builds and runs a program still" $? "$dir/log"
fi

# ---- requests ----
serve() { # NAME COMMAND... : starts a server, sets url and pid
  name=$1
  shift
  "$@" serve --port 0 --root "$dir/root" >"$dir/$name.url" 2>"$dir/$name.err" &
  pid=$!
  pids="$pids $pid"
  for i in $(seq 150); do
    { [ -s "$dir/$name.url" ] || ! kill -0 $pid 2>/dev/null; } && break
    sleep 0.1
  done
  url=$(sed 's|/$||' "$dir/$name.url")
}
post() { curl -s -m 60 -H 'Content-Type: application/json' --data-binary "$2" "$url$1"; }
mkdir "$dir/root"
cp "$dir/p/a.cu" "$dir/root/"
cp "$dir/p/a.cu" "$dir/root/@a.cu"
source='__global__ void k(float *x) { x[threadIdx.x] = 1; }'
response="X\\n-load\\n$so\\n"
if ! command -v curl >/dev/null || ! "$program" --help | grep -q '^  serve '; then
  skip "requests: no curl, or built without libmicrohttpd"
else
  for kernel in here old; do
    if [ $kernel = here ]; then serve $kernel "$program"; elif [ $old = yes ]; then serve $kernel "$dir/old_kernel" all "$program"; else continue; fi
    rm -f "$mark"
    why=$(while read -r words; do
      for path in /v1/kernels /v1/predict; do
        post $path "{\"source\":\"$source\",\"lang\":\"cuda\",\"flags\":[$words]}" >"$dir/answer"
        { [ -s "$dir/answer" ] && ! grep -q 'unknown member' "$dir/answer"; } || echo "$path, $words: $(cat "$dir/answer")"
        [ -e "$mark" ] && echo "$path, $words: code ran" && rm -f "$mark"
      done
    done <"$dir/ways")
    report "requests over HTTP, kernel: $kernel" "$why"
    why=$(for k in $(seq 3 20); do
      for proc in self $pid; do
        post /v1/kernels "{\"source\":\"$response\",\"lang\":\"cuda\",\"flags\":[\"-D@/proc/$proc/fd/$k\"]}" >"$dir/answer"
        post /v1/kernels "{\"source\":\"$response\",\"lang\":\"opencl\",\"flags\":[\"-I\",\"@/proc/$proc/fd/$k\"]}" >"$dir/answer"
      done
    done
    post /v1/kernels '{"file":"@a.cu"}' >"$dir/answer"
    [ -e "$mark" ] && echo "code ran")
    report "a request's own text as a response file, kernel: $kernel" "$why"
    kill $pid
  done
fi
call() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"$2\",\"arguments\":$3}}"; }
if "$program" --help | grep -q '^  mcp '; then
  for kernel in here old; do
    [ $kernel = old ] && [ $old = no ] && continue
    rm -f "$mark"
    { printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
      '{"jsonrpc":"2.0","method":"notifications/initialized"}'
      i=2
      while read -r words; do
        call $i list_kernels "{\"source\":\"$source\",\"flags\":[$words]}"
        call $((i + 1)) predict "{\"source\":\"$source\",\"gpu\":\"h200\",\"flags\":[$words]}"
        i=$((i + 2))
      done <"$dir/ways"
      for k in $(seq 3 20); do call $((1000 + k)) list_kernels "{\"source\":\"$response\",\"flags\":[\"-D@/proc/self/fd/$k\"]}"; done
    } >"$dir/calls"
    set -- "$program"
    [ $kernel = old ] && set -- "$dir/old_kernel" all "$program"
    "$@" mcp --root "$dir/root" <"$dir/calls" >"$dir/answers" 2>"$dir/err"
    ways=$(wc -l <"$dir/ways")
    why=$([ "$(grep -c '"id":[0-9]' "$dir/answers")" -ge $((2 * ways)) ] || echo "answers: $(grep -c '"id":' "$dir/answers"): $(head -c 300 "$dir/answers" "$dir/err")"
      [ -e "$mark" ] && echo "code ran")
    report "tools over MCP, kernel: $kernel" "$why"
  done
fi

# ---- files outside of the root, by links below it ----
word=SECRETWORD
echo "$word here;" >"$dir/outside/secret.h"
echo "__global__ void $word(float *$word) { x[0] = 1; } // $word" >"$dir/outside/secret.cu"
ln -s ../outside/secret.h "$dir/root/link.h"
ln -s link.h "$dir/root/second.h"
ln -s ../outside "$dir/root/up"
ln -s "$dir/outside/secret.cu" "$dir/root/main.cu"
ln -s "$dir/outside/secret.h" "$dir/root/hard.cuh"
cat >"$dir/includes" <<EOF
{"source":"#include \"link.h\"\n$source","lang":"cuda"}
{"source":"#include \"second.h\"\n$source","lang":"cuda"}
{"source":"#include \"up/secret.h\"\n$source","lang":"cuda"}
{"source":"#include <link.h>\n$source","lang":"cuda","flags":["-I."]}
{"source":"#include <secret.h>\n$source","lang":"cuda","flags":["-Iup"]}
{"source":"$source","lang":"cuda","flags":["-include","link.h"]}
{"source":"#include \"$dir/root/link.h\"\n$source","lang":"cuda"}
{"source":"#include \"$dir/outside/secret.h\"\n$source","lang":"cuda"}
{"source":"#include \"up/../link.h\"\n$source","lang":"cuda"}
{"source":"const char t[] = {\n#embed \"link.h\"\n};\n$source","lang":"cuda"}
{"source":"#include \"link.h\"\n__kernel void k(__global float *x) { x[0] = 1; }","lang":"opencl"}
{"source":"#line 1 \"$dir/outside/secret.cu\"\nint ;; 1\n$source","lang":"cuda"}
{"source":"#line 1 \"up/secret.cu\"\n__global__ void k(float *x) { lost(x); }","lang":"cuda"}
{"source":"#include \"/proc/self/environ\"\n$source","lang":"cuda"}
{"source":"#include \"/proc/self/cwd/../outside/secret.h\"\n$source","lang":"cuda"}
{"file":"main.cu"}
{"file":"hard.cuh"}
{"source":"$source","lang":"cuda","instantiate":["k);\n#include \"link.h\"\n(void*)(k"]}
EOF
if ! command -v curl >/dev/null || ! "$program" --help | grep -q '^  serve '; then
  skip "links below the root: no curl, or built without libmicrohttpd"
else
  for kernel in here old; do
    if [ $kernel = here ]; then serve root-$kernel "$program"; elif [ $old = yes ]; then serve root-$kernel "$dir/old_kernel" files "$program"; else continue; fi
    why=$(while read -r body; do
      for path in /v1/kernels /v1/explain; do
        printf '%s' "$body" | curl -s -m 60 -H 'Content-Type: application/json' --data-binary @- "$url$path" >"$dir/answer"
        { [ -s "$dir/answer" ] && ! grep -q 'unknown member' "$dir/answer"; } || echo "$path, $body: $(cat "$dir/answer")"
        grep -q "$word.here\|$word(\|'$word'\|\"$word\"" "$dir/answer" && echo "$path, $body: $(head -c 400 "$dir/answer")"
      done
    done <"$dir/includes")
    report "links below the root do not lead outside, kernel: $kernel" "$why"
    why=$(post /v1/kernels '{"file":"a.cu"}' | grep -q '"k"' || echo "a.cu cannot be read any more")
    report "what is below the root is read, kernel: $kernel" "$why"
    kill $pid
  done
fi

# ---- a clang that has been taken over ----
mkdir "$dir/bin"
taken() { $cc -std=gnu17 -D_GNU_SOURCE -DOUTSIDE="\"$dir/outside\"" -DINSIDE="\"$dir/p\"" -DREADS=$1 -o "$dir/bin/clang-$1" tests/hostile/clang.c || exit 1; }
taken 0
taken 1
echo secret >"$dir/outside/secret"
echo mine >"$dir/outside/mine"
if [ "$landlock" = 0 ]; then
  skip "a clang that has been taken over: this kernel has no Landlock or no seccomp"
else
  could() { grep -o 'it could:.*' "$1" | head -n 1 | sed 's/["\\].*//'; }
  WARPWISE_CLANG="$dir/bin/clang-0" "$program" kernels "$dir/p/a.cu" >"$dir/log" 2>&1
  report "it can do nothing but read" "$([ "$(could "$dir/log")" = "it could: nothing" ] || cat "$dir/log")"
  WARPWISE_CLANG="$dir/bin/clang-0" "$program" record --emulate -o "$dir/l.jsonl" "$dir/names/main.cu" >"$dir/log" 2>&1
  report "nor when a program is built" "$([ "$(could "$dir/log")" = "it could: nothing" ] || cat "$dir/log")"
  if command -v curl >/dev/null && "$program" --help | grep -q '^  serve '; then
    WARPWISE_CLANG="$dir/bin/clang-1" serve taken "$program"
    post /v1/kernels '{"file":"a.cu"}' >"$dir/log"
    report "nor read outside of the root of a server" "$([ "$(could "$dir/log")" = "it could: nothing" ] || cat "$dir/log")"
    kill $pid
  fi
  why=$(cd "$dir" && [ "$(cat outside/mine)" = mine ] || echo "outside/mine was changed"
    for x in outside/written outside/link outside/started p/written; do [ -e "$dir/$x" ] && echo "$x is there"; done)
  report "nothing was written" "$why"
fi

# ---- nvcc ----
# One that tells its words: none of a flag that names files, programs or options reaches it, and macros are in a header, as it hands its words to a shell.
mkdir -p "$dir/told/bin" "$dir/over/bin"
cat >"$dir/told/bin/nvcc" <<'EOF'
#!/bin/sh
case $1 in
--version) echo "release 13.0, V13.0.88" ;;
*) echo "words: $* $NVCC_APPEND_FLAGS $NVCC_PREPEND_FLAGS" >&2 && exit 1 ;;
esac
EOF
chmod +x "$dir/told/bin/nvcc"
via="$program kernels --via nvcc $dir/p/a.cu --"
why=$(while read -r flags; do
  # shellcheck disable=SC2086
  eval "NVCC_APPEND_FLAGS=-evil NVCC_PREPEND_FLAGS=-evil PATH=$dir/told/bin:$PATH $via $flags" >"$dir/log" 2>&1
  grep -q 'words: ' "$dir/log" || cat "$dir/log"
  grep -o 'words: .*' "$dir/log" | grep -E 'optf|options-file|@|evil|Xcompiler|Xptxas|Xcicc| -+(keep|run|dryrun|save-temps|M|E|lib|link|shared|objdir|time|profile)|/etc|X=|\$|`' | sed "s|^|$flags: |"
done <<EOF
-optf $f
--options-file $f
--options-file=$f
@$f
-ccbin $dir/evil
--compiler-bindir=$dir/evil
-Xcompiler -fplugin=$so
--compiler-options=-fplugin=$so,-wrapper,evil
-Xptxas @$f
-Xcicc -evil
-o /etc/evil
-odir /etc
-keep-dir /etc
-run -run-args evil
--run --run-args=evil
-dryrun
--dryrun
-keep
-save-temps
-E
-M -MF /etc/evil
--generate-dependencies-with-compile
--dependency-output=/etc/evil
--output-file=/etc/evil
-objtemp
-link -shared
-lib
-time /etc/evil
--cudafe-options=evil
--nvlink-options=evil
--archiver-binary=evil
-arbin evil
-idp /etc
-dlink
-ldir /etc/evil
-Xcudafe evil
-use-local-env
'-DX=\$(touch $mark)'
'-DX=\`touch $mark\`'
'-I\$(touch $mark)'
'-include' '\$(touch $mark)'
'-DX="; touch $mark; "'
-std=@$f
-D@$f
EOF
)
report "words for nvcc" "$why"
$cc -std=gnu17 -D_GNU_SOURCE -DOUTSIDE="\"$dir/outside\"" -DINSIDE="\"$dir/p\"" -DREADS=0 -o "$dir/over/bin/nvcc" tests/hostile/clang.c || exit 1
if [ "$landlock" = 0 ]; then
  skip "an nvcc that has been taken over: this kernel has no Landlock or no seccomp"
else
  # shellcheck disable=SC2086
  PATH=$dir/over/bin:$PATH "$program" kernels --via nvcc "$dir/p/a.cu" >"$dir/log" 2>&1
  report "an nvcc that has been taken over can do nothing but read" "$([ "$(could "$dir/log")" = "it could: nothing" ] || cat "$dir/log")"
  why=$(cd "$dir" && [ "$(cat outside/mine)" = mine ] || echo "outside/mine was changed"
    for x in outside/written outside/link outside/started p/written; do [ -e "$dir/$x" ] && echo "$x is there"; done)
  report "nothing was written" "$why"
fi
if PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null; then
  echo '__global__ void k(float *x) { x[threadIdx.x] = N; }' >"$dir/p/n.cu"
  "$program" kernels --via nvcc "$dir/p/n.cu" -- -DN=3 >"$dir/log" 2>&1
  report "nvcc: a macro" "$(grep -q ' k ' "$dir/log" || cat "$dir/log")"
  why=$(for flag in "-DX=\$(touch $mark)" "-DX=\`touch $mark\`" "-DX=\";touch $mark;\"" "-I\$(touch $mark)" "-optf=$f" "-Xcompiler=-fplugin=$so"; do
    words "$flag" "$program" kernels --via nvcc "$dir/p/n.cu" -- -DN=3 "$flag"
    grep -q ' k ' "$dir/log" || cat "$dir/log"
  done)
  report "nvcc: flags that name commands" "$why"
  report "nothing is left of it" "$(ls "$TMPDIR")"
else
  skip "flags through nvcc: it is not installed"
fi

# ---- clangs of all kinds still work ----
real=$("$program" doctor 2>/dev/null | sed -n 's/^ok *CUDA sources *read by //p')
works() { # NAME CLANG [VARIABLES...]
  name=$1 clang=$2
  shift 2
  env XDG_CACHE_HOME="$dir/fresh $name" "$@" WARPWISE_CLANG="$clang" "$program" kernels "$dir/p/a.cu" >"$dir/log" 2>&1
  report "clang as $name" "$(grep -q ' k ' "$dir/log" || cat "$dir/log")"
}
mkdir -p "$dir/llvm/bin" "$dir/odd cache" "$dir/odd tmp"
ln -s "$real" "$dir/llvm/bin/clang"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$real" >"$dir/bin/wrapper"
printf '#!/bin/sh\n"%s" "$@"\n' "$real" >"$dir/bin/parent"
chmod +x "$dir/bin/wrapper" "$dir/bin/parent"
works "a link elsewhere" "$dir/llvm/bin/clang"
works "a script that becomes it" "$dir/bin/wrapper"
works "a script that starts it" "$dir/bin/parent"
works "a relative path" "$(realpath --relative-to="$repo" "$dir/llvm/bin/clang")"
works "found with odd folders" "$real" TMPDIR="$dir/odd tmp" XDG_CACHE_HOME="$dir/odd cache"
works "found without a home" "$real" HOME=/nonexistent XDG_CACHE_HOME=
if [ $old = yes ]; then
  "$dir/old_kernel" all "$program" kernels "$dir/p/a.cu" "$dir/p/a.cl" >"$dir/log" 2>&1
  why=$([ "$(grep -c 'this kernel cannot confine files (Landlock) and system calls (seccomp)' "$dir/log")" = 1 ] || cat "$dir/log")
  report "a kernel that confines nothing is named, once" "$why"
  "$dir/old_kernel" files "$program" doctor >"$dir/log" 2>&1
  report "and by doctor" "$(grep -q '^--  confinement *none of files (Landlock)' "$dir/log" || cat "$dir/log")"
fi

. tests/hostile/folders.sh
echo "1..$n"
exit $bad
