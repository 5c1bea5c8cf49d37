// args: input.txt
// A program that reads a file beside it and writes others, one of which is already there.
#include <cstdio>
__global__ void k(int *p, int n) { *p = n; }
int main(int argc, char **argv) {
  int n = 0, *p;
  FILE *f = fopen(argv[1], "r");
  if (!f || fscanf(f, "%d", &n) != 1) return 1;
  fclose(f);
  for (const char *name : {"output.txt", (const char *)argv[1]}) {
    if (!(f = fopen(name, "w"))) return 2;
    fprintf(f, "written\n");
    fclose(f);
  }
  if ((f = fopen(argv[2], "w"))) return 3; /* outside */
  cudaMalloc(&p, 4);
  k<<<n, 1>>>(p, n);
  return 0;
}
