// page.mjs PROGRAM : the page of `warpwise serve` in a real browser. Prints TAP. With PICTURES=FOLDER it also writes pictures there.
//
// Everything goes through the page as a person meets it; the server is the built program, the browser Debian's chromium.

import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, mkdirSync, writeFileSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const program = process.argv[2],
  pictures = process.env.PICTURES;
const dir = mkdtempSync(join(tmpdir(), 'warpwise-page-'));
let n = 0,
  bad = 0;

function report(text, problem) {
  n++;
  if (problem) bad = 1;
  console.log(`${problem ? 'not ok' : 'ok'} ${n} - ${text}`);
  if (problem) console.log(String(problem).slice(0, 1500).replace(/^/gm, '# '));
}

async function test(text, body) {
  try {
    report(text, await body());
  } catch (e) {
    report(text, e.stack || e);
  }
}

const expect = (ok, what) => (ok ? '' : what);

// ---- servers ----

const servers = [];

function serve(...options) {
  const child = spawn(program, ['serve', '--port', '0', '--root', join(dir, 'root'), ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (d) => {
      said += d;
      if (said.includes('\n')) resolve(said.trim());
    });
    child.on('exit', () => reject(new Error('the server ended: ' + said)));
  });
}

mkdirSync(join(dir, 'root', 'sub'), { recursive: true });
const scale = `// warpwise: grid=n/256 block=256 n=1<<20 x=[n] y=[n]
__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = 2.0f * x[i];
}
`;
writeFileSync(join(dir, 'root', 'sub', 'scale.cu'), scale);
writeFileSync(
  join(dir, 'root', 'hostile.cu'),
  scale.replace('scale(', 'evil(').replace('// warpwise', '// <img src=x onerror="document.title=1">\n// warpwise'),
);
writeFileSync(join(dir, 'root', 'notes.txt'), 'no kernel');

const url = await serve();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});

// A page that notes what should never happen.
async function open(where, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.wrong = [];
  page.asked = [];
  page.on('console', (m) => {
    if (m.type() === 'error' && !/status of 4(22|00|01)/.test(m.text())) page.wrong.push(m.text());
  });
  page.on('pageerror', (e) => page.wrong.push(e.stack));
  page.on('request', (r) => page.asked.push(r.url()));
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (e) => window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
  });
  await page.goto(where);
  return page;
}

const settled = (page) =>
  page.waitForFunction(
    () => !document.body.classList.contains('stale') && document.querySelector('#results').getAttribute('aria-busy') === 'false',
    null,
    { timeout: 60000 },
  );
const sweptOut = (page) =>
  page.waitForFunction(
    () => document.querySelector('#sweep-state').textContent === '' && document.querySelector('#sweep').children.length > 0,
    null,
    { timeout: 90000 },
  );
const shows = (page, what) => page.locator(what).first().innerText();
async function type(page, text) {
  await page.locator('#text').fill(text);
  await settled(page);
}

// ---- what a person does ----

const page = await open(url);
await settled(page);

