// contents.js - what is in each buffer, from a list. A choice is written into the arguments as `x=[]:zeros`, where it can be edited further.

import { $, make } from './parts.js';
import { state } from './state.js';

// `name=value` in the arguments, its value up to the next `name=`; a buffer's value as size and what follows it.
const settingOf = (name) => new RegExp(`(^|\\s)${name.replaceAll('$', '\\$')}\\s*=\\s*(.*?)(?=\\s+[A-Za-z_][\\w.]*\\s*=(?!=)|\\s*$)`, 's');
function typed(name) {
  const value = (settingOf(name).exec($('args').value) || [])[2] || '',
    at = value.indexOf(']') + 1,
    suffixes = value.slice(at).match(/:[^:(]*(\([^)]*\))?/g) || [],
    isPlace = (s) => /^:(id|offset)\(/.test(s);
  return { size: value.slice(0, at) || '[]', places: suffixes.filter(isPlace).join(''), fill: (suffixes.find((s) => !isPlace(s)) || '').slice(1) };
}

function choose(name, fill) {
  const { size, places } = typed(name),
    value = size + (fill ? ':' + fill : '') + places,
    args = $('args');
  const rest = args.value.replace(settingOf(name), '').trim();
  args.value = value === '[]' ? rest : `${rest} ${name}=${value}`.trim();
  args.dispatchEvent(new Event('input'));
}

// What stands in the launch that was used.
function found(k) {
  const r = (state.reports || []).find((x) => x.gpu === state.active && x.kernel === state.kernel && !x.error),
    b = r && r.launch.args[k] && r.launch.args[k].buffer;
  return { local: !!(b && b.local), fill: !b || !b.fill ? '' : typeof b.fill === 'string' ? b.fill : Object.keys(b.fill)[0] };
}

export function showContents() {
  const args = (state.kernels.find((k) => k.name === state.kernel) || { args: [] }).args,
    number = args.find((a) => !a.pointer && /int|long|size/.test(a.type)),
    value = (fill) => (fill === 'uniform' ? `uniform(0,${number ? number.name : 1024})` : fill),
    held = document.activeElement && document.activeElement.dataset.buffer;
  const rows = args.flatMap((a, k) => {
    const now = typed(a.name).fill,
      was = found(k);
    if (!a.pointer || was.local) return [];
    const option = (v, text) => make('option', { value: v, selected: v.split('(')[0] === now.split('(')[0] }, text);
    return [
      make(
        'label',
        {},
        make('code', {}, a.name),
        make(
          'select',
          { 'data-buffer': a.name, onchange: (e) => choose(a.name, e.target.value) },
          option('', 'as found' + (!now && was.fill ? ': ' + was.fill : '')),
          ...state.fills.map((f) => option(value(f), f)),
        ),
      ),
    ];
  });
  $('contents').hidden = !rows.length;
  $('contents-list').replaceChildren(...rows);
  if (held) $('contents-list').querySelector(`[data-buffer="${CSS.escape(held)}"]`)?.focus();
}
