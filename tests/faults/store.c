/* store.c - `store FILE ROWS`: says what is wrong with a store: damaged, or fewer rows
 * than it had.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ask(sqlite3 *db, const char *sql, char *out, size_t n) {
  sqlite3_stmt *q = NULL;
  int rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_step(q);
  if (rc == SQLITE_ROW)
    snprintf(out, n, "%s", (const char *)sqlite3_column_text(q, 0));
  sqlite3_finalize(q);
  return rc == SQLITE_ROW ? 0 : rc;
}

int main(int argc, char **argv) {
  sqlite3 *db;
  char text[200] = "", rows[200] = "";
  if (argc < 3)
    return 2;
  long least = atol(argv[2]);
  sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL);
  if (ask(db, "PRAGMA integrity_check", text, sizeof text) || strcmp(text, "ok"))
    printf("%s: %s %s\n", argv[1], text, sqlite3_errmsg(db));
  int rc = ask(db, "SELECT count(*) FROM launch WHERE status = 0", rows, sizeof rows);
  if (rc && least)
    printf("%s: %s\n", argv[1], sqlite3_errmsg(db));
  if (!rc && atol(rows) < least)
    printf("%s: %s rows, there were %ld\n", argv[1], rows, least);
  if (argc > 3)
    puts(rows);
  sqlite3_close(db);
  return 0;
}
