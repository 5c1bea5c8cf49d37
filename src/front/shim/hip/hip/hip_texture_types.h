/* All of it is in the prelude. */
#pragma once
#include "../ww_hip.h"
