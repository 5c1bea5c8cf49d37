// view.js - an answer, as a person reads it. Everything comes from `state`; text goes in as text, never as markup.

import { $, bar, capital, make, sentence, stop, table } from './parts.js';
import { amount, roofline, roofOf, time } from './plots.js';
import { colorOf, gpuOf, inText, state, value } from './state.js';

export function showAll() {
  const r = state.reports.find((x) => x.gpu === state.active);
  showTiles();
  if (r.error) return;
  showUsed(r);
  showFindings(r);
  showHeat(r);
  showRoofline();
  showLines(r);
  showWaits();
  showReport();
  showAssumed(r);
}

// How much of what limits it is used, in words.
function used(r) {
  const roofs = gpuOf(r.gpu).roofs,
    gflops = value(r, 'gflops'),
    gbps = value(r, 'dram_gbps');
  if (gflops > 0 && value(r, 'ai') > 0) return `${Math.round((100 * gflops) / roofOf(roofs, r.metrics))} % of its roof`;
  return roofs.dram_gbps ? `${Math.round((100 * gbps) / roofs.dram_gbps)} % of DRAM bandwidth` : '';
}

function tile(r, fastest) {
  const on = r.gpu === state.active,
    t = r.metrics && r.metrics.time_us;
  const choose = () => {
    state.active = r.gpu;
    state.keep();
    showAll();
    $('tiles').querySelector('[aria-checked=true]').focus();
  };
  const e = make(
    'button',
    {
      type: 'button',
      class: 'tile ' + colorOf(r.gpu),
      role: 'radio',
      'aria-checked': String(on),
      disabled: !!r.error,
      tabindex: on ? 0 : -1,
      onclick: choose,
    },
    make('span', { class: 'gpu' }, gpuOf(r.gpu).full_name),
  );
  if (r.error) e.append(make('span', { class: 'words' }, stop(r.error.message)));
  else
    e.append(
      make(
        'span',
        { class: 'figure' },
        make('b', {}, time(t.value)),
        t.low ? make('span', { class: 'between' }, `${time(t.low)} … ${time(t.high)}`) : null,
      ),
      make('span', { class: 'words' }, sentence(r.bottleneck || '')),
      make(
        'span',
        { class: 'words' },
        [
          used(r),
          state.reports.length > 1 ? (t.value <= fastest * 1.001 ? 'fastest' : `${(t.value / fastest).toFixed(2)}× the fastest`) : '',
          r.by === 'grounded' ? 'corrected' : 'machine model',
          r.grade ? `GPU ${r.grade}` : '',
        ]
          .filter(Boolean)
          .join(' · '),
      ),
    );
  return e;
}

function showTiles() {
  const times = state.reports.filter((r) => !r.error).map((r) => r.metrics.time_us.value);
  $('tiles').replaceChildren(...state.reports.map((r) => tile(r, Math.min(...times))));
}

$('tiles').addEventListener('keydown', (e) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
  if (!step || !state.reports) return;
  e.preventDefault();
  const can = state.reports.filter((r) => !r.error),
    k = can.findIndex((r) => r.gpu === state.active);
  const next = can[(k + step + can.length) % can.length];
  if (next) [...$('tiles').children][state.reports.indexOf(next)].click();
});

function showUsed(r) {
  const l = r.launch,
    names = (state.kernels.find((k) => k.name === r.kernel) || { args: [] }).args;
  const dims = (d) => d.filter((v, k) => k === 0 || v > 1 || (k === 1 && d[2] > 1)).join(' × ');
  const args = (l.args || []).map((a, k) => {
    const name = a.name || (names[k] ? names[k].name : '#' + (k + 1));
    return a.buffer ? `${name}: ${amount(a.buffer.bytes, 'byte')}` : 'value' in a ? `${name} = ${a.value}` : name;
  });
  $('grid').placeholder = l.grid.join().replace(/(,1)+$/, '');
  $('block').placeholder = l.block.join().replace(/(,1)+$/, '');
  $('args').placeholder =
    (l.args || [])
      .map((a, k) => ('value' in a && names[k] ? `${names[k].name}=${a.value}` : ''))
      .filter(Boolean)
      .join(' ') + '   x=f32[n] idx=[n]:uniform(0,n)';
  const from = ['grid', 'block', 'args'].some((id) => $(id).value.trim())
    ? 'as typed above, the rest as found'
    : (state.kernels.find((k) => k.name === r.kernel) || {}).comment
      ? 'from the comment in the source'
      : (r.assumed || [])[(r.assumptions || []).findIndex((a) => a.kind === 'host_launch')] || 'assumed, see below';
  $('used').replaceChildren(
    make('b', {}, 'Launch used '),
    `grid ${dims(l.grid)}, block ${dims(l.block)}` +
      (l.shared ? `, ${l.shared} B shared` : '') +
      (args.length ? '; ' + args.join(', ') : '') +
      `; caches ${l.cache === 'warm' ? 'warm' : 'cold'} — ${from}. ${r.sampled ? `${r.sampled.blocks} of ${r.sampled.of} blocks were run.` : ''}`,
  );
}

