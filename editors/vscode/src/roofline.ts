// roofline.ts - the roofline panel: the document's kernels under the roofs of one or several GPUs.
import * as path from "node:path";
import * as vscode from "vscode";
import type { GpuPicker } from "./gpus";
import { current, Panel } from "./panel";
import type { About } from "./panel";
import type { Server } from "./server";
import type { FromPanel, Roofline, RooflineState } from "./types";

export class RooflinePanel extends Panel<RooflineState> {
  private chosen: string[] = []; // GPUs beside the current one

  constructor(context: vscode.ExtensionContext, server: Server, private readonly gpus: GpuPicker) {
    super(context, server, "roofline", "Roofline");
  }

  private names(): string[] {
    return [...new Set([this.gpus.known.current, ...this.chosen])].filter((g) => g !== "");
  }

  protected empty(about: About): RooflineState {
    return { kind: "roofline", name: path.basename(about.uri.fsPath), gpus: this.names(), busy: false, reports: [], roofs: [], titles: this.gpus.titles };
  }

  protected override receive(m: FromPanel): void {
    if (m.type === "gpus") {
      this.chosen = m.gpus.filter((g) => g in this.gpus.titles && g !== this.gpus.known.current);
      this.soon(0);
    } else super.receive(m);
  }

  protected async fetch(about: About, token: vscode.CancellationToken, show: (s: RooflineState) => void): Promise<void> {
    const gpus = this.names();
    const got = await this.server.ask<Roofline>("warpwise.openRoofline", { uri: about.uri.toString(), gpus }, token);
    if (!current(about.uri, got.version)) return;
    show({ ...this.empty(about), gpus, reports: got.reports, roofs: got.roofs ?? [] });
  }
}
