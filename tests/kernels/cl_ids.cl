__kernel void cl_ids(__global int *out) {
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1), z = get_global_id(2);
  size_t w = get_global_size(0), h = get_global_size(1);
  out[(z * h + y) * w + x] = (int)(get_local_id(0) | get_local_id(1) << 4 | get_local_id(2) << 8 | get_group_id(0) << 12 |
                                   get_group_id(1) << 16 | get_group_id(2) << 20 | get_num_groups(1) << 24 | get_work_dim() << 28);
}
