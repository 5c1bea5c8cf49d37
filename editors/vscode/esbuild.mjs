// esbuild.mjs [--watch] - bundles the extension (node) and its two pages (browser) into dist/.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { build, context } from "esbuild";

const common = { bundle: true, minify: !process.argv.includes("--watch"), sourcemap: false, logLevel: "warning", target: "es2022", legalComments: "none" };
const jobs = [
  { ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", platform: "node", format: "cjs", external: ["vscode"] },
  { ...common, entryPoints: ["webview/report.ts", "webview/roofline.ts"], outdir: "dist", platform: "browser", format: "iife" },
  { ...common, entryPoints: ["webview/panel.css"], outdir: "dist" },
];

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist", { recursive: true });
copyFileSync("../../LICENSE", "LICENSE"); // the marketplace wants it in the package
const packages = new Set();
for (const job of jobs) {
  if (process.argv.includes("--watch")) {
    await (await context(job)).watch();
    continue;
  }
  const { metafile } = await build({ ...job, metafile: true });
  for (const file of Object.keys(metafile.inputs)) {
    const at = file.match(/.*node_modules\/(@[^/]+\/)?[^/]+/);
    if (at) packages.add(at[0]);
  }
}

// What was bundled keeps its licence.
const notices = [...packages].sort().map((dir) => {
  const { name, version, license } = JSON.parse(readFileSync(`${dir}/package.json`, "utf8"));
  const file = readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
  return `${name} ${version} (${license})\n\n${file && existsSync(`${dir}/${file}`) ? readFileSync(`${dir}/${file}`, "utf8").trim() : ""}\n`;
});
if (notices.length > 0) writeFileSync("dist/NOTICES.txt", notices.join(`\n${"-".repeat(80)}\n\n`));
