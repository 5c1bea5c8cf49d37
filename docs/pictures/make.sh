#!/bin/sh
# make.sh BUILD : makes the pictures of the README and the tutorial again, from what the program itself prints; data-flow.svg is drawn by hand.
# Needs python3 and chromium. page.png is reduced to 64 colours afterwards (pngquant 64), to a third of its size.
case $1 in /*) build=$1 ;; *) build=$PWD/$1 ;; esac
cd "$(dirname "$0")" || exit 1
out=$PWD
PATH=$build:$PATH
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cp ../../examples/*.cu "$dir/"
cd "$dir" || exit 1

terminal() { # NAME ARGS... : the command's output as $out/NAME.svg
  name=$1
  shift
  warpwise "$@" --color always | "$out/terminal.py" "warpwise $*" >"$out/$name.svg"
}

# A pull request that takes x and y of a stencil the wrong way round.
mkdir main branch
cp heat.cu main/
sed '/void step/,/^}/{s/int x = blockIdx.x \* blockDim.x + threadIdx.x, y = blockIdx.y \* blockDim.y + threadIdx.y/int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y/;}' heat.cu >branch/heat.cu
terminal gate predict --diff main/heat.cu branch/heat.cu -k step --gpu h200 --fail-if-slower 5%

warpwise record --emulate heat.cu 2>/dev/null
terminal program predict --batch launches.jsonl --gpu h200,a100,rtx3080

warpwise roofline matmul.cu heat.cu saxpy.cu --gpu h200 --svg "$out/roofline.svg" >/dev/null

warpwise explain matmul.cu -k naive --gpu h200 --html page.html >/dev/null
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=900,760 --screenshot="$out/page.png" "file://$dir/page.html" 2>/dev/null
