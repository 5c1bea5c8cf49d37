/* cooperative_groups.h: see common/ww_coop.h. */
#include "ww_cuda.h"
#include "ww_coop.h"
