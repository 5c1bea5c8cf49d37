#!/bin/sh
# cli.sh PROGRAM : the program as users and scripts meet it: exit codes, help, errors on the right stream. Prints TAP.
program=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
bad=0

# try TEXT EXIT_CODE STDOUT_PATTERN STDERR_PATTERN ARGS... : patterns are extended regular expressions, '' for "nothing".
try() {
  text=$1 want=$2 out=$3 err=$4
  shift 4
  n=$((n + 1))
  "$program" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  ok=yes
  [ $code -eq "$want" ] || ok="exit code $code, want $want"
  if [ -z "$out" ]; then [ -s "$dir/out" ] && ok="stdout is not empty"; else grep -qE -- "$out" "$dir/out" || ok="stdout has no $out"; fi
  if [ -z "$err" ]; then [ -s "$dir/err" ] && ok="stderr is not empty"; else grep -qE -- "$err" "$dir/err" || ok="stderr has no $err"; fi
  if [ "$ok" = yes ]; then
    echo "ok $n - $text"
  else
    bad=1
    echo "not ok $n - $text: $ok"
    head -n 5 "$dir/out" "$dir/err" | sed 's/^/# /'
  fi
}

printf '__global__ void twice(int n, float *x) {\n  int i = threadIdx.x;\n  if (i < n) x[i] *= 2;\n}\n' >"$dir/ok.cu"
printf '__kernel void copy(__global const int *a, __global int *b, __local int *t) {\n  b[get_global_id(0)] = a[get_global_id(0)];\n}\n' >"$dir/ok.cl"
printf '__global__ void broken(int n { }\n' >"$dir/broken.cu"
printf 'a\0b' >"$dir/binary.cu"
printf 'int main(void) { return 0; }\n' >"$dir/host.cu"
: >"$dir/empty.cu"

try "no command: help on stderr" 2 '' 'usage: warpwise COMMAND'
try "--help" 0 '^  kernels ' '' --help
try "--version" 0 '^warpwise [0-9]' '' --version
try "help COMMAND" 0 'usage: warpwise kernels FILE' '' help kernels
try "COMMAND --help has examples" 0 '^examples:' '' kernels --help
try "unknown command" 2 '' "no command 'kernel'; did you mean 'kernels'" kernel
try "unknown option" 2 '' 'did you mean --json' kernels --jsn x.cu
try "no file" 2 '' 'name a source file' kernels
try "clang flags in the wrong place" 2 '' 'go behind --' kernels "$dir/ok.cu" -DN=4
try "missing file" 3 '' '^warpwise: cannot read .*none.cu' kernels "$dir/none.cu"
try "directory" 3 '' 'is a directory' kernels "$dir"
try "binary file" 3 '' 'is a binary file' kernels "$dir/binary.cu"
try "empty file" 3 '' 'is empty' kernels "$dir/empty.cu"
try "bad --lang" 2 '' 'expected cuda, opencl, hip or openmp' kernels --lang fortran "$dir/ok.cu"
try "errors as JSON" 3 '^\{"schema_version":1,"file":".*none.cu","error":\{"code":"io","message":' '' kernels --json "$dir/none.cu"
try "usage errors as JSON" 2 '"error":\{"code":"usage"' '' --json kernels --nope
try "a CUDA file" 0 'twice +1 .* yes +int n, float \*x' '' kernels "$dir/ok.cu"
try "a CUDA file as JSON" 0 '"kernels":\[\{"name":"twice","mangled":"[^"]*","file":".*ok.cu","line":1,"dialect":"cuda","args":\[\{"name":"n","type":"int","space":null,"pointer":false,"bytes":4\},\{"name":"x","type":"float \*","space":"g[a-z]*","pointer":true,"bytes":8\}\]' '' kernels --json "$dir/ok.cu"
try "an OpenCL file" 0 'copy +1 .*\(shared\)' '' kernels "$dir/ok.cl"
try "IR" 0 'ret' '' kernels --ir "$dir/ok.cu"
try "a broken kernel is listed with its reason" 0 'cannot be interpreted: .*broken.cu:1:' 'broken.cu:1: error' kernels "$dir/broken.cu"
try "a file without kernels" 3 '' '^warpwise: .*host.cu' kernels "$dir/host.cu"
try "the other files are listed all the same" 3 'twice' 'none.cu' kernels "$dir/none.cu" "$dir/ok.cu"
echo "1..$n"
exit $bad
