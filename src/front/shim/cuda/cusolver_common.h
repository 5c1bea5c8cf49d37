#include "cusolverDn.h" /* one header for both names */
