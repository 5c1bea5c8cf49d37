#pragma once
#include "hipblas/hipblas.h"
