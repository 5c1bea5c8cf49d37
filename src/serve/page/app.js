// app.js - asks the server about the text as it is typed, and shows what it says.
//
// Every change counts `sequence` up and ends what is being asked. An answer is shown only where its number is still the last one; until then
// what is on the page is marked as of the text before.

import { showVersions } from './compare.js';
import { showContents } from './contents.js';
import { Editor } from './editor.js';
import { showInstructions } from './instructions.js';
import { $, make, stop } from './parts.js';
import { ask, Refused } from './server.js';
import { fromFragment, toFragment } from './share.js';
import { gpuOf, inText, state } from './state.js';
import { drawAgain, runSweep } from './sweep.js';
import { showAll, showFindings, showRoofline } from './view.js';

const TYPING = 250; // ms without a key before the server is asked

// ---- what is asked ----

function dialect(text) {
  const asked = $('lang').value,
    ends = (s) => state.file.endsWith(s);
  if (asked) return asked;
  if (ends('.cu') || ends('.cl') || ends('.hip')) return '';
  if (/\b__kernel\b|\bget_global_id\b/.test(text)) return 'opencl';
  if (/hip\/hip_runtime/.test(text)) return 'hip';
  return /#\s*pragma\s+omp\s+target/.test(text) ? 'openmp' : '';
}

function sourcePart() {
  const text = editor.value,
    lang = dialect(text),
    flags = $('flags').value.trim();
  const body = { source: text, file: state.file };
  if (lang) body.lang = lang;
  if (flags) body.flags = flags.split(/\s+/);
  return body;
}

function launchPart() {
  const words = ['grid', 'block'].filter((id) => $(id).value.trim()).map((id) => `${id}=${$(id).value.trim().replace(/\s+/g, '')}`);
  if ($('args').value.trim()) words.push($('args').value.trim());
  const body = { kernel: state.kernel, gpu: state.chosen };
  if (words.length) body.launch = words.join(' ');
  if ($('cache').value) body.cache = $('cache').value;
  return body;
}

let sequence = 0,
  timer = 0,
  running = null;

// What is on the page is no longer the answer: ends what is being asked, returns the number of what is asked from now on.
function pending(text) {
  if (running) running.abort();
  clearTimeout(timer);
  document.body.classList.add('stale');
  $('results').setAttribute('aria-busy', 'true');
  status(text);
  return ++sequence;
}

// Something changed: ask again when nothing else does for a while.
function changed(wait = 0) {
  pending('updating …');
  timer = setTimeout(update, wait);
  keepSession();
}

async function update() {
  const mine = sequence,
    controller = new AbortController(),
    started = performance.now();
  const last = () => mine === sequence;
  running = controller;
  try {
    const source = sourcePart();
    const kernels = await ask('/v1/kernels', source, controller.signal);
    if (!last()) return;
    showKernels(kernels);
    const answer = await ask('/v1/explain', { ...source, ...launchPart() }, controller.signal);
    if (!last()) return;
    state.asked = { ...source, ...launchPart() };
    showAnswer(answer, performance.now() - started);
    await Promise.all([more(last, controller.signal), runSweep(last, controller.signal)]);
  } catch (e) {
    if (e.name !== 'AbortError' && last()) showError(e);
  }
}

// What comes behind the answer: edits for its findings, the version before, what it is compiled to. None of it is worth an error.
async function more(last, signal) {
  const asked = state.asked,
    quiet = (promise) => promise.catch(() => null);
  if ($('compiled').open) {
    const show = (answer) => last() && showInstructions(answer);
    ask('/v1/instructions', { ...asked, gpu: undefined, as: $('as').value }, signal).then(show, show); // nvcc takes seconds: the others do not wait
  }
  const [fixes, before] = await Promise.all([
    quiet(ask('/v1/fixes', asked, signal)),
    state.before ? quiet(ask('/v1/explain', { ...asked, ...state.before.source }, signal)) : null,
  ]);
  if (!last()) return;
  state.fixes = (fixes && fixes.fixes) || [];
  const active = state.reports.find((r) => r.gpu === state.active);
  if (state.fixes.length) showFindings(active);
  $('versions').hidden = true;
  if (state.before && before) {
    state.before.reports = before.reports;
    showVersions(state.before, editor.value);
  }
}

