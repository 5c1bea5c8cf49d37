// editor.mjs - VS Code in a browser: starts code-server with an extension, opens a folder in chromium, and does what a person does.
import { spawn, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const settings = {
  "workbench.startupEditor": "none", "workbench.colorTheme": "Default Dark Modern", "workbench.tips.enabled": false, "workbench.activityBar.location": "hidden",
  "workbench.layoutControl.enabled": false, "window.commandCenter": false, "chat.commandCenter.enabled": false, "window.menuBarVisibility": "hidden",
  "breadcrumbs.enabled": false, "telemetry.telemetryLevel": "off", "update.mode": "none", "extensions.ignoreRecommendations": true, "git.enabled": false,
  "editor.minimap.enabled": false, "editor.fontSize": 14, "editor.lineHeight": 21, "editor.codeLensFontSize": 13, "editor.stickyScroll.enabled": false,
  "editor.inlayHints.fontSize": 12, "editor.occurrencesHighlight": "off", "editor.lightbulb.enabled": "onCode", "editor.hover.delay": 100, "editor.cursorBlinking": "solid", "editor.autoClosingBrackets": "never",
  "editor.scrollBeyondLastLine": false, "editor.guides.indentation": false, "editor.renderLineHighlight": "none", "security.workspace.trust.enabled": false,
  "files.autoSave": "off", "scm.diffDecorations": "none", "remote.autoForwardPorts": false,
};

export function freePort() {
  return new Promise((done, fail) => {
    const s = createServer().listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => done(port));
    });
    s.on("error", fail);
  });
}

