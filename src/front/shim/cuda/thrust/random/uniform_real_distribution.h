#include <thrust/random.h> /* engines and distributions */
