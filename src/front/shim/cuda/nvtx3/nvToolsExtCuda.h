#include "../nvToolsExt.h" /* same interface, header-only since version 3 */
