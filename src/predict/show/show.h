/* show.h - predictions for people and programs: numbers with units, tables of at most
 * 100 columns, members of the report's JSON. */
#ifndef WW_PREDICT_SHOW_H
#define WW_PREDICT_SHOW_H

#include "../model/predict.h"

enum { WW_SHOW_COLUMNS = 100 };

/* 12.3 us, 4.56 ms; 1.23 MB, 456 k; the value and its unit, at most 15 characters. */
const char *ww_show_us(double us, char out[16]);
const char *ww_show_amount(double v, const char *unit, char out[24]);
const char *ww_show_color(FILE *f, const char *code); /* "" where colour is off */
void ww_show_bold(FILE *f, const char *text);
/* Words of `text` over lines of at most WW_SHOW_COLUMNS, each begun with `indent`
 * blanks. */
void ww_show_wrapped(FILE *f, const char *text, uint32_t indent);
/* "grid 4096, block 256; 6 of 4096 blocks run" */
void ww_show_launch(FILE *f, const ww_report *r);
void ww_show_assumed(FILE *f, const ww_report *r);

/* What the terms are called in tables: "DRAM bandwidth", and what to think of when one
 * is large. */
extern const char *const ww_term_words[WW_NTERMS];

/* One column a GPU: time with its interval, all metrics, class, bottleneck, bounds,
 * stalls. */
void ww_predict_print(const ww_prediction *p, uint32_t n, FILE *f);
/* dump.c: the numbers of one stage, `lowered`, `traffic`, `chain` or `time`: a line
 * each, or one object. The stage has been checked. */
ww_status ww_dump_check(const char *stage, ww_err *e);
void ww_dump_write(const ww_prediction *p, const char *stage, bool json, ww_buf *out);
/* Two predictions of the same launch: what changed and why. */
void ww_diff_print(const ww_prediction *old, const ww_prediction *new_, FILE *f);
void ww_diff_write(const ww_prediction *old, const ww_prediction *new_, ww_json *j);

#endif
