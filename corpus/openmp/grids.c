// Nested loops offloaded with OpenMP.

// Nine-point blur, two loops made one.
// warpwise: grid=(w*h+127)/128 block=128 w=1024 h=1024 in=[w*h] out=[w*h]
void blur9(int w, int h, const float *in, float *out) {
#pragma omp target teams distribute parallel for collapse(2) map(to : in[0 : w * h]) map(tofrom : out[0 : w * h])
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      float s = 0.0f;
      for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) s += in[(y + j) * w + x + i];
      out[y * w + x] = s * (1.0f / 9.0f);
    }
}

// Heat on a cube, three loops made one.
// warpwise: grid=(n*n*n+127)/128 block=128 n=96 c=0.1 a=[n*n*n] b=[n*n*n]
void heat_cube(int n, float c, const float *a, float *b) {
#pragma omp target teams distribute parallel for collapse(3) map(to : a[0 : n * n * n]) map(tofrom : b[0 : n * n * n])
  for (int z = 1; z < n - 1; z++)
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++) {
        int i = (z * n + y) * n + x;
        b[i] = a[i] + c * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n] - 6.0f * a[i]);
      }
}

// Rows of a sparse matrix times a vector.
// warpwise: grid=(rows+127)/128 block=128 rows=131072 row=[rows+1]:monotone(0,rows*12) col=[rows*12]:uniform(0,rows) val=[rows*12] x=[rows] y=[rows]
void sparse_rows(int rows, const int *row, const int *col, const float *val, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : row[0 : rows + 1], col[0 : 12 * rows], val[0 : 12 * rows], x[0 : rows]) map(from : y[0 : rows])
  for (int r = 0; r < rows; r++) {
    float s = 0.0f;
    for (int k = row[r]; k < row[r + 1]; k++) s += val[k] * x[col[k]];
    y[r] = s;
  }
}

// Distances of all pairs of points with four features.
// warpwise: grid=(n*m+127)/128 block=128 n=1024 m=1024 a=[n*4] b=[m*4] d=[n*m]
void pair_distances(int n, int m, const float *a, const float *b, float *d) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : 4 * n], b[0 : 4 * m]) map(from : d[0 : n * m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float s = 0.0f;
      for (int k = 0; k < 4; k++) s += (a[4 * i + k] - b[4 * j + k]) * (a[4 * i + k] - b[4 * j + k]);
      d[i * m + j] = s;
    }
}

// Columns of a matrix added up: neighbouring threads read neighbouring columns.
// warpwise: grid=(w+127)/128 block=128 w=16384 h=128 a=[w*h] s=[w]
void column_sums(int w, int h, const float *a, float *s) {
#pragma omp target teams distribute parallel for map(to : a[0 : w * h]) map(from : s[0 : w])
  for (int x = 0; x < w; x++) {
    float t = 0.0f;
    for (int y = 0; y < h; y++) t += a[y * w + x];
    s[x] = t;
  }
}

// A step of life on a torus of bytes.
// warpwise: grid=(w*h+127)/128 block=128 w=1024 h=512 in=[w*h]:uniform(0,2) out=[w*h]
void life_step(int w, int h, const unsigned char *in, unsigned char *out) {
#pragma omp target teams distribute parallel for collapse(2) map(to : in[0 : w * h]) map(from : out[0 : w * h])
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int up = (y + h - 1) % h * w, mid = y * w, low = (y + 1) % h * w, l = (x + w - 1) % w, r = (x + 1) % w;
      int n = in[up + l] + in[up + x] + in[up + r] + in[mid + l] + in[mid + r] + in[low + l] + in[low + x] + in[low + r];
      out[mid + x] = n == 3 || (n == 2 && in[mid + x]);
    }
}

// Energy of a potential, forces of all on one: a sum inside a parallel loop.
// warpwise: grid=(n+127)/128 block=128 n=4096 x=[n] y=[n] q=[n] e=[n]
void pair_energy(int n, const double *x, const double *y, const double *q, double *e) {
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : n], q[0 : n]) map(from : e[0 : n])
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = 0; j < n; j++) {
      double dx = x[i] - x[j], dy = y[i] - y[j];
      s += q[j] / (dx * dx + dy * dy + 0.01);
    }
    e[i] = s;
  }
}
