#pragma once
#include "ww_thrust.h"
