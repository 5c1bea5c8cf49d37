#include "cufft.h" /* one header for both names */
