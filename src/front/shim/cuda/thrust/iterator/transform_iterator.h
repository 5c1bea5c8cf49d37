#include <thrust/ww_thrust_base.h> /* one header holds the vocabulary */
