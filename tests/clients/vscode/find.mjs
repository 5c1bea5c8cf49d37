// find.mjs FIND.js - where the extension looks for the program, without VS Code. Prints TAP.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const { findProgram, findSources } = createRequire(import.meta.url)(process.argv[2]);
const dir = mkdtempSync(join(tmpdir(), "warpwise-find-"));
const folder = join(dir, "project");
mkdirSync(folder);
let n = 0, bad = 0;
function is(what, got, want) {
  const ok = JSON.stringify(got) === JSON.stringify(want);
  n++;
  if (!ok) bad++;
  console.log(`${ok ? "ok" : "not ok"} ${n} - ${what}${ok ? "" : `: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`}`);
}
function program(...at) {
  const file = join(dir, ...at, "warpwise");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, 0o755);
  return file;
}
const places = (more) => ({ setting: "", own: "", folders: [folder], env: { PATH: "/nonexistent", HOME: dir }, trusted: true, ...more });
const file = (more) => findProgram(places(more))?.file;

is("nothing anywhere: nothing found", findProgram(places()), undefined);
const beside = program("warpwise", "build");
is("a checkout beside the folder", file(), beside);
is("an untrusted folder: not even beside it", file({ trusted: false }), undefined);
const built = program("project", "build");
is("the folder's own build before it", file(), built);
const path = program("bin");
is("PATH before both", file({ env: { PATH: `relative:${join(dir, "bin")}`, HOME: dir } }), path);
is("PATH also where the folder is not trusted", file({ env: { PATH: join(dir, "bin") }, trusted: false }), path);
const carried = program("extension", "bundle", "bin");
is("what came with the extension before PATH", file({ own: join(dir, "extension"), env: { PATH: join(dir, "bin") } }), carried);
is("also where the folder is not trusted", file({ own: join(dir, "extension"), trusted: false }), carried);
const home = program("opt");
is("the setting before all", file({ setting: "~/opt/warpwise", own: join(dir, "extension") }), home);
is("the setting may name the folder", file({ setting: join(dir, "opt") }), home);
is("variables in the setting", file({ setting: "${workspaceFolder}/build/warpwise" }), built);
is("a relative setting is seen from the folder", file({ setting: "build/warpwise" }), built);
is("a setting that names nothing is said, not passed over", findProgram(places({ setting: "/no/such" })), { wrong: "/no/such" });
chmodSync(built, 0o644);
is("what cannot be run is not found", file(), beside);

is("no sources", findSources([folder]), undefined);
for (const d of ["src/predict", "gpus"]) mkdirSync(join(dir, "warpwise", d), { recursive: true });
for (const f of ["Makefile", "src/main.c"]) writeFileSync(join(dir, "warpwise", f), "");
is("sources beside the folder", findSources([folder]), join(dir, "warpwise"));
mkdirSync(join(dir, "warpwise", "examples"));
is("sources above it", findSources([join(dir, "warpwise", "examples")]), join(dir, "warpwise"));
rmSync(dir, { recursive: true });
console.log(`1..${n}`);
process.exit(bad ? 1 : 0);
