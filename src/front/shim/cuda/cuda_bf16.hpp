#include "cuda_bf16.h" /* the old name of the implementation part */
