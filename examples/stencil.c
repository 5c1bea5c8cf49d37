// A five-point stencil offloaded with OpenMP.
void stencil(const float *restrict in, float *restrict out, int w, int h) {
#pragma omp target teams distribute parallel for collapse(2) map(to : in[0 : w * h]) map(from : out[0 : w * h])
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++)
      out[y * w + x] = 0.2f * (in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}
