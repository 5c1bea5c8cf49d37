/* nearest.h - what a user may have meant by a word that is not known. */
#ifndef WW_BASE_NEAREST_H
#define WW_BASE_NEAREST_H

/* Of the NULL-terminated words, the one most like `word`; NULL when none is near. */
const char *ww_nearest(const char *word, const char *const *words);

#endif
