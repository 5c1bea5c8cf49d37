/* cub:: in a HIP unit is hipCUB. */
#pragma once
#include "../hipcub/hipcub.hpp"