await test('an example is there at once, with times and intervals', async () => {
  const tiles = await page.locator('.tile').allInnerTexts();
  return expect(tiles.length === 2 && tiles.every((t) => /\d (µs|ms)\s+[\d.]+ (µs|ms) … [\d.]+ (µs|ms)/.test(t)), JSON.stringify(tiles));
});
await test('heat beside the source: share, sectors per request', async () => {
  const hot = await page.evaluate(
    () =>
      [...document.querySelectorAll('#gutter .row')]
        .map((r) => [...r.children].map((c) => c.textContent))
        .sort((a, b) => parseFloat(b[1] || 0) - parseFloat(a[1] || 0))[0],
  );
  const line = await page.evaluate((k) => document.querySelector('#text').value.split('\n')[k - 1], Number(hot[0]));
  return expect(parseFloat(hot[1]) > 50 && Number(hot[2]) >= 1 && /sum \+=/.test(line), JSON.stringify([hot, line]));
});
await test('findings with gain and line; a click goes there', async () => {
  const text = await shows(page, '.findings li');
  await page.locator('.findings .link').first().click();
  const at = await page.evaluate(
    () => document.querySelector('#text').value.slice(0, document.querySelector('#text').selectionStart).split('\n').length,
  );
  return expect(/^\d+(\.\d+)?×/.test(text) && text.includes('line ' + at) && /redundant-load/.test(text), text + ' at ' + at);
});
await test('roofline: the roofs of both GPUs, a mark for each', async () => {
  const marks = await page.locator('#roofline .mark').count(),
    roofs = await page.locator('#roofline .roof').count(),
    names = await page.locator('#roofline .name').allTextContents();
  return expect(marks === 2 && roofs >= 8 && names.some((t) => /DRAM 4\.8 TB\/s/.test(t)), `${marks} ${roofs} ${names}`);
});
await test('time over size: a curve for each GPU', async () => {
  await sweptOut(page);
  const legend = await page.locator('#sweep').innerText(),
    canvas = await page.locator('#sweep canvas').count(),
    plain = await page.locator('#sweep svg .curve').count();
  return expect(
    (canvas === 1 && /h200\s*[\d.]+ [µm]s \(/.test(legend) && /a100\s*[\d.]+ [µm]s \(/.test(legend) && !/Value/.test(legend)) ||
      plain === 2,
    `${canvas} ${plain} ${legend}`,
  );
});
await test('what is assumed is named', async () =>
  expect(/random numbers in \[0, 1\)/.test(await shows(page, '#assumed')), await shows(page, '#assumed')));
if (pictures) {
  await page.evaluate(() => document.querySelector('#text').blur());
  await page.evaluate(() => document.querySelector('#editor').scrollTo(0, 0));
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(pictures, 'page-light.png') });
}

await test('another kernel of the text: bank conflicts beside the source', async () => {
  await page.locator('#open').selectOption('e:transpose.cu');
  await settled(page);
  await page.locator('#kernel').selectOption('tiled');
  await settled(page);
  const ways = await page.evaluate(() => [...document.querySelectorAll('#gutter .row .ways')].map((e) => Number(e.textContent)));
  return expect(Math.max(...ways) === 32 && /bank-conflict/.test(await shows(page, '#findings')), ways.join(' '));
});

await test('typing changes the report', async () => {
  await page.locator('#open').selectOption('f:sub/scale.cu');
  await settled(page);
  const before = await shows(page, '.tile .figure');
  await page.locator('#text').focus();
  await page.evaluate(() => {
    const t = document.querySelector('#text'),
      at = t.value.indexOf('x[i]');
    t.setSelectionRange(at, at + 4);
  });
  await page.keyboard.type('x[i * 32 % n]', { delay: 20 });
  await settled(page);
  const after = await shows(page, '.tile .figure');
  const sect = await page.evaluate(() => document.querySelectorAll('#gutter .row')[3].querySelector('.sect').textContent);
  return expect(
    before !== after && Number(sect) > 8 && /uncoalesced-load/.test(await shows(page, '#findings')),
    `${before} -> ${after}, ${sect}`,
  );
});

await test('a late answer about an older text is never shown', async () => {
  // The first explain is held back until the second has been shown.
  let held,
    first = true;
  await page.route('**/v1/explain', async (route) => {
    if (!first) return route.continue();
    first = false;
    const answer = await route.fetch();
    held = new Promise((done) => setTimeout(done, 2500)).then(() => route.fulfill({ response: answer }).catch(() => {}));
  });
  await page.locator('#text').fill(scale.replace('1<<20', '1<<26'));
  await page.waitForTimeout(700);
  await page.locator('#text').fill(scale.replace('1<<20', '1<<12'));
  await settled(page);
  const small = await shows(page, '.tile .figure');
  await held;
  await page.waitForTimeout(300);
  await page.unroute('**/v1/explain');
  const still = await shows(page, '.tile .figure');
  return expect(/ µs/.test(small) && small === still, `${small} then ${still}`);
});

await test('while it is typed the old answer is marked, and heat leaves the line that changed', async () => {
  await type(page, scale);
  await page.route('**/v1/kernels', (route) => setTimeout(() => route.continue(), 1500));
  await page.locator('#text').fill(scale.replace('2.0f', '3.0f'));
  const now = await page.evaluate(() => [
    document.body.classList.contains('stale'),
    document.querySelectorAll('#gutter .row')[3].querySelector('.share').textContent,
    document.querySelector('#results').getAttribute('aria-busy'),
  ]);
  await page.unroute('**/v1/kernels');
  await settled(page);
  return expect(now[0] && now[1] === '' && now[2] === 'true', JSON.stringify(now));
});

