// compare.js - two versions of a source side by side: the lines that differ or cost more or less, and the numbers that they change.

import { $, make, table } from './parts.js';
import { amount, time } from './plots.js';
import { inText, state } from './state.js';

const MOST = 1500; // lines that are compared one by one
const AROUND = 2; // lines that are shown around a change
const COUNTS = 0.02; // of the shorter time: what moves less is not told

// [before, after] pairs of line numbers from 0, null where one side has none: the longest common subsequence.
function aligned(a, b) {
  if (a.length > MOST || b.length > MOST) return (a.length > b.length ? a : b).map((_, k) => [k < a.length ? k : null, k < b.length ? k : null]);
  const n = b.length + 1,
    len = new Uint16Array((a.length + 1) * n);
  for (let i = a.length - 1; i >= 0; i--)
    for (let k = b.length - 1; k >= 0; k--)
      len[i * n + k] = a[i] === b[k] ? len[(i + 1) * n + k + 1] + 1 : Math.max(len[(i + 1) * n + k], len[i * n + k + 1]);
  const pairs = [];
  let i = 0,
    k = 0,
    gone = [],
    came = [];
  const flush = () => {
    for (let j = 0; j < Math.max(gone.length, came.length); j++) pairs.push([gone[j] ?? null, came[j] ?? null]);
    gone = [];
    came = [];
  };
  while (i < a.length || k < b.length)
    if (i < a.length && k < b.length && a[i] === b[k]) {
      flush();
      pairs.push([i++, k++]);
    } else if (k >= b.length || (i < a.length && len[(i + 1) * n + k] >= len[i * n + k + 1])) gone.push(i++);
    else came.push(k++);
  flush();
  return pairs;
}

const usOf = (r) => (r.error ? 0 : r.metrics.time_us.value);

// What the lines of the text take, in microseconds, by their numbers from 0.
function costs(r) {
  const us = [];
  for (const l of r.error ? [] : r.lines || []) if (l.line && inText(l.file)) us[l.line - 1] = (us[l.line - 1] || 0) + l.share * usOf(r);
  return us;
}

// before, after: {text, report}
function sideBySide(before, after) {
  const a = before.text.split('\n'),
    b = after.text.split('\n'),
    [spentA, spentB] = [before, after].map((x) => costs(x.report)),
    least = COUNTS * Math.min(usOf(before.report), usOf(after.report)),
    pairs = aligned(a, b);
  const us = (spent, k) => (k === null ? 0 : spent[k] || 0);
  const differs = pairs.map(([i, k]) => i === null || k === null || a[i] !== b[k]);
  const moved = pairs.map(([i, k]) => least > 0 && Math.abs(us(spentB, k) - us(spentA, i)) > least);
  const near = (at) => moved[at] || differs.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(Boolean);
  const cell = (lines, k, spent, cls, bold) => [
    make('td', { class: 'n' }, k === null ? '' : String(k + 1)),
    make('td', { class: bold ? 'warn' : 'soft' }, us(spent, k) >= least && least > 0 ? time(us(spent, k)) : ''),
    make('td', { class: 'w code ' + cls, title: k === null ? null : lines[k] }, k === null ? '' : lines[k]),
  ];
  const rows = [];
  pairs.forEach(([i, k], at) => {
    if (near(at))
      rows.push(
        make(
          'tr',
          {},
          ...cell(a, i, spentA, differs[at] && i !== null ? 'gone' : '', moved[at] && us(spentA, i) > us(spentB, k)),
          ...cell(b, k, spentB, differs[at] && k !== null ? 'came' : '', moved[at] && us(spentB, k) > us(spentA, i)),
        ),
      );
    else if (rows.length && !rows[rows.length - 1].classList.contains('gap')) rows.push(make('tr', { class: 'gap' }, make('td', { colspan: 6 }, '⋯')));
  });
  return rows.length ? table('versions', null, rows) : make('p', { class: 'note' }, 'The text is the same.');
}

const factor = (r) =>
  !r ? '' : r >= 2 ? `× ${+r.toPrecision(3)}` : r <= 0.5 ? `÷ ${+(1 / r).toPrecision(3)}` : `${r > 1 ? '+' : ''}${(100 * r - 100).toFixed(0)} %`;

// Numbers that moved by a hundredth at least, time first.
function changes(before, after) {
  const rows = [];
  for (const m of state.metrics) {
    const a = before.metrics[m.name],
      b = after.metrics[m.name];
    if (!a || !b || Math.abs(a.value - b.value) <= 0.01 * Math.max(Math.abs(a.value), Math.abs(b.value))) continue;
    const ratio = a.value && b.value ? b.value / a.value : 0;
    rows.push(
      make(
        'tr',
        {},
        make('th', { scope: 'row', title: m.meaning }, m.name),
        make('td', {}, amount(a.value, m.unit)),
        make('td', {}, amount(b.value, m.unit)),
        make('td', {}, factor(ratio)),
      ),
    );
  }
  const th = (s) => make('th', { scope: 'col' }, s);
  return rows.length
    ? table('changes', [th(''), th('before'), th('after'), th('change')], rows)
    : make('p', { class: 'note' }, 'No number moves by a hundredth.');
}

function verdict(before, after) {
  const a = before.metrics.time_us.value,
    b = after.metrics.time_us.value,
    word = b < a ? `${(a / b).toFixed(2)}× faster` : b > a ? `${(b / a).toFixed(2)}× slower` : 'as fast';
  return make('p', {}, make('b', {}, word), ` on ${after.gpu}: ${time(a)} before, ${time(b)} after`, because(before.machine.timing, after.machine.timing));
}

// As `predict --diff` says it: the part of the machine whose own time moved most, the way the whole did.
function because(a, b) {
  const moved = (term) => (b.bound_us[term] || 0) - (a.bound_us[term] || 0),
    way = b.us < a.us ? -1 : 1,
    [most] = Object.keys({ ...a.bound_us, ...b.bound_us }).sort((x, y) => way * (moved(y) - moved(x))),
    name = (term) => state.terms[term] || term;
  if (!most || Math.abs(b.us / a.us - 1) < 0.005 || way * moved(most) < COUNTS * Math.min(a.us, b.us)) return '';
  const limit = a.bottleneck === b.bottleneck ? `it is still bound by ${name(b.bottleneck)}` : `it was bound by ${name(a.bottleneck)} and is now bound by ${name(b.bottleneck)}`;
  return `, because ${name(most)} takes ${way < 0 ? 'less' : 'more'}; ${limit}.`;
}

// old: {text, reports}, for the GPUs of state.reports.
export function showVersions(old, text) {
  const k = state.reports.findIndex((r) => r.gpu === state.active),
    after = state.reports[k],
    before = old.reports[k];
  $('versions').hidden = false;
  $('version-numbers').replaceChildren(
    ...(before.error ? [make('p', {}, 'The version before has no answer: ' + before.error.message)] : [verdict(before, after), changes(before, after)]),
  );
  $('version-text').replaceChildren(sideBySide({ text: old.text, report: before }, { text, report: after }));
}
