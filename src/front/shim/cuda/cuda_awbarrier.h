#include "cuda/barrier" /* the C interface of arrive/wait barriers is rarely used; the C++ one is here */
