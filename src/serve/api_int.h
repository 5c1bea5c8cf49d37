/* api_int.h - the tables that api.c answers by and openapi.c writes down. */
#ifndef WW_SERVE_API_INT_H
#define WW_SERVE_API_INT_H

#include "api.h"

typedef enum { WW_MEMBER_TEXT, WW_MEMBER_TEXTS, WW_MEMBER_NAMES, WW_MEMBER_COUNT, WW_MEMBER_OBJECT } ww_member_kind;
typedef enum { WW_IN_SOURCE = 1, WW_IN_LAUNCH = 2 } ww_member_group;

typedef struct {
  const char *name;
  uint8_t kind;  /* ww_member_kind; NAMES: a string or an array of strings */
  uint8_t group; /* ww_member_group */
  const char *meaning;
  const char *one_of; /* "warm|cold", NULL: anything */
} ww_member;
extern const ww_member ww_api_members[]; /* ends with a NULL name */

typedef struct call call;
typedef struct {
  const char *method, *path, *summary;
  uint8_t groups; /* members of the request; 0: it has no body */
  bool quick;
  const char *answer, *type; /* name of the answer's schema, NULL: none; media type */
  void (*handle)(call *c, ww_api_reply *out);
} ww_route;
extern const ww_route ww_api_routes[]; /* ends with a NULL method */

#endif
