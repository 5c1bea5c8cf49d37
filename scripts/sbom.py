#!/usr/bin/env python3
"""sbom.py VERSION OUT [--files BUNDLE.tsv] [ARTEFACT...] : what is in each thing that is shipped, as CycloneDX 1.6 in OUT/warpwise-VERSION-KIND.cdx.json.
sbom.py --third-party : THIRD_PARTY.md, on stdout.

KIND is deb, wheel, extension and, where --files gives its list (path, Debian package, version; `make bundle` writes it), bundle and extension-bundle,
the extension that brings the bundle. An ARTEFACT (.whl, .vsix, .tar.gz) that is named has its hash in its SBOM. Licences stand in scripts/licences.tsv: what has none there is an error, so
that nothing is shipped whose licence nobody looked up. The same sources make the same bytes.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ENDINGS = {"wheel": ".whl", "extension": "warpwise.vsix", "extension-bundle": "-linux-x64.vsix", "bundle": ".tar.gz"}


def table():
    rows = [line.split("\t") for line in (TOP / "scripts/licences.tsv").read_text(encoding="utf-8").splitlines()]
    return [r for r in rows if not r[0].startswith("#")]


def licence_of(package, version):
    for pattern, project, spdx, home in table():
        if re.fullmatch(pattern, package) or re.fullmatch(pattern, f"{package}@{version}"):
            return project, spdx, home
    sys.exit(f"sbom: no licence is known of {package}: look it up and add a line to scripts/licences.tsv")


def lock(folder):
    """Packages of npm that are not for development alone: name, version, licence."""
    packages = json.loads((TOP / folder / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    out = []
    for path, p in sorted(packages.items()):
        if not path or p.get("dev"):
            continue
        name = path.rpartition("node_modules/")[2]
        if "license" not in p:
            sys.exit(f"sbom: {folder}/package-lock.json has no licence of {name}")
        out.append((name, p["version"], p["license"]))
    return out


def component(name, version, licence, purl, kind="library", **more):
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "licenses": [{"expression": licence}], "purl": purl, **more}


def npm(folder):
    return [component(n, v, lic, f"pkg:npm/{n.replace('@', '%40')}@{v}") for n, v, lic in lock(folder)]


def own(version, name="warpwise", kind="application"):
    return component(name, version, "Apache-2.0", f"pkg:generic/{name}@{version}", kind)


def debian(files):
    """A component for each package of the bundle's list."""
    out = {}
    for line in Path(files).read_text(encoding="utf-8").splitlines():
        path, package, version = line.split("\t")
        if package != "warpwise":
            out[package, version] = out.get((package, version), 0) + 1
    found = []
    for (package, version), count in sorted(out.items()):
        project, spdx, home = licence_of(package, version)
        purl = f"pkg:deb/debian/{package.replace('+', '%2B')}@{version.replace(':', '%3A').replace('+', '%2B')}"
        found.append(component(package, version, spdx, purl, description=f"{project}: {count} files",
                               externalReferences=[{"type": "website", "url": home}]))  # fmt: skip
    return found


def document(version, kind, components, artefacts, date):
    top = own(version)
    top["bom-ref"] = f"warpwise-{kind}"
    top["description"] = f"as shipped: {kind}"
    mine = [a for a in artefacts if kind in ENDINGS and a.name.endswith(ENDINGS[kind])]
    if len(mine) == 1:
        top["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(mine[0].read_bytes()).hexdigest()}]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"timestamp": date, "component": top, "tools": {"components": [{"type": "application", "name": "scripts/sbom.py", "version": version}]}},
        "components": components,
        "dependencies": [{"ref": top["bom-ref"], "dependsOn": [c["bom-ref"] for c in components]}],
    }  # fmt: skip


def third_party():
    print("# Licences of what is not ours\n")
    print("Warpwise is under the Apache License 2.0 ([LICENSE](LICENSE)). What is shipped with it keeps its own. This page is made by")
    print("`scripts/sbom.py --third-party`; `make sbom` writes the exact versions, as CycloneDX.\n")
    print("## In the program: Debian packages, wheel, bundle, extension\n\n| | version | licence |\n|---|---|---|")
    for name, version, licence in lock("src/serve/page"):
        print(f"| {name} | {version} | {licence} |")
    print("\n## In the extension for VS Code\n\nTheir texts are in `dist/NOTICES.txt` of the extension.\n\n| | version | licence |\n|---|---|---|")
    for name, version, licence in lock("editors/vscode"):
        print(f"| {name} | {version} | {licence} |")
    print("\n## In the bundle\n\nCopied from Debian packages as they are; the Debian packages and the wheel of Warpwise ship none of it, but load it from")
    print("the system. Shared libraries can be replaced by others: they are files of their own.\n\n| | licence | Debian packages |\n|---|---|---|")
    for pattern, project, spdx, home in table():
        shown = pattern.replace("|", "\\|")
        print(f"| [{project}]({home}) | {spdx} | `{shown}` |")


def main():
    if sys.argv[1:] == ["--third-party"]:
        return third_party()
    p = argparse.ArgumentParser()
    p.add_argument("version")
    p.add_argument("out", type=Path)
    p.add_argument("--files")
    p.add_argument("artefacts", nargs="*", type=Path)
    a = p.parse_intermixed_args()
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run([str(TOP / "scripts/date.sh")], check=True, capture_output=True, text=True).stdout
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch)))
    program = [own(a.version, "libwarpwise", "library"), *npm("src/serve/page")]
    kinds = {"deb": program, "wheel": program, "extension": npm("editors/vscode")}
    if a.files:
        kinds["bundle"] = [*program, *debian(a.files)]
        kinds["extension-bundle"] = [*kinds["bundle"], *kinds["extension"]]
    a.out.mkdir(parents=True, exist_ok=True)
    for kind, components in kinds.items():
        path = a.out / f"warpwise-{a.version}-{kind}.cdx.json"
        path.write_text(json.dumps(document(a.version, kind, components, a.artefacts, date), indent=1) + "\n", encoding="utf-8")
        print(f"{path}: {len(components)} components")
    return None


if __name__ == "__main__":
    main()