await test('a source that does not compile: the message, at its line, and no old numbers', async () => {
  await type(page, scale.replace('2.0f * x[i]', 'unknown * x[i]'));
  const text = await shows(page, '#error'),
    answer = await page.locator('#answer').isVisible(),
    marked = await page.locator('#gutter .row.wrong .n').allInnerTexts();
  return expect(/undeclared identifier 'unknown'/.test(text) && !answer && marked.join() === '4', `${text} ${answer} ${marked}`);
});

await test('the launch is typed: grid, block, arguments', async () => {
  await type(page, scale);
  const before = await shows(page, '.tile .figure');
  await page.locator('#args').fill('n=1<<24');
  await settled(page);
  const after = await shows(page, '.tile .figure'),
    used = await shows(page, '#used');
  await page.locator('#block').fill('512');
  await page.locator('#grid').fill('n/512');
  await settled(page);
  const shape = await shows(page, '#used');
  return expect(
    before !== after && /n = 16777216/.test(used) && /grid 32768, block 512/.test(shape),
    `${before} -> ${after}; ${used}; ${shape}`,
  );
});
await test('a launch that makes no sense is said', async () => {
  await page.locator('#args').fill('nothing=4');
  await settled(page);
  const text = await shows(page, '#error');
  await page.locator('#args').fill('');
  await settled(page);
  return expect(/nothing/.test(text), text);
});

await test('GPUs are chosen; one that cannot run it says why', async () => {
  await page.locator('#gpus summary').click();
  for (const g of ['a100', 'h100', 'mi300x']) await page.locator(`#gpu-list input[value=${g}]`).click();
  await page.keyboard.press('Escape');
  await settled(page);
  const tiles = await page.locator('.tile').allInnerTexts();
  return expect(
    tiles.length === 3 &&
      /warps of 32 lanes/.test(tiles.join()) &&
      tiles.filter((t) => /µs/.test(t)).length === 2 &&
      !(await page.locator('#gpus').getAttribute('open')),
    JSON.stringify(tiles),
  );
});

await test('keyboard alone: into the text, out of it, along the GPUs', async () => {
  await page.locator('#text').focus();
  await page.keyboard.press('Tab');
  const inside = await page.evaluate(() => document.activeElement.id);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  const outside = await page.evaluate(() => document.activeElement.id);
  await settled(page);
  await page.locator('.tile[aria-checked=true]').focus();
  const was = await page.locator('.tile[aria-checked=true] .gpu').innerText();
  await page.keyboard.press('ArrowRight');
  const now = await page.locator('.tile[aria-checked=true] .gpu').innerText();
  return expect(inside === 'text' && outside !== 'text' && was !== now, `${inside} ${outside} ${was} ${now}`);
});

await test('a text with markup is shown as text', async () => {
  await page.locator('#open').selectOption('f:hostile.cu');
  await settled(page);
  return expect(
    (await page.title()) === 'Warpwise' &&
      (await page.locator('#paint img').count()) === 0 &&
      /<img/.test(await page.locator('#paint').innerText()),
    await page.title(),
  );
});

await test('OpenCL, HIP and OpenMP examples are answered', async () => {
  const all = [];
  for (const f of ['spmv.cl', 'reduce.hip', 'stencil.c']) {
    await page.locator('#open').selectOption('e:' + f);
    await settled(page);
    all.push(
      `${f} ${await page.locator('.tile .figure').count()} ${(await page.locator('#error').isVisible()) ? await page.locator('#error').innerText() : ''}`,
    );
  }
  return expect(
    all.every((t) => / [1-3] $/.test(t)),
    all.join('; '),
  );
});

// ---- links, versions, edits, what it is compiled to ----

const box = (p) => p.evaluate(() => document.querySelector('#text').value);

