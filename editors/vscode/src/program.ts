// program.ts - the warpwise program: found, checked, or built from source in a terminal the user sees.
import { execFile } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";
import { findProgram, findSources, isSources } from "./find";
import { log } from "./log";

const folders = () => (vscode.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme === "file").map((f) => f.uri.fsPath);
const own = () => vscode.extensions.getExtension("warpwise.warpwise")?.extensionPath ?? "";
const setting = () => vscode.workspace.getConfiguration("warpwise").get("path", "").trim();

/** The program's path, once it is known to speak `lsp`; else undefined and a sentence for people. */
export async function locate(): Promise<{ file: string } | { problem: string }> {
  const found = findProgram({ setting: setting(), own: own(), folders: folders(), env: process.env, trusted: vscode.workspace.isTrusted });
  if (!found) return { problem: "The warpwise program was not found: this extension came without it, and it is neither in PATH nor beside the open folder." };
  if ("wrong" in found) return { problem: `The setting warpwise.path names ${found.wrong}, which is not a program.` };
  log.info(`warpwise: ${found.file} (${found.how})`);
  const said = await run(found.file, ["lsp", "--help"]);
  if (said.ok) return { file: found.file };
  return { problem: `${found.file} cannot serve editors: ${said.text.split("\n")[0] || "it did not start"}. Build a newer one.` };
}

/** Runs the program to its end; what it printed. */
export function run(file: string, args: string[]): Promise<{ ok: boolean; text: string }> {
  return new Promise((done) => {
    execFile(file, args, { timeout: 20000, maxBuffer: 16 << 20 }, (error, stdout, stderr) =>
      done({ ok: !error, text: error ? stderr.trim() || error.message : stdout }),
    );
  });
}

/** Says what is missing and offers the ways out of it; `retry` runs once one of them has been taken. */
export async function offer(problem: string, retry: () => void): Promise<void> {
  log.warn(problem);
  const build = "Build from Source", set = "Set Path...", help = "Help";
  const choice = await vscode.window.showWarningMessage(`${problem} Without it there are no predictions.`, build, set, help);
  if (choice === build) await buildProgram(retry);
  if (choice === set) await choosePath();
  if (choice === help) await vscode.commands.executeCommand("workbench.action.openWalkthrough", "warpwise.warpwise#start", false);
}

async function choosePath(): Promise<void> {
  const picked = await vscode.window.showOpenDialog({ title: "The warpwise program", openLabel: "Use this", canSelectMany: false });
  if (picked?.[0]) await vscode.workspace.getConfiguration("warpwise").update("path", picked[0].fsPath, vscode.ConfigurationTarget.Global);
}

async function chooseSources(): Promise<string | undefined> {
  const beside = findSources(folders());
  if (beside) return beside;
  const picked = await vscode.window.showOpenDialog({
    title: "The folder with Warpwise's sources", openLabel: "Build here", canSelectFiles: false, canSelectFolders: true,
  });
  const dir = picked?.[0]?.fsPath;
  if (dir && !isSources(dir)) {
    void vscode.window.showErrorMessage(`${dir} does not hold Warpwise's sources (a Makefile with src/main.c and gpus/ beside it).`);
    return undefined;
  }
  return dir;
}

/** Builds in a terminal: the command stays readable there, and so does what it complains about. */
export async function buildProgram(done: () => void): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage("Building runs a Makefile: trust this folder first.");
    return;
  }
  const cwd = await chooseSources();
  if (!cwd) return;
  const command = vscode.workspace.getConfiguration("warpwise").get("buildCommand", "make");
  const task = new vscode.Task({ type: "shell", task: "warpwise build" }, vscode.TaskScope.Workspace, "build", "warpwise", new vscode.ShellExecution(command, { cwd }));
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  const started = await vscode.tasks.executeTask(task);
  const end = vscode.tasks.onDidEndTaskProcess(async (e) => {
    if (e.execution !== started) return;
    end.dispose();
    if (e.exitCode !== 0) {
      void vscode.window.showErrorMessage(`Building warpwise failed (status ${e.exitCode}); the terminal says why.`);
      return;
    }
    const built = path.join(cwd, "build", "warpwise");
    const found = findProgram({ setting: setting(), own: own(), folders: folders(), env: process.env, trusted: true });
    if (!found || "wrong" in found) await vscode.workspace.getConfiguration("warpwise").update("path", built, vscode.ConfigurationTarget.Global);
    done();
  });
}
