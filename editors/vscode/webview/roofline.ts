// roofline.ts - the roofline panel's page: kernels as points under what memory and arithmetic allow, both axes logarithmic.
//
// A point's whisker is the interval of its predicted time. A kernel without floating-point work has no place here and is named below instead.
import type { Report, Roof, RooflineState } from "../src/types";
import { h, onState, percent, post, short, svg, time } from "./common";

const root = document.getElementById("root")!;
let state: RooflineState | undefined;

type Precision = "fp64" | "fp32" | "fp16" | "tensor";
const label: Record<Precision, string> = { fp64: "FP64", fp32: "FP32", fp16: "FP16", tensor: "matrix units" };

interface Point {
  r: Report;
  roof: Roof;
  color: number; // of its GPU
  precision: Precision;
  x: number; // flop per byte of DRAM
  y: number; // GFLOP/s
  low: number;
  high: number;
  limit: number; // GFLOP/s that its roofs allow at x
}

onState<RooflineState>("roofline", (s) => {
  state = s;
  draw();
});
new ResizeObserver(() => draw()).observe(document.body);

function draw(): void {
  if (!state) return;
  const s = state;
  root.classList.toggle("busy", s.busy || s.outdated === true);
  const points = s.reports.flatMap((r) => place(r, s));
  const lost = [...new Set(s.reports.filter((r) => !r.error && !points.some((p) => p.r === r)).map((r) => r.kernel))];
  const failed = new Set(s.reports.filter((r) => r.error).map((r) => `${r.kernel}${r.gpu ? ` on ${r.gpu}` : ""}: ${r.error!.message}`));
  const parts: (HTMLElement | undefined)[] = [header(s)];
  if (s.error) parts.push(h("p", { class: "error" }, s.error));
  else if (s.roofs.length === 0) parts.push(h("p", { class: "note" }, s.busy ? "Working on it\u2026" : "Nothing to plot."));
  else parts.push(plot(points, s), table(points));
  if (lost.length > 0) parts.push(h("p", { class: "note" }, `Without floating-point work: ${lost.join(", ")}.`));
  parts.push(...[...failed].map((text) => h("p", { class: "error" }, text)));
  root.replaceChildren(...parts.filter((p) => p !== undefined));
}

function header(s: RooflineState): HTMLElement {
  const names = Object.keys(s.titles);
  const toggle = (name: string) => {
    const on = s.gpus.includes(name);
    const next = on ? s.gpus.filter((g) => g !== name) : [...s.gpus, name];
    const color = s.gpus.indexOf(name);
    return h("button", { class: `toggle ${on ? `on c${color % 6}` : ""}`, title: s.titles[name], "aria-pressed": String(on), click: () => post({ type: "gpus", gpus: next }) }, name);
  };
  return h("header", {}, h("div", { class: "title" }, h("span", { class: "file" }, s.name)), h("div", { class: "toggles" }, ...names.map(toggle)));
}

const peak = (roof: Roof, p: Precision) => ({ fp64: roof.fp64_gflops, fp32: roof.fp32_gflops, fp16: roof.fp16_gflops, tensor: roof.tensor_gflops })[p];

function place(r: Report, s: RooflineState): Point[] {
  const color = s.gpus.indexOf(r.gpu ?? "");
  const roof = s.roofs.find((x) => x.gpu === r.gpu);
  const m = r.metrics;
  if (!roof || !m?.ai || !m.gflops || !m.time_us || m.ai.value <= 0 || m.gflops.value <= 0) return [];
  const all: Precision[] = ["fp32", "fp64", "fp16", "tensor"];
  const precision = all.reduce((a, b) => ((m[`flops_${b}`]?.value ?? 0) > (m[`flops_${a}`]?.value ?? 0) ? b : a));
  const y = m.gflops.value, t = m.time_us;
  const limit = Math.min(peak(roof, precision) ?? Infinity, roof.dram_gbps * m.ai.value);
  return [{ r, roof, color, precision, x: m.ai.value, y, low: (y * t.value) / (t.high ?? t.value), high: Math.min(limit, (y * t.value) / (t.low ?? t.value)), limit }];
}

interface Frame {
  width: number;
  height: number;
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  px: (x: number) => number;
  py: (y: number) => number;
}
const margin = { left: 64, right: 20, top: 20, bottom: 46 };

