/* Queries: who am I, how many are we. */

KEEP uint32_t __kmpc_get_hardware_thread_id_in_block(void) { return thread_id(); }
KEEP uint32_t __kmpc_get_hardware_num_threads_in_block(void) { return block_size(); }
KEEP uint32_t __kmpc_get_hardware_num_blocks(void) { return team_count(); }
KEEP uint32_t __kmpc_get_warp_size(void) { return WARP; }
int8_t __kmpc_is_generic_main_thread_id(uint32_t tid) { return !is_spmd() && tid == main_thread(); }
API int32_t __kmpc_global_thread_num(ident *loc) { return team_thread(); }
uint16_t __kmpc_parallel_level(ident *loc, uint32_t tid) { return parallel_level(); }
uint64_t __kmpc_warp_active_thread_mask(void) { return __nvvm_activemask(); }
uint32_t __kmpc_block_size(void) { return block_size(); }

API int omp_get_thread_num(void) { return team_thread(); }
API int omp_get_num_threads(void) { return team_size(); }
int omp_get_max_threads(void) { return parallel_level() ? 1 : team.wanted ? team.wanted : max_team_size(); }
int omp_get_thread_limit(void) { return max_team_size(); }
int omp_get_num_procs(void) { return max_team_size(); }
API int omp_get_team_num(void) { return team_id(); }
API int omp_get_num_teams(void) { return team_count(); }
int omp_get_max_teams(void) { return team_count(); }
int omp_get_teams_thread_limit(void) { return max_team_size(); }
int omp_in_parallel(void) { return parallel_level() && team.size > 1; }
API int omp_get_level(void) { return parallel_level(); }
int omp_get_active_level(void) { return parallel_level() && team.size > 1; }
int omp_get_ancestor_thread_num(int level) { return level == 0 ? 0 : level == 1 && parallel_level() ? (int)thread_id() : level <= omp_get_level() ? 0 : -1; }
int omp_get_team_size(int level) { return level == 1 && parallel_level() ? (int)team.size : level <= omp_get_level() ? 1 : -1; }
void omp_set_num_threads(int n) { team.wanted = n; }
int omp_get_dynamic(void) { return 0; }
void omp_set_dynamic(int on) {}
int omp_get_nested(void) { return 0; }
void omp_set_nested(int on) {}
int omp_get_max_active_levels(void) { return 1; }
void omp_set_max_active_levels(int n) {}
int omp_get_supported_active_levels(void) { return 1; }
int omp_in_final(void) { return 1; }
int omp_get_cancellation(void) { return 0; }
int omp_get_proc_bind(void) { return 0; }
void omp_get_schedule(int *kind, int *chunk) { *kind = 1; *chunk = 0; }
void omp_set_schedule(int kind, int chunk) {}
int omp_is_initial_device(void) { return 0; }
int omp_get_default_device(void) { return 0; }
void omp_set_default_device(int device) {}
int omp_get_num_devices(void) { return 1; }
int omp_get_device_num(void) { return 0; }
int omp_get_initial_device(void) { return 1; }
double omp_get_wtick(void) { return 1e-9; }
double omp_get_wtime(void) { return __builtin_readsteadycounter() * 1e-9; }
