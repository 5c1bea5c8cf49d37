// test.mjs TOOLS VSIX PROGRAM SHOTS - the extension in a real VS Code, with the real server: what a user sees is what is asserted. Prints TAP.
//
// Pictures of the states on the way go to SHOTS; docs/vscode holds a set that was looked at.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Editor, until } from "./editor.mjs";

const [tools, vsix, program, shots] = process.argv.slice(2).map((p) => resolve(p));
const here = dirname(fileURLToPath(import.meta.url));
mkdirSync(shots, { recursive: true });
let n = 0, bad = 0;
const e = await Editor.start({ tools, vsix, project: join(here, "project") });
const { page } = e;
const picture = (name) => e.shot(join(shots, `${name}.png`));

function expect(ok, why) {
  if (!ok) throw new Error(why);
}
async function test(what, run) {
  const begin = Date.now();
  let why = "";
  try {
    await run();
  } catch (error) {
    why = String(error.message ?? error).split("\n")[0];
    await page.screenshot({ path: join(shots, `failed-${n + 1}.png`) }).catch(() => undefined);
    await e.press("Escape").catch(() => undefined);
  }
  n++;
  if (why) bad++;
  console.log(`${why ? "not ok" : "ok"} ${n} - ${what} (${((Date.now() - begin) / 1000).toFixed(1)} s)${why ? `: ${why}` : ""}`);
}

async function end() {
  if (bad > 0) for (const line of e.log().split("\n").slice(-25)) console.log(`# ${line}`);
  await e.stop();
  console.log(`1..${n}`);
  process.exit(bad ? 1 : 0);
}

setTimeout(() => {
  console.log(`not ok ${++n} - all of it within six minutes`);
  bad++;
  void end();
}, 360000).unref();

const lensOf = async (what, ms = 20000) => until(async () => (await e.lenses()).find((l) => what.test(l)), ms, `a code lens like ${what}, there are: ${(await e.lenses()).join(" | ")}`);
const figure = (frame, kernel) => frame.locator(`[data-kernel="${kernel}"] .figure`).innerText();
const statusBar = () => page.locator(".statusbar-item[id*='warpwise']").innerText();

/* ---- the program is missing, then built ---- */
await test("without the program: a message that offers ways out", async () => {
  await e.open("layer.cu");
  const toast = page.locator(".notification-toast", { hasText: "warpwise program was not found" });
  await toast.waitFor();
  for (const b of ["Build from Source", "Set Path...", "Help"]) await toast.getByRole("button", { name: b }).waitFor();
  expect(/Warpwise/.test(await statusBar()), "the status bar does not say that something is missing");
  expect((await e.lenses()).length === 0, "code lenses from nowhere");
});

await test("building it from the sources beside, in a terminal, starts the server", async () => {
  const sources = join(e.dir, "warpwise");
  for (const d of ["src/predict", "gpus"]) mkdirSync(join(sources, d), { recursive: true });
  writeFileSync(join(sources, "src", "main.c"), "");
  writeFileSync(join(sources, "Makefile"), `all:\n\tmkdir -p build && ln -sf '${program}' build/warpwise && echo built the program\n`);
  await page.locator(".notification-toast").getByRole("button", { name: "Build from Source" }).click();
  await page.locator(".terminal-wrapper").first().waitFor();
  await lensOf(/\d/, 60000);
  await e.press("Control+j");
});
if (bad > 0) await end(); // nothing else could work
await e.press("Control+b"); // no side bar from here on: more room for code
await e.closeToasts();

/* ---- in the text ---- */
await test("a code lens above each kernel, with time and GPU", async () => {
  await until(async () => (await e.lenses()).filter((l) => /\d (ns|us|µs|ms)\b/.test(l)).length === 3, 20000, "three lenses with a time");
  const all = (await e.lenses()).join("\n");
  expect(/H200/i.test(all), `no GPU in ${all}`);
});
await test("the status bar names the GPU", async () => {
  await until(async () => /H200/.test(await statusBar()), 20000, "H200 in the status bar");
});
await test("inlay hints on the hot lines", async () => {
  await until(async () => (await page.locator(".view-lines").innerText()).match(/\d\s*%/), 20000, "a share of the time in the text");
});
await test("findings as information, in the text and in the list", async () => {
  await until(async () => (await page.locator(".squiggly-info").count()) > 0, 20000, "an underlined finding");
  await e.press("Control+Shift+m");
  const row = page.locator(".markers-panel .monaco-list-row", { hasText: /bank/i }).first();
  await row.waitFor();
  expect(/warpwise/i.test(await row.innerText()), "the finding does not say whose it is");
  await e.press("Control+Shift+m");
});
await e.goto("1:1");
await picture("editor");
await test("hover: the report's table", async () => {
  const name = page.locator(".view-line span", { hasText: /^gemm$/ }).first();
  await name.hover();
  const hover = page.locator(".monaco-hover:not(.hidden) table").first();
  await hover.waitFor();
  expect(/occupancy/i.test(await hover.innerText()), "no occupancy in the table");
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(shots, "hover.png") });
  await page.mouse.move(700, 889);
});

