// plots.js - the roofline and the curve over sizes. The curve is uPlot's where the build has it, else drawn here.

const NS = 'http://www.w3.org/2000/svg';
const el = (name, attributes, text) => {
  const e = document.createElementNS(NS, name);
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, typeof v === 'number' ? +v.toFixed(2) : v);
  if (text !== undefined) e.textContent = text;
  return e;
};

// ---- numbers ----

export function time(us) {
  const [v, unit] = us < 999.5 ? [us, 'µs'] : us < 999500 ? [us / 1e3, 'ms'] : [us / 1e6, 's'];
  return (v < 9.995 ? v.toFixed(2) : v < 99.95 ? v.toFixed(1) : v.toFixed(0)) + ' ' + unit;
}

export function amount(v, unit) {
  if (unit === 'us') return time(v);
  const bytes = unit === 'byte',
    count = unit === '1' || unit === '1/thread';
  const steps = ['', 'k', 'M', 'G', 'T', 'P'];
  let k = 0;
  for (let limit = 9999.5; (bytes || count) && Math.abs(v) >= limit && k < 5; limit = 999.5) ((v /= 1000), k++);
  const s = Number.isInteger(v) || Math.abs(v) >= 999.5 ? v.toFixed(0) : String(+v.toPrecision(3));
  const u = steps[k] + (bytes ? 'B' : count ? '' : unit);
  return u ? s + ' ' + u : s;
}

export function size(v) {
  let k = 0;
  while (k < 3 && v >= 1024 && v % 1024 === 0) ((v /= 1024), k++);
  return v + ['', 'K', 'M', 'G'][k];
}

const rate = (g) => (g < 999 ? +g.toPrecision(3) + ' G' : g < 999e3 ? +(g / 1e3).toPrecision(3) + ' T' : +(g / 1e6).toPrecision(3) + ' P');

// ---- a log-log frame ----

class Frame {
  constructor(box, x, y, height, label) {
    this.width = Math.max(box.clientWidth, 260);
    this.height = height;
    this.x = x;
    this.y = y;
    ((this.left = 48), (this.right = 12), (this.top = 18), (this.bottom = 34));
    this.svg = el('svg', { viewBox: `0 0 ${this.width} ${height}`, width: this.width, height, role: 'img', 'aria-label': label });
    box.replaceChildren(this.svg);
  }
  at(v, [lo, hi]) {
    return Math.min(1, Math.max(0, Math.log(v / lo) / Math.log(hi / lo)));
  }
  px(v) {
    return this.left + (this.width - this.left - this.right) * this.at(v, this.x);
  }
  py(v) {
    return this.top + (this.height - this.top - this.bottom) * (1 - this.at(v, this.y));
  }
  add(name, attributes, text) {
    const e = el(name, attributes, text);
    this.svg.append(e);
    return e;
  }
  tickX(v, text) {
    this.add('line', { class: 'grid', x1: this.px(v), x2: this.px(v), y1: this.top, y2: this.height - this.bottom });
    this.add('text', { class: 'tick', x: this.px(v), y: this.height - this.bottom + 14, 'text-anchor': 'middle' }, text);
  }
  tickY(v, text) {
    this.add('line', { class: 'grid', x1: this.left, x2: this.width - this.right, y1: this.py(v), y2: this.py(v) });
    this.add('text', { class: 'tick', x: this.left - 5, y: this.py(v) + 4, 'text-anchor': 'end' }, text);
  }
  titles(x, y) {
    this.add('text', { class: 'axis', x: (this.left + this.width - this.right) / 2, y: this.height - 4, 'text-anchor': 'middle' }, x);
    this.add('text', { class: 'axis', x: 2, y: 10 }, y);
  }
}

function decades([lo, hi], most) {
  const all = [];
  for (let e = Math.ceil(Math.log10(lo) - 1e-9); 10 ** e <= hi * 1.0001; e++) all.push(10 ** e);
  const every = Math.ceil(all.length / most);
  return all.filter((_, k) => k % every === 0);
}

// ---- roofline ----

// What the roofs allow at this intensity, in the precision of most of its flops.
export function roofOf(roofs, metrics) {
  const v = (m) => (metrics[m] ? metrics[m].value : 0);
  const peaks = [
    ['tensor_gflops', v('flops_tensor')],
    ['fp64_gflops', v('flops_fp64')],
    ['fp32_gflops', v('flops_fp32') + v('flops_fp16')],
  ];
  peaks.sort((a, b) => b[1] - a[1]);
  const peak = roofs[peaks[0][0]] || roofs.fp32_gflops;
  return Math.min(peak, roofs.dram_gbps * v('ai'));
}

