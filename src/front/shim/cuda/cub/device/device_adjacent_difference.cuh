#include <cub/cub.cuh> /* a part of CUB: all of it is there */
