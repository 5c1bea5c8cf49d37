/* The C++ extension API; only the C API is declared. */
#pragma once
#include "hipblaslt.h"
