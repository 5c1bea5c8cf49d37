#include "cuda.h" /* function pointer types are rarely used; the API itself is there */