// Edits are by bytes of the text as it was asked.
function applyFix(fix) {
  const bytes = new TextEncoder().encode(state.asked.source);
  let out = '',
    at = 0;
  for (const e of [...fix.edits].sort((a, b) => a.begin - b.begin)) {
    out += new TextDecoder().decode(bytes.subarray(at, e.begin)) + e.text;
    at = e.end;
  }
  out += new TextDecoder().decode(bytes.subarray(at));
  if (!state.before) keepBefore();
  editor.replace(out);
}

function keepBefore() {
  const { lang, flags } = sourcePart();
  state.before = { text: editor.value, source: { source: editor.value, lang, flags } };
  $('keep').textContent = 'Compared with before';
}

function forgetBefore() {
  state.before = null;
  $('versions').hidden = true;
  $('keep').textContent = 'Compare from here';
}

const status = (text) => {
  $('status').textContent = text;
};

function fresh() {
  document.body.classList.remove('stale');
  $('results').setAttribute('aria-busy', 'false');
}

// ---- what is shown ----

function showError(e) {
  fresh();
  state.reports = null;
  $('answer').hidden = true;
  $('error').hidden = false;
  const at = e.at || {},
    here = !at.file || at.file === state.file || at.file.endsWith('/' + state.file);
  const place = at.line ? `${at.file || state.file}:${at.line}${at.col ? ':' + at.col : ''}` : '';
  $('error').replaceChildren(
    make('h2', {}, 'No prediction'),
    make('p', {}, e instanceof Refused ? stop(at.message) : 'The server cannot be reached. Is it still running?'),
    ...(place
      ? [
          make(
            'p',
            { class: 'at' },
            here ? make('button', { type: 'button', class: 'link', onclick: () => editor.goto(at.line) }, place) : place,
          ),
        ]
      : []),
  );
  editor.show(new Map(), new Map(), at.line && here ? new Map([[at.line, at.mark || at.message]]) : new Map());
  status('no prediction');
}

function showKernels(answer) {
  state.kernels = answer.kernels;
  const names = answer.kernels.map((k) => k.name),
    was = state.kernel;
  const runs = answer.kernels.find((k) => k.interpretable);
  if (!names.includes(state.kernel)) state.kernel = (runs && runs.name) || names[0] || '';
  $('kernel').replaceChildren(...names.map((n) => make('option', { selected: n === state.kernel }, n)));
  if (was !== state.kernel) recallLaunch();
  state.diagnostics = answer.diagnostics || [];
  showContents();
  if (!names.length)
    throw new Refused(422, {
      ...state.diagnostics[0],
      message: 'there is no kernel in the text' + (state.diagnostics.length ? ': ' + state.diagnostics[0].message : ''),
    });
}

// No GPU has an answer: the first one's reason, where the compiler says it.
function allFailed(reports) {
  const kernel = state.kernels.find((k) => k.name === state.kernel),
    wrong = kernel && state.diagnostics[kernel.diagnostic];
  return new Refused(422, { ...wrong, mark: wrong && wrong.cause, ...reports[0].error });
}

function showAnswer(answer, ms) {
  if (answer.reports.every((r) => r.error)) throw allFailed(answer.reports);
  fresh();
  $('error').hidden = true;
  $('answer').hidden = false;
  state.reports = answer.reports.map((r, k) => ({ ...r, gpu: state.chosen[k] }));
  if (!state.reports.some((r) => r.gpu === state.active && !r.error))
    state.active = (state.reports.find((r) => !r.error) || state.reports[0]).gpu;
  status(`${Math.round(ms)} ms` + (answer.timing.known === answer.reports.length ? ', known' : ''));
  showContents();
  showAll();
}