await test('a link holds the source, the kernel, its launch and the GPUs', async () => {
  await page.locator('#open').selectOption('e:transpose.cu');
  await settled(page);
  await page.locator('#kernel').selectOption('tiled');
  await settled(page);
  await type(page, '// é\n' + (await box(page)));
  await page.locator('#args').fill('n=2048');
  await settled(page);
  await page.locator('#link').click();
  await page.waitForFunction(() => location.hash.length > 20);
  const link = page.url(),
    other = await open(link);
  await settled(other);
  const seen = [
    (await box(other)) === (await box(page)),
    await other.locator('#kernel').inputValue(),
    await other.locator('#args').inputValue(),
    (await other.locator('.tile').allInnerTexts()).length === (await page.locator('.tile').allInnerTexts()).length,
    await other.locator('#file-name').innerText(),
    link.includes('#z='),
    (await shows(other, '.tile .figure')) === (await shows(page, '.tile .figure')),
  ];
  const wrong = other.wrong;
  await other.context().close();
  await page.evaluate(() => history.replaceState(null, '', location.pathname));
  return expect(JSON.stringify(seen) === JSON.stringify([true, 'tiled', 'n=2048', true, 'transpose.cu', true, true]) && !wrong.length, JSON.stringify([seen, wrong, link.length]));
});
await test('one that is not packed is read; one that cannot be read says so, and runs nothing', async () => {
  const what = { file: '../<b>x.cu', text: scale, kernel: 'scale', gpus: ['a100', 'nope', 'a100'], launch: { args: 'n=1<<22' } },
    plain = await open(url + '#j=' + Buffer.from(JSON.stringify(what)).toString('base64url'));
  await settled(plain);
  const used = await shows(plain, '#used'),
    tiles = await plain.locator('.tile').count(),
    name = await plain.locator('#file-name').innerText();
  await plain.context().close();
  const bomb = deflateRawSync(JSON.stringify({ file: 'x.cu', text: 'x'.repeat(3 << 20) })).toString('base64url'),
    said = [],
    wrong = [];
  for (const packed of ['AAAA', bomb]) {
    const broken = await open(url + '#z=' + packed);
    await broken.locator('#error').waitFor({ state: 'visible' });
    said.push(await shows(broken, '#error'));
    wrong.push(...broken.wrong);
    await broken.context().close();
  }
  const refused = said.every((s) => /link cannot be read/.test(s)) && /too much/.test(said[1]);
  return expect(/n = 4194304/.test(used) && tiles === 1 && !name.includes('<') && refused && !wrong.length, `${used} ${tiles} ${name} ${said} ${wrong}`);
});

await test('a source too long for a link: it says so, and the address stays', async () => {
  const was = page.url(),
    noise = Array.from({ length: 100 }, () => '// ' + randomBytes(500).toString('hex')).join('\n'); // packs to the half
  await type(page, noise + '\n' + scale);
  await page.locator('#link').click();
  await page.waitForFunction(() => /^no link/.test(document.querySelector('#status').textContent));
  const said = await shows(page, '#status');
  return expect(/would have \d+ KB, more than the 64 KB/.test(said) && page.url() === was, `${said} ${page.url()}`);
});

await test('an edit that the server knows is applied by a button, and before stands beside after', async () => {
  await page.locator('#open').selectOption('e:transpose.cu');
  await settled(page);
  await page.locator('#kernel').selectOption('tiled');
  await settled(page);
  await page.locator('.apply').first().waitFor({ timeout: 30000 });
  const before = await box(page);
  await page.locator('.apply').first().click();
  await settled(page);
  await page.locator('#versions').waitFor({ state: 'visible', timeout: 30000 });
  const after = await box(page),
    numbers = await shows(page, '#version-numbers'),
    gone = await page.locator('#version-text .gone').allInnerTexts(),
    came = await page.locator('#version-text .came').allInnerTexts(),
    costs = await page.locator('#version-text td.warn').allInnerTexts();
  if (pictures) await page.screenshot({ path: join(pictures, 'page-versions.png') });
  await page.locator('#text').focus();
  await page.keyboard.press('Control+z');
  await settled(page);
  const undone = await box(page);
  await page.locator('#versions').waitFor({ state: 'visible', timeout: 30000 });
  const same = await shows(page, '#version-text');
  await page.locator('.apply').first().click();
  await settled(page);
  await page.locator('#restore').click();
  await settled(page);
  const back = await box(page);
  await page.locator('#forget').click();
  const hidden = !(await page.locator('#versions').isVisible());
  return expect(
    before !== after && undone === before && /text is the same/.test(same) && back === before && hidden && /faster on \w+: .*because shared memory takes less/.test(numbers) &&
      /time_us/.test(numbers) && costs.some((t) => /[µm]s/.test(t)) && gone.length === came.length && gone.length > 0 && gone[0] !== came[0],
    `${numbers} ${gone} ${came} ${costs} ${hidden} ${undone === before} ${same}`,
  );
});

