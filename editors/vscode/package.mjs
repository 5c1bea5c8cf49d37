// package.mjs [OUT.vsix [BUNDLE]] - checks, bundles and packs the extension: `npm run package`, or `make vsix` at the top.
//
// Installs what it needs at the versions of the lock files: the compiler here, the packer under .cache/ (see ../vsce). With
// WARPWISE_REPOSITORY=https://... the manifest names it, and links and pictures of the README lead there, as the marketplace wants them. With
// BUNDLE, the folder that `make bundle` leaves, the extension brings the program and is for Linux on x86-64 alone.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const out = process.argv[2] && resolve(process.argv[2]);
const bundle = process.argv[3] && resolve(process.argv[3]);
const here = dirname(fileURLToPath(import.meta.url));
process.chdir(here);
const run = (cwd, program, ...args) => execFileSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });

/** npm ci, unless what is there is of this lock file. */
function install(dir) {
  const mark = join(dir, "node_modules", ".package-lock.json");
  if (!existsSync(mark) || statSync(mark).mtimeMs < statSync(join(dir, "package-lock.json")).mtimeMs)
    run(dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error");
}

const vsce = join(here, "..", "..", ".cache", "clients", "vsce");
mkdirSync(vsce, { recursive: true });
for (const name of ["package.json", "package-lock.json"]) {
  const [from, to] = [join(here, "..", "vsce", name), join(vsce, name)];
  if (!existsSync(to) || !readFileSync(from).equals(readFileSync(to))) cpSync(from, to);
}
install(here);
install(vsce);
run(here, "npm", "run", "--silent", "check");
run(here, process.execPath, "esbuild.mjs");

// Packed in a folder of its own: the manifest gets its links there, and the bundle comes beside the code.
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const target = out ?? join(here, `warpwise-${manifest.version}.vsix`);
mkdirSync(dirname(target), { recursive: true });
const stage = mkdtempSync(join(dirname(target), ".vsix-"));
try {
  const site = process.env.WARPWISE_REPOSITORY;
  if (site) Object.assign(manifest, { repository: { type: "git", url: `${site}.git` }, bugs: { url: `${site}/issues` }, homepage: site });
  delete manifest.scripts; // nothing is built from it
  writeFileSync(join(stage, "package.json"), JSON.stringify(manifest, null, 2));
  for (const name of [".vscodeignore", "README.md", "CHANGELOG.md", "schema.json", "dist", "media", "syntaxes"]) cpSync(name, join(stage, name), { recursive: true });
  cpSync(join(here, "..", "..", "LICENSE"), join(stage, "LICENSE"));
  if (bundle) run(here, "cp", "-al", bundle, join(stage, "bundle"));
  const links = site ? ["--baseContentUrl", `${site}/blob/main/editors/vscode`, "--baseImagesUrl", `${site}/raw/main/editors/vscode`] : ["--no-rewrite-relative-links"];
  // Among thousands of headers of others vsce takes some lines for passwords.
  run(stage, process.execPath, join(vsce, "node_modules", "@vscode", "vsce", "vsce"), "package", "--no-dependencies", "--allow-missing-repository",
    ...(bundle ? ["--target", "linux-x64", "--allow-package-all-secrets"] : []), ...links, "--out", target);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