// ---- choosing ----

function recallLaunch() {
  const l = state.launches[state.kernel] || {};
  for (const id of ['grid', 'block', 'args', 'cache']) $(id).value = l[id] || '';
}

function keepLaunch() {
  state.launches[state.kernel] = Object.fromEntries(['grid', 'block', 'args', 'cache'].map((id) => [id, $(id).value]));
}

// What a text that came without a name is called: by its first kernel, ended as its language is.
function nameOf(text) {
  const kernel = /\b(?:__global__|__kernel|kernel)\b[^;{}]*?\b(\w+)\s*\(/.exec(text.replace(/\b__(launch_bounds|attribute)__\s*\([^)]*\)+/g, ''));
  const ending = /^\s*\.version\b/m.test(text)
    ? '.ptx'
    : /\b__kernel\b|\bget_global_id\b/.test(text)
      ? '.cl'
      : /hip\/hip_runtime/.test(text)
        ? '.hip'
        : /#\s*pragma\s+omp\s+target/.test(text)
          ? '.c'
          : '.cu';
  return (kernel ? kernel[1] : 'pasted') + ending;
}

function load(file, text) {
  forgetBefore();
  state.file = file;
  state.kernel = '';
  state.launches = {};
  state.sweep = { name: '', range: '', typed: false };
  $('file-name').textContent = file;
  $('flags').value = '';
  $('lang').value = '';
  recallLaunch();
  editor.value = text;
  suitGpus(file, text);
  changed();
}

// Code for 64 lanes is asked about on GPUs that have them, and the other way round.
function suitGpus(file, text) {
  const lanes = file.endsWith('.hip') || /hip\/hip_runtime/.test(text) ? 64 : file.endsWith('.cu') ? 32 : 0;
  if (!lanes || state.chosen.some((g) => gpuOf(g).lanes === lanes)) return;
  state.chosen = state.gpus
    .filter((g) => g.lanes === lanes)
    .slice(-2)
    .map((g) => g.name);
  showGpuChoice();
}

function showGpuChoice() {
  $('gpu-names').textContent = state.chosen.join(', ') || 'none';
  $('gpu-list').replaceChildren(
    ...state.gpus.map((g) =>
      make(
        'label',
        {},
        make('input', { type: 'checkbox', value: g.name, checked: state.chosen.includes(g.name), onchange: chooseGpus }),
        make(
          'span',
          {},
          g.full_name,
          make('small', {}, `${g.name} · ${g.architecture} · ${g.sms} SMs · ${g.grade}`),
        ),
      ),
    ),
  );
}

function chooseGpus() {
  const on = [...$('gpu-list').querySelectorAll('input:checked')].map((e) => e.value);
  if (!on.length) return showGpuChoice(); // one at least
  state.chosen = on;
  if (!on.includes(state.active)) state.active = on[0];
  $('gpu-names').textContent = on.join(', ');
  changed(150);
}

async function copyLink() {
  keepLaunch();
  const { lang, flags } = sourcePart();
  const what = { file: state.file, text: editor.value, kernel: state.kernel, gpus: state.chosen, launch: state.launches[state.kernel], lang, flags };
  try {
    history.replaceState(null, '', location.pathname + (await toFragment(what)));
  } catch (e) {
    return status('no link: ' + e.message);
  }
  try {
    await navigator.clipboard.writeText(location.href);
    status('link copied');
  } catch {
    status('the link is in the address bar');
  }
}

// A link's source, kernel, launch and GPUs; false: the address holds none.
async function openLink() {
  let what = null;
  try {
    what = await fromFragment(location.hash);
  } catch (e) {
    showError(new Refused(422, { message: 'the link cannot be read: ' + e.message }));
    return true;
  }
  if (!what) return false;
  const known = [...new Set([what.gpus].flat())].filter((g) => state.gpus.some((x) => x.name === g));
  if (known.length) Object.assign(state, { chosen: known, active: known[0] });
  showGpuChoice();
  const parts = what.file.replace(/[^\w.+/-]/g, '_').slice(-200).split('/');
  load(parts.filter((p) => p && !/^\.+$/.test(p)).join('/') || 'linked.cu', what.text); // below the served folder, as all names are
  state.kernel = String(what.kernel || '');
  state.launches[state.kernel] = { ...what.launch };
  recallLaunch();
  $('lang').value = what.lang || '';
  $('flags').value = [what.flags || []].flat().join(' ');
  return true;
}