await test('two versions by hand: what is typed is compared with what was kept', async () => {
  await page.locator('#open').selectOption('f:sub/scale.cu');
  await settled(page);
  await page.locator('#keep').click();
  await settled(page);
  await type(page, scale.replace('x[i]', 'x[i * 32 % n]'));
  await page.waitForFunction(() => /slower/.test(document.querySelector('#version-numbers').innerText), null, { timeout: 30000 });
  const numbers = await shows(page, '#version-numbers'),
    came = await page.locator('#version-text .came').allInnerTexts();
  await page.locator('#keep').click();
  const dear = await page.locator('#version-text tr:has(td.came) td.warn').allInnerTexts();
  return expect(
    /before\s+after\s+change/.test(numbers) && /because \w+.* takes more; it (is still|was) bound by/.test(numbers) && /global_ld|sectors/.test(numbers) && came.length === 1 && /i \* 32/.test(came[0]) && dear.length === 1,
    numbers + came + dear,
  );
});

await test('what it is compiled to, beside the source lines', async () => {
  await type(page, scale);
  await page.locator('#compiled summary').click();
  await page.locator('table.instructions').waitFor({ timeout: 30000 });
  const rows = await page.locator('table.instructions tr').allInnerTexts();
  if (pictures) await page.locator('#compiled').screenshot({ path: join(pictures, 'page-compiled.png') });
  await page.locator('#as').selectOption('ptx');
  await page.waitForFunction(() => /st\.global\.f32|here is no nvcc/.test(document.querySelector('#instructions').innerText), null, { timeout: 60000 });
  const ptx = await page.locator('#instructions').innerText(),
    places = await page.locator('table.instructions tr').allInnerTexts();
  await page.locator('#as').selectOption('ir');
  await page.locator('#compiled summary').click();
  const there = ptx.includes('no nvcc') || /^4\s[^]*ld\.global[^]*st\.global/.test(places.find((r) => /2\.0f \* x\[i\]/.test(r)));
  const row = rows.find((r) => /2\.0f \* x\[i\]/.test(r)) || '';
  return expect(/ld\.global f32/.test(row) && /st\.global f32/.test(row) && /^4\s/.test(row) && there, rows.join(' | ') + ptx);
});

await test('contents of buffers are chosen, and stand in the arguments and in the link', async () => {
  const gather = `// warpwise: grid=n/256 block=256 n=1<<20 at=[n]:index x=[n] y=[n]
__global__ void gather(const int *at, const float *x, float *y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = x[at[i]];
}
`;
  const args = page.locator('#args'),
    at = page.locator('#contents-list [data-buffer=at]'),
    us = async () => (await shows(page, '.tile .figure')) + (await shows(page, '#findings'));
  await type(page, gather);
  await page.locator('#contents summary').click();
  const found = await at.locator('option:checked').innerText(),
    near = await us();
  if (pictures) await page.screenshot({ path: join(pictures, 'page-contents.png') });
  await at.selectOption('permutation');
  await settled(page);
  const typed = await args.inputValue(),
    far = await us(),
    used = await shows(page, '#used');
  await at.selectOption('uniform(0,n)');
  await settled(page);
  const uniform = await args.inputValue();
  await args.fill('n=1<<20 at=[n]:zeros:offset(0) x=[n]:ones');
  await settled(page);
  const shown = await at.inputValue();
  await at.selectOption('index');
  await settled(page);
  const kept = await args.inputValue();
  await at.selectOption('');
  await page.locator('#contents-list [data-buffer=x]').selectOption('');
  await settled(page);
  const sizes = await args.inputValue();
  await page.keyboard.press('Escape');
  await args.fill('');
  await settled(page);
  return expect(
    found === 'as found: index' && typed === 'at=[]:permutation' && far !== near && /uncoalesced-load/.test(far) && !/uncoalesced/.test(near) && /at: 4\.19 MB/.test(used) &&
      uniform === 'at=[]:uniform(0,n)' && shown === 'zeros' && kept === 'n=1<<20 x=[n]:ones at=[n]:index:offset(0)' && sizes === 'n=1<<20 at=[n]:offset(0) x=[n]',
    JSON.stringify([found, typed, near, far, used, uniform, shown, kept, sizes]),
  );
});