/* ---- panels ---- */
let report;
await test("a click on the lens opens the report: intervals, findings, lines, other GPUs", async () => {
  await page.locator(".codelens-decoration a", { hasText: /\d (us|µs|ms)/ }).first().click();
  report = await e.view(".report .card");
  expect((await report.locator(".card").count()) === 3, "not three kernels");
  const gemm = report.locator('[data-kernel="gemm"]');
  expect(/\d/.test(await gemm.locator(".figure .range").innerText()), "no interval");
  await gemm.locator(".finding").first().waitFor();
  expect((await gemm.locator(".hot").count()) >= 1, "no hot line");
  await until(async () => (await gemm.locator(".part-gpus tbody tr").count()) >= 4, 15000, "four GPUs or more");
  expect((await gemm.locator(".part-gpus tr.current").innerText()).includes("h200"), "the current GPU is not marked");
  expect((await gemm.locator(".part-counters tr").count()) > 12, "few counters");
  await picture("report");
});
await test("a line of the report leads to the code", async () => {
  await report.locator('[data-kernel="transpose"] .finding .line').first().click();
  await until(async () => /Ln 3[0-9]/.test(await page.locator(".statusbar").innerText()), 5000, "the cursor in transpose");
});
await test("typing: the report follows, and says so meanwhile", async () => {
  const before = await figure(report, "transpose");
  await e.goto("30:32");
  await e.press("End", "ArrowLeft", "ArrowLeft");
  await page.keyboard.type(" + 1"); // tile[TILE][TILE + 1]: no bank conflicts
  await until(async () => /\d/.test(await figure(report, "transpose")) && (await figure(report, "transpose")) !== before, 15000, `another time than ${before}`);
  await until(async () => (await report.locator(".state").innerText()) === "live", 20000, "the report at rest");
  await e.press("Backspace", "Backspace", "Backspace", "Backspace");
  await until(async () => (await figure(report, "transpose")) === before, 15000, `${before} again after undo`);
});
await test("a quick fix changes the text and the prediction", async () => {
  const before = await figure(report, "transpose");
  await until(async () => !(await e.lenses()).some((l) => /analysing/.test(l)), 20000, "the lenses at rest");
  await e.goto("34:10");
  await page.waitForTimeout(500);
  await e.press("Control+.");
  const menu = page.locator(".action-widget");
  await menu.waitFor();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(shots, "fix.png") });
  expect(/^Pad /m.test(await menu.innerText()), `no padding among: ${await menu.innerText()}`);
  await e.press("Enter"); // the first one is chosen
  await until(async () => (await page.locator(".view-lines").first().innerText()).replace(/\s/g, "").includes("TILE+1]"), 20000, "a padded array");
  await until(async () => (await figure(report, "transpose")) !== before, 15000, "another time in the report");
});
await test("the GPU is chosen in the status bar: lens, report and setting follow", async () => {
  await page.locator(".statusbar-item[id*='warpwise'] a").click();
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "A100" }).first().waitFor();
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(shots, "gpus.png") });
  await page.keyboard.type("a100");
  await page.waitForTimeout(300);
  await e.press("Enter");
  await until(async () => /A100/.test(await statusBar()), 20000, "A100 in the status bar");
  await lensOf(/A100/i);
  await until(async () => /A100/.test(await report.locator("header").innerText()), 20000, "A100 in the report");
  expect(/"warpwise.gpu": "a100"/.test(readFileSync(join(e.dir, "data", "User", "settings.json"), "utf8")), "the setting was not written");
});
await test("compare GPUs: the report turns to them", async () => {
  await e.goto("23:5");
  await e.press("Control+Alt+w", "c");
  const part = report.locator('[data-kernel="bias_gelu"] .part-gpus');
  await until(async () => (await part.evaluate((x) => x.getBoundingClientRect().top)) < 200, 20000, "bias_gelu's GPUs at the top");
  expect((await part.locator("tr.current").innerText()).includes("a100"), "the new GPU is not marked");
});
let roofline;
await test("roofline: kernels under the roofs, of several GPUs", async () => {
  await e.goto("6:1");
  await e.command("Warpwise: Open Roofline");
  roofline = await e.view(".roofline svg .point");
  expect((await roofline.locator("svg .point").count()) === 2, "gemm and bias_gelu have flops, transpose has none");
  expect(/transpose/.test(await roofline.locator(".note").innerText()), "transpose is not named");
  await roofline.locator("button.toggle", { hasText: /^h200$/ }).click();
  await until(async () => (await roofline.locator("svg .point").count()) === 4, 15000, "points of both GPUs");
});

