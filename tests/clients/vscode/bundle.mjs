// bundle.mjs TOOLS VSIX SHOTS - the extension that brings the program, in a VS Code that has nothing else: no checkout, no warpwise in PATH. From the
// walkthrough to the first fix. Prints TAP; pictures of the way go to SHOTS.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Editor, until } from "./editor.mjs";

const [tools, vsix, shots] = process.argv.slice(2).map((p) => resolve(p));
mkdirSync(shots, { recursive: true });
const project = mkdtempSync(join(tmpdir(), "warpwise-empty-"));
let n = 0, bad = 0;
const begin = Date.now();
const e = await Editor.start({ tools, vsix, project, env: { PATH: "/usr/bin:/bin", WARPWISE_DATA: "", WARPWISE_CLANG: "" } });
rmSync(project, { recursive: true });
console.log(`# installed and started in ${((Date.now() - begin) / 1000).toFixed(1)} s`);
const { page } = e;

async function test(what, run) {
  const start = Date.now();
  let why = "";
  try {
    await run();
  } catch (error) {
    why = String(error.message ?? error).split("\n")[0];
    await page.screenshot({ path: join(shots, `failed-${n + 1}.png`) }).catch(() => undefined);
  }
  n++;
  if (why) bad++;
  console.log(`${why ? "not ok" : "ok"} ${n} - ${what} (${((Date.now() - start) / 1000).toFixed(1)} s)${why ? `: ${why}` : ""}`);
}
const time = /\d (ns|us|µs|ms)\b/;
const lensOf = (what, ms = 60000) => until(async () => (await e.lenses()).find((l) => what.test(l)), ms, `a code lens like ${what}`);
const text = async () => (await page.locator(".editor-instance .view-lines").first().innerText()).replace(/\u00a0/g, " ");

await test("the walkthrough is there, and says that the program is", async () => {
  await e.command("Welcome: Open Walkthrough...");
  await page.locator(".quick-input-widget input").fill("Start with Warpwise");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Start with Warpwise" }).first().waitFor();
  await e.press("Enter");
  await page.locator(".gettingStartedContainer", { hasText: "The program is here" }).waitFor();
  await page.waitForTimeout(1500);
  await e.shot(join(shots, "walkthrough.png"));
});
let before = "";
await test("its example opens, with a time above the kernel", async () => {
  await page.locator(".getting-started-step", { hasText: "Open a kernel" }).first().click();
  await page.getByRole("button", { name: "Open an example" }).first().click();
  await page.locator('.tab.active[data-resource-name="transpose.cu"]').waitFor();
  before = await lensOf(time);
});
await test("the program is the one that came with the extension", async () => {
  await until(() => /came with the extension/.test(e.log()), 10000, "a line of the log");
});
await test("the first fix, and another time", async () => {
  await until(async () => (await page.locator(".squiggly-info").count()) > 0, 20000, "an underlined finding");
  await e.command("Warpwise: Go to the First Fix");
  const menu = page.locator(".action-widget");
  await menu.waitFor();
  if (!/^Pad /m.test(await menu.innerText())) throw new Error(`no padding among: ${await menu.innerText()}`);
  await page.waitForTimeout(300);
  await e.shot(join(shots, "first-fix.png"));
  await e.press("Enter");
  await until(async () => /\[32 ?\+ ?1\]|\[33\]/.test(await text()), 20000, "a padded array");
  await until(async () => (await e.lenses()).some((l) => time.test(l) && l !== before), 30000, "another time");
});
await test("an own kernel in the empty folder", async () => {
  writeFileSync(join(e.project, "own.cu"), "#include <cstdio>\n#include <vector>\n__global__ void scale(float *y, const float *x, float a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = a * x[i];\n}\nint main() { scale<<<4096, 256>>>(nullptr, nullptr, 2.0f, 1 << 20); }\n");
  await e.open("own.cu");
  await lensOf(/\d (ns|us|µs|ms)\b.*/);
});
await test("the setting overrides it", async () => {
  mkdirSync(join(e.dir, "data", "Machine"), { recursive: true });
  writeFileSync(join(e.dir, "data", "Machine", "settings.json"), '{ "warpwise.path": "/nonexistent/warpwise" }');
  await page.locator(".notification-toast", { hasText: "/nonexistent/warpwise" }).waitFor({ timeout: 20000 });
});
if (bad > 0) for (const line of e.log().split("\n").slice(-15)) console.log(`# ${line}`);
await e.stop();
console.log(`1..${n}`);
process.exit(bad ? 1 : 0);