function frame(points: Point[], s: RooflineState): Frame {
  const width = Math.max(360, Math.min(1100, document.body.clientWidth - 40));
  const height = Math.round(Math.max(300, Math.min(540, width * 0.66)));
  const ridge = s.roofs.map((r) => (r.fp32_gflops ?? 1e4) / r.dram_gbps);
  const tops = s.roofs.map((r) => r.fp32_gflops ?? 1e4);
  const decade = (v: number, up: boolean) => 10 ** (up ? Math.ceil(Math.log10(v) + 0.05) : Math.floor(Math.log10(v) - 0.05));
  const x0 = Math.min(0.1, decade(Math.min(...points.map((p) => p.x), 1), false));
  const x1 = Math.max(decade(Math.max(...ridge) * 4, true), decade(Math.max(...points.map((p) => p.x), 1), true));
  const y0 = decade(Math.min(...points.map((p) => p.low), ...s.roofs.map((r) => r.dram_gbps * x0 * 2)), false);
  const y1 = decade(Math.max(...tops, ...points.map((p) => p.limit)) * 1.3, true);
  const span = (lo: number, hi: number, v: number) => Math.log(v / lo) / Math.log(hi / lo);
  return {
    width, height, x0, x1, y0, y1,
    px: (x) => margin.left + span(x0, x1, x) * (width - margin.left - margin.right),
    py: (y) => height - margin.bottom - span(y0, y1, y) * (height - margin.top - margin.bottom),
  };
}

function plot(points: Point[], s: RooflineState): HTMLElement {
  const f = frame(points, s);
  const chart = svg("svg", { width: f.width, height: f.height, viewBox: `0 0 ${f.width} ${f.height}`, role: "img", "aria-label": "Roofline plot" });
  chart.append(...grid(f));
  const wanted = new Set<Precision>(points.map((p) => p.precision));
  wanted.add("fp32");
  if (s.roofs.length === 1) wanted.add("fp64");
  const taken: Box[] = [];
  for (const roof of s.roofs) chart.append(...roofLines(roof, s, f, wanted, taken));
  for (const p of points) chart.append(mark(p, f));
  for (const p of points) taken.push({ x: f.px(p.x) - 7, y: f.py(p.y) - 7, w: 14, h: 14 }, { x: f.px(p.x) - 2, y: f.py(p.high), w: 4, h: f.py(p.low) - f.py(p.high) });
  for (const p of points) chart.append(name(p, f, taken, s.roofs.length > 1));
  return h("div", { class: "plot" }, chart);
}

const decades = (a: number, b: number) => Array.from({ length: Math.round(Math.log10(b / a)) + 1 }, (_, k) => a * 10 ** k);
const tick = (v: number) => (v >= 1 ? short(v).replace(/\.0+(?=\D|$)/, "") : String(Number(v.toPrecision(1))));

