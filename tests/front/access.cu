// Widths of accesses as nvcc 13.0 has them for sm_90: test_access.c counts them.
typedef short half_t;
struct quad {
  float a, b, c, d;
};
struct __attribute__((packed)) odd {
  char tag;
  float value;
};

// The pointer's type decides, whatever the array is made of.
__global__ void through_half(const half_t *a, half_t *b) {
  __shared__ half_t s[64][24];
  int t = threadIdx.x;
  *(uint4 *)&s[t][b[t]] = *(const uint4 *)&a[t * 8];
  __syncthreads();
  *(uint4 *)&b[t * 8] = *(uint4 *)&s[63 - t][b[0]];
}

// A word out of an array of bytes.
__global__ void word_of_bytes(int *out, int k) {
  __shared__ char s[256];
  s[threadIdx.x] = (char)k;
  __syncthreads();
  out[threadIdx.x] = *(int *)&s[k];
}

// A struct is aligned as its fields.
__global__ void fields(const quad *p, float *out) {
  quad q = p[threadIdx.x];
  out[threadIdx.x] = q.a + q.b + q.c + q.d;
}

// A field that may lie anywhere is taken apart.
__global__ void packed_field(const odd *p, float *out) {
  out[threadIdx.x] = p[threadIdx.x].value;
}

// Of a vector, only what is needed.
__global__ void part_of_vector(const float4 *p, float *out) {
  float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.x + v.z;
}

// Neighbours in shared memory, from where the array lies: at its begin.
__global__ void neighbours(float *out, int m) {
  __shared__ float s[37];
  s[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum += s[m * 4 + i];
  out[threadIdx.x] = sum;
}

// Rows of 33 words begin anywhere.
__global__ void padded(float *out, int m) {
  __shared__ float s[4][33];
  s[0][threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum += s[m][i];
  out[threadIdx.x] = sum;
}

// The second array begins behind six words: pairs.
__global__ void second_array(float *out, int m) {
  __shared__ float first[6], s[64];
  first[threadIdx.x] = out[threadIdx.x + 64];
  s[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float sum = first[m];
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum += s[m * 4 + i];
  out[threadIdx.x] = sum;
}

// What the launch gives is aligned.
__global__ void dynamic(float *out, int m) {
  extern __shared__ float d[];
  d[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; i++)
    sum += d[m * 4 + i];
  out[threadIdx.x] = sum;
}

// Nothing is known of where a pointer begins.
__global__ void global_words(const float *p, float *out) {
  const float *q = p + 4 * threadIdx.x;
  out[threadIdx.x] = q[0] + q[1] + q[2] + q[3];
}

// Two stores side by side.
__global__ void store_pair(float *out) {
  __shared__ float s[128];
  s[2 * threadIdx.x] = out[threadIdx.x];
  s[2 * threadIdx.x + 1] = out[threadIdx.x + 64];
  __syncthreads();
  out[threadIdx.x] = s[127 - threadIdx.x];
}
