// report.ts - the report panel's page: a card per kernel, redrawn whole with each state (a few hundred elements).
//
// Which cards and parts are open is the reader's choice and survives a redraw; so does the scroll position.
import type { Finding, Focus, LineCost, Metric, Report, ReportState } from "../src/types";
import { h, onState, percent, post, short, shown, time } from "./common";

const root = document.getElementById("root")!;
const closed = new Set<string>(); // "kernel" or "kernel/part"
const opened = new Set<string>();

onState<ReportState>("report", (s) => {
  const top = document.documentElement.scrollTop;
  root.replaceChildren(header(s), ...body(s));
  root.classList.toggle("busy", s.busy || s.outdated === true);
  document.documentElement.scrollTop = top;
  if (s.focus) find(s.focus)?.scrollIntoView({ block: "start" });
});

/** The card that is meant: lenses name kernels as the compiler does, people as they wrote them. */
function find(f: Focus): Element | null {
  const card = ["mangled", "kernel"].map((by) => f.kernel && root.querySelector(`[data-${by}="${CSS.escape(f.kernel)}"]`)).find((c) => c) || (f.line !== undefined && root.querySelector(`[data-line="${f.line + 1}"]`));
  return card ? (f.part && card.querySelector(`.part-${f.part}`)) || card : null;
}

function header(s: ReportState): HTMLElement {
  return h("header", {},
    h("div", { class: "title" }, h("span", { class: "file" }, s.name), h("span", { class: "on" }, "on"),
      button(s.gpuTitle || s.gpu || "no GPU", "Choose another GPU", "warpwise.chooseGpu", undefined, "gpu")),
    h("div", { class: "tools" },
      h("span", { class: `state ${s.busy || s.outdated ? "working" : "live"}`, title: s.live ? "Follows each edit" : "Follows saving" }, s.busy ? "updating" : s.outdated ? "as last saved" : s.live ? "live" : "on save"),
      button("Roofline", "Kernels under the GPU's roofs", "warpwise.openRoofline")));
}

function body(s: ReportState): HTMLElement[] {
  if (s.error) return [h("p", { class: "error" }, s.error)];
  if (s.reports.length === 0) return [h("p", { class: "note" }, s.busy ? "Working on it\u2026" : "There is no kernel in this file.")];
  return s.reports.map((r) => card(r, s));
}

function button(text: string, title: string, command: string, r?: Report, kind = ""): HTMLElement {
  const of = r && { kernel: r.mangled ?? r.kernel, line: r.line && r.line - 1 };
  return h("button", { class: kind, title, click: () => post({ type: "command", command, ...of }) }, text);
}

function card(r: Report, s: ReportState): HTMLElement {
  const details = h("details", { class: "card", "data-kernel": r.kernel, "data-mangled": r.mangled, "data-line": r.line, open: !closed.has(r.kernel) },
    h("summary", {}, h("span", { class: "kernel" }, r.kernel), summaryFigure(r)),
    ...(r.error ? [h("p", { class: "error" }, r.error.message)] : parts(r, s))) as HTMLDetailsElement;
  details.addEventListener("toggle", () => (details.open ? closed.delete(r.kernel) : closed.add(r.kernel)));
  return details;
}

function summaryFigure(r: Report): HTMLElement {
  const t = r.metrics?.time_us;
  if (!t) return h("span", { class: "figure none" }, "no prediction");
  return h("span", { class: "figure" }, h("b", {}, time(t.value)), range(t, time));
}

function range(m: Metric, show: (v: number) => string): HTMLElement | undefined {
  if (m.low === undefined || m.high === undefined) return undefined;
  return h("span", { class: "range" }, `${show(m.low)} \u2013 ${show(m.high)}`);
}

function parts(r: Report, s: ReportState): HTMLElement[] {
  const all = [headline(r, s), launch(r)];
  if (r.findings?.length) all.push(part(r, "findings", "What to change", r.findings.map(finding)));
  if (r.lines?.length) all.push(part(r, "lines", "Where the time goes", [lines(r.lines), stalls(r)]));
  all.push(part(r, "gpus", "Across GPUs", [sweep(r, s)]));
  if (r.metrics) all.push(part(r, "counters", "Counters", [counters(r.metrics)]));
  return all;
}

