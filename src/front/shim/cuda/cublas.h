#include "cublas_v2.h" /* the old interface has the same names without a handle */
