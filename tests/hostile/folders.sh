# folders.sh - poisoned projects, opened in the language server: sourced by tests/hostile.sh.
#
# Each is opened as an editor does it. No code of theirs may run, no file outside of the cache and of our temporary folder may be
# written, no program but clang may be started: counted by strace where it is there, and by what lies on the disk afterwards.
lsp=$dir/lsp
kernel='__global__ void k(float *x) { x[threadIdx.x] = 1; }'
text='// warpwise: grid=4 block=32 x=f32[32]'

folder() { # NAME [TEXT] : makes it the current one
  mkdir -p "$lsp/$1" && cd "$lsp/$1" && printf '%s\n%s\n%s\n' "$2" "$text" "$kernel" >main.cu
}
database() { echo "[{\"directory\":\"$PWD\",\"file\":\"main.cu\",\"arguments\":[\"nvcc\",$1,\"-c\",\"main.cu\"]}]" >compile_commands.json; }
mkdir "$lsp"
folder response-file && database "\"-D@$f\",\"-U@$f\",\"-I@$f\""
folder relative-response-file && cp "$f" f && database '"-D@f","@f","-include","@f"'
folder plugins && database "\"-fplugin=$so\",\"-Xclang\",\"-load\",\"-Xclang\",\"$so\",\"-mllvm\",\"-load=$so\",\"-fpass-plugin=$so\""
folder response-files-without-end && for i in $(seq 2000); do echo '@f @f @f @f'; done >f && database '"@f","@f"'
folder shell-command && echo "[{\"directory\":\"\$(touch $mark)\",\"file\":\"main.cu\",\"command\":\"\`touch $mark\`; touch $mark | nvcc \$(touch $mark) -c main.cu\"}]" >compile_commands.json
folder settings && echo "{\"flags\":[\"-D@$f\",\"-U\",\"@$f\",\"-fplugin=$so\"],\"instantiate\":[\"@$f\"]}" >.warpwise.json
folder launches && echo "{\"launches\":{\"k\":{\"grid\":1,\"block\":32,\"file\":\"@a.cu\",\"binary\":\"$so\",\"flags\":[\"-D@$f\"]}}}" >.warpwise.json
folder name && cp main.cu @a.cu && cp "$f" a.cu && mv main.cu keep && cp @a.cu main.cu && echo '#include "@a.cu"' >@b.cu
folder pipes && mkfifo compile_commands.json .warpwise.json
folder pipe-included '#include "pipe.h"' && mkfifo pipe.h
folder links && ln -s compile_commands.json compile_commands.json && ln -s . loop && ln -s loop/loop/.warpwise.json .warpwise.json
folder link-to-device && ln -s /dev/zero compile_commands.json && ln -s /dev/tty .warpwise.json
folder huge-files && truncate -s 300M compile_commands.json && truncate -s 300M .warpwise.json
folder header-includes-itself '#include "h.h"' && printf '#include "h.h"\n#include "h.h"\n' >h.h
folder header-bomb '#include "h0.h"' && for i in $(seq 0 14); do printf '#include "h%d.h"\n#include "h%d.h"\n' $((i + 1)) $((i + 1)) >h$i.h; done && echo 'extern int x;' >h15.h
folder endless-device '#include "/dev/zero"'
folder terminal '#include "/dev/tty"'
folder own-output '#include "/proc/self/fd/1"'
folder precompiled '' && echo '#define X 1' >x.h && head -c 4096 /dev/urandom | tee x.h.gch >x.h.pch && database '"-include","x.h","-include-pch","x.h.pch"'
folder modules '#pragma clang module import Evil' && printf 'module Evil { header "x.h" link "%s" }\n' "$so" | tee module.modulemap >module.map && echo 'int x;' >x.h && database '"-fmodules","-fmodule-map-file=module.modulemap"'
folder programs && for x in clang clang-19 ld sh nvcc warpwise; do printf '#!/bin/sh\ntouch %s\n' "$mark" >$x && chmod +x $x; done && printf -- '-fplugin=%s\n' "$so" | tee .clang clang.cfg clang-19.cfg x86_64-pc-linux-gnu.cfg >.clangd && database '"--config=clang.cfg","-B.","-ccbin","./sh"'
folder assembler "__asm__(\".incbin \\\"$f\\\"\"); __asm__(\".include \\\"$f\\\"\");"
folder templates 'template <int N> struct A { static const int v = A<N + 1>::v; }; int z = A<0>::v;'
folder crash '#pragma clang __debug crash'
folder embedded 'const char t[] = {
#embed "/dev/zero"
};'
cd "$repo" || exit 1