// gpus: [{name, color, roofs, active}]; points: [{gpu, ai, gflops, low, high, text}]
export function roofline(box, gpus, points) {
  const known = gpus.filter((g) => g.roofs && g.roofs.dram_gbps);
  let x = [0.03, 300],
    y = [Infinity, 0];
  for (const p of points) {
    x = [Math.min(x[0], p.ai / 3), Math.max(x[1], p.ai * 3)];
    y = [Math.min(y[0], p.low / 3), Math.max(y[1], p.high * 2)];
  }
  x = [Math.max(x[0], 1e-3), Math.min(x[1], 2e4)];
  for (const g of known) {
    const tops = ['fp64_gflops', 'fp32_gflops', 'tensor_gflops'].map((k) => g.roofs[k]).filter(Boolean);
    y = [Math.min(y[0], g.roofs.dram_gbps * x[0] * 1.5), Math.max(y[1], ...tops.map((t) => t * 2))];
  }
  if (!known.length) return;
  y[0] = Math.max(y[0], 0.01);
  const said = points.length ? points.map((p) => p.text).join('; ') : 'the roofs alone: the kernel computes nothing in floating point';
  const f = new Frame(box, x, y, 284, 'Roofline: ' + said);
  for (const v of decades(x, 7)) f.tickX(v, v >= 1 ? String(v) : String(+v.toPrecision(1)));
  for (const v of decades(y, 7)) f.tickY(v, rate(v));
  for (const g of [...known].sort((a, b) => a.active - b.active)) roofs(f, g);
  for (const p of points) mark(f, p, gpus[p.gpu]);
  f.titles('flops per byte of DRAM traffic', 'FLOP/s');
}

function roofs(f, g) {
  const cls = 'roof ' + g.color + (g.active ? ' active' : '');
  const r = g.roofs,
    steep = r.l2_gbps || r.dram_gbps;
  const arithmetic = [
    ['fp64_gflops', 'FP64'],
    ['fp32_gflops', 'FP32'],
    ['tensor_gflops', 'tensor'],
  ].filter(([k]) => r[k]);
  const top = Math.max(...arithmetic.map(([k]) => r[k]));
  for (const [k, name] of [
    ['dram_gbps', 'DRAM'],
    ['l2_gbps', 'L2'],
  ]) {
    if (!r[k]) continue;
    const xa = Math.max(f.x[0], f.y[0] / r[k]),
      xb = Math.min(f.x[1], top / r[k]);
    if (xa >= xb) continue;
    const a = [f.px(xa), f.py(r[k] * xa)],
      b = [f.px(xb), f.py(r[k] * xb)];
    f.add('line', { class: cls + (k === 'l2_gbps' ? ' thin' : ''), x1: a[0], y1: a[1], x2: b[0], y2: b[1] });
    if (!g.active) continue;
    const t = k === 'l2_gbps' ? 0.2 : 0.34,
      px = a[0] + t * (b[0] - a[0]),
      py = a[1] + t * (b[1] - a[1]) - 5;
    const turn = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
    f.add(
      'text',
      {
        class: 'name ' + g.color,
        x: px,
        y: py,
        'text-anchor': 'middle',
        transform: `rotate(${turn.toFixed(1)} ${px.toFixed(1)} ${py.toFixed(1)})`,
      },
      `${name} ${+(r[k] / 1e3).toPrecision(3)} TB/s`,
    );
  }
  let last = Infinity;
  for (const [k, name] of arithmetic.reverse()) {
    const xa = Math.max(f.x[0], r[k] / steep),
      py = f.py(r[k]);
    if (xa >= f.x[1]) continue;
    f.add('line', { class: cls + (k === 'tensor_gflops' ? ' thin' : ''), x1: f.px(xa), y1: py, x2: f.px(f.x[1]), y2: py });
    if (!g.active) continue;
    const below = Math.abs(last - py) < 14; // its name would lie on the roof above
    f.add(
      'text',
      { class: 'name ' + g.color, x: f.width - f.right - 3, y: py + (below ? 11 : -4), 'text-anchor': 'end' },
      `${name} ${rate(r[k])}`,
    );
    last = py;
  }
}

function mark(f, p, g) {
  const group = f.add('g', { class: 'mark ' + g.color + (g.active ? ' active' : ''), tabindex: 0, role: 'img', 'aria-label': p.text });
  group.append(
    el('title', {}, p.text),
    el('line', { x1: f.px(p.ai), x2: f.px(p.ai), y1: f.py(p.low), y2: f.py(p.high) }),
    el('circle', { cx: f.px(p.ai), cy: f.py(p.gflops), r: g.active ? 5.5 : 4.5 }),
  );
}

// ---- time over size ----

// data: {name, values: [], series: [{name, color, points: [{us, low, high} or null]}], here: value or 0}
export function sweep(box, all) {
  const data = { ...all, series: all.series.filter((s) => s.points.some(Boolean)) };
  if (window.uPlot) return drawWithUplot(box, data);
  return drawSweep(box, data);
}

