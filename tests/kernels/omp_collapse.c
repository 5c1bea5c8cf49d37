void omp_collapse(int h, int w, const float *in, float *out) {
#pragma omp target teams distribute parallel for collapse(2) map(to : in[0 : h * w]) map(from : out[0 : h * w])
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) out[i * w + j] = in[j * h + i] + 0.5f;
}
