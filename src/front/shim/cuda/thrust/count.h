#include <thrust/ww_thrust_algorithm.h>