async function openChosen() {
  const [kind, name] = [$('open').value.slice(0, 2), $('open').value.slice(2)];
  if (kind === 'e:') {
    const e = state.examples.find((x) => x.file === name);
    return load(e.file, e.text);
  }
  const mine = pending('opening …'); // typing or choosing another one meanwhile counts more
  try {
    const s = await ask('/v1/source', { file: name });
    if (mine === sequence) load(s.file, s.text);
  } catch (e) {
    if (mine === sequence) showError(e);
  }
}

async function exportReport() {
  if (!state.kernel) return;
  const mine = sequence,
    body = { ...sourcePart(), ...launchPart() }; // as it stands now, answered or not
  status('exporting …');
  try {
    const html = await ask('/v1/report.html', body, undefined, 'text');
    const url = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
    make('a', {
      href: url,
      download: `${state.file
        .split('/')
        .pop()
        .replace(/\.[^.]*$/, '')}-${state.kernel.replace(/[^\w]+/g, '_')}.html`,
    }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
    if (mine === sequence) status('exported');
  } catch (e) {
    if (mine === sequence) status('not exported: ' + e.message);
  }
}

// ---- the page itself ----

const editor = new Editor({ box: $('editor'), gutter: $('gutter'), paint: $('paint'), text: $('text') }, () => changed(TYPING));

function keepSession() {
  try {
    sessionStorage.setItem(
      'warpwise',
      JSON.stringify({ file: state.file, text: editor.value, chosen: state.chosen, active: state.active }),
    );
  } catch {
    /* private windows may refuse */
  }
}

state.editor = editor;
state.apply = applyFix;
state.keep = keepSession;

function recallSession() {
  try {
    return JSON.parse(sessionStorage.getItem('warpwise')) || {};
  } catch {
    return {};
  }
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  if (state.reports) showRoofline();
  drawAgain();
}

function nextFinding(back) {
  const r = state.reports && state.reports.find((x) => x.gpu === state.active);
  const lines =
    r && !r.error ? [...new Set((r.findings || []).filter((f) => f.line && inText(f.file)).map((f) => f.line))].sort((a, b) => a - b) : [];
  if (!lines.length) return;
  const at = editor.value.slice(0, editor.text.selectionStart).split('\n').length;
  editor.goto(back ? [...lines].reverse().find((l) => l < at) || lines[lines.length - 1] : lines.find((l) => l > at) || lines[0]);
}

function closeMenus(but) {
  for (const menu of document.querySelectorAll('.menu')) if (!but || !menu.contains(but)) menu.open = false;
}

function listen() {
  for (const id of ['grid', 'block', 'args', 'flags'])
    $(id).addEventListener('input', () => {
      keepLaunch();
      changed(400);
    });
  $('cache').addEventListener('change', () => {
    keepLaunch();
    changed();
  });
  $('lang').addEventListener('change', () => changed());
  $('open').addEventListener('change', openChosen);
  $('kernel').addEventListener('change', () => {
    state.kernel = $('kernel').value;
    recallLaunch();
    changed();
  });
  $('sweep-name').addEventListener('change', () => {
    Object.assign(state.sweep, { name: $('sweep-name').value, typed: false });
    changed();
  });
  $('sweep-range').addEventListener('input', () => {
    Object.assign(state.sweep, { range: $('sweep-range').value, typed: true });
    changed(500);
  });
  $('export').addEventListener('click', exportReport);
  $('link').addEventListener('click', copyLink);
  addEventListener('hashchange', openLink);
  $('keep').addEventListener('click', () => {
    if (state.before) return forgetBefore();
    keepBefore();
    changed();
  });
  $('forget').addEventListener('click', forgetBefore);
  $('restore').addEventListener('click', () => editor.replace(state.before.text));
  $('compiled').addEventListener('toggle', () => {
    if ($('compiled').open) changed();
  });
  $('as').addEventListener('change', () => changed());
  $('text').addEventListener('paste', (e) => {
    const text = e.clipboardData.getData('text/plain'),
      whole = editor.text.selectionEnd - editor.text.selectionStart === editor.value.length;
    if (!whole || !text.trim()) return; // a part goes into the text
    e.preventDefault();
    load(nameOf(text), text);
  });
  $('theme').addEventListener('click', () => {
    const dark = document.documentElement.dataset.theme
      ? document.documentElement.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    setTheme(dark ? 'light' : 'dark');
    try {
      localStorage.setItem('warpwise.theme', dark ? 'light' : 'dark');
    } catch {
      /* then for now alone */
    }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTheme(''));
  document.addEventListener('keydown', (e) => {
    if ((e.ctrlKey || e.metaKey) && e.key === 's') {
      e.preventDefault();
      exportReport();
    }
    if (e.key === 'F8') {
      e.preventDefault();
      nextFinding(e.shiftKey);
    }
    if (e.key === 'Escape') closeMenus();
  });
  document.addEventListener('click', (e) => closeMenus(e.target));
  document.addEventListener('dragover', (e) => e.preventDefault());
  document.addEventListener('drop', async (e) => {
    e.preventDefault();
    const f = e.dataTransfer.files[0];
    if (f && f.size < 1 << 20) load(f.name.replace(/[^\w.+-]/g, '_'), await f.text());
  });
  let wide = 0;
  new ResizeObserver(() => {
    const w = $('results').clientWidth;
    if (w !== wide && state.reports) {
      showRoofline();
      drawAgain();
    }
    wide = w;
  }).observe($('results'));
}

async function listFiles() {
  const options = (list, kind) =>
    list.map((f) => make('option', { value: kind + f.value, selected: f.value === state.file && f.on }, f.text));
  const groups = [
    make(
      'optgroup',
      { label: 'Examples' },
      ...options(
        state.examples.map((e) => ({ value: e.file, text: e.name, on: true })),
        'e:',
      ),
    ),
  ];
  $('open').replaceChildren(...groups);
  const { files, truncated } = await ask('/v1/files');
  if (files.length)
    $('open').append(
      make(
        'optgroup',
        { label: truncated ? 'Files of the folder (the first of many)' : 'Files of the folder' },
        ...options(
          files.map((f) => ({ value: f.path, text: f.path })),
          'f:',
        ),
      ),
    );
}

async function begin() {
  try {
    if (localStorage.getItem('warpwise.theme')) setTheme(localStorage.getItem('warpwise.theme'));
  } catch {
    /* the system's */
  }
  listen();
  if (!window.uPlot) $('credit').textContent = ' · built without uPlot: plain plots';
  else $('credit').append(' · curves by ', make('a', { href: '/page/uplot.LICENSE' }, 'uPlot'));
  try {
    const [examples, words, gpus, health] = await Promise.all([
      ask('/page/examples.json'),
      ask('/page/words.json'),
      ask('/v1/gpus'),
      ask('/healthz'),
    ]);
    Object.assign(state, { examples, ...words, gpus: gpus.gpus });
    $('version').textContent = health.version;
    const was = recallSession();
    if (was.chosen) Object.assign(state, { chosen: was.chosen.filter((g) => gpus.gpus.some((x) => x.name === g)), active: was.active });
    if (!state.chosen.length) state.chosen = [gpus.gpus[0].name];
    showGpuChoice();
    if (await openLink()) void 0;
    else if (was.text) load(was.file, was.text);
    else load(examples[0].file, examples[0].text);
    await listFiles();
  } catch (e) {
    showError(e);
  }
}

begin();