function part(r: Report, name: string, title: string, children: (HTMLElement | undefined)[]): HTMLElement {
  const key = `${r.kernel}/${name}`;
  const d = h("details", { class: `part part-${name}`, open: !closed.has(key) || opened.has(key) }, h("summary", {}, title), ...children) as HTMLDetailsElement;
  d.addEventListener("toggle", () => {
    if (d.open) closed.delete(key), opened.add(key);
    else closed.add(key), opened.delete(key);
  });
  return d;
}

function headline(r: Report, s: ReportState): HTMLElement {
  const m = r.metrics ?? {};
  const chips: [string, string, string][] = [];
  if (r.bottleneck) chips.push(["limited by", r.bottleneck.split(":")[0], r.bottleneck]);
  const roof = r.roofline?.class;
  if (roof) chips.push(["roof", roof, `by its flops per byte of DRAM traffic the ${roof === "compute" ? "arithmetic" : "memory"} of this GPU is above it`]);
  const peak = s.peaks[r.gpu ?? ""]?.dram_gbps;
  if (m.dram_gbps && peak) chips.push(["DRAM", percent((100 * m.dram_gbps.value) / peak), `${short(m.dram_gbps.value)} of ${short(peak)} GB/s`]);
  if (m.occupancy_pct) chips.push(["occupancy", percent(m.occupancy_pct.value), "resident warps over the most an SM holds"]);
  return h("div", { class: "chips" }, ...chips.map(([label, value, title]) => h("div", { class: "chip", title }, h("span", {}, label), h("b", {}, value))));
}

function launch(r: Report): HTMLElement {
  const size = (v?: number[]) => (v ?? []).filter((_, k) => k === 0 || v!.slice(k).some((y) => y > 1)).join(" \u00d7 ");
  const l = r.launch;
  const text = l?.grid ? `grid ${size(l.grid)}, block ${size(l.block)}${l.shared ? `, ${l.shared} B shared` : ""}` : "launch not known";
  const assumed = r.assumed ?? [];
  return h("div", { class: "launch" },
    h("div", {}, h("code", {}, text), " ", button("Set launch\u2026", "Writes a comment above the kernel", "warpwise.setLaunch", r, "link"),
      button("Measure here", "Times it on this machine's GPU", "warpwise.measureHere", r, "link")),
    assumed.length > 0 && h("details", { class: "assumed" },
      h("summary", { title: assumed.join("\n") }, `Assumed: ${assumed[0]}${assumed.length > 1 ? `; ${assumed.length - 1} more` : ""}`),
      h("ul", {}, ...assumed.map((a) => h("li", {}, a)))));
}

function place(line: number, file?: string): HTMLElement {
  return h("button", { class: "link line", title: "Go to the line", click: () => post({ type: "goto", line, file }) }, `line ${line}`);
}

function finding(f: Finding): HTMLElement {
  const sentence = (t: string) => t.charAt(0).toUpperCase() + t.slice(1);
  const also = f.also ? ` (also line${f.also.length + (f.more ?? 0) > 1 ? "s" : ""} ${f.also.join(", ")}${f.more ? ` and ${f.more} more` : ""})` : "";
  const what = f.cause !== undefined ? f.cause + also : f.message;
  const todo = f.remedy ?? "";
  return h("div", { class: "finding" },
    h("div", { class: "gain", title: "If this cause alone went away" }, f.gain ? h("b", {}, `${f.gain.toFixed(f.gain < 1.195 ? 2 : f.gain < 9.95 ? 1 : 0)}\u00d7`) : "", f.gain ? h("span", {}, "faster") : ""),
    h("div", {}, h("div", { class: "where" }, place(f.line, f.file), h("code", {}, f.rule)), h("div", {}, `${sentence(what)}.`),
      todo !== "" && h("div", { class: "todo" }, `${sentence(todo)}.`)));
}

function lines(all: LineCost[]): HTMLElement {
  const hot = all.filter((l) => l.share >= 0.01).slice(0, 8);
  const most = Math.max(...hot.map((l) => l.share), 0.01);
  return h("div", { class: "lines" }, ...hot.map((l) =>
    h("button", { class: "hot", title: "Go to the line", click: () => post({ type: "goto", line: l.line, file: l.file }) },
      h("span", { class: "number" }, String(l.line)), h("span", { class: "share" }, percent(100 * l.share)),
      h("span", { class: "track" }, h("span", { class: "bar", "style:width": `${(100 * l.share) / most}%` })),
      h("code", {}, l.source ?? ""))));
}

