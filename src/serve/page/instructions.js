// instructions.js - what the kernel is compiled to, beside the source lines that it comes from.

import { $, make, sentence, table } from './parts.js';
import { inText, state } from './state.js';

const MOST = 400; // lines of the source that are shown

// answer: of /v1/instructions, or the error why there is none.
export function showInstructions(answer) {
  if (answer instanceof Error) return $('instructions').replaceChildren(make('p', { class: 'note' }, sentence(answer.message)));
  const by = new Map(); // place -> {line, file, texts}
  for (const i of answer.instructions) {
    const key = i.line ? `${i.file}:${i.line}` : '';
    if (!by.has(key)) by.set(key, { ...i, texts: [] });
    by.get(key).texts.push(i.text);
  }
  const text = state.editor.value.split('\n');
  const places = [...by.values()].sort((a, b) => inText(b.file) - inText(a.file) || (a.line || 1e9) - (b.line || 1e9)).slice(0, MOST);
  const rows = places.map((p) =>
    make(
      'tr',
      {},
      make(
        'td',
        { class: 'n' },
        p.line && inText(p.file)
          ? make('button', { type: 'button', class: 'link', onclick: () => state.editor.goto(p.line) }, String(p.line))
          : p.line
            ? `${p.file.split('/').pop()}:${p.line}`
            : 'no line',
      ),
      make('td', { class: 'w code' }, p.line && inText(p.file) ? (text[p.line - 1] || '').trim() : ''),
      make('td', { class: 'w ir' }, make('pre', {}, p.texts.join('\n'))),
    ),
  );
  $('instructions').replaceChildren(
    table('instructions', null, rows),
    ...(answer.truncated ? [make('p', { class: 'note' }, 'There are more.')] : []),
  );
}
