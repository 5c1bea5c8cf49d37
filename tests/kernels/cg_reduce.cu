#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void cg_reduce(const int *__restrict__ x, int *sum, int *most) {
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
  int s = cg::reduce(warp, v, cg::plus<int>());
  int m = cg::reduce(warp, v ^ 19, cg::greater<int>());
  if (warp.thread_rank() == 0) sum[i / 32] = s, most[i / 32] = m;
}
