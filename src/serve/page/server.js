// server.js - asks the server, with its token where it has one. The token is kept in memory alone.

import { $ } from './parts.js';

let token = '';
const fragment = new URLSearchParams(location.hash.slice(1));
if (fragment.has('token')) {
  // from now on in memory alone: not in the history, not in what is copied from the address bar
  token = fragment.get('token');
  fragment.delete('token');
  history.replaceState(null, '', location.pathname + (fragment.size ? '#' + fragment : ''));
}

export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    Object.assign(this, { status, at: error });
  }
}

function askToken() {
  return new Promise((resolve) => {
    const d = $('token-dialog');
    d.addEventListener(
      'close',
      () => {
        token = $('token').value.trim();
        $('token').value = '';
        resolve();
      },
      { once: true },
    );
    if (!d.open) d.showModal();
  });
}

let asking = null; // one dialog for all who wait

export async function ask(path, body, signal, as = 'json') {
  const headers = token ? { Authorization: 'Bearer ' + token } : {};
  if (body) headers['Content-Type'] = 'application/json';
  const r = await fetch(path, {
    method: body ? 'POST' : 'GET',
    headers,
    signal,
    body: body && JSON.stringify(body),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
  if (r.status === 401) {
    asking =
      asking ||
      askToken().finally(() => {
        asking = null;
      });
    await asking;
    if (signal && signal.aborted) throw new DOMException('', 'AbortError');
    return ask(path, body, signal, as);
  }
  if (r.ok && as === 'text') return r.text();
  const answer = await r.json();
  if (!r.ok && !answer.reports) throw new Refused(r.status, answer.error || { message: 'the server answers ' + r.status });
  return answer;
}
