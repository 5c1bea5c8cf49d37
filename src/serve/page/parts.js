// parts.js - elements and words that the page is made of.

export const $ = (id) => document.getElementById(id);

export function make(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {}))
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, '');
    else if (v !== false && v != null) e.setAttribute(k, v);
  e.append(...children.filter((c) => c != null));
  return e;
}

export function table(cls, head, rows) {
  return make('table', { class: cls }, ...(head ? [make('thead', {}, make('tr', {}, ...head))] : []), make('tbody', {}, ...rows));
}

export const bar = (share, text, cls = '') => {
  const e = make('td', { class: 'share ' + cls }, text);
  e.style.setProperty('--h', share.toFixed(3));
  return e;
};

export const capital = (s) => s.charAt(0).toUpperCase() + s.slice(1);
export const stop = (s) => s + (/[.!?]$/.test(s) ? '' : '.'); // messages may begin with a name: no capital
export const sentence = (s) => stop(capital(s));
