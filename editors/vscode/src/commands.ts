// commands.ts - what the palette, keys, menus, code lenses and panels call.
//
// A code lens or a panel says which kernel it means; from the palette it is the one that the cursor stands in.
import * as vscode from "vscode";
import { currentEditor } from "./documents";
import { message } from "./gpus";
import type { GpuPicker } from "./gpus";
import { log } from "./log";
import { Optimiser } from "./optimize";
import { buildProgram } from "./program";
import type { ReportPanel } from "./report";
import type { RooflinePanel } from "./roofline";
import type { Server } from "./server";
import type { Report, Reports, Target } from "./types";

interface Parts {
  server: Server;
  gpus: GpuPicker;
  report: ReportPanel;
  roofline: RooflinePanel;
}

export function register(context: vscode.ExtensionContext, p: Parts): void {
  const optimiser = new Optimiser(context);
  const table: Record<string, (t: Target) => Promise<unknown> | void> = {
    showReport: (t) => withDocument(t, async (uri) => p.report.show({ uri, focus: await kernelOf(p.server, uri, t) })),
    openRoofline: (t) => withDocument(t, async (uri) => p.roofline.show({ uri })),
    compareGpus: (t) => withDocument(t, async (uri) => p.report.show({ uri, focus: { ...(await kernelOf(p.server, uri, t)), part: "gpus" } })),
    chooseGpu: (t) => p.gpus.choose(t.gpu),
    setLaunch: (t) => withDocument(t, (uri) => setLaunch(p.server, uri, t)),
    measureHere: (t) => withDocument(t, (uri) => measure(p.server, uri, t)),
    optimize: (t) => withDocument(t, (uri) => optimize(p.server, optimiser, uri, t)),
    openExample: () => openExample(context),
    firstFix: (t) => withDocument(t, firstFix),
    build: () => buildProgram(() => void p.server.restart()),
    restartServer: () => p.server.restart(),
    showLog: () => log.show(),
  };
  for (const [name, run] of Object.entries(table)) {
    context.subscriptions.push(
      vscode.commands.registerCommand(`warpwise.${name}`, async (argument?: unknown) => {
        try {
          await run(target(argument));
        } catch (error) {
          void vscode.window.showErrorMessage(`Warpwise: ${message(error)}`);
        }
      }),
    );
  }
}

/** A copy of the extension's example, which the user may change; one that is there already is theirs. */
async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const from = vscode.Uri.joinPath(context.extensionUri, "media", "walkthrough", "transpose.cu");
  const to = vscode.Uri.joinPath(context.globalStorageUri, "transpose.cu");
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  await vscode.workspace.fs.copy(from, to, { overwrite: false }).then(undefined, () => undefined);
  await vscode.window.showTextDocument(to);
}

/** The cursor to the finding with the largest gain (the server lists them so), and what VS Code offers there. */
async function firstFix(uri: vscode.Uri): Promise<void> {
  const found = vscode.languages.getDiagnostics(uri).find((d) => d.source === "warpwise");
  if (!found) {
    void vscode.window.showInformationMessage("Warpwise has found nothing to change here; it may still be reading the file.");
    return;
  }
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(found.range.start, found.range.start) });
  await vscode.commands.executeCommand("editor.action.quickFix");
}

/** Menus of VS Code hand over a Uri, lenses and panels an object of ours. */
function target(argument: unknown): Target {
  if (argument instanceof vscode.Uri) return {};
  return typeof argument === "object" && argument !== null ? (argument as Target) : {};
}

async function withDocument(t: Target, run: (uri: vscode.Uri) => Promise<unknown>): Promise<void> {
  const uri = t.uri ? vscode.Uri.parse(t.uri) : currentEditor()?.document.uri;
  if (uri) await run(uri);
  else void vscode.window.showInformationMessage("Open a CUDA, HIP, OpenCL or OpenMP file first.");
}

