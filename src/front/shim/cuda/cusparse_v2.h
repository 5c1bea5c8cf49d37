#include "cusparse.h" /* one header for both names */
