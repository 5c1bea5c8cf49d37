#include <thrust/ww_thrust_algorithm.h> /* one header holds the algorithms */