function stalls(r: Report): HTMLElement | undefined {
  const stall = Object.entries(r.machine?.timing?.stall ?? {}).filter(([, v]) => v >= 0.02).sort((a, b) => b[1] - a[1]);
  if (stall.length === 0) return undefined;
  const all = stall.reduce((sum, [, v]) => sum + v, 0);
  return h("div", { class: "stalls" }, h("div", { class: "caption" }, "Warps wait for"),
    h("div", { class: "stack" }, ...stall.map(([name, v], k) => h("span", { class: `c${k % 6}`, title: `${name} ${percent(100 * v)}`, "style:width": `${(100 * v) / all}%` }))),
    h("div", { class: "legend" }, ...stall.map(([name, v], k) => h("span", {}, h("i", { class: `c${k % 6}` }), `${name} ${percent(100 * v)}`))));
}

function sweep(r: Report, s: ReportState): HTMLElement {
  const all = s.sweep.filter((x) => (r.mangled ? x.mangled === r.mangled : x.kernel === r.kernel && x.line === r.line));
  if (all.length === 0) return h("p", { class: "note" }, s.sweepError ?? "Working on it\u2026");
  const rows = all.filter((x) => x.metrics?.time_us).sort((a, b) => a.metrics!.time_us.value - b.metrics!.time_us.value);
  const most = Math.max(...rows.map((x) => x.metrics!.time_us.value));
  const lost = new Map<string, { gpus: string[]; message: string }>(); // those without a prediction, one reason a line
  for (const x of all.filter((y) => !y.metrics?.time_us)) {
    const why = lost.get(x.error?.code ?? "") ?? { gpus: [], message: x.error?.message ?? "no prediction" };
    if (x.gpu) why.gpus.push(x.gpu);
    lost.set(x.error?.code ?? "", why);
  }
  return h("div", { class: s.sweepBusy ? "old" : "" },
    h("table", { class: "sweep" },
      h("thead", {}, h("tr", {}, h("th", {}, "GPU"), h("th", { class: "n" }, "Time"), h("th", { class: "wide" }, ""), h("th", { class: "n" }, "Interval"), h("th", {}, "Limited by"))),
      h("tbody", {}, ...rows.map((x) => sweepRow(x, s, most)))),
    ...[...lost.values()].map((w) => h("p", { class: "note small" }, `${w.gpus.length > 0 ? `Not on ${w.gpus.join(", ")}: ` : ""}${w.message}`)));
}

function sweepRow(x: Report, s: ReportState, most: number): HTMLElement {
  const t = x.metrics!.time_us;
  const gpu = x.gpu ?? "";
  const name = h("td", { title: s.titles[gpu] ?? gpu }, gpu);
  const width = `${Math.max(1, (100 * t.value) / most)}%`;
  return h("tr", { class: gpu === s.gpu ? "current" : "" }, name, h("td", { class: "n" }, h("b", {}, time(t.value))),
    h("td", { class: "wide" }, h("span", { class: "track" }, h("span", { class: "bar", "style:width": width }))),
    h("td", { class: "n dim" }, t.low !== undefined && t.high !== undefined ? `${time(t.low)} \u2013 ${time(t.high)}` : ""),
    h("td", {}, (x.bottleneck ?? "").split(":")[0]));
}

function counters(m: Record<string, Metric>): HTMLElement {
  const groups = new Map<string, HTMLElement[]>([["Memory", []], ["Compute", []], ["Occupancy", []]]);
  const intervals = Object.entries(m).some(([name, v]) => name !== "time_us" && v.low !== undefined);
  for (const [name, s] of Object.entries(shown)) {
    const v = m[name];
    if (!v || (v.value === 0 && name.startsWith("flops_"))) continue;
    groups.get(s.group)!.push(row(s.label, v, s.show, name, intervals));
  }
  const rest = Object.keys(m).filter((name) => !(name in shown) && name !== "time_us");
  for (const name of rest) groups.get("Compute")!.push(row(name.replace(/_/g, " "), m[name], (v) => short(v), name, intervals));
  return h("div", { class: "groups" }, ...[...groups].filter(([, rows]) => rows.length > 0).map(([title, rows]) =>
    h("table", {}, h("caption", {}, title), h("tbody", {}, ...rows))));
}

function row(label: string, v: Metric, show: (v: number) => string, name: string, intervals: boolean): HTMLElement {
  return h("tr", { title: name }, h("td", {}, label), h("td", { class: "n" }, h("b", {}, show(v.value))), intervals && h("td", { class: "n dim" }, range(v, show)));
}
