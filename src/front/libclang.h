/* libclang.h - the part of libclang's C interface (clang-c/Index.h) that syntax.c
 * calls, declared here: the library is opened at run time and its headers need not be
 * installed. Layouts and numbers are those of its stable interface. */
#ifndef WW_FRONT_LIBCLANG_H
#define WW_FRONT_LIBCLANG_H

#include <stdint.h>

typedef struct {
  const void *data;
  unsigned flags;
} CXString;
typedef struct {
  int kind;
  int xdata;
  const void *data[3];
} CXCursor;
typedef struct {
  int kind;
  void *data[2];
} CXType;
typedef struct {
  const void *data[2];
  unsigned at;
} CXSourceLocation;
typedef struct {
  const void *data[2];
  unsigned begin, end;
} CXSourceRange;
typedef struct {
  const char *name, *contents;
  unsigned long length;
} CXUnsavedFile;
typedef int CXVisitor(CXCursor c, CXCursor parent, void *ctx);

enum {
  CXChildVisit_Continue = 1,
  CXChildVisit_Recurse = 2,
  CXCursor_MacroExpansion = 502,
  CXDiagnostic_Error = 3,
  /* CXTranslationUnit_DetailedPreprocessingRecord | _KeepGoing */
  CX_PARSE_OPTIONS = 0x01 | 0x200,
  CXType_Float = 21,
  CXType_Double = 22,
  CXType_Bool = 3,
  CXType_Int128 = 20,
  CXType_Pointer = 101,
  CXType_Half = 32,
  CXType_BFloat16 = 39,
  CXType_Record = 105,
  CXType_Enum = 106,
  CXType_Vector = 113,
  CXType_ExtVector = 176,
  CXType_ConstantArray = 112,
  CXType_DependentSizedArray = 116,
  CXEval_Int = 1
};

/* LIBCLANG(result, name, (parameters)) */
#define LIBCLANG(L)                                                             \
  L(void *, createIndex, (int, int))                                            \
  L(int, parseTranslationUnit2FullArgv,                                         \
    (void *, const char *, const char *const *, int, CXUnsavedFile *, unsigned, \
     unsigned, void **))                                                        \
  L(CXCursor, getTranslationUnitCursor, (void *))                               \
  L(unsigned, getNumDiagnostics, (void *))                                      \
  L(void *, getDiagnostic, (void *, unsigned))                                  \
  L(int, getDiagnosticSeverity, (void *))                                       \
  L(CXSourceLocation, getDiagnosticLocation, (void *))                          \
  L(CXString, getDiagnosticSpelling, (void *))                                  \
  L(unsigned, visitChildren, (CXCursor, CXVisitor *, void *))                   \
  L(int, getCursorKind, (CXCursor))                                             \
  L(CXSourceRange, getCursorExtent, (CXCursor))                                 \
  L(CXSourceLocation, getCursorLocation, (CXCursor))                            \
  L(CXSourceLocation, getRangeStart, (CXSourceRange))                           \
  L(CXSourceLocation, getRangeEnd, (CXSourceRange))                             \
  L(void *, getFile, (void *, const char *))                                    \
  L(int, File_isEqual, (void *, void *))                                        \
  L(void, getFileLocation,                                                      \
    (CXSourceLocation, void **, unsigned *, unsigned *, unsigned *))            \
  L(CXCursor, getCursorReferenced, (CXCursor))                                  \
  L(CXCursor, getCanonicalCursor, (CXCursor))                                   \
  L(unsigned, equalCursors, (CXCursor, CXCursor))                               \
  L(int, Cursor_isNull, (CXCursor))                                             \
  L(CXString, getCursorSpelling, (CXCursor))                                    \
  L(CXType, getCursorType, (CXCursor))                                          \
  L(CXType, getCanonicalType, (CXType))                                         \
  L(CXType, getPointeeType, (CXType))                                           \
  L(CXType, getArrayElementType, (CXType))                                      \
  L(long long, Type_getSizeOf, (CXType))                                        \
  L(CXString, getTypeSpelling, (CXType))                                        \
  L(unsigned, isConstQualifiedType, (CXType))                                   \
  L(unsigned, isRestrictQualifiedType, (CXType))                                \
  L(unsigned, isVolatileQualifiedType, (CXType))                                \
  L(int, getCursorBinaryOperatorKind, (CXCursor))                               \
  L(CXString, getBinaryOperatorKindSpelling, (int))                             \
  L(int, getCursorUnaryOperatorKind, (CXCursor))                                \
  L(CXString, getUnaryOperatorKindSpelling, (int))                              \
  L(void *, Cursor_Evaluate, (CXCursor))                                        \
  L(int, EvalResult_getKind, (void *))                                          \
  L(long long, EvalResult_getAsLongLong, (void *))                              \
  L(void, EvalResult_dispose, (void *))                                         \
  L(const char *, getCString, (CXString))                                       \
  L(void, disposeString, (CXString))

#endif