quoted() { sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' "$1" | awk '{ printf "%s\\n", $0 }'; }
session() { # FOLDER FILE : what an editor sends
  cat <<EOF
> {"id":1,"method":"initialize","params":{"rootUri":"file://$1","capabilities":{"textDocument":{"codeLens":{}}}}}
< 1 'capabilities'
> {"method":"initialized","params":{}}
> {"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file://$1/$2","languageId":"cuda","version":1,"text":"$(quoted "$1/$2")"}}}
> {"id":2,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"file://$1/$2"}}}
within 90000
< 2
> {"id":3,"method":"shutdown"}
< 3
> {"method":"exit"}
exit 0
EOF
}
watched=strace
strace -f -o /dev/null true 2>/dev/null || watched=
# What was written outside of the cache and of our temporary folder, and what was started that is neither we nor clang.
harm() { # LOGS
  awk -v dir="$dir" -v program="$program" -v clang="$(realpath "$real")" '
    / = -1 / || /^(---|\+\+\+)/ { next }
    /exe(cve|cveat)\(/ {
      split($0, q, "\"")
      if (q[2] != program && q[2] != clang && q[2] !~ /\/clang(-[0-9]+)?$/ && q[2] != "/proc/self/exe") print "started: " q[2]
      next
    }
    /(openat|open|creat)\(/ && !/O_WRONLY|O_RDWR|O_CREAT|creat\(/ { next }
    {
      split($0, q, "\"")
      if (index(q[2], dir "/cache") != 1 && index(q[2], dir "/tmp") != 1 && q[2] !~ /^\/(dev\/null|dev\/shm\/|proc\/self\/)/) print "written: " $0
    }' "$@"
}
everything() { find "$lsp" "$dir/home" "$dir/outside" -printf '%p %y %s %T@\n' | sort; }
everything >"$dir/before"
started=$(date +%s)
total=0
for at in "$lsp"/*; do
  name=${at##*/}
  for file in main.cu @a.cu @b.cu; do
    [ -e "$at/$file" ] || continue
    session "$at" $file >"$dir/script"
    rm -f "$mark" "$dir"/trace.*
    set -- "$dir/drive" "$program"
    if [ -n "$watched" ]; then
      printf '#!/bin/sh\nexec strace -ff -qq -o "%s" -e trace=execve,execveat,open,openat,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,chmod,fchmodat,truncate,mknod,mknodat "%s" "$@"\n' "$dir/trace" "$program" >"$dir/traced"
      chmod +x "$dir/traced"
      set -- "$dir/drive" "$dir/traced"
    fi
    out=$(cd "$at" && PATH=".:$PATH" timeout -k 5 150 "$@" "$dir/script" "$at" </dev/null 2>"$dir/err")
    code=$?
    why=$([ $code = 0 ] || echo "status $code: $out $(tail -n 2 "$dir/err")"
      [ -e "$mark" ] && echo "code ran"
      [ -n "$watched" ] && harm "$dir"/trace.* | sort | uniq -c | head -n 5)
    report "a folder with $name, $file" "$why"
    total=$((total + 1))
  done
done
[ -n "$watched" ] || skip "files written and programs started are not counted: no strace here"
everything >"$dir/after"
report "$total poisoned files opened in $(($(date +%s) - started)) s: the folders, the home and the rest are as they were" "$(diff "$dir/before" "$dir/after" | head -n 10)"
why=$(find "$dir/tmp" -mindepth 1 | head -n 5)
report "nothing is left in the temporary folder" "$why"
