// common.ts - what both panels stand on: elements without HTML text (nothing of a report is ever parsed as markup), numbers for people, messages.
import type { FromPanel, PanelState } from "../src/types";

declare function acquireVsCodeApi(): { postMessage(m: FromPanel): void; setState(s: unknown): void; getState(): unknown };
const vscode = acquireVsCodeApi();

export const post = (m: FromPanel) => vscode.postMessage(m);

export function onState<S extends PanelState>(kind: S["kind"], draw: (s: S) => void): void {
  window.addEventListener("message", (e: MessageEvent<PanelState>) => {
    if (e.data?.kind === kind) draw(e.data as S);
  });
  post({ type: "ready" });
}

type Child = Node | string | undefined | null | false;
type Attributes = Record<string, string | number | boolean | undefined | (() => void)>;

function fill<E extends Element>(e: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") e.addEventListener(name, value);
    else if (name === "style:width") (e as unknown as HTMLElement).style.width = String(value);
    else if (name === "style:left") (e as unknown as HTMLElement).style.left = String(value);
    else e.setAttribute(name, String(value));
  }
  for (const c of children) if (c) e.append(c);
  return e;
}

export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): HTMLElement {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag) as SVGElement, attributes, children);
}

/** Three digits and a unit of the thousands it needs. */
export function short(v: number, unit = "", units = ["", "k", "M", "G", "T", "P"]): string {
  let k = 0;
  let x = v;
  while (Math.abs(x) >= 999.5 && k < units.length - 1) {
    x /= 1000;
    k++;
  }
  const digits = x === 0 || (k === 0 && Number.isInteger(x)) ? String(x) : Math.abs(x) >= 99.5 ? x.toFixed(0) : Math.abs(x) >= 9.95 ? x.toFixed(1) : x.toFixed(2);
  return `${digits}${unit || units[k] ? "\u202f" : ""}${units[k]}${unit}`;
}

export function time(us: number): string {
  if (us >= 999500) return short(us / 1e6, "s");
  if (us >= 999.5) return short(us / 1e3, "ms");
  return us < 1 ? short(us * 1e3, "ns") : short(us, "\u00b5s");
}

export const percent = (v: number) => `${v >= 9.95 || v === 0 ? v.toFixed(0) : v.toFixed(1)}\u202f%`;

/** The metrics a person looks for, in the order they are read; others follow under their own names. */
interface Shown {
  label: string;
  group: "Memory" | "Compute" | "Occupancy";
  show: (v: number) => string;
}
const bytes = (v: number) => short(v, "B");
const count = (v: number) => short(v);
export const shown: Record<string, Shown> = {
  dram_gbps: { label: "DRAM bandwidth", group: "Memory", show: (v) => short(v * 1e9, "B/s") },
  dram_read_bytes: { label: "DRAM read", group: "Memory", show: bytes },
  dram_write_bytes: { label: "DRAM written", group: "Memory", show: bytes },
  l2_bytes: { label: "L2 looked up", group: "Memory", show: bytes },
  l1_hit_pct: { label: "L1 hits", group: "Memory", show: percent },
  l2_hit_pct: { label: "L2 hits", group: "Memory", show: percent },
  ld_sectors_per_request: { label: "Sectors per load", group: "Memory", show: count },
  st_sectors_per_request: { label: "Sectors per store", group: "Memory", show: count },
  shared_conflict_ways: { label: "Shared memory passes", group: "Memory", show: (v) => `${short(v)}\u00d7` },
  local_bytes: { label: "Local memory per thread", group: "Memory", show: bytes },
  gflops: { label: "All flops", group: "Compute", show: (v) => short(v * 1e9, "FLOP/s") },
  ai: { label: "Arithmetic intensity", group: "Compute", show: (v) => short(v, "FLOP/B") },
  flops_fp64: { label: "FP64 operations", group: "Compute", show: count },
  flops_fp32: { label: "FP32 operations", group: "Compute", show: count },
  flops_fp16: { label: "FP16 operations", group: "Compute", show: count },
  flops_tensor: { label: "Matrix-unit operations", group: "Compute", show: count },
  int_ops: { label: "Integer operations", group: "Compute", show: count },
  warp_instructions: { label: "Warp instructions", group: "Compute", show: count },
  active_lanes: { label: "Active lanes", group: "Compute", show: count },
  occupancy_pct: { label: "Occupancy", group: "Occupancy", show: percent },
  occupancy_limit_pct: { label: "Occupancy limit", group: "Occupancy", show: percent },
  registers: { label: "Registers per thread", group: "Occupancy", show: (v) => String(Math.round(v)) },
  shared_bytes: { label: "Shared memory per block", group: "Occupancy", show: bytes },
  sm_clock_mhz: { label: "SM clock", group: "Occupancy", show: (v) => short(v * 1e6, "Hz") },
};
