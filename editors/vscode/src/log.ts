// log.ts - the one output channel: ours and the server's words, in order.
import * as vscode from "vscode";

export const log = vscode.window.createOutputChannel("Warpwise", { log: true });
