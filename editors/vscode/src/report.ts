// report.ts - the report panel: every kernel of a document on the chosen GPU, then the same kernels on the others.
import * as path from "node:path";
import * as vscode from "vscode";
import { message } from "./gpus";
import type { GpuPicker } from "./gpus";
import { current, Panel } from "./panel";
import type { About } from "./panel";
import type { Server } from "./server";
import type { Report, ReportState, Reports } from "./types";

export class ReportPanel extends Panel<ReportState> {
  constructor(context: vscode.ExtensionContext, server: Server, private readonly gpus: GpuPicker) {
    super(context, server, "report", "Kernel Report");
  }

  protected empty(about: About): ReportState {
    const gpu = this.gpus.known.current;
    return {
      kind: "report", name: path.basename(about.uri.fsPath), gpu, gpuTitle: this.gpus.titles[gpu] ?? gpu, busy: false, live: this.live(about.uri),
      reports: [], sweep: [], titles: this.gpus.titles, peaks: Object.fromEntries(this.gpus.known.gpus.map((g) => [g.name, { dram_gbps: g.dram_gbps }])),
      focus: about.focus,
    };
  }

  protected async fetch(about: About, token: vscode.CancellationToken, show: (s: ReportState) => void): Promise<void> {
    const uri = about.uri.toString();
    const got = await this.server.ask<Reports>("warpwise.report", { uri }, token);
    if (!current(about.uri, got.version)) return; // the next answer comes
    const state: ReportState = { ...this.empty(about), reports: withSource(about.uri, got.reports) };
    if (got.reports[0]?.gpu) {
      state.gpu = got.reports[0].gpu;
      state.gpuTitle = this.gpus.titles[state.gpu] ?? state.gpu;
    }
    show({ ...state, sweep: this.state?.sweep ?? [], sweepBusy: true });
    try {
      await new Promise((done) => setTimeout(done, 200)); // while somebody types, one GPU is enough
      if (token.isCancellationRequested) return;
      const all = await this.server.ask<Reports>("warpwise.compareGpus", { uri }, token);
      if (current(about.uri, all.version)) show({ ...state, focus: state.focus?.part && state.focus, sweep: named(all.reports, this.gpus.known.gpus.map((g) => g.name)) });
    } catch (error) {
      if (!token.isCancellationRequested) show({ ...state, focus: undefined, sweepError: message(error) });
    }
  }
}

/** Errors may not say for which GPU they are; where every GPU was asked for, their order does. */
function named(reports: Report[], gpus: string[]): Report[] {
  const inOrder = reports.length % gpus.length === 0 && reports.every((r, k) => !r.gpu || r.gpu === gpus[k % gpus.length]);
  return inOrder ? reports.map((r, k) => ({ ...r, gpu: gpus[k % gpus.length] })) : reports;
}

/** The hot lines with their text, as it stands in the editor. */
function withSource(uri: vscode.Uri, reports: Report[]): Report[] {
  const d = vscode.workspace.textDocuments.find((t) => t.uri.toString() === uri.toString());
  const text = (line: number, file?: string) =>
    d && (!file || path.basename(file) === path.basename(d.fileName)) && line >= 1 && line <= d.lineCount ? d.lineAt(line - 1).text.trim() : undefined;
  return reports.map((r) => ({ ...r, lines: r.lines?.map((l) => ({ ...l, source: text(l.line, l.file) })) }));
}
