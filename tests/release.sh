#!/bin/sh
# release.sh BUILD : what goes out with a release. SBOMs are valid, complete and the same twice; every licence is known; THIRD_PARTY.md and the versions
# agree; the Dockerfile is well formed, copies nothing that is not there, and runs as nobody special. Prints TAP.
cd "$(dirname "$0")/.." || exit 1
build=$(realpath "$1")
. tests/tap.sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
version=$(sed -n 's/^VERSION := //p' Makefile)
printf 'bin/warpwise\twarpwise\t%s\nlib/libLLVM.so.19.1\tlibllvm19\t1:19.1.7-3\nlib/liblzma.so.5\tliblzma5\t5.4.1-1\nlib/libstdc++.so.6\tlibstdc++6\t14.2.0-19\n' "$version" >"$dir/files.tsv"
printf 'a wheel' >"$dir/a.whl"

scripts/sbom.py "$version" "$dir/one" --files "$dir/files.tsv" "$dir/a.whl" >"$dir/log" 2>&1
ok "of packages, wheel, extension and bundle" $? "$dir/log"
scripts/sbom.py "$version" "$dir/two" --files "$dir/files.tsv" "$dir/a.whl" >/dev/null 2>&1
report "the same bytes a second time" "$(diff -r "$dir/one" "$dir/two" 2>&1)"
report "they have what is shipped" "$(python3 - "$dir/one/warpwise-$version" <<'END'
import hashlib, json, sys
def of(kind):
    bom = json.load(open(f"{sys.argv[1]}-{kind}.cdx.json"))
    return bom, {c["name"]: c["licenses"][0]["expression"] for c in bom["components"]}
lock = json.load(open("editors/vscode/package-lock.json"))["packages"]
bundle, names = of("bundle")
expected = {"libllvm19": "Apache-2.0 WITH LLVM-exception", "liblzma5": "LicenseRef-public-domain", "uplot": "MIT",
            "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1", "libwarpwise": "Apache-2.0"}
if names != expected: print("bundle:", names)
for name in lock[""]["dependencies"]:
    if name not in of("extension")[1]: print("extension lacks", name)
if of("wheel")[0]["metadata"]["component"]["hashes"][0]["content"] != hashlib.sha256(b"a wheel").hexdigest(): print("wheel: hash")
if not any(c["purl"] == "pkg:deb/debian/libstdc%2B%2B6@14.2.0-19" for c in bundle["components"]): print("purl")
END
)"
printf 'lib/x.so\tlibnonesuch1\t1.0\n' >>"$dir/files.tsv"
scripts/sbom.py "$version" "$dir/three" --files "$dir/files.tsv" >"$dir/log" 2>&1
report "a package without a known licence is an error" "$([ $? != 0 ] && grep -q 'libnonesuch1.*licences.tsv' "$dir/log" || cat "$dir/log")"
report "THIRD_PARTY.md is what scripts/sbom.py --third-party writes" "$(scripts/sbom.py --third-party | diff THIRD_PARTY.md - 2>&1)"
report "one version everywhere" "$(
  grep -q "WARPWISE_VERSION \"$version\"" include/warpwise.h || echo include/warpwise.h
  grep -q "^warpwise ($version)" debian/changelog || echo debian/changelog
  grep -q "^## $version - " CHANGELOG.md || echo CHANGELOG.md
  for f in package.json package-lock.json; do grep -m 1 '"version"' editors/vscode/$f | grep -q "\"$version\"" || echo editors/vscode/$f; done
)"

# ---- the gallery ----
report "the gallery's links and pictures are there" "$(cd docs/gallery && grep -oE '\]\([^)#]+' ./*.md | sed 's/:\](/ /' | while read -r page link; do [ -e "$link" ] || echo "$page: $link"; done)"
stale=
for page in docs/gallery/[a-z]*.md; do
  source=$(sed -n 's/^`[a-z0-9_]*` in \[\([^]]*\)\].*/\1/p' "$page")
  sed -n '/^```diff/,/^```$/p' "$page" | sed '1d;$d' >"$dir/diff"
  patch -s -o "$dir/new.${source##*.}" "$source" <"$dir/diff" >"$dir/log" 2>&1 || stale="$stale $page: $(cat "$dir/log")"
done
report "its changes apply to the sources as they are (else: scripts/gallery.py build)" "$stale"
sed -n '/^```diff/,/^```$/p' docs/gallery/scale_columns.md | sed '1d;$d' | patch -s -o "$dir/scaled.cu" tests/optimize/naive.cu
"$build/warpwise" verify tests/optimize/naive.cu "$dir/scaled.cu" --kernel scale_columns --seed 3 >"$dir/log" 2>&1
ok "... and one of them is verified again" $? "$dir/log"

# ---- the Dockerfile ----
report "every apt-get install is without recommendations and leaves no lists" "$(awk '
  /^RUN/ { text = "" } { text = text $0 "\n" }
  !/\\$/ && text ~ /apt-get install/ && !(text ~ /--no-install-recommends/ && text ~ /rm -rf.*\/var\/lib\/apt\/lists/) { print text }' Dockerfile)"
report "the program does not run as root" "$(awk '/^USER/ { user = $2 } /^FROM/ { user = "" } END { if (user == "" || user == "root") print "USER " user }' Dockerfile)"
report "builds and repositories stay outside" "$(for f in .git 'build*' '**/node_modules'; do grep -qxF "$f" .dockerignore || echo "$f"; done)"
report "what it copies is what make deb writes" "$(grep -q 'COPY --from=build /src/build/deb ' Dockerfile && grep -q '^DEB_OUT   ?= $(BUILD)/deb' Makefile || echo 'another folder')"

here=tests/clients/release
clients=$build/clients-release
why=
mkdir -p "$clients"
cp $here/validate.mjs "$clients/"
if ! command -v npm >/dev/null 2>&1; then why="no npm here"; elif ! cmp -s $here/package-lock.json "$clients/installed"; then
  cp $here/package.json $here/package-lock.json "$clients/"
  if (cd "$clients" && npm ci --omit=optional --ignore-scripts --no-audit --no-fund >"$dir/out" 2>"$dir/err"); then cp $here/package-lock.json "$clients/installed"; else why="npm cannot fetch CycloneDX's validator and the linter"; fi
fi
if [ -n "$why" ]; then skip "$why"; else
  node "$clients/validate.mjs" "$dir"/one/*.json >"$dir/log" 2>&1
  ok "CycloneDX's own schema holds" $? "$dir/log"
  sed 's/"specVersion": "1.6"/"specVersion": "1.6", "nonesuch": 1/' "$dir/one/warpwise-$version-deb.cdx.json" >"$dir/wrong.json"
  report "... and would not for another" "$(node "$clients/validate.mjs" "$dir/wrong.json" >/dev/null 2>&1 && echo "it does")"
  "$clients/node_modules/.bin/dockerfile-utils" lint Dockerfile >"$dir/log" 2>&1
  report "a linter has nothing to say of the Dockerfile" "$(cat "$dir/log")"
  sed 's/^WORKDIR .work/WORDIR \/work/' Dockerfile >"$dir/Dockerfile"
  report "... and would of another" "$("$clients/node_modules/.bin/dockerfile-utils" lint "$dir/Dockerfile" 2>&1 | grep -q WORDIR || echo nothing)"
fi
echo "1..$n"
exit $bad