/** The kernel that is meant, else the one the cursor stands in: the last code lens above it names it. */
async function kernelOf(server: Server, uri: vscode.Uri, t: Target): Promise<{ kernel?: string; line?: number }> {
  if (t.kernel) return { kernel: t.kernel, line: t.line };
  const editor = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
  if (!editor || server.state !== "running") return {};
  const lenses = (await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 100)) ?? [];
  const named = lenses
    .flatMap((l) => (l.command?.command.startsWith("warpwise.") ? [{ at: l.range.start.line, of: (l.command.arguments?.[0] ?? {}) as Target }] : []))
    .filter((l) => l.of.kernel)
    .sort((a, b) => a.at - b.at);
  const above = named.filter((l) => l.at <= editor.selection.active.line).pop() ?? named[0];
  return { kernel: above?.of.kernel, line: above?.of.line };
}

async function pickKernel(server: Server, uri: vscode.Uri, t: Target, title: string): Promise<string | undefined> {
  const { kernel } = await kernelOf(server, uri, t);
  if (kernel) return kernel;
  const { reports } = await server.ask<Reports>("warpwise.report", { uri: uri.toString() });
  const items = reports.map((r) => ({ label: r.kernel, description: r.line ? `line ${r.line}` : "", kernel: r.mangled ?? r.kernel }));
  if (items.length > 1) return (await vscode.window.showQuickPick(items, { title }))?.kernel;
  if (items.length === 0) void vscode.window.showInformationMessage("There is no kernel in this file.");
  return items[0]?.kernel;
}

async function setLaunch(server: Server, uri: vscode.Uri, t: Target): Promise<void> {
  const kernel = await pickKernel(server, uri, t, "Launch of which kernel?");
  if (!kernel) return;
  const argument = { uri: uri.toString(), kernel };
  const known = await server.ask<{ kernel?: string; launch?: string } | null>("warpwise.setLaunch", argument);
  const launch =
    t.launch ??
    (await vscode.window.showInputBox({
      title: `Launch of ${known?.kernel ?? kernel}`,
      value: known?.launch ?? "grid=(n+255)/256 block=256 n=1<<20",
      prompt: "Blocks, threads of a block, sizes: grid=(n+255)/256 block=256 n=1<<20 x=[n]. Written as a comment above the kernel.",
      ignoreFocusOut: true,
      validateInput: (text) => (/\bblock\s*=/.test(text) ? undefined : "say at least how many threads a block has: block=256"),
    }));
  if (launch) await server.ask("warpwise.setLaunch", { ...argument, launch });
}

async function measure(server: Server, uri: vscode.Uri, t: Target): Promise<void> {
  const kernel = await pickKernel(server, uri, t, "Measure which kernel?");
  if (!kernel) return;
  const options = { location: vscode.ProgressLocation.Notification, title: "Measuring on this machine's GPU", cancellable: true };
  const got = await vscode.window.withProgress(options, (_, token) => server.ask<Reports>("warpwise.measureHere", { uri: uri.toString(), kernel }, token));
  const r = got?.reports?.[0];
  if (!r || r.error) throw new Error(r?.error?.message ?? "nothing was measured");
  log.info(`measured: ${JSON.stringify(r)}`);
  const more = "Show Prediction";
  const picked = await vscode.window.showInformationMessage(`${r.kernel}: ${measured(r)}`, more);
  if (picked === more) await vscode.commands.executeCommand("warpwise.showReport", { uri: uri.toString(), kernel });
}

async function optimize(server: Server, optimiser: Optimiser, uri: vscode.Uri, t: Target): Promise<void> {
  const kernel = await pickKernel(server, uri, t, "Optimise which kernel?");
  if (kernel) await optimiser.run(server, uri, kernel);
}

function measured(r: Report): string {
  const us = r.metrics?.time_us?.value;
  const gbps = r.metrics?.dram_gbps?.value;
  const parts = [us === undefined ? "no time" : us >= 1000 ? `${(us / 1000).toPrecision(3)} ms` : `${us.toPrecision(3)} \u00b5s`];
  if (gbps) parts.push(`${gbps.toPrecision(3)} GB/s`);
  return `${parts.join(", ")} measured on ${r.gpu ?? "this machine"}`;
}
