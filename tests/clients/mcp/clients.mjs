// clients.mjs PROGRAM ROOT URL : `warpwise mcp` as the protocol's own client libraries meet it: both generations, both eras, pipes and HTTP.
// Prints TAP. The libraries check every message; structured results are checked against the schemas that warpwise://schemas gives.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';

const [program, root, url] = process.argv.slice(2);
const info = { name: 'warpwise-tests', version: '1.0.0' };
const pipe = { command: program, args: ['mcp', '--root', root], stderr: 'pipe' };
let n = 0, failed = 0;

async function test(text, run) {
  n++;
  try {
    await run();
    console.log(`ok ${n} - ${text}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${n} - ${text}\n# ${String(e?.stack ?? e).split('\n').slice(0, 6).join('\n# ')}`);
  }
}
function want(is, what) {
  if (!is) throw new Error(what);
}

// What differs between the generations: the result's schema is an argument of the first.
const call1 = (c, name, args, options) => c.callTool({ name, arguments: args }, undefined, options);
const call2 = (c, name, args, options) => c.callTool({ name, arguments: args }, options);
const negotiated = mode => ({ versionNegotiation: { mode } });
const ways = [
  ['sdk 1.32, pipe', () => [new Client1(info), new Stdio1(pipe), call1]],
  ['sdk 1.32, HTTP', () => [new Client1(info), new Http1(new URL(url)), call1]],
  ['client 2.4, pipe, handshake', () => [new Client2(info), new Stdio2(pipe), call2]],
  ['client 2.4, HTTP, handshake', () => [new Client2(info), new Http2(new URL(url)), call2]],
  ['client 2.4, pipe, stateless', () => [new Client2(info, negotiated({ pin: '2026-07-28' })), new Stdio2(pipe), call2]],
  ['client 2.4, HTTP, stateless', () => [new Client2(info, negotiated({ pin: '2026-07-28' })), new Http2(new URL(url)), call2]],
  ['client 2.4, pipe, whatever there is', () => [new Client2(info, negotiated('auto')), new Stdio2(pipe), call2]],
  ['client 2.4, HTTP, whatever there is', () => [new Client2(info, negotiated('auto')), new Http2(new URL(url)), call2]],
];

// Calls a tool as `call` does, and holds its result against the tool's schema.
async function checked(client, call) {
  const text = (await client.readResource({ uri: 'warpwise://schemas' })).contents[0].text;
  const ajv = new Ajv({ strict: false });
  const schemas = new Map(JSON.parse(text).map(s => [s.name, ajv.compile({ ...s.outputSchema, additionalProperties: false })]));
  return async (c, name, args) => {
    const r = await call(c, name, args);
    const fits = schemas.get(name);
    want(r.isError || fits(r.structuredContent), `${name}: ${JSON.stringify(fits.errors)}`);
    return r;
  };
}

async function tools(client, plain) {
  const { tools } = await client.listTools();
  const call = await checked(client, plain);
  const names = tools.map(t => t.name).join(' ');
  want(/^list_kernels predict explain fix roofline sweep compare verify_kernels tune_kernel optimize_kernel batch( measure)? evaluate$/.test(names), names);
  want(tools.every(t => t.inputSchema && t.annotations.readOnlyHint === (t.name !== 'measure')), 'schemas and hints');
  const kernels = await call(client, 'list_kernels', { file: 'examples/saxpy.cu' });
  want(kernels.structuredContent.kernels.length === 2, JSON.stringify(kernels));
  want(JSON.stringify(JSON.parse(kernels.content[0].text)) === JSON.stringify(kernels.structuredContent), 'text is the structured result');
  const why = await call(client, 'explain', { file: 'tests/explain/row_sum.cu', gpu: ['h200'] });
  want(why.structuredContent.reports[0].findings[0].rule === 'uncoalesced-load', JSON.stringify(why));
  want(why.content[0].text.length < 3000, `${why.content[0].text.length} characters are long`);
  const both = await call(client, 'compare', { file: 'examples/saxpy.cu', kernel: 'saxpy_strided', other_kernel: 'saxpy', gpu: ['h200'] });
  want(both.structuredContent.comparisons[0].candidates[1].speedup > 2, JSON.stringify(both));
  const roof = await call(client, 'roofline', { file: 'examples/saxpy.cu', plot: 'svg' });
  want(roof.content[1].resource.text.includes('</svg>'), 'no plot');
  const full = await call(client, 'predict', { file: 'examples/saxpy.cu', kernel: 'saxpy', detail: 'full' });
  want(full.structuredContent.full[0].schema_version === 1, JSON.stringify(full));
  const bad = await call(client, 'predict', { file: '../nowhere.cu' });
  want(bad.isError && /no path below/.test(bad.content[0].text), JSON.stringify(bad));
}

async function rest(client) {
  const { resources } = await client.listResources();
  want(resources.some(r => r.uri === 'warpwise://gpus/h200'), 'no h200');
  const gpu = await client.readResource({ uri: 'warpwise://gpus/h200' });
  want(JSON.parse(gpu.contents[0].text).name === 'h200', 'its description');
  want((await client.listResourceTemplates()).resourceTemplates.length === 1, 'templates');
  const prompt = await client.getPrompt({ name: 'why_slow', arguments: { file: 'a.cu' } });
  want(prompt.messages[0].content.text.includes('a.cu'), 'prompt');
  const ends = await client.complete({ ref: { type: 'ref/prompt', name: 'why_slow' }, argument: { name: 'gpu', value: 'a1' } });
  want(ends.completion.values.includes('a100'), 'completion');
  const missing = await client.readResource({ uri: 'warpwise://none' }).then(() => null, e => e);
  want(missing?.code === -32602, `a missing resource: ${missing}`);
}

async function slow(client, call) {
  const seen = [];
  const measured = 'data/corpus-h200.jsonl.zst';
  const done = await call(client, 'evaluate', { measured, limit: 3, by: 'machine' }, { onprogress: p => seen.push(p), timeout: 120000 });
  want(done.structuredContent.launches === 3, JSON.stringify(done));
  want(seen.length && seen.every(p => p.total === 3), `progress: ${JSON.stringify(seen)}`);
  const stop = new AbortController();
  const before = Date.now();
  const options = { signal: stop.signal, onprogress: () => stop.abort(), timeout: 120000 };
  const ended = await call(client, 'evaluate', { measured, by: 'machine' }, options).then(() => 'a result', () => null);
  want(ended === null, 'an aborted call gives no result');
  for (;;) { // until the server has ended it, another would be refused
    const next = await call(client, 'evaluate', { measured, limit: 1, by: 'machine' }, { timeout: 120000 });
    if (!next.isError) break;
    want(/another/.test(next.content[0].text), JSON.stringify(next));
    want(Date.now() - before < 30000, 'the aborted call runs on');
    await new Promise(r => setTimeout(r, 200));
  }
}

for (const [text, make] of ways) {
  const [client, transport, call] = make();
  let open = false;
  await test(`${text}: connects`, async () => {
    await client.connect(transport);
    open = true;
    want(client.getServerVersion()?.name === 'warpwise', 'its name');
    if (/stateless|whatever/.test(text)) want(client.getProtocolEra() === 'modern', `era ${client.getProtocolEra()}`);
  });
  if (!open) continue;
  await test(`${text}: tools`, () => tools(client, call));
  await test(`${text}: resources, prompts, completion`, () => rest(client));
  await test(`${text}: progress, cancellation`, () => slow(client, call));
  await test(`${text}: closes`, () => client.close());
}
process.exitCode = failed ? 1 : 0;
