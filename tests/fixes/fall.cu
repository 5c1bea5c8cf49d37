// Constants that come from macros, exponents and calls; what is double on purpose stays.
// expect: double-constant
#define G 9.81
#define STEPS 16
#define NAME "9.81 m/s^2 and 1.0"

// warpwise: grid=n/256 block=256 n=1<<21 dt=0.01 v=[n] out=[n]
__global__ void fall(const float *v, float *out, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.5, speed = v[i]; /* 0.5: where it starts */
  for (int k = 0; k < STEPS; k++) {
    speed += G * dt - 1e-3 * pow(speed, 2);
    s += speed * dt * (1. - .5e-4 * fabs(speed));
  }
  out[i] = s;
}
