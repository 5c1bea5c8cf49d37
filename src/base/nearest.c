/* nearest.c - what a user may have meant by a word that is not known. */
#include "nearest.h"

#include <string.h>

static int min(int a, int b) {
  return a < b ? a : b;
}

static int distance(const char *a, const char *b) {
  int row[64];
  int n = (int)strlen(b);
  if (n > 62 || strlen(a) > 62)
    return 100;
  for (int k = 0; k <= n; k++)
    row[k] = k;
  for (int i = 1; a[i - 1]; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int k = 1; k <= n; k++) {
      int above = row[k];
      row[k] = min(min(above, row[k - 1]) + 1, diagonal + (a[i - 1] != b[k - 1]));
      diagonal = above;
    }
  }
  return row[n];
}

const char *ww_nearest(const char *word, const char *const *words) {
  const char *best = NULL;
  int least = 3;
  for (; *words; words++) {
    int d = distance(word, *words);
    if (d < least && d < (int)strlen(*words)) {
      least = d;
      best = *words;
    }
  }
  return best;
}
