/* cuComplex.h: see common/ww_complex.h. */
#include "ww_cuda.h"
#include "ww_complex.h"
