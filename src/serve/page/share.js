// share.js - everything that an answer depends on as the fragment of an address, which browsers do not send to servers.
//
// `#z=` is JSON deflated and in URL-safe base64, `#j=` the same without deflating, for browsers that cannot. What a link holds is as
// little trusted as what is typed: it is shown as text and goes through the same checks of the server.

const MOST = 2 << 20; // bytes of an unpacked link
const LONGEST = 64 << 10; // characters of one that is made: mail, chats and proxies cut longer ones

const toText = (bytes) => {
  let s = '';
  for (let k = 0; k < bytes.length; k += 8192) s += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return btoa(s).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
};
const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));

async function through(bytes, stream) {
  const parts = [];
  let n = 0;
  for (let reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), r; !(r = await reader.read()).done; ) {
    parts.push(r.value);
    if ((n += r.value.length) > MOST) throw new Error('the link holds too much');
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function toFragment(what) {
  const bytes = new TextEncoder().encode(JSON.stringify(what));
  const link = window.CompressionStream ? '#z=' + toText(await through(bytes, new CompressionStream('deflate-raw'))) : '#j=' + toText(bytes);
  if (link.length <= LONGEST) return link;
  throw new Error(`the link would have ${Math.ceil(link.length / 1024)} KB, more than the ${LONGEST >> 10} KB that arrive whole: export the report, or pass on the file`);
}

// What the address holds; null where it holds nothing.
export async function fromFragment(fragment) {
  const words = new URLSearchParams(fragment.slice(1)),
    packed = words.get('z'),
    plain = words.get('j');
  if (!packed && !plain) return null;
  const bytes = packed ? await through(toBytes(packed), new DecompressionStream('deflate-raw')) : toBytes(plain);
  const what = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof what.text !== 'string' || typeof what.file !== 'string') throw new Error('the link holds no source');
  return what;
}