function grid(f: Frame): SVGElement[] {
  const out: SVGElement[] = [];
  const bottom = f.height - margin.bottom, right = f.width - margin.right;
  for (const x of decades(f.x0, f.x1)) {
    out.push(svg("line", { class: "grid", x1: f.px(x), x2: f.px(x), y1: margin.top, y2: bottom }));
    out.push(svg("text", { class: "tick", x: f.px(x), y: bottom + 16, "text-anchor": "middle" }, tick(x)));
  }
  for (const y of decades(f.y0, f.y1)) {
    out.push(svg("line", { class: "grid", x1: margin.left, x2: right, y1: f.py(y), y2: f.py(y) }));
    out.push(svg("text", { class: "tick", x: margin.left - 8, y: f.py(y) + 4, "text-anchor": "end" }, tick(y * 1e9)));
  }
  out.push(svg("text", { class: "axis", x: (margin.left + right) / 2, y: f.height - 8, "text-anchor": "middle" }, "FLOP per byte of DRAM traffic"));
  const middle = (margin.top + bottom) / 2;
  out.push(svg("text", { class: "axis", x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, "FLOP/s"));
  return out;
}

function roofLines(roof: Roof, s: RooflineState, f: Frame, wanted: Set<Precision>, taken: Box[]): SVGElement[] {
  const color = `c${s.gpus.indexOf(roof.gpu) % 6}`;
  const several = s.roofs.length > 1;
  const out: SVGElement[] = [];
  const flats = [...wanted].map((p) => ({ p, y: peak(roof, p) })).filter((v): v is { p: Precision; y: number } => v.y !== undefined && v.y <= f.y1);
  flats.sort((a, b) => b.y - a.y);
  const top = flats[0]?.y ?? f.y1;
  const start = Math.max(f.x0, f.y0 / roof.dram_gbps);
  out.push(svg("line", { class: `roof ${color}`, x1: f.px(start), y1: f.py(roof.dram_gbps * start), x2: f.px(top / roof.dram_gbps), y2: f.py(top) }));
  const gpu = several ? `${roof.gpu} ` : "";
  for (const { p, y } of flats) {
    out.push(svg("line", { class: `roof ${color} ${p === flats[0].p ? "" : "lower"}`, x1: f.px(y / roof.dram_gbps), y1: f.py(y), x2: f.width - margin.right, y2: f.py(y) }));
    if (several && p !== "fp32") continue;
    const text = `${gpu}${label[p]} ${short(y * 1e9, "FLOP/s")}`;
    out.push(free(text, f.width - margin.right - 4, f.py(y) - 6, "end", `rooftext ${color}`, taken, 14));
  }
  for (let x = f.px(start); x < f.px(top / roof.dram_gbps); x += 8) taken.push({ x: x - 2, y: sloped(f, roof, x) - 3, w: 4, h: 6 }); // no name across the line
  if (!several) out.push(slope(roof, f, start, top, color, taken));
  return out;
}

/** Where the bandwidth's line stands at this pixel. */
function sloped(f: Frame, roof: Roof, px: number): number {
  const x = f.x0 * (f.x1 / f.x0) ** ((px - margin.left) / (f.width - margin.left - margin.right));
  return f.py(roof.dram_gbps * x);
}

/** The bandwidth written along its line. */
function slope(roof: Roof, f: Frame, start: number, top: number, color: string, taken: Box[]): SVGElement {
  const x = Math.sqrt(start * (top / roof.dram_gbps)) / 1.6;
  const [ax, ay] = [f.px(x), f.py(roof.dram_gbps * x)];
  const angle = (Math.atan2(f.py(roof.dram_gbps * x * 2) - ay, f.px(x * 2) - ax) * 180) / Math.PI;
  taken.push({ x: ax - 50, y: ay - 40, w: 100, h: 60 });
  return svg("text", { class: `rooftext ${color}`, x: ax, y: ay - 8, "text-anchor": "middle", transform: `rotate(${angle} ${ax} ${ay})` }, `DRAM ${short(roof.dram_gbps * 1e9, "B/s")}`);
}

const show = (r: Report) => post({ type: "command", command: "warpwise.showReport", kernel: r.mangled ?? r.kernel, line: r.line && r.line - 1 });

function mark(p: Point, f: Frame): SVGElement {
  const x = f.px(p.x);
  const go = () => show(p.r);
  return svg("g", { class: `point c${p.color % 6}`, click: go },
    svg("line", { class: "whisker", x1: x, x2: x, y1: f.py(Math.max(p.low, f.y0)), y2: f.py(p.high) }),
    svg("circle", { cx: x, cy: f.py(p.y), r: 6 }),
    svg("title", {}, `${p.r.kernel} on ${p.roof.title ?? p.roof.gpu}\n${time(p.r.metrics!.time_us.value)}, ${short(p.y * 1e9, "FLOP/s")} at ${short(p.x)} FLOP/B\n${percent((100 * p.y) / p.limit)} of the roof (${label[p.precision]})`));
}

interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}
const meets = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** A text where nothing else stands: at its place, else a few steps below or above it. */
function free(text: string, x: number, y: number, anchor: "start" | "end", kind: string, taken: Box[], step: number): SVGElement {
  const w = text.length * 6.8;
  const left = anchor === "end" ? x - w : x;
  const moves = [0, 1, -1, 2, -2, 3, -3, 4, -4];
  const box = (k: number) => ({ x: left, y: y - 11 + k * step, w, h: 14 });
  const k = moves.find((m) => !taken.some((b) => meets(b, box(m)))) ?? 0;
  taken.push(box(k));
  return svg("text", { class: kind, x, y: y + k * step, "text-anchor": anchor }, text);
}

/** A kernel's name beside its point: right of it, else left, else a little above or below. */
function name(p: Point, f: Frame, taken: Box[], several: boolean): SVGElement {
  const text = p.r.kernel;
  const x = f.px(p.x), y = f.py(p.y) + 4, w = text.length * 7.4;
  const box = (left: number, dy: number) => ({ x: left, y: y - 12 + dy, w, h: 16 });
  const fits = (b: Box) => b.x >= margin.left && b.x + b.w <= f.width - margin.right && !taken.some((t) => meets(t, b));
  for (const dy of [0, -16, 16, -32, 32, -48, 48]) {
    for (const left of [x + 12, x - 12 - w]) {
      if (!fits(box(left, dy))) continue;
      taken.push(box(left, dy));
      return svg("text", { class: several ? `name own c${p.color % 6}` : "name", x: left > x ? left : x - 12, y: y + dy, "text-anchor": left > x ? "start" : "end" }, text);
    }
  }
  return svg("g"); // crowded: the table and the point's own title name it
}

function table(points: Point[]): HTMLElement {
  const head = ["Kernel", "GPU", "Time", "FLOP/s", "FLOP/B", "Of the roof", "Limited by"];
  return h("table", { class: "sweep" }, h("thead", {}, h("tr", {}, ...head.map((t, k) => h("th", { class: k >= 2 && k <= 5 ? "n" : "" }, t)))),
    h("tbody", {}, ...points.map((p) => h("tr", {},
      h("td", {}, h("button", { class: "link", click: () => show(p.r) }, p.r.kernel)),
      h("td", {}, h("i", { class: `dot c${p.color % 6}` }), p.roof.gpu),
      h("td", { class: "n" }, time(p.r.metrics!.time_us.value)), h("td", { class: "n" }, short(p.y * 1e9)), h("td", { class: "n" }, short(p.x)),
      h("td", { class: "n" }, h("b", {}, percent((100 * p.y) / p.limit))), h("td", {}, (p.r.bottleneck ?? "").split(":")[0])))));
}
