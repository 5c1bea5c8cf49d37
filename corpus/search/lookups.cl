// Lookups on OpenCL.

// warpwise: grid=(n+127)/128 block=128 n=1<<19 m=1<<20 sorted=f32[m]:monotone(0,1000000) key=f32[n]:uniform(0,1000000) found=i32[n]
__kernel void search_float(int n, int m, __global const float *sorted, __global const float *key, __global int *found) {
  int i = get_global_id(0);
  if (i >= n) return;
  float v = key[i];
  int lo = 0, hi = m;
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    bool less = sorted[mid] < v;
    lo = select(lo, mid + 1, (int)less), hi = select(mid, hi, (int)less);
  }
  found[i] = lo;
}

// Short unsorted sets of 64, one per query: sixteen are compared at once.
// warpwise: grid=(n+127)/128 block=128 n=1<<17 sets=4096 member=i32[sets*64]:uniform(0,100) which=i32[n]:uniform(0,sets) key=i32[n]:uniform(0,200) place=i32[n]
__kernel void search_set(int n, int sets, __global const int *member, __global const int *which,
                         __global const int *key, __global int *place) {
  int i = get_global_id(0);
  if (i >= n) return;
  __global const int *set = member + (size_t)which[i] * 64;
  int v = key[i], at = -1;
  for (int k = 0; k < 64 && at < 0; k += 16)
    if (any(vload16(0, set + k) == v)) at = k;
  if (at >= 0)
    while (set[at] != v) at++;
  place[i] = at;
}
