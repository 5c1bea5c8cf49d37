/* clang's __clang_cuda_intrinsics.h includes this for __match_any_sync; ours is in ww_intrinsics.h. */
