/* Nothing here runs on a GPU. */
#include <stdio.h>

int main(void) {
  puts("hello");
  return 0;
}