await test('a pasted text gets a name of its own, and a kernel that can run', async () => {
  const text = `__global__ void cannot(float *x) { x[0] = unknown; }\n` + scale;
  await page.evaluate((t) => {
    const box = document.querySelector('#text'),
      data = new DataTransfer();
    data.setData('text/plain', t);
    box.focus();
    box.select();
    box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await settled(page);
  const name = await page.locator('#file-name').innerText(),
    kernel = await page.locator('#kernel').inputValue(),
    tiles = await page.locator('.tile .figure').count();
  return expect(name === 'cannot.cu' && kernel === 'scale' && tiles >= 1 && (await box(page)) === text, `${name} ${kernel} ${tiles}`);
});

await test('nothing was blocked by the page’s policy, no error on its console, nothing asked elsewhere', async () => {
  const violations = await page.evaluate(() => window.violations);
  const away = page.asked.filter((u) => !u.startsWith(url) && !u.startsWith('blob:' + url.slice(0, -1)));
  return expect(!violations.length && !page.wrong.length && !away.length, JSON.stringify([violations, page.wrong, away]));
});
await test('the policy: no inline script, nothing from elsewhere', async () => {
  const policy = (await page.request.get(url)).headers()['content-security-policy'];
  const ran = await page.evaluate(() => {
    const s = document.createElement('script');
    s.textContent = 'window.ran = 1';
    document.body.append(s);
    return window.ran;
  });
  return expect(/default-src 'none'/.test(policy) && !/unsafe/.test(policy) && ran === undefined, policy + ran);
});

// ---- the report to pass on ----

let saved = '';
await test('the export is downloaded', async () => {
  await page.locator('#open').selectOption('e:matmul.cu');
  await settled(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
  saved = join(dir, download.suggestedFilename());
  await download.saveAs(saved);
  return expect(/^matmul-naive\.html$/.test(download.suggestedFilename()), saved);
});
async function checkExport(file, kernel) {
  const p = await open('file://' + file, { offline: true, colorScheme: 'light' });
  const text = await p.locator('body').innerText();
  const seen = {
    text: [kernel, 'What to change', 'Where the time goes', 'Report', 'Assumed', 'How it was made', 'Warpwise 0.'].filter(
      (w) => !text.includes(w),
    ),
    svg: await p.locator('figure svg').count(),
    heat: await p.locator('.code .share[style]').count(),
    scripts: await p.locator('script,link,img,iframe').count(),
    asked: p.asked.filter((u) => u !== 'file://' + file),
    violations: await p.evaluate(() => window.violations),
    wrong: p.wrong,
  };
  if (pictures && kernel === 'naive') await p.screenshot({ path: join(pictures, 'export.png') });
  await p.context().close();
  return expect(
    !seen.text.length &&
      seen.svg === 1 &&
      seen.heat > 1 &&
      !seen.scripts &&
      !seen.asked.length &&
      !seen.violations.length &&
      !seen.wrong.length,
    JSON.stringify(seen),
  );
}
await test('it opens from disk: whole, no script, nothing asked of a network', () => checkExport(saved, 'naive'));
await test('`explain --html` writes the same kind of file, without paths of this machine', async () => {
  const out = join(dir, 'command.html');
  const r = spawnSync(program, ['explain', join(dir, 'root', 'sub', 'scale.cu'), '--gpu', 'h200', '--html', out], { encoding: 'utf8' });
  if (r.status !== 0 || !existsSync(out)) return r.stderr || 'no file';
  return (await checkExport(out, 'scale')) || expect(!readFileSync(out, 'utf8').includes(dir), 'it names ' + dir);
});

// ---- dark ----

await test('dark, by the system and by the button', async () => {
  const p = await open(url, { colorScheme: 'dark' });
  await settled(p);
  await sweptOut(p);
  const dark = await p.evaluate(() => getComputedStyle(document.body).backgroundColor);
  if (pictures) {
    await p.locator('#open').selectOption('e:transpose.cu');
    await settled(p);
    await p.locator('#kernel').selectOption('tiled');
    await settled(p);
    await sweptOut(p);
    await p.waitForTimeout(1500);
    await p.screenshot({ path: join(pictures, 'page-dark.png') });
  }
  await p.locator('#theme').click();
  const light = await p.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await p.context().close();
  const level = (c) =>
    c
      .match(/\d+/g)
      .slice(0, 3)
      .reduce((a, b) => a + Number(b), 0);
  return expect(level(dark) < 150 && level(light) > 600, `${dark} ${light}`);
});

await test('a build without uPlot: the curves are drawn plainly', async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } }),
    p = await context.newPage();
  await p.route('**/page/uplot.*', (route) =>
    route.fulfill({ body: '', contentType: route.request().url().endsWith('.js') ? 'text/javascript' : 'text/css' }),
  );
  await p.goto(url);
  await settled(p);
  await sweptOut(p);
  const curves = await p.locator('#sweep svg .curve').count(),
    said = await p.locator('footer').innerText();
  await context.close();
  return expect(curves === 2 && /without uPlot/.test(said), `${curves} ${said}`);
});

