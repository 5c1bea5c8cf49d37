#include "nvToolsExt.h" /* the same interface */
