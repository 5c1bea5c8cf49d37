// OpenCL C: one kernel of three is broken, one calls what is broken.
float helper(float x) { return x * undeclared_constant; }
kernel void good(global float *x) { x[get_global_id(0)] += 1.0f; }
kernel void bad(global float *x, int n) { x[0] = missing(n; }
kernel void uses_helper(global float *x) { x[get_global_id(0)] = helper(x[0]); }
