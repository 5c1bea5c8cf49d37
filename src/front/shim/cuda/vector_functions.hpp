#include "ww_cuda.h" /* vector_functions.hpp: all of it is in the prelude */
