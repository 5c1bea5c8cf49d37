// documents.ts - which documents are about GPU kernels.
//
// CUDA, OpenCL and HIP always are. C and C++ only where the text has a target region or a kernel: other C files are never sent to the server.
import * as vscode from "vscode";

const always = new Set(["cuda-cpp", "cuda", "opencl", "hip", "hip-cpp"]);
const sometimes = new Set(["c", "cpp"]);
const kernel = /^[ \t]*#[ \t]*pragma[ \t]+omp\b(?:.*\\\r?\n)*.*\btarget\b|\b__global__\b|\b__kernel\b/m;

export const selector = [...always, ...sometimes].map((language) => ({ scheme: "file", language }));

export function isGpu(d: vscode.TextDocument): boolean {
  if (d.uri.scheme !== "file") return false;
  return always.has(d.languageId) || (sometimes.has(d.languageId) && kernel.test(d.getText()));
}

/** The GPU document that a command without an argument is about: the one with the cursor, else any that is visible. */
export function currentEditor(): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor;
  if (active && isGpu(active.document)) return active;
  return vscode.window.visibleTextEditors.find((e) => isGpu(e.document));
}
