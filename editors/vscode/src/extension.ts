// extension.ts - puts the parts together; the server starts with the first document that has kernels.
import * as vscode from "vscode";
import { register } from "./commands";
import { currentEditor, isGpu } from "./documents";
import { GpuPicker } from "./gpus";
import { log } from "./log";
import { ReportPanel } from "./report";
import { RooflinePanel } from "./roofline";
import { Server } from "./server";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const s = (server = new Server());
  const gpus = new GpuPicker(s);
  const report = new ReportPanel(context, s, gpus);
  const roofline = new RooflinePanel(context, s, gpus);
  register(context, { server: s, gpus, report, roofline });

  const look = () => {
    void vscode.commands.executeCommand("setContext", "warpwise.document", currentEditor() !== undefined);
    if (s.state === "stopped" && vscode.workspace.textDocuments.some(isGpu)) void s.start();
  };
  context.subscriptions.push(
    log, s, gpus, report, roofline,
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidSaveTextDocument(look), // a C file may have got its first kernel
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void s.restart()),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("warpwise.path")) void s.restart();
    }),
    gpus.onChange(() => {
      for (const panel of [report, roofline]) panel.again();
    }),
  );
  look();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
