/* one line of launch for each kernel */
// warpwise: grid=n/256 block=256 n=1<<20
__global__ void above(float *x, int n) { x[n] = 0; }

__global__ void inside(float *x) {
  /* warpwise: grid=16 block=32 */
  *x = "// warpwise: not=this"[0];
}

__global__ void none(float *x) { *x = 0; }
