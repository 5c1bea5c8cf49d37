#include <thrust/ww_thrust_base.h>
