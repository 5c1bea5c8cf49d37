// package.mjs [OUT.vsix] - checks, bundles and packs the extension: `npm run package`, or `make vsix` at the top.
//
// Installs what it needs at the versions of the lock files: the compiler here, the packer under .cache/ (see ../vsce). With
// WARPWISE_REPOSITORY=https://... links and pictures of the README lead there, as the marketplace wants them.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const out = process.argv[2] && resolve(process.argv[2]);
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

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const target = out ?? join(here, `warpwise-${version}.vsix`);
mkdirSync(dirname(target), { recursive: true });
const site = process.env.WARPWISE_REPOSITORY;
const links = site ? ["--baseContentUrl", `${site}/blob/main/editors/vscode`, "--baseImagesUrl", `${site}/raw/main/editors/vscode`] : ["--no-rewrite-relative-links"];
run(here, process.execPath, join(vsce, "node_modules", "@vscode", "vsce", "vsce"), "package", "--no-dependencies", "--allow-missing-repository", ...links, "--out", target);
