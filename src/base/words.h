/* words.h - names as C has them: letters, digits and '_'. */
#ifndef WW_BASE_WORDS_H
#define WW_BASE_WORDS_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool ww_is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static inline bool ww_is_digit(char c) {
  return isdigit((unsigned char)c);
}

/* Of the word that begins here; 0: none. */
static inline size_t ww_word_length(const char *s) {
  size_t n = 0;
  while (ww_is_word(s[n]))
    n++;
  return n;
}

/* Where the text has it as a whole word; NULL: nowhere, as of a word without letters.
 */
static inline const char *ww_find_word(const char *text, const char *word) {
  size_t n = strlen(word);
  for (const char *at = text; n && (at = strstr(at, word)); at++)
    if ((at == text || !ww_is_word(at[-1])) && !ww_is_word(at[n]))
      return at;
  return NULL;
}

static inline bool ww_is_space(char c) {
  return isspace((unsigned char)c);
}

/* Whether a word is one of a list that ends with NULL. */
static inline bool ww_one_of(const char *word, const char *const *list) {
  while (*list && strcmp(word, *list))
    list++;
  return *list;
}

/* The one of the list that it begins with, or NULL. */
static inline const char *ww_begins(const char *word, const char *const *list) {
  while (*list && strncmp(word, *list, strlen(*list)))
    list++;
  return *list;
}

#endif
