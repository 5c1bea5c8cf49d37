// state.js - what was chosen and what was answered: the one place that the parts of the page share.

export const state = {
  file: '',
  gpus: [],
  chosen: ['h200', 'a100'],
  active: 'h200',
  metrics: [],
  terms: {},
  fills: [], // kinds of contents
  examples: [],
  kernels: [],
  reports: null,
  kernel: '',
  launches: {}, // by kernel: what was typed
  fixes: [], // edits for findings of the text as it is
  before: null, // what it is compared with: {text, lang, flags, reports}
  sweep: { name: '', range: '', typed: false },
};

export const gpuOf = (name) => state.gpus.find((g) => g.name === name) || { name, full_name: name, roofs: {} };
export const colorOf = (name) => 'c' + (Math.max(0, state.gpus.indexOf(gpuOf(name))) % 8);
export const value = (report, metric) => (report.metrics && report.metrics[metric] ? report.metrics[metric].value : 0);

export const inText = (file) => !file || file === state.file || file.endsWith('/' + state.file);
