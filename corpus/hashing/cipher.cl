// Ciphers and hashes in OpenCL. Integers alone.

// XTEA, 32 rounds on blocks of 64 bits.
// warpwise: grid=(n+127)/128 block=128 n=1<<19 key=[4] data=[n]
__kernel void xtea_blocks(int n, __global const uint *restrict key, __global uint2 *data) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint2 v = data[i];
  uint sum = 0, k[4] = {key[0], key[1], key[2], key[3]};
  for (int r = 0; r < 32; r++) {
    v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + k[sum & 3]);
    sum += 0x9E3779B9u;
    v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + k[sum >> 11 & 3]);
  }
  data[i] = v;
}

// SipHash-like mixing of four 64-bit words, rounds given.
// warpwise: grid=(n+255)/256 block=256 n=1<<18 rounds=8 x=[n] h=[n]
__kernel void sip_rounds(int n, int rounds, __global const ulong *restrict x, __global ulong *restrict h) {
  int i = get_global_id(0);
  if (i >= n) return;
  ulong a = 0x736f6d6570736575ul ^ x[i], b = 0x646f72616e646f6dul, c = 0x6c7967656e657261ul, d = 0x7465646279746573ul ^ x[i];
  for (int r = 0; r < rounds; r++) {
    a += b, b = rotate(b, 13ul) ^ a, a = rotate(a, 32ul);
    c += d, d = rotate(d, 16ul) ^ c;
    a += d, d = rotate(d, 21ul) ^ a;
    c += b, b = rotate(b, 17ul) ^ c, c = rotate(c, 32ul);
  }
  h[i] = a ^ b ^ c ^ d;
}
