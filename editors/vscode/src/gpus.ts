// gpus.ts - the GPU that predictions are for: in the status bar, and the list to choose from.
import * as vscode from "vscode";
import { currentEditor } from "./documents";
import { log } from "./log";
import type { Server } from "./server";
import type { Gpu, Gpus } from "./types";

export class GpuPicker implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("warpwise.gpu", vscode.StatusBarAlignment.Right, 101);
  private readonly parts: vscode.Disposable[];
  private readonly changed = new vscode.EventEmitter<void>();
  private took?: number; // ms of the last answer
  known: Gpus = { current: "", gpus: [] };
  readonly onChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.item.name = "Warpwise GPU";
    this.parts = [
      this.item,
      this.changed,
      server.onState(() => void this.refresh()),
      server.onAnswered((a) => {
        this.took = a.ms;
        this.draw();
      }),
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration("warpwise.gpu")) void this.follow();
      }),
      vscode.window.onDidChangeActiveTextEditor(() => this.draw()),
    ];
    this.draw();
  }

  /** Asks the server which GPUs there are and which one counts now. */
  async refresh(): Promise<void> {
    if (this.server.state === "running") {
      try {
        this.known = await this.server.ask<Gpus>("warpwise.gpus", { uri: currentEditor()?.document.uri.toString() });
      } catch (error) {
        log.error(`warpwise.gpus: ${message(error)}`);
      }
      this.changed.fire();
    }
    this.draw();
  }

  get titles(): Record<string, string> {
    return Object.fromEntries(this.known.gpus.map((g) => [g.name, title(g)]));
  }

  private draw(): void {
    const state = this.server.state;
    if (state === "stopped" || !currentEditor()) return this.item.hide();
    this.item.backgroundColor = undefined;
    this.item.command = "warpwise.chooseGpu";
    if (state === "missing" || state === "failed") {
      this.item.text = "$(warning) Warpwise";
      this.item.tooltip = this.server.problem;
      this.item.command = "warpwise.restartServer";
      this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
    } else if (state === "starting" || !this.known.current) {
      this.item.text = "$(loading~spin) Warpwise";
      this.item.tooltip = "The server is starting";
    } else {
      const gpu = this.known.gpus.find((g) => g.name === this.known.current);
      this.item.text = `$(circuit-board) ${gpu ? title(gpu) : this.known.current}`;
      this.item.tooltip = this.tip(gpu);
    }
    this.item.show();
  }

  private tip(gpu: Gpu | undefined): vscode.MarkdownString {
    const tip = new vscode.MarkdownString(undefined, true);
    tip.appendMarkdown(`**Predictions are for the ${gpu ? title(gpu) : this.known.current}**\n\n`);
    if (gpu) tip.appendMarkdown(`${facts(gpu)}\n\n`);
    if (this.took !== undefined) tip.appendMarkdown(`Last answer in ${Math.round(this.took)} ms. `);
    tip.appendMarkdown("Click to choose another.");
    return tip;
  }

  async choose(argument?: string): Promise<void> {
    if (this.known.gpus.length === 0) {
      await this.server.start(true);
      await this.refresh();
    }
    if (this.known.gpus.length === 0) return;
    const picked = argument ?? (await this.pick());
    if (!picked) return;
    const c = vscode.workspace.getConfiguration("warpwise", currentEditor()?.document);
    const told = c.inspect<string>("gpu");
    const target = told?.workspaceFolderValue ? vscode.ConfigurationTarget.WorkspaceFolder : told?.workspaceValue ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    if (c.get("gpu") === picked) await this.follow();
    else await c.update("gpu", picked, target);
  }

  /** What the setting names now counts, also where a project file names another GPU. */
  private async follow(): Promise<void> {
    const gpu = vscode.workspace.getConfiguration("warpwise", currentEditor()?.document).get("gpu", "");
    if (this.server.state !== "running") return;
    try {
      if (gpu !== "") await this.server.ask("warpwise.chooseGpu", { gpu });
    } catch (error) {
      void vscode.window.showErrorMessage(`Warpwise: ${message(error)}`);
    }
    await this.refresh();
  }

  private async pick(): Promise<string | undefined> {
    const current = this.known.current;
    const items = [...this.known.gpus]
      .sort((a, b) => Number(b.name === current) - Number(a.name === current) || title(a).localeCompare(title(b)))
      .map((g) => ({ name: g.name, label: `${g.name === current ? "$(check)" : "$(circuit-board)"} ${title(g)}`, description: g.name, detail: facts(g) }));
    const picked = await vscode.window.showQuickPick(items, { title: "GPU that predictions are for", placeHolder: "It need not be in this machine", matchOnDescription: true, matchOnDetail: true });
    return picked?.name;
  }

  dispose(): void {
    this.parts.forEach((p) => p.dispose());
  }
}

export function title(g: Gpu): string {
  return g.title ?? g.full_name ?? g.name;
}

/** One line about a GPU: what decides how fast kernels are on it. */
function facts(g: Gpu): string {
  const parts: string[] = [];
  if (g.architecture) parts.push(g.architecture);
  if (g.sms) parts.push(`${g.sms} ${g.vendor === "amd" ? "CUs" : "SMs"}`);
  if (g.fp32_gflops) parts.push(`${(g.fp32_gflops / 1000).toPrecision(3)} TFLOP/s FP32`);
  if (g.dram_gbps) parts.push(`${(g.dram_gbps / 1000).toPrecision(2)} TB/s`);
  if (g.grade) parts.push(g.grade);
  return parts.join(" \u00b7 ");
}

export function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
