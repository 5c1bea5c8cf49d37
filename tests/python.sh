#!/bin/bash
# python.sh BUILD : the wheel, in a virtual environment that has nothing else, away from the sources: every function, its errors, the notebook's
# cells, what it does where a library or a program is missing. Prints TAP.
cd "$(dirname "$0")/.." || exit 1
build=$(realpath "$1")
top=$PWD
. tests/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache"
unset PYTHONPATH WARPWISE_HOME WARPWISE_DATA
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  skip "python3-venv is not installed"
  echo "1..$n"
  exit 0
fi
version=$(sed -n 's/^VERSION := //p' Makefile)
llvm=$(python3 - "$build/lib/libwarpwise.so.0" <<'END'
import re, subprocess, sys
print(re.search(r"libLLVM[.-](?:so[.])?([0-9]+)", subprocess.run(["readelf", "-d", sys.argv[1]], capture_output=True, text=True).stdout)[1])
END
)
mkdir "$dir/a" "$dir/b"
for copy in a b; do ln -s "$build"/* "$dir/$copy/" && rm -f "$dir/$copy/wheel"; done
scripts/wheel.py "$version" "$dir/a" "$llvm" >"$dir/log" 2>&1
ok "the wheel is written" $? "$dir/log"
scripts/wheel.py "$version" "$dir/b" "$llvm" >"$dir/log" 2>&1
wheel=$(ls "$dir"/a/wheel/*.whl)
report "the same bytes a second time" "$(cmp "$wheel" "$dir"/b/wheel/*.whl 2>&1)"
report "every file is in RECORD with its hash" "$(python3 - "$wheel" <<'END'
import base64, csv, hashlib, io, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
record = next(n for n in z.namelist() if n.endswith("/RECORD"))
rows = {r[0]: r for r in csv.reader(io.StringIO(z.read(record).decode()))}
for n in z.namelist():
    want = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(z.read(n)).digest()).rstrip(b"=").decode()
    if n not in rows or (n != record and (rows[n][1] != want or int(rows[n][2]) != len(z.read(n)))):
        print(n)
END
)"

python3 -m venv "$dir/venv" >"$dir/log" 2>&1 && "$dir/venv/bin/pip" --disable-pip-version-check install -q --no-index "$wheel" >>"$dir/log" 2>&1
ok "pip installs it without an index" $? "$dir/log"
python=$dir/venv/bin/python
mkdir "$dir/work"
cp -R examples "$dir/work/examples"
cp scripts/notebook.py tests/python/check.py "$dir/work/"
cd "$dir/work" || exit 1

PATH=/usr/bin:/bin "$python" check.py >"$dir/log" 2>&1
code=$?
n0=$n
while read -r line; do
  case $line in
  "ok "*) n=$((n + 1)) && echo "ok $n - ${line#ok }" ;;
  "not ok "*) n=$((n + 1)) && bad=1 && echo "not ok $n - ${line#not ok }" ;;
  "# "*) echo "$line" ;;
  esac
done <"$dir/log"
report "all of its checks ran" "$([ $code = 0 ] && [ $((n - n0)) -ge 15 ] || tail -n 20 "$dir/log")"

PATH=/usr/bin:/bin "$python" notebook.py examples/notebook.ipynb >"$dir/log" 2>&1
ok "the notebook's cells run and show what it has" $? "$dir/log"

# ---- what is missing ----
package=$(PATH=/usr/bin:/bin "$python" -c 'import warpwise, os; print(os.path.dirname(warpwise.__file__))')
ask='import warpwise; print(warpwise.predict("examples/saxpy.cu", kernel="saxpy", gpu="h200")[0])'
says() { # TEXT PATTERN : $dir/log
  report "$1" "$(grep -qE -- "$2" "$dir/log" || cat "$dir/log")"
}
WARPWISE_CLANG=/nonesuch/clang "$python" -c "$ask" >"$dir/log" 2>&1
says "no clang: an error that names it" 'InputError: .*is not clang 17 or newer'
"$python" -c "$ask" >"$dir/with" 2>&1
mv "$package/lib" "$dir/lib"
"$python" -c "$ask" >"$dir/log" 2>&1
report "without the library the program answers the same" "$(diff "$dir/with" "$dir/log")"
mv "$package/bin" "$dir/bin"
PATH=/nonesuch "$python" -c "$ask" >"$dir/log" 2>&1
says "without both: what to install" 'MissingError: there is no warpwise program.*apt-get install clang-'
WARPWISE_HOME=$build "$python" -c "$ask" >"$dir/log" 2>&1
report "WARPWISE_HOME names another place" "$(diff "$dir/with" "$dir/log")"
cd "$top" || exit 1
echo "1..$n"
exit $bad
