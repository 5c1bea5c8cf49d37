#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void cg_tile(const int *__restrict__ x, int *__restrict__ out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  int i = blockIdx.x * blockDim.x + block.thread_rank();
  int v = x[i];
  for (int o = 8; o > 0; o >>= 1) v += tile.shfl_down(v, o);
  if (tile.thread_rank() == 0) out[i / 16] = v;
  block.sync();
}
