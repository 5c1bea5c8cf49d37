// panel.ts - a web view beside the editor that shows one state and follows the document it is about.
//
// Invariant: what it shows belongs to the document's current version, or it says that newer numbers are on their way. Answers to older
// questions are dropped, however late they come.
import * as crypto from "node:crypto";
import * as path from "node:path";
import * as vscode from "vscode";
import { isGpu } from "./documents";
import { message } from "./gpus";
import type { Server } from "./server";
import type { Focus, FromPanel, PanelState, Target } from "./types";

export interface About {
  uri: vscode.Uri;
  focus?: Focus;
}

export abstract class Panel<S extends PanelState> implements vscode.Disposable {
  protected view?: vscode.WebviewPanel;
  protected about?: About;
  protected state?: S;
  private asking = 0; // the newest question; answers to others are dropped
  private stop?: vscode.CancellationTokenSource;
  private ready = false;
  private shown?: string; // the document that `state` is about
  private timer?: NodeJS.Timeout;
  private readonly parts: vscode.Disposable[] = [];

  constructor(
    private readonly context: vscode.ExtensionContext,
    protected readonly server: Server,
    private readonly kind: S["kind"],
    private readonly heading: string,
  ) {
    this.parts.push(
      server.onAnswered((a) => {
        if (a.uri === this.about?.uri.toString() && this.live(this.about.uri)) this.soon(0);
      }),
      server.onState((s) => {
        if (s === "running") this.soon(0);
      }),
      vscode.workspace.onDidChangeTextDocument((e) => {
        if (e.contentChanges.length > 0 && e.document.uri.toString() === this.about?.uri.toString()) this.edited();
      }),
      vscode.workspace.onDidSaveTextDocument((d) => {
        if (d.uri.toString() === this.about?.uri.toString()) this.soon(50);
      }),
      vscode.window.onDidChangeActiveTextEditor((e) => {
        if (this.view && e && isGpu(e.document) && e.document.uri.toString() !== this.about?.uri.toString()) {
          this.about = { uri: e.document.uri };
          this.soon(0);
        }
      }),
    );
  }

  protected abstract empty(about: About): S;
  protected abstract fetch(about: About, token: vscode.CancellationToken, show: (s: S) => void): Promise<void>;

  get open(): boolean {
    return this.view !== undefined;
  }

  protected live(uri: vscode.Uri): boolean {
    return vscode.workspace.getConfiguration("warpwise", uri).get("liveReport", true);
  }

  /** Shows it beside the editor, about this document. */
  show(about: About): void {
    this.about = about;
    if (!this.view) this.create();
    else this.view.reveal(undefined, true);
    this.soon(0);
  }

  /** Asks again: what the answers depend on has changed. */
  again(): void {
    if (!this.view) return;
    if (this.state) this.put({ ...this.state, busy: true });
    this.soon(0);
  }

  private create(): void {
    const roots = [vscode.Uri.joinPath(this.context.extensionUri, "dist")];
    const view = vscode.window.createWebviewPanel(`warpwise.${this.kind}`, this.heading, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, {
      enableScripts: true, retainContextWhenHidden: true, localResourceRoots: roots,
    });
    view.iconPath = vscode.Uri.joinPath(this.context.extensionUri, "media", "icon.png");
    this.ready = false;
    view.webview.onDidReceiveMessage((m: FromPanel) => this.receive(m));
    view.onDidDispose(() => {
      this.stop?.cancel();
      this.view = this.about = this.state = this.shown = undefined;
    });
    view.webview.html = page(view.webview, roots[0], this.kind, this.heading);
    this.view = view;
  }

  protected receive(m: FromPanel): void {
    if (m.type === "ready") {
      this.ready = true;
      this.send();
    } else if (m.type === "goto" && this.about) {
      const file = m.file && path.isAbsolute(m.file) ? vscode.Uri.file(m.file) : this.about.uri;
      void reveal(file, m.line);
    } else if (m.type === "command" && this.about && /^warpwise\.\w+$/.test(m.command)) {
      const target: Target = { uri: this.about.uri.toString(), kernel: m.kernel, line: m.line };
      void vscode.commands.executeCommand(m.command, target);
    }
  }

  private edited(): void {
    if (!this.state || !this.about) return;
    const live = this.live(this.about.uri);
    if (live ? !this.state.busy : !this.state.outdated) this.put({ ...this.state, busy: live, outdated: !live });
    if (live) this.soon(1500); // the server tells when its answers are there; should it not, the panel still does not stay behind
  }

  protected soon(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(), ms);
  }

  protected put(s: S): void {
    this.state = s;
    this.send();
  }

  private send(): void {
    if (this.ready && this.state) void this.view?.webview.postMessage(this.state);
  }

  private async update(): Promise<void> {
    const about = this.about;
    if (!this.view || !about) return;
    const mine = ++this.asking;
    this.stop?.cancel();
    const stop = (this.stop = new vscode.CancellationTokenSource());
    if (this.shown !== about.uri.toString()) this.put({ ...this.empty(about), busy: true });
    this.shown = about.uri.toString();
    try {
      await this.fetch(about, stop.token, (s) => {
        if (mine === this.asking) this.put(s);
      });
      about.focus = undefined; // brought into view once
    } catch (error) {
      if (mine !== this.asking || stop.token.isCancellationRequested) return;
      if (outrun.has((error as { code?: number }).code ?? 0)) this.soon(300);
      else this.put({ ...this.empty(about), busy: false, error: message(error) });
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.view?.dispose();
    this.parts.forEach((p) => p.dispose());
  }
}

// LSP: the request was cancelled, the text has changed meanwhile, the server gave it up. None is an answer; the next one comes.
const outrun = new Set([-32800, -32801, -32802]);

/** The text version an answer is about has to be the one the editor holds. */
export function current(uri: vscode.Uri, version: number | undefined): boolean {
  const d = vscode.workspace.textDocuments.find((t) => t.uri.toString() === uri.toString());
  return version === undefined || d === undefined || d.version === version;
}

async function reveal(file: vscode.Uri, line: number): Promise<void> {
  const there = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === file.toString());
  const at = new vscode.Position(Math.max(0, line - 1), 0);
  const d = await vscode.workspace.openTextDocument(file);
  const editor = await vscode.window.showTextDocument(d, { viewColumn: there?.viewColumn ?? vscode.ViewColumn.One, selection: new vscode.Range(at, at) });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function page(webview: vscode.Webview, dist: vscode.Uri, kind: string, heading: string): string {
  const nonce = crypto.randomBytes(16).toString("hex");
  const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri("panel.css")}"><title>${heading}</title></head>
<body><main id="root" class="${kind}"></main><script nonce="${nonce}" src="${uri(`${kind}.js`)}"></script></body></html>`;
}
