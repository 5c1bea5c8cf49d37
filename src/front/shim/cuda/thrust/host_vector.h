#include <thrust/ww_thrust_vector.h>
#include <thrust/ww_thrust_algorithm.h>
