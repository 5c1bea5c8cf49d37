// editor.js - the source as it is typed, its heat beside it.
//
// A text area lies over a painted copy of its text; both are as large as the text, the box around them scrolls. Invariant: heat that is
// shown belongs to the line it stands at. After an edit only lines that the edit did not touch keep theirs, faded, until the next answer.

const words = new Set(
  (
    'if else for while do switch case default break continue return struct union enum typedef static const volatile ' +
    'inline template typename class using namespace public private sizeof constexpr auto restrict extern operator new delete goto ' +
    '__restrict__ __restrict __forceinline__ __noinline__ __launch_bounds__ true false nullptr'
  ).split(' '),
);
const types = new Set(
  (
    'void bool char short int long unsigned signed float double half size_t uint uchar ushort ulong ' +
    '__half __half2 half2 __nv_bfloat16 int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t dim3 ' +
    'float2 float3 float4 double2 int2 int3 int4 uint2 uint4'
  ).split(' '),
);
const device = new Set(
  (
    '__global__ __device__ __host__ __shared__ __constant__ __kernel kernel __global __local __private global local ' +
    'threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp barrier get_global_id get_local_id get_group_id ' +
    'get_local_size get_global_size get_num_groups'
  ).split(' '),
);
const token =
  /(\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(^[ \t]*#[^\n]*)|(\b(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[a-zA-Z]*)|([A-Za-z_]\w*)/gm;

const kindOf = (m) =>
  m[1]
    ? /warpwise:/.test(m[1])
      ? 'c w'
      : 'c'
    : m[2]
      ? 's'
      : m[3]
        ? 'p'
        : m[4]
          ? 'd'
          : words.has(m[5])
            ? 'k'
            : types.has(m[5])
              ? 't'
              : device.has(m[5])
                ? 'g'
                : '';

// [{kind, text}] of each line.
function tokens(text) {
  const lines = [[]];
  const add = (kind, s) =>
    s.split('\n').forEach((part, i) => {
      if (i) lines.push([]);
      if (part) lines[lines.length - 1].push({ kind, text: part });
    });
  let at = 0;
  if (text.length < 300000)
    for (const m of text.matchAll(token)) {
      if (m.index > at) add('', text.slice(at, m.index));
      add(kindOf(m), m[0]);
      at = m.index + m[0].length;
    }
  add('', text.slice(at));
  return lines;
}

const part = (cls, text) => {
  const e = document.createElement('span');
  e.className = cls;
  e.textContent = text;
  return e;
};

export class Editor {
  constructor(ids, onEdit) {
    Object.assign(this, ids); // box, gutter, paint, text
    this.heat = new Map(); // line -> {share, sectors, ways}
    this.notes = new Map(); // line -> {text, title}
    this.marks = new Map(); // line -> message of the compiler
    this.old = '';
    this.text.addEventListener('input', () => {
      this.edited();
      onEdit();
    });
    this.text.addEventListener('keydown', (e) => this.key(e));
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = text;
    this.forget();
    this.old = text;
    this.draw();
    this.box.scrollTo(0, 0);
  }

  // As if it was typed: it can be taken back.
  replace(text) {
    this.text.focus({ preventScroll: true });
    this.text.setSelectionRange(0, this.value.length);
    if (!document.execCommand('insertText', false, text)) {
      this.text.value = text;
      this.text.dispatchEvent(new Event('input'));
    }
  }

  key(e) {
    if (e.key === 'Escape') this.leaving = true;
    else if (e.key === 'Tab' && !this.leaving && !e.shiftKey && !e.ctrlKey && !e.altKey) {
      e.preventDefault();
      if (!document.execCommand('insertText', false, '  '))
        this.text.setRangeText('  ', this.text.selectionStart, this.text.selectionEnd, 'end');
    } else if (e.key !== 'Shift') this.leaving = false;
  }

  forget() {
    for (const m of [this.heat, this.notes, this.marks]) m.clear();
  }

  // Keeps what stands at lines before and after those that changed.
  edited() {
    const a = this.old.split('\n'),
      b = this.value.split('\n');
    let head = 0,
      tail = 0;
    while (head < a.length && head < b.length && a[head] === b[head]) head++;
    while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
    for (const name of ['heat', 'notes', 'marks']) {
      const moved = new Map();
      for (const [line, v] of this[name])
        if (line <= head) moved.set(line, v);
        else if (line > a.length - tail) moved.set(line + b.length - a.length, v);
      this[name] = moved;
    }
    this.old = this.value;
    this.box.classList.add('stale');
    this.draw();
  }

  show(heat, notes, marks) {
    this.heat = heat;
    this.notes = notes;
    this.marks = marks;
    this.box.classList.remove('stale');
    this.draw();
  }

  draw() {
    const paint = document.createDocumentFragment(),
      gutter = document.createDocumentFragment();
    const lines = tokens(this.value);
    lines.forEach((line, i) => {
      const n = i + 1,
        h = this.heat.get(n),
        note = this.notes.get(n),
        mark = this.marks.get(n);
      const row = document.createElement('div'),
        code = document.createElement('div');
      row.className = 'row' + (note ? ' found' : '') + (mark ? ' wrong' : '');
      row.append(part('n', n));
      const share = part('share', h && h.share >= 0.0005 ? (100 * h.share).toFixed(h.share < 0.0995 ? 1 : 0) + ' %' : '');
      if (h) share.style.setProperty('--h', h.share.toFixed(3));
      row.append(
        share,
        part('sect' + (h && h.sectors > 8 ? ' warn' : ''), h && h.sectors ? h.sectors.toFixed(h.sectors < 9.95 ? 1 : 0) : ''),
        part('ways' + (h && h.ways > 1.5 ? ' warn' : ''), h && h.ways ? h.ways.toFixed(h.ways < 9.95 ? 1 : 0) : ''),
      );
      code.className = 'l' + (mark ? ' wrong' : '');
      if (h && h.share >= 0.005) code.style.setProperty('--h', h.share.toFixed(3));
      for (const t of line) code.append(t.kind ? part(t.kind, t.text) : t.text);
      if (!line.length) code.append('\u200b');
      if (mark) code.append(part('ghost wrong', mark));
      else if (note) code.append(part('ghost', note.text));
      gutter.append(row);
      paint.append(code);
    });
    this.gutter.replaceChildren(gutter);
    this.paint.replaceChildren(paint);
  }

  // The caret into the line, the line into view.
  goto(line, focus = true) {
    const lines = this.value.split('\n');
    let at = 0;
    for (let k = 0; k < line - 1 && k < lines.length; k++) at += lines[k].length + 1;
    if (focus) this.text.focus({ preventScroll: true });
    this.text.setSelectionRange(at, at);
    const row = this.gutter.children[line - 1];
    if (!row) return;
    const top = row.offsetTop - this.box.clientHeight / 3;
    this.box.scrollTo({ top, left: 0, behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
    const code = this.paint.children[line - 1];
    code.classList.add('flash');
    setTimeout(() => code.classList.remove('flash'), 1200);
  }
}