export class Editor {
  /** tools: folder of install.sh; vsix: the extension; project: copied, never changed; extra: settings. */
  static async start({ tools, vsix, project, extra = {}, env = {}, size = { width: 1400, height: 900 } }) {
    const e = new Editor();
    e.dir = mkdtempSync(join(tmpdir(), "warpwise-vscode-"));
    e.project = join(e.dir, "project");
    cpSync(project, e.project, { recursive: true });
    mkdirSync(join(e.dir, "data", "User"), { recursive: true });
    e.configure(extra);
    const server = join(tools, "node_modules", "code-server", "out", "node", "entry.js");
    const common = [server, "--config", join(e.dir, "config.yaml"), "--user-data-dir", join(e.dir, "data"), "--extensions-dir", join(e.dir, "extensions")];
    const environment = { ...process.env, ...env, XDG_CONFIG_HOME: e.dir, XDG_DATA_HOME: e.dir, XDG_CACHE_HOME: e.dir };
    writeFileSync(join(e.dir, "config.yaml"), "auth: none\n");
    execFileSync(process.execPath, [...common, "--install-extension", vsix], { env: environment, stdio: "pipe" });
    const port = await freePort();
    e.server = spawn(process.execPath, [...common, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-workspace-trust", "--disable-telemetry", "--disable-update-check"],
      { env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true });
    e.said = "";
    for (const out of [e.server.stdout, e.server.stderr]) out.on("data", (d) => (e.said += d));
    await until(() => /HTTP server listening/.test(e.said), 30000, "code-server listens");
    const { chromium } = createRequire(join(tools, "package.json"))("playwright-core");
    e.browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--font-render-hinting=none", "--disable-gpu"] });
    e.page = await e.browser.newPage({ viewport: size });
    e.page.setDefaultTimeout(30000);
    await e.page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(e.project)}`);
    await e.page.waitForSelector(".monaco-workbench .statusbar", { timeout: 60000 });
    return e;
  }

  configure(extra) {
    this.settings = { ...settings, ...this.settings, ...extra };
    writeFileSync(join(this.dir, "data", "User", "settings.json"), JSON.stringify(this.settings, null, 2));
  }

  async press(...keys) {
    for (const k of keys) await this.page.keyboard.press(k);
  }

  /** A command of the palette, by the words it is listed under. */
  async command(words) {
    await this.press("F1");
    const box = this.page.locator(".quick-input-widget input");
    await box.waitFor();
    await box.fill(`>${words}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: words }).first().waitFor();
    await this.press("Enter");
  }

  async openOnce(file, ms) {
    const name = file.split("/").pop();
    await this.press("Control+p");
    const box = this.page.locator(".quick-input-widget input");
    await box.waitFor({ timeout: ms });
    await box.fill(file);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor({ timeout: ms });
    await this.page.waitForTimeout(300); // the list may still be sorted
    await this.press("Enter");
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).first().waitFor({ timeout: ms });
  }

  /** A key that is pressed while a notification goes away reaches nobody: again, with the editor in focus. */
  async open(file) {
    for (let k = 0; ; k++) {
      try {
        return await this.openOnce(file, k < 3 ? 10000 : 30000);
      } catch (error) {
        if (k >= 3) throw error;
        await this.press("Escape");
        await this.page.locator(".tab.active").first().click({ timeout: 5000 }).catch(() => undefined);
      }
    }
  }

  /** Puts the cursor there: "12:5". */
  async goto(at) {
    await this.press("Control+g");
    await this.page.locator(".quick-input-widget input").fill(`:${at}`);
    await this.press("Enter");
  }

  lenses() {
    return this.page.locator(".codelens-decoration a").allInnerTexts();
  }

  /** The document inside a web view that shows this text; VS Code puts it two frames deep. */
  async view(selector, timeout = 30000) {
    return until(async () => {
      for (const f of this.page.frames()) if (f !== this.page.mainFrame() && (await f.locator(selector).count().catch(() => 0)) > 0) return f;
    }, timeout, `a panel with ${selector}`);
  }

  async closeToasts() {
    if (!(await this.page.locator(".notification-toast").count())) return; // the command is offered where there are some
    await this.command("Notifications: Clear All Notifications");
    await until(async () => (await this.page.locator(".notification-toast").count()) === 0, 5000, "no notifications");
  }

  async shot(file, clip) {
    await this.page.mouse.move(700, 889);
    await this.page.waitForTimeout(400);
    await this.page.screenshot({ path: file, clip });
  }

  /** What the extension and its server wrote. */
  log() {
    const files = readdirSync(join(this.dir, "data", "logs"), { recursive: true }).filter((f) => /Warpwise[^/]*\.log$/.test(f));
    return files.map((f) => readFileSync(join(this.dir, "data", "logs", f), "utf8")).join("").trim();
  }

  /** Ends the servers that the editor started, found by the folder of this test in their environment; how many there were. signal 0: only counts.
   * A server's own children, which predict for it and have its command line, are no servers. */
  kill(word, signal = "SIGKILL") {
    const commandOf = (pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[1];
    const parentOf = (pid) => /^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];
    const servers = readdirSync("/proc").filter((pid) => {
      try {
        return /^\d+$/.test(pid) && commandOf(pid) === word && readFileSync(`/proc/${pid}/environ`, "utf8").includes(this.dir) && commandOf(parentOf(pid)) !== word;
      } catch {
        return false; // it has ended
      }
    });
    let n = 0;
    for (const pid of servers) { // not before all are known: children of one that is gone have another parent
      try {
        process.kill(Number(pid), signal);
        n++;
      } catch {}
    }
    return n;
  }

  async stop() {
    await this.browser?.close().catch(() => undefined);
    try {
      process.kill(-this.server.pid, "SIGTERM"); // code-server and its extension hosts
    } catch {}
    await new Promise((done) => setTimeout(done, 500));
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
  }
}

const PATIENCE = 4; // predictions have the lowest priority: what takes a second takes many where the machine is busy

export async function until(test, ms, what) {
  const end = Date.now() + ms * PATIENCE;
  for (;;) {
    const v = await test();
    if (v) return v;
    if (Date.now() > end) throw new Error(`waited ${(ms * PATIENCE) / 1000} s for: ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
