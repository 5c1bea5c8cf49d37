#include "ww_cuda.h" /* channel_descriptor.h: all of it is in the prelude */
