// types.ts - what the server answers and what panels are told; both sides of the extension share it, so it holds types alone.
//
// Reports are the lines of `warpwise explain --json` (docs/report.md); a metric that is not known is absent.

export interface Metric {
  value: number;
  low?: number;
  high?: number;
}

export interface Finding {
  file?: string;
  line: number;
  rule: string;
  message: string; // all of it in words
  cause?: string; // what happens
  remedy?: string; // what to do about it
  also?: number[]; // further lines of which the same can be said
  more?: number; // lines beyond those
  gain?: number;
}

export interface LineCost {
  file?: string;
  line: number;
  share: number; // of the kernel's time, 0 to 1
  instructions?: number;
  bytes?: number;
  source?: string; // the line itself, as the editor holds it
}

export interface Report {
  file?: string;
  kernel: string;
  mangled?: string;
  line?: number; // of the kernel, from 1
  gpu?: string;
  by?: string;
  launch?: { grid?: number[]; block?: number[]; shared?: number };
  assumed?: string[];
  metrics?: Record<string, Metric>;
  roofline?: Record<string, string>;
  bottleneck?: string;
  findings?: Finding[];
  lines?: LineCost[];
  sampled?: { blocks: number; of: number };
  machine?: { timing?: { stall?: Record<string, number> } };
  error?: { code?: string; message: string; file?: string; line?: number };
}

/** What a GPU can do at most: the lines of a roofline plot. */
export interface Roof {
  gpu: string;
  title?: string;
  dram_gbps: number;
  fp64_gflops?: number;
  fp32_gflops?: number;
  fp16_gflops?: number;
  tensor_gflops?: number;
}

export interface Gpu {
  name: string;
  full_name?: string;
  title?: string;
  vendor?: string;
  architecture?: string;
  sms?: number;
  calibrated?: string | boolean | null;
  grade?: string;
  dram_gbps?: number;
  fp32_gflops?: number;
  fp64_gflops?: number;
}

export interface Gpus {
  current: string;
  gpus: Gpu[];
}

export interface Reports {
  uri?: string;
  version?: number;
  reports: Report[];
}

export interface Roofline extends Reports {
  roofs?: Roof[];
  svg?: string;
}

/** The notification `warpwise/answered`: every kernel of this version of a document has its answer. */
export interface Answered {
  uri: string;
  version: number;
  gpu?: string;
  ms?: number;
  error?: string;
}

/** What a command is about; a code lens gives all of it, the palette nothing. */
export interface Target {
  uri?: string;
  kernel?: string; // plain or mangled
  line?: number; // of the kernel, from 0
  gpu?: string;
  gpus?: string[];
  launch?: string;
}

export interface Focus {
  kernel?: string;
  line?: number; // from 0
  part?: "gpus";
}

export interface ReportState {
  kind: "report";
  name: string; // of the file
  gpu: string;
  gpuTitle: string;
  focus?: Focus; // the kernel to bring into view, once
  busy: boolean; // an answer for a newer text is on its way
  outdated?: boolean; // the text has changed since, and saving it will bring an answer
  live: boolean;
  error?: string;
  reports: Report[];
  sweep: Report[]; // the same kernels on all GPUs
  sweepBusy?: boolean; // it is still that of the text before
  sweepError?: string;
  titles: Record<string, string>; // GPU name -> full name
  peaks: Record<string, { dram_gbps?: number }>;
}

export interface RooflineState {
  kind: "roofline";
  name: string;
  gpus: string[];
  busy: boolean;
  outdated?: boolean;
  error?: string;
  reports: Report[];
  roofs: Roof[];
  titles: Record<string, string>;
}

export type PanelState = ReportState | RooflineState;

export type FromPanel =
  | { type: "ready" }
  | { type: "goto"; line: number; file?: string }
  | { type: "command"; command: string; kernel?: string; line?: number }
  | { type: "gpus"; gpus: string[] };
