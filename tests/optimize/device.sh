#!/bin/bash
# [KERNELS=...] device.sh BUILD : six OpenCL kernels verified, tuned and optimised on a device that is here (PoCL), end to end; prints TAP.
#
# Whatever the device says, nothing slower is handed back, each candidate stands in the job with its change, prediction, verdict and measurement, and what
# is handed back is the same kernel by a verify of its own. Then a search whose machine goes away is gone on with: it ends with the same answer.
cd "$(dirname "$0")/../.." || exit 1
warpwise=$(realpath "${1:-build}/warpwise")
. tests/tap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp" "$dir/cache" "$dir/pocl"
export TMPDIR="$dir/tmp" XDG_CACHE_HOME="$dir/cache" POCL_CACHE_DIR="$dir/pocl"
cp tests/optimize/six.cl "$dir"
cd "$dir" || exit 1
if ! "$warpwise" measure six.cl -k scale --device pocl --time-only --repeats 1 2>&1 | grep -q opencl; then
  skip "no PoCL here"
  echo "1..$n"
  exit $bad
fi
for kernel in ${KERNELS:-scale columns sums polynomial neighbours scramble}; do
  out=$("$warpwise" verify six.cl --kernel $kernel --new-kernel $kernel --seed 3 --json 2>err)
  report "$kernel: it is itself" "$(printf '%s' "$out" | grep -q '"same":true' || cat err)"
  "$warpwise" optimize six.cl -k $kernel --measure --propose $kernel.job --device pocl --rounds 1 --beam 2 --seed 3 --seconds 300 --output $kernel.cl --json >$kernel.json 2>err
  report "$kernel: optimised on the device" "$(python3 - $kernel.json $kernel.job 2>&1 <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
lines = [json.loads(l) for l in open(sys.argv[2])]
tried = [l for l in lines if "tried" in l]
results = [l for l in lines if "result" in l]
candidates = [l for l in lines if "candidate" in l]
if r["improved"]:
    best = next(t for t in r["tried"] if t["id"] == r["best"])
    assert best["state"] == "faster" and best["ratio"] > 1 and best["p"] < 0.01, best
else:
    assert r["gain"] == 1, r["gain"]
assert len(tried) == len(r["tried"]) and all("answer" in t and ("diff" in t or "error" in t["answer"]) for t in tried), "candidates without a change or a prediction"
assert len(results) == len(candidates), "candidates that were not measured"
assert all(t["state"] in ("faster", "not_faster", "failed", "different", "no_gain", "passed_over", "unjudged") for t in r["tried"]), "a verified one was not measured"
END
)$([ -s $kernel.json ] || cat err)"
  report "... what comes back is the same kernel" "$(cmp -s six.cl $kernel.cl || "$warpwise" verify six.cl $kernel.cl --kernel $kernel --no-overlap --seed 11 2>&1 | grep -v '^same' | grep '^different')"
done
out=$("$warpwise" tune six.cl -k scramble --param W=1,2,4 --measure --measurements 3 --device pocl --json 2>err)
report "scramble: tuned on the device" "$(printf '%s' "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["best"]["measured_us"] > 0 and r["measured"] >= 2' 2>&1)"
# gone on with after half of its lines
lines=$(wc -l <polynomial.job)
head -n $((lines / 2)) polynomial.job >half.job
"$warpwise" optimize --resume half.job --device pocl --seconds 300 --json >half.json 2>err
report "a job of which half is left goes on: the same candidates" "$(python3 - polynomial.job half.job 2>&1 <<'END'
import sys
a, b = ({l for l in open(f) if l.startswith('{"tried"')} for f in sys.argv[1:])
assert a <= b, "what was tried before the device decided is not the same"
END
)$([ -s half.json ] || cat err)"
"$warpwise" optimize --resume polynomial.job --device pocl --json >again.json 2>err
report "a job that has ended gives its answer again" "$(python3 -c '
import json
a, b = json.load(open("polynomial.json")), json.load(open("again.json"))
assert a["gain"] == b["gain"] and a["source"] == b["source"], (a["gain"], b["gain"])' 2>&1)"
echo "1..$n"
exit $bad
