// sweep.js - time over size: which number goes over which values, asked one by one.

import { $, make, stop } from './parts.js';
import { size, sweep as draw } from './plots.js';
import { ask, Refused } from './server.js';
import { colorOf, state } from './state.js';

// What can be swept: numbers of the launch that look like sizes, then its shape.
function sweepNames(r) {
  const k = state.kernels.find((x) => x.name === r.kernel) || { args: [] };
  const sizes = (r.launch.args || [])
    .map((a, i) => ({ name: a.name || (k.args[i] || {}).name, value: a.value }))
    .filter((a) => a.name && Number.isInteger(a.value) && a.value > 1);
  const flat = (d) => d[1] === 1 && d[2] === 1;
  if (flat(r.launch.grid)) sizes.push({ name: 'grid', value: r.launch.grid[0] });
  if (flat(r.launch.block)) sizes.push({ name: 'block', value: r.launch.block[0] });
  return sizes;
}

function sweepRange(name, v) {
  if (name === 'block') return '32,64,128,256,512,1024';
  const near = 2 ** Math.round(Math.log2(v)),
    down = v >= 1 << 16 ? 64 : 8,
    up = v >= 1 << 14 ? 16 : 4; // n*n of a large one does not fit
  const high = name !== 'grid' && v < 1 << 16 && v >= 1 << 10 ? 4 : up;
  return `${size(Math.max(32, Math.round(near / down)))}..${size(near * high)}`;
}

function rangeValues(text) {
  const number = (s) => {
    const m = /^(\d+)([KkMG]?)$/.exec(s.trim());
    return m ? Number(m[1]) * { '': 1, K: 1024, k: 1024, M: 1 << 20, G: 1 << 30 }[m[2]] : NaN;
  };
  const m = /^([^.,:]+)\.\.([^:]+)(?::(\d+))?$/.exec(text.trim());
  if (!m) return text.split(',').map(number);
  const lo = number(m[1]),
    hi = number(m[2]),
    n = m[3] ? Number(m[3]) : 0,
    all = [];
  if (!(lo > 0) || !(hi >= lo) || n > 60) return [NaN];
  if (n) for (let k = 0; k < n; k++) all.push(k + 1 === n ? hi : Math.round(lo * (hi / lo) ** (k / Math.max(1, n - 1))));
  else for (let v = lo; v <= hi && all.length < 60; v *= 2) all.push(v);
  return [...new Set(all)];
}

function setSweep(r) {
  const names = sweepNames(r),
    s = state.sweep;
  if (!names.some((x) => x.name === s.name)) {
    const largest = names.filter((x) => x.name !== 'grid' && x.name !== 'block').sort((a, b) => b.value - a.value)[0] || names[0];
    Object.assign(s, { name: largest ? largest.name : '', typed: false });
  }
  const now = names.find((x) => x.name === s.name);
  if (now && !s.typed) s.range = sweepRange(s.name, now.value);
  s.here = now ? now.value : 0;
  $('sweep-name').replaceChildren(...names.map((x) => make('option', { selected: x.name === s.name }, x.name)));
  if ($('sweep-range') !== document.activeElement) $('sweep-range').value = s.range;
  return now;
}

const sweepNote = (text) => {
  $('sweep-note').textContent = text;
};

// One value at a time: the curve grows, and a change ends it at once.
export async function runSweep(last, signal) {
  const r = state.reports && state.reports.find((x) => x.gpu === state.active && !x.error);
  state.curve = null;
  if (!r || !setSweep(r)) {
    $('sweep').replaceChildren();
    sweepNote(r ? 'The launch has no number that could be swept.' : '');
    return;
  }
  const { name, range, here } = state.sweep,
    values = rangeValues(range);
  sweepNote('');
  if (values.some((v) => !(v > 0))) {
    sweepNote('Not understood: FROM..TO, FROM..TO:POINTS, or values with commas; K, M, G are 2^10, 2^20, 2^30.');
    return;
  }
  values.sort((a, b) => a - b);
  const series = state.chosen.map((g) => ({ name: g, color: colorOf(g), points: values.map(() => null) })),
    grids = new Set(),
    failed = [];
  const order = values.map((_, k) => k).sort((a, b) => Math.abs(Math.log(values[a] / here)) - Math.abs(Math.log(values[b] / here))); // near what is asked first
  let done = 0;
  for (const k of order) {
    $('sweep-state').textContent = `${done++} of ${values.length}`;
    try {
      const answer = await ask('/v1/sweep', { ...state.asked, sweep: `${name}=${values[k]}` }, signal);
      if (!last()) return;
      const p = answer.points[0];
      p.times.forEach((t, g) => {
        series[g].points[k] = t;
      });
      if (p.grid) grids.add(p.grid.join());
    } catch (e) {
      if (!(e instanceof Refused)) throw e;
      if (!last()) return;
      failed.push([values[k], e.message]);
    }
    state.curve = { name, values, series, here };
    draw($('sweep'), state.curve);
  }
  $('sweep-state').textContent = '';
  const notes = [];
  if (grids.size === 1 && values.length > 1 && name !== 'block')
    notes.push(`The grid is the same for all: give it as an expression of ${name} to let it follow.`);
  if (failed.length) notes.push(`No answer at ${failed.map(([v]) => size(v)).join(', ')}: ${stop(failed[0][1])}`);
  sweepNote(notes.join(' '));
}

export function drawAgain() {
  if (state.curve) draw($('sweep'), state.curve);
}