// The edits that the server knows for a finding, each with a button.
const fixesOf = (r, f) =>
  state.fixes
    .filter((x) => x.kernel === r.kernel && x.rule === f.rule && x.line === f.line && inText(f.file))
    .flatMap((x) => [
      ' · ',
      make('button', { type: 'button', class: 'small apply', title: x.assumes || '', onclick: () => state.apply(x) }, 'Apply: ' + x.title),
      x.assumes ? make('span', { class: 'words' }, ' assumes ' + x.assumes) : null,
    ]);

export function showFindings(r) {
  const all = r.findings || [];
  if (!all.length) {
    $('findings').replaceChildren(
      make('p', { class: 'note' }, 'Nothing stands out: no single change that the model knows makes it 3 % faster.'),
    );
    return;
  }
  $('findings').replaceChildren(
    make(
      'ol',
      { class: 'findings' },
      ...all.map((f) =>
        make(
          'li',
          {},
          make('span', { class: 'gain' + (f.gain >= 1.1 ? ' large' : '') }, f.gain ? f.gain.toFixed(f.gain < 9.95 ? 2 : 0) + '×' : ''),
          make(
            'div',
            {},
            make('p', {}, sentence(f.message)),
            make(
              'p',
              { class: 'at' },
              f.line && inText(f.file)
                ? make('button', { type: 'button', class: 'link', onclick: () => state.editor.goto(f.line) }, 'line ' + f.line)
                : f.line
                  ? `${f.file}:${f.line}`
                  : 'the launch',
              ' · ',
              make('code', {}, f.rule),
              ...fixesOf(r, f),
            ),
          ),
        ),
      ),
    ),
  );
}

function showHeat(r) {
  const heat = new Map(),
    notes = new Map(),
    marks = new Map();
  for (const l of r.lines || [])
    if (l.line && inText(l.file)) heat.set(l.line, { share: l.share, sectors: l.sectors_per_request, ways: l.shared_conflict_ways });
  for (const f of r.findings || [])
    if (f.line && inText(f.file) && !notes.has(f.line)) notes.set(f.line, { text: `${f.gain.toFixed(f.gain < 9.95 ? 2 : 0)}× ${f.rule}` });
  for (const d of state.diagnostics)
    if (d.line && inText(d.file) && d.severity === 'error') marks.set(d.line, d.cause || d.message);
  state.editor.show(heat, notes, marks);
  $('heat-key').textContent = `share of ${r.kernel}'s time on ${r.gpu}`;
}

export function showRoofline() {
  const gpus = state.reports.map((r) => ({
    name: r.gpu,
    color: colorOf(r.gpu),
    roofs: gpuOf(r.gpu).roofs,
    active: r.gpu === state.active,
  }));
  const points = [];
  state.reports.forEach((r, gpu) => {
    const gflops = r.error ? 0 : value(r, 'gflops'),
      ai = r.error ? 0 : value(r, 'ai');
    if (!(gflops > 0) || !(ai > 0)) return;
    const t = r.metrics.time_us;
    points.push({
      gpu,
      ai,
      gflops,
      low: t.high ? (gflops * t.value) / t.high : gflops,
      high: t.low ? (gflops * t.value) / t.low : gflops,
      text: `${r.kernel} on ${r.gpu}: ${+ai.toPrecision(3)} flop/byte, ${amount(+gflops.toPrecision(3), 'GFLOP/s')}, ${used(r)}`,
    });
  });
  roofline($('roofline'), gpus, points);
  const r = state.reports.find((x) => x.gpu === state.active);
  const legend = gpus.map((g) => make('span', { class: g.color }, make('i', { class: 'swatch' }), g.name));
  $('roofline').append(
    make(
      'p',
      { class: 'legend' },
      ...legend,
      points.length ? '' : make('span', { class: 'words' }, `No floating-point work, so no place under the roofs; ${used(r)}.`),
    ),
  );
}