await test("panels have the theme's colours", async () => {
  const paper = () => roofline.evaluate(() => getComputedStyle(document.querySelector("header")).backgroundColor);
  const dark = await paper();
  await e.command("Preferences: Toggle between Light/Dark Themes");
  await until(async () => (await paper()) !== dark, 20000, "another background");
  await picture("roofline");
  await e.command("Preferences: Toggle between Light/Dark Themes");
  await until(async () => (await paper()) === dark, 20000, "the old one");
});

/* ---- launches, other languages, errors ---- */
await test("set launch: shows what is used, writes the comment", async () => {
  const box = page.locator(".quick-input-widget input");
  const asked = async () => {
    await e.press("Escape", "Control+1"); // from the panel back into the text
    await e.goto("22:20");
    await e.command("Warpwise: Set Launch of this Kernel");
    await box.waitFor();
    return until(async () => /grid=.*block=256/.test(await box.inputValue()), 5000, "the launch of the host code").catch(() => false);
  };
  await until(asked, 20000, "the launch of the host code"); // a busy editor may take the command for the kernel it was in before
  await box.fill("grid=1024 block=128 n=4096 size=131072");
  await e.press("Enter");
  await until(async () => /\/\/ warpwise: .*grid=1024 block=128/.test((await page.locator(".view-lines").first().innerText()).replace(/\u00a0/g, " ")), 20000, "the comment in the text");
});
await test("a kernel that does not compile has no numbers, the others keep theirs", async () => {
  await e.goto("11:1");
  await page.keyboard.type("((");
  await lensOf(/^no prediction.*gemm/);
  expect((await e.lenses()).filter((l) => /\d (us|µs|ms)\b/.test(l)).length === 2, "the other two kernels have lost theirs");
  await e.press("Backspace", "Backspace");
  await until(async () => (await e.lenses()).filter((l) => /\d (us|µs|ms)\b/.test(l)).length === 3, 20000, "three predictions again");
});
for (const [file, what] of [["spmv.cl", "OpenCL"], ["reduce.hip", "HIP"], ["offload.c", "OpenMP"]]) {
  await test(`${what}: a code lens in ${file}`, async () => {
    await e.open(file);
    await page.locator(".tab.active", { hasText: file }).first().waitFor();
    await until(async () => (await page.locator(".statusbar").innerText()).includes({ OpenCL: "OpenCL", HIP: "CUDA C++", OpenMP: "C" }[what]), 5000, "the language");
    await lensOf(/\d (ns|us|µs|ms)\b/);
  });
}
await test("measure here: a figure, or what is missing", async () => {
  await e.open("layer.cu");
  await e.goto("6:1");
  await e.command("Warpwise: Measure on this Machine's GPU");
  const said = page.locator(".notification-toast .notification-list-item-message", { hasText: /measured on|Warpwise: \w/ }).first();
  await said.waitFor({ timeout: 60000 });
  console.log(`# ${await said.innerText()}`);
  await e.closeToasts();
});
await test("optimise: a diff of the result, and applied", async () => {
  await e.open("columns.cl");
  await lensOf(/\d (ns|us|µs|ms)\b/);
  await e.goto("2:1");
  await e.command("Warpwise: Optimise this Kernel");
  await page.locator(".monaco-diff-editor").first().waitFor({ timeout: 240000 });
  const apply = page.locator(".notification-toast .monaco-button", { hasText: "Apply" }).first();
  await apply.waitFor({ timeout: 20000 });
  await apply.click();
  await until(async () => /row = get_global_id\(1\)/.test((await page.locator(".editor-instance .view-lines").first().innerText()).replace(/\u00a0/g, " ")), 20000, "the new text");
  await e.closeToasts();
});
await test("plain C is left alone", async () => {
  await e.open("plain.c");
  await page.locator(".tab.active", { hasText: "plain.c" }).first().waitFor();
  await page.waitForTimeout(1500);
  expect((await page.locator(".editor-group-container.active .codelens-decoration a").allInnerTexts()).length === 0, "a lens in plain C");
});
await test("a server that dies is started again", async () => {
  await e.open("layer.cu");
  await lensOf(/A100/i);
  expect(e.kill("lsp") === 1, "not one server runs");
  await until(() => e.kill("lsp", 0) === 1, 15000, "a new server");
  await lensOf(/A100/i, 30000);
});
await test("restart: the server comes back", async () => {
  await e.open("layer.cu");
  await e.command("Warpwise: Restart Server");
  await lensOf(/A100/i, 30000);
});
await end();