function limits(data) {
  let lo = Infinity,
    hi = 0;
  for (const s of data.series) for (const p of s.points) if (p) ((lo = Math.min(lo, p.low)), (hi = Math.max(hi, p.high)));
  return hi > 0 ? [lo / 1.3, hi * 1.3] : [1, 10];
}

const sizesOf = (data) => {
  const v = data.values,
    first = v[0],
    last = v[v.length - 1];
  const margin = last > first ? (last / first) ** 0.03 : 2;
  return [first / margin, last * margin];
};

function timeTicks(y) {
  const all = decades(y, 8);
  if (y[1] / y[0] < 300)
    for (const d of decades([y[0] / 10, y[1]], 12)) for (const k of [2, 5]) if (d * k > y[0] && d * k < y[1]) all.push(d * k);
  return all.sort((a, b) => a - b);
}

const tickText = (us) =>
  us < 999 ? +us.toPrecision(3) + ' µs' : us < 999e3 ? +(us / 1e3).toPrecision(3) + ' ms' : +(us / 1e6).toPrecision(3) + ' s';

function sizeTicks(values, most) {
  const every = Math.max(1, Math.ceil(values.length / most));
  return values.filter((_, k) => k % every === 0);
}

function drawSweep(box, data) {
  const x = sizesOf(data),
    y = limits(data);
  const f = new Frame(box, x, y, 250, 'Time over ' + data.name);
  for (const v of sizeTicks(data.values, 9)) f.tickX(v, size(v));
  for (const v of timeTicks(y)) f.tickY(v, tickText(v));
  for (const s of data.series) {
    const known = s.points.map((p, k) => p && [data.values[k], p]).filter(Boolean);
    if (!known.length) continue;
    const edge = (key) => known.map(([v, p]) => `${f.px(v).toFixed(1)},${f.py(p[key]).toFixed(1)}`);
    f.add('polygon', { class: 'band ' + s.color, points: [...edge('low'), ...edge('high').reverse()].join(' ') });
    f.add('polyline', { class: 'curve ' + s.color, points: edge('us').join(' ') });
    for (const [v, p] of known)
      f.add('circle', { class: 'dot ' + s.color, cx: f.px(v), cy: f.py(p.us), r: 2.6 }).append(
        el('title', {}, `${s.name}, ${data.name} = ${size(v)}: ${time(p.us)}`),
      );
  }
  f.titles(data.name, '');
}

let plot = null;

function drawWithUplot(box, data) {
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const color = (s) => css('--' + s.color);
  const [y0, y1] = limits(data),
    [x0, x1] = sizesOf(data);
  const columns = [data.values],
    series = [{ label: data.name, value: (_, v) => (v == null ? '' : size(v)) }],
    bands = [];
  for (const s of data.series) {
    const at = columns.length;
    columns.push(
      s.points.map((p) => p && p.high),
      s.points.map((p) => p && p.low),
      s.points.map((p) => p && p.us),
    );
    const edge = { show: true, stroke: 'transparent', width: 0, points: { show: false }, class: 'edge' };
    series.push(
      edge,
      { ...edge },
      {
        label: s.name,
        stroke: color(s),
        width: 2,
        points: { show: true, size: 6, fill: color(s) },
        value: (u, v, k, i) => (v == null || i == null ? '' : `${time(v)} (${time(columns[at + 1][i])} … ${time(columns[at][i])})`),
      },
    );
    bands.push({ series: [at, at + 1], fill: color(s) + '22' });
  }
  const font = '11px ' + css('--sans');
  const axis = { stroke: css('--soft'), grid: { stroke: css('--line'), width: 1 }, ticks: { show: false }, font, labelFont: font };
  const options = {
    width: Math.max(box.clientWidth, 260),
    height: 226,
    bands,
    series,
    padding: [8, 12, 0, 0],
    scales: { x: { time: false, distr: 3, log: 2, range: [x0, x1] }, y: { distr: 3, log: 10, range: [y0, y1] } },
    axes: [
      {
        ...axis,
        size: 26,
        splits: () => sizeTicks(data.values, Math.max(3, Math.floor(box.clientWidth / 48))),
        values: (_, t) => t.map(size),
        filter: (_, t) => t,
      },
      { ...axis, size: 56, splits: () => timeTicks([y0, y1]), values: (_, t) => t.map(tickText), filter: (_, t) => t },
    ],
    cursor: { y: false, points: { size: 8 }, drag: { x: false, y: false } },
    legend: { live: true },
    hooks: { ready: [(u) => u.setCursor({ left: u.valToPos(data.here || data.values[data.values.length - 1], 'x'), top: 20 })] },
  };
  if (plot) plot.destroy();
  box.replaceChildren();
  plot = new window.uPlot(options, columns, box);
}