function showLines(r) {
  const text = state.editor.value.split('\n');
  const rows = (r.lines || [])
    .filter((l, k) => l.share >= 0.005 || l.inlined >= 0.005 || k === 0)
    .slice(0, 12)
    .map((l) =>
      make(
        'tr',
        {},
        bar(l.share, (100 * l.share).toFixed(l.share < 0.0995 ? 1 : 0) + ' %'),
        make('td', {}, amount(Math.round(l.instructions), '1')),
        make('td', {}, l.bytes ? amount(Math.round(l.bytes), 'byte') : ''),
        make('td', { class: l.sectors_per_request > 8 ? 'warn' : '' }, l.sectors_per_request ? l.sectors_per_request.toFixed(1) : ''),
        make('td', { class: l.shared_conflict_ways > 1.5 ? 'warn' : '' }, l.shared_conflict_ways ? l.shared_conflict_ways.toFixed(1) : ''),
        make(
          'td',
          { class: 'w' },
          l.line && inText(l.file)
            ? make('button', { type: 'button', class: 'link', onclick: () => state.editor.goto(l.line) }, 'line ' + l.line)
            : l.line
              ? `${l.file}:${l.line}`
              : 'no line',
        ),
        make(
          'td',
          { class: 'w code' },
          l.line && inText(l.file) ? (text[l.line - 1] || '').trim() : '',
          l.inlined >= 0.005 ? make('small', { title: 'in functions that were inlined here' }, `${(100 * l.inlined).toFixed(0)} % in what it calls`) : null,
        ),
      ),
    );
  const rest = 1 - (r.lines || []).reduce((sum, l) => sum + l.share, 0);
  if (rest >= 0.005)
    rows.push(
      make(
        'tr',
        {},
        bar(rest, (100 * rest).toFixed(0) + ' %'),
        make('td'),
        make('td'),
        make('td'),
        make('td'),
        make('td', { class: 'w soft', colspan: 2 }, 'start, end and what no line asks for'),
      ),
    );
  const th = (s, title, cls) => make('th', { title, scope: 'col', class: cls }, s);
  $('lines').replaceChildren(
    table(
      'lines',
      [
        th('share', 'of the kernel’s time'),
        th('instr.', 'machine instructions of warps'),
        th('bytes', 'of global memory’s sectors'),
        th('sect.', '32-byte sectors per request of a warp'),
        th('ways', 'passes per request of shared memory'),
        th('line', null, 'w'),
        th('', null, 'w'),
      ],
      rows,
    ),
  );
}

const headOfGpus = () => [
  make('th', { scope: 'col' }),
  ...state.reports.map((r) => make('th', { scope: 'col', class: r.gpu === state.active ? 'active' : '' }, r.gpu)),
];

function showWaits() {
  const stall = (r, k) => (r.error ? 0 : r.machine.timing.stall[k] || 0),
    alone = (r, k) => (r.error ? 0 : r.machine.timing.bound_us[k] || 0);
  const names = [
    ...new Set(
      state.reports.flatMap((r) => (r.error ? [] : [...Object.keys(r.machine.timing.stall), ...Object.keys(r.machine.timing.bound_us)])),
    ),
  ].filter((k) => state.reports.some((r) => stall(r, k) >= 0.01 || (!r.error && alone(r, k) >= 0.02 * r.metrics.time_us.value)));
  const most = (k) => Math.max(...state.reports.map((r) => stall(r, k)));
  names.sort((a, b) => most(b) - most(a));
  const cell = (r, k) => (r.error ? make('td') : bar(stall(r, k), `${Math.round(100 * stall(r, k))} %`));
  $('waits').replaceChildren(
    table(
      'waits',
      headOfGpus(),
      names.map((k) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, capital(state.terms[k] || k)),
          ...state.reports.map((r) => {
            const e = cell(r, k);
            if (!r.error && alone(r, k)) e.append(make('small', { title: 'what it alone would take' }, time(alone(r, k))));
            return e;
          }),
        ),
      ),
    ),
    make('p', { class: 'note' }, 'Share of waiting; small: what that resource alone would take.'),
  );
}

function showReport() {
  const rows = [];
  for (const m of state.metrics) {
    if (!state.reports.some((r) => !r.error && r.metrics[m.name])) continue;
    rows.push(
      make(
        'tr',
        { class: state.reports.every((r) => r.error || !r.metrics[m.name] || r.metrics[m.name].value === 0) ? 'zero' : '' },
        make('th', { scope: 'row', title: m.meaning }, m.name.replace(/_/g, '\u200b_')),
        ...state.reports.map((r) => {
          const q = !r.error && r.metrics[m.name];
          return make(
            'td',
            {},
            ...(q
              ? [
                  make('b', {}, amount(q.value, m.unit)),
                  make('small', {}, q.low != null ? `${amount(q.low, m.unit)} … ${amount(q.high, m.unit)}` : ''),
                ]
              : []),
          );
        }),
      ),
    );
  }
  $('report').replaceChildren(table('report', headOfGpus(), rows));
}

function showAssumed(r) {
  const all = [
    ...(r.assumed || []),
    ...state.diagnostics.filter((d) => d.severity !== 'note').map((d) => `${d.file ? d.file + ':' + d.line + ': ' : ''}${d.message}`),
  ];
  $('assumed').replaceChildren(
    all.length ? make('ul', {}, ...all.map((a) => make('li', {}, a))) : make('p', { class: 'note' }, 'Nothing: the launch says it all.'),
  );
}
