/* helper_functions.h of NVIDIA's samples includes the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <iostream>
#include <fstream>
#include <math.h>
#include "helper_string.h"
#include "helper_timer.h"
#include "helper_image.h"
