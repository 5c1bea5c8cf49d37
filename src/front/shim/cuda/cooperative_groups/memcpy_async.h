#include "../cooperative_groups.h" /* all in one header here */
