#include <thrust/ww_thrust_vector.h> /* both vectors */
