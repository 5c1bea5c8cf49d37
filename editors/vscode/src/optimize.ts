// optimize.ts - "Optimise this Kernel": the result beside the document in a diff editor, and applied when the user says so.
import * as vscode from "vscode";
import type { Server } from "./server";

interface Optimised {
  kernel: string;
  version: number;
  improved: boolean;
  gain: number;
  title?: string;
  stopped?: string;
  source: string;
}

const scheme = "warpwise-optimised";

/** What the diff editor shows on its right side, by the URI of the document. */
export class Optimiser implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(context: vscode.ExtensionContext) {
    context.subscriptions.push(vscode.workspace.registerTextDocumentContentProvider(scheme, this), this.changed);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  async run(server: Server, uri: vscode.Uri, kernel: string): Promise<void> {
    const options = { location: vscode.ProgressLocation.Notification, title: "Optimising the kernel: about two minutes", cancellable: true };
    const got = await vscode.window.withProgress(options, (_, token) => server.ask<Optimised>("warpwise.optimize", { uri: uri.toString(), kernel }, token));
    if (!got.improved) {
      void vscode.window.showInformationMessage(`${got.kernel}: nothing surely better was found (${got.stopped ?? "the search has ended"}).`);
      return;
    }
    const right = uri.with({ scheme, path: uri.path, query: "" });
    this.texts.set(right.toString(), got.source);
    this.changed.fire(right);
    const title = got.title ?? `${got.kernel}: ${got.gain.toFixed(2)} times as fast by prediction`;
    await vscode.commands.executeCommand("vscode.diff", uri, right, title, { preview: true });
    const apply = "Apply";
    const picked = await vscode.window.showInformationMessage(`${title}. It was verified to do the same.`, apply, "Discard");
    if (picked === apply) await this.apply(uri, got);
    this.texts.delete(right.toString());
  }

  /** The whole text: what was optimised is refused where it has changed since. */
  private async apply(uri: vscode.Uri, got: Optimised): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.version !== got.version) throw new Error("the file was edited in the meantime; optimise it again");
    const edit = new vscode.WorkspaceEdit();
    const all = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
    edit.replace(uri, all, got.source);
    await vscode.workspace.applyEdit(edit);
    await vscode.window.showTextDocument(document);
  }
}
