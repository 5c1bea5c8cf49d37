// client.mjs URL MODEL : `warpwise serve --lm` as OpenAI's own client meets it. URL ends in /v1; MODEL is one that knows nothing, which tries the
// constraints hardest. Prints TAP.
import OpenAI from 'openai';

const [url, model] = process.argv.slice(2);
const client = new OpenAI({ baseURL: url, apiKey: process.env.TOKEN ?? 'any', maxRetries: 0, timeout: 30000 });
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
  if (!is) throw new Error(typeof what === 'string' ? what : JSON.stringify(what));
}
async function refused(request, status, says) {
  try {
    await request;
  } catch (e) {
    want(e.status === status && says.test(e.message), `${e.status} ${e.message}`);
    return;
  }
  throw new Error(`it was answered, not refused with ${status}`);
}
const hello = [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Hello' }];
const ask = more => client.chat.completions.create({ model, messages: hello, max_completion_tokens: 24, seed: 5, ...more });
const schema = {
  type: 'object',
  properties: {
    bottleneck: { enum: ['dram', 'l2', 'fp32'] },
    time_us: { type: 'number' },
    notes: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    fits: { type: ['boolean', 'null'] },
  },
  required: ['bottleneck', 'time_us', 'notes'],
  additionalProperties: false,
};
const json_schema = { type: 'json_schema', json_schema: { name: 'verdict', strict: true, schema } };
const is_verdict = v => schema.properties.bottleneck.enum.includes(v.bottleneck) && typeof v.time_us === 'number' && Array.isArray(v.notes) &&
  v.notes.length <= 3 && v.notes.every(s => typeof s === 'string') && [undefined, null, true, false].includes(v.fits) &&
  Object.keys(v).every(k => k in schema.properties);

await test('models', async () => {
  const list = await client.models.list();
  want(list.data.length === 1 && list.data[0].id === model && list.data[0].object === 'model', list.data);
});
await test('a chat, whole', async () => {
  const a = await ask({});
  const c = a.choices[0];
  want(a.object === 'chat.completion' && a.model === model && a.choices.length === 1 && c.message.role === 'assistant', a);
  want(typeof c.message.content === 'string' && ['stop', 'length'].includes(c.finish_reason), c);
  want(a.usage.completion_tokens <= 24 && a.usage.prompt_tokens > 3 && a.usage.total_tokens === a.usage.prompt_tokens + a.usage.completion_tokens, a.usage);
});
await test('the same seed gives the same answer, as a stream too, with its tokens told', async () => {
  const [a, b] = [await ask({}), await ask({})];
  want(a.choices[0].message.content === b.choices[0].message.content && a.id !== b.id, [a, b]);
  let text = '', role, finish, usage, chunks = 0;
  for await (const chunk of await ask({ stream: true, stream_options: { include_usage: true } })) {
    want(chunk.object === 'chat.completion.chunk' && chunk.model === model, chunk);
    chunks++;
    if (chunk.usage) { usage = chunk.usage; want(chunk.choices.length === 0, chunk); continue; }
    text += chunk.choices[0].delta.content ?? '';
    role ??= chunk.choices[0].delta.role;
    finish ??= chunk.choices[0].finish_reason;
  }
  want(text === a.choices[0].message.content, [text, a]);
  want(role === 'assistant' && finish === a.choices[0].finish_reason && chunks > 3, [role, finish, chunks]);
  want(JSON.stringify(usage) === JSON.stringify(a.usage), usage);
});
await test('another seed, another answer', async () => {
  want((await ask({ seed: 1 })).choices[0].message.content !== (await ask({ seed: 2 })).choices[0].message.content, 'the same');
});
await test("the client's own helper for streams", async () => {
  const runner = client.chat.completions.stream({ model, messages: hello, max_completion_tokens: 12, seed: 5 });
  const a = await runner.finalChatCompletion();
  want(a.choices[0].message.content === (await ask({ max_completion_tokens: 12 })).choices[0].message.content, a);
});
await test('completions, whole and as a stream', async () => {
  const how = { model, prompt: '__global__ void', max_tokens: 16, temperature: 0 };
  const a = await client.completions.create(how);
  want(a.object === 'text_completion' && typeof a.choices[0].text === 'string' && a.usage.prompt_tokens >= 1, a);
  let text = '', finish;
  for await (const c of await client.completions.create({ ...how, stream: true })) { text += c.choices[0].text; finish ??= c.choices[0].finish_reason; }
  want(text === a.choices[0].text && finish === a.choices[0].finish_reason, [text, finish, a]);
});
await test('prompts as tokens, as a list of one', async () => {
  const a = await client.completions.create({ model, prompt: [97, 98], max_tokens: 4 });
  want(a.usage.prompt_tokens === 2, a.usage);
  const b = await client.completions.create({ model, prompt: ['ab'], max_tokens: 4 });
  want(b.usage.prompt_tokens >= 1, b.usage);
});
await test('content in parts, a developer, an answer before', async () => {
  const a = await client.chat.completions.create({ model, max_tokens: 3, messages: [{ role: 'developer', content: 'x' }, { role: 'user', content: [{ type: 'text', text: 'a' },
    { type: 'text', text: 'b' }] }, { role: 'assistant', content: 'c' }, { role: 'user', content: 'd' }] });
  want(a.choices[0].message.role === 'assistant', a);
});
await test('json_schema: 12 answers of it', async () => {
  for (let seed = 0; seed < 12; seed++) {
    const a = await ask({ seed, max_completion_tokens: 60 + 10 * seed, response_format: json_schema });
    want(is_verdict(JSON.parse(a.choices[0].message.content)), a);
  }
});
await test('json_object, as a stream', async () => {
  for (let seed = 0; seed < 6; seed++) {
    let text = '';
    for await (const c of await ask({ seed, max_completion_tokens: 50, response_format: { type: 'json_object' }, stream: true })) text += c.choices[0]?.delta?.content ?? '';
    want(JSON.parse(text) !== null && !Array.isArray(JSON.parse(text)), text);
  }
});
await test('stop ends the answer and is left out', async () => {
  const whole = (await ask({ temperature: 0 })).choices[0].message.content;
  const at = Math.floor(whole.length / 2), stop = whole.slice(at, at + 2);
  if (/\ufffd/.test(stop)) return;
  const a = await ask({ temperature: 0, stop: ['never this', stop] });
  want(a.choices[0].finish_reason === 'stop' && a.choices[0].message.content === whole.slice(0, whole.indexOf(stop)), [whole, stop, a]);
  let text = '';
  for await (const c of await ask({ temperature: 0, stop, stream: true })) text += c.choices[0]?.delta?.content ?? '';
  want(text === whole.slice(0, whole.indexOf(stop)), [text, whole, stop]);
});
await test('two at once', async () => {
  const [a, b, c] = await Promise.all([ask({}), ask({}), ask({ stream: true })]);
  want(a.choices[0].message.content === b.choices[0].message.content, [a, b]);
  let text = '';
  for await (const chunk of c) text += chunk.choices[0]?.delta?.content ?? '';
  want(text === a.choices[0].message.content, [text, a]);
});
await test('a client that leaves in the middle frees the server', async () => {
  // An answer that takes very long, so that the next one comes soon only if this one ended.
  const long = { max_completion_tokens: 100000, response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array', items: { type: 'integer' }, minItems: 900 } } } };
  let chunks = 0;
  const stream = await ask({ ...long, stream: true });
  for await (const c of stream) if (++chunks === 5 && c) stream.controller.abort();
  const begun = Date.now();
  await ask({ max_completion_tokens: 2 });
  want(Date.now() - begun < 2000, `${Date.now() - begun} ms`);
});
await test('another model', () => refused(ask({ model: 'gpt-none' }), 404, /no model `gpt-none` here; this server has/));
const tools = ['sweep', 'stop'].map((name) => ({
  type: 'function',
  function: { name, description: 'a tool', parameters: { type: 'object', properties: { range: { type: 'string' }, points: { type: 'integer' } }, required: ['points'], additionalProperties: false } },
}));
await test('tools: what must be called can be read', async () => {
  for (const [tool_choice, name] of [['required', /^(sweep|stop)$/], [{ type: 'function', function: { name: 'stop' } }, /^stop$/]]) {
    const answer = await ask({ tools, tool_choice, max_completion_tokens: 60 });
    const [call] = answer.choices[0].message.tool_calls;
    want(answer.choices[0].finish_reason === 'tool_calls' && name.test(call.function.name), JSON.stringify(answer.choices));
    want(Number.isInteger(JSON.parse(call.function.arguments).points), call.function.arguments);
  }
});
await test('tools: results of calls are read, auto and none answer', async () => {
  const call = { id: 'c1', type: 'function', function: { name: 'sweep', arguments: '{"points":3}' } };
  const messages = [{ role: 'user', content: 'how fast?' }, { role: 'assistant', content: null, tool_calls: [call] }, { role: 'tool', tool_call_id: 'c1', content: '3 us' }];
  for (const tool_choice of ['auto', 'none']) {
    const { message } = (await ask({ messages, tools, tool_choice, max_completion_tokens: 60 })).choices[0];
    want(typeof message.content === 'string' || (tool_choice === 'auto' && message.tool_calls), JSON.stringify(message));
  }
});
await test('tools: a call in a stream comes whole', async () => {
  let call;
  for await (const part of await ask({ tools, tool_choice: 'required', stream: true, max_completion_tokens: 60 })) call ??= part.choices[0]?.delta.tool_calls?.[0];
  want(Number.isInteger(JSON.parse(call.function.arguments).points), JSON.stringify(call));
});
await test('what is not served', async () => {
  await refused(ask({ n: 2 }), 400, /`n`/);
  await refused(ask({ tools: [{ type: 'function', function: {} }] }), 400, /tools/);
  await refused(ask({ tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: { type: 'function', function: { name: 'g' } } }), 400, /tool_choice/);
  await refused(ask({ logprobs: true }), 400, /logprobs/);
  await refused(ask({ frequency_penalty: 1 }), 400, /penalties/);
  await refused(ask({ logit_bias: { 5: 1 } }), 400, /logit_bias/);
});
await test('what makes no sense', async () => {
  await refused(ask({ temperature: 9 }), 400, /temperature/);
  await refused(ask({ max_completion_tokens: 0 }), 400, /max_completion_tokens/);
  await refused(ask({ stop: [1] }), 400, /stop/);
  await refused(ask({ messages: [] }), 400, /messages/);
  await refused(ask({ messages: [{ role: 'robot', content: 'x' }] }), 400, /role/);
  await refused(ask({ messages: [{ role: 'user', content: 'x '.repeat(20000) }] }), 400, /the model reads/);
  await refused(client.completions.create({ model, prompt: [1e9] }), 400, /prompt/);
  await refused(client.completions.create({ model, prompt: ['a', 'b'] }), 400, /prompt/);
});
await test('schemas that cannot be followed', async () => {
  const of = s => ask({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema: s } } });
  await refused(of({ type: 'string', pattern: 'a+' }), 400, /pattern/);
  await refused(of({ $ref: 'http://example.com/x.json' }), 400, /refers to/);
  await refused(of({ const: 'x'.repeat(5000) }), 400, /room for/);
  await refused(ask({ response_format: { type: 'xml' } }), 400, /response_format/);
});
await test('an error within a stream', async () => {
  try {
    for await (const c of await ask({ stream: true, response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { const: 'x'.repeat(5000) } } } })) want(c, '');
  } catch (e) {
    want(/room for/.test(e.message), e.message);
    return;
  }
  throw new Error('the stream came to its end');
});
console.log(`1..${n}`);
process.exit(failed ? 1 : 0);
