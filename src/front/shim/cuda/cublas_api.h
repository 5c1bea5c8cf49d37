#include "cublas_v2.h" /* one header for both names */
