#include "cuda_fp16.h" /* the old name of the implementation part */