await test('a narrow window: one column, nothing wider than it', async () => {
  const p = await open(url, { viewport: { width: 480, height: 900 } });
  await settled(p);
  const wide = await p.evaluate(() => document.documentElement.scrollWidth);
  await p.context().close();
  return expect(wide <= 480, `${wide} px`);
});

// ---- who may ask ----

await test('a page of another site gets nothing', async () => {
  const other = createServer((_, r) => r.setHeader('Content-Type', 'text/html').end('<title>other</title>'));
  await new Promise((done) => other.listen(0, '127.0.0.1', done));
  const p = await (await browser.newContext()).newPage();
  await p.goto(`http://127.0.0.1:${other.address().port}/`);
  const got = await p.evaluate(async (server) => {
    const tries = [
      fetch(server + 'v1/gpus'),
      fetch(server + 'v1/predict', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"file":"sub/scale.cu"}' }),
      fetch(server + 'v1/files', { mode: 'no-cors' }).then((r) => {
        if (r.type === 'opaque') throw Error('opaque');
        return r;
      }),
    ];
    return (await Promise.allSettled(tries)).map((t) => t.status);
  }, url);
  await p.setContent(`<iframe src="${url}"></iframe>`);
  await p.waitForTimeout(300);
  const framed = await p
    .frames()[1]
    .evaluate(() => document.querySelector('#text') !== null)
    .catch(() => false);
  await p.context().close();
  other.close();
  return expect(got.every((s) => s === 'rejected') && !framed, `${got} ${framed}`);
});

const secret = '0123456789abcdef0123456789abcdef';
writeFileSync(join(dir, 'token'), secret + '\n');
const guarded = await serve('--token-file', join(dir, 'token'));
await test('a token in the fragment is used, and leaves the address', async () => {
  const p = await open(guarded + '#token=' + secret);
  await settled(p);
  const tiles = await p.locator('.tile').count(),
    at = p.url(),
    kept = await p.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]));
  const sent = p.asked.filter((u) => u.includes(secret));
  await p.context().close();
  return expect(tiles === 2 && at === guarded && !kept.includes(secret) && !sent.length, `${tiles} ${at} ${sent}`);
});
await test('without one the page asks, and goes on with the right one', async () => {
  const p = await open(guarded);
  await p.locator('#token').waitFor({ state: 'visible' });
  await p.locator('#token').fill('wrong wrong wrong');
  await p.keyboard.press('Enter');
  await p.waitForTimeout(500);
  const again = await p.locator('#token').isVisible(),
    tiles = await p.locator('.tile').count();
  await p.locator('#token').fill(secret);
  await p.keyboard.press('Enter');
  await settled(p);
  const after = await p.locator('.tile').count();
  await p.context().close();
  return expect(again && tiles === 0 && after === 2, `${again} ${tiles} ${after}`);
});

await browser.close();
for (const s of servers) s.kill('SIGTERM');
rmSync(dir, { recursive: true, force: true });
console.log(`1..${n}`);
process.exitCode = bad;
