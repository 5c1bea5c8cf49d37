// server.ts - the language client: starts `warpwise lsp`, hands it GPU documents alone, passes commands on.
//
// Invariants: one server at a time; a C or C++ document without kernels never reaches it; every `warpwise.*` command belongs to the extension, which
// asks the server where it needs to, so commands exist (and say what is missing) also while no server runs.
import * as vscode from "vscode";
import { LanguageClient, RevealOutputChannelOn, State, Trace } from "vscode-languageclient/node";
import type { DynamicFeature, LanguageClientOptions, Middleware, ServerOptions, StaticFeature } from "vscode-languageclient/node";
import { isGpu, selector } from "./documents";
import { log } from "./log";
import { locate, offer } from "./program";
import type { Answered } from "./types";

class Client extends LanguageClient {
  // The library would register each of the server's commands with VS Code, where ours of the same names already are.
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ("registrationType" in feature && feature.registrationType.method === "workspace/executeCommand") return;
    super.registerFeature(feature);
  }
}

export type ServerState = "stopped" | "missing" | "starting" | "running" | "failed";

export class Server implements vscode.Disposable {
  private client?: Client;
  private waiting?: Promise<void>; // a start or stop under way: the next one waits for it
  private asked = false; // whether the user has been told once that the program is missing
  private readonly unopened = new Map<string, () => Promise<void>>(); // C files without kernels, and how to open them
  private readonly watcher = vscode.workspace.createFileSystemWatcher("**/{.warpwise.json,compile_commands.json}");
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly answered = new vscode.EventEmitter<Answered>();
  readonly onState = this.changed.event;
  readonly onAnswered = this.answered.event;
  state: ServerState = "stopped";
  program = "";
  problem = "";

  private set(state: ServerState): void {
    this.state = state;
    void vscode.commands.executeCommand("setContext", "warpwise.ready", state === "running");
    this.changed.fire(state);
  }

  /** Starts it unless it runs; `loud`: say what is missing even if that was said before. */
  start(loud = false): Promise<void> {
    if (this.state === "running" || this.state === "starting") return this.waiting ?? Promise.resolve();
    return (this.waiting = this.launch(loud));
  }

  private async launch(loud: boolean): Promise<void> {
    this.set("starting");
    const found = await locate();
    if ("problem" in found) {
      this.problem = found.problem;
      this.set("missing");
      if (loud || !this.asked) void offer(found.problem, () => void this.restart());
      this.asked = true;
      return;
    }
    this.program = found.file;
    const client = (this.client = new Client("warpwise", "Warpwise", this.command(found.file), this.options()));
    client.onDidChangeState((e) => {
      if (this.client !== client) return; // one that was replaced
      if (e.newState === State.Running) this.set("running");
      if (e.newState === State.Stopped && this.state === "running") {
        this.problem = "The server ended; it is started again unless that keeps happening. The log says more."; // the library does
        this.set("failed");
      }
    });
    client.onNotification("warpwise/answered", (a: Answered) => this.answered.fire(a));
    try {
      await client.start();
      await client.setTrace(Trace.fromString(vscode.workspace.getConfiguration("warpwise").get("trace.server", "off")));
    } catch (error) {
      this.problem = `The server did not start: ${error instanceof Error ? error.message : String(error)}`;
      log.error(this.problem);
      this.set("failed");
      const show = "Show Log", again = "Restart";
      void vscode.window.showErrorMessage(`Warpwise: the server did not start; the log says why.`, show, again).then((choice) => {
        if (choice === show) log.show();
        if (choice === again) void this.restart();
      });
    }
  }

  private command(file: string): ServerOptions {
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    return { command: file, args: ["lsp"], options: { cwd } };
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: selector,
      initializationOptions: settings(),
      synchronize: { configurationSection: "warpwise", fileEvents: this.watcher },
      outputChannel: log,
      traceOutputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: this.middleware(),
      initializationFailedHandler: () => false, // said in the status bar and the log; starting it again at once would not help
      markdown: { isTrusted: { enabledCommands: ["warpwise.showReport", "warpwise.openRoofline", "warpwise.compareGpus", "warpwise.setLaunch"] } },
    };
  }

  private middleware(): Middleware {
    const held = (d: vscode.TextDocument) => this.unopened.has(d.uri.toString());
    return {
      didOpen: async (d, next) => {
        if (isGpu(d)) return next(d);
        this.unopened.set(d.uri.toString(), () => next(d));
      },
      didChange: async (e, next) => {
        const open = this.unopened.get(e.document.uri.toString());
        if (!open) return next(e);
        if (!isGpu(e.document)) return;
        this.unopened.delete(e.document.uri.toString()); // its first kernel
        await open();
      },
      didSave: async (d, next) => (held(d) ? undefined : next(d)),
      didClose: async (d, next) => {
        if (!this.unopened.delete(d.uri.toString())) await next(d);
      },
      provideCodeLenses: (d, token, next) => (held(d) ? [] : next(d, token)),
      provideHover: (d, at, token, next) => (held(d) ? null : next(d, at, token)),
      provideCodeActions: (d, range, context, token, next) => (held(d) ? [] : next(d, range, context, token)),
      provideInlayHints: (d, range, token, next) => (held(d) ? [] : next(d, range, token)),
    };
  }

  /** One of the server's commands. Fails with the server's own message, or with what keeps it from running. */
  async ask<T>(command: string, argument: object, token?: vscode.CancellationToken): Promise<T> {
    await this.start();
    await this.waiting;
    if (!this.client || this.state !== "running") throw new Error(this.problem || "The server is not running.");
    const none = new vscode.CancellationTokenSource().token; // without a token the library would send the parameters as a list
    return this.client.sendRequest<T>("workspace/executeCommand", { command, arguments: [argument] }, token ?? none);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start(true);
  }

  async stop(): Promise<void> {
    await this.waiting?.catch(() => undefined);
    const client = this.client;
    this.client = undefined;
    this.unopened.clear();
    if (client) await client.dispose(2000).catch(() => undefined);
    this.set("stopped");
  }

  async dispose(): Promise<void> {
    await this.stop();
    this.watcher.dispose();
  }
}

/** The server's settings; those that only the extension has mean nothing to it. */
function settings(): object {
  const { path: _, buildCommand: __, liveReport: ___, trace: ____, ...rest } = vscode.workspace.getConfiguration("warpwise") as unknown as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== "function"));
}
