/* What nvcc and gcc accept, at most with a warning, and clang makes an error. The state holds to the end of the file that
 * includes this prelude, also through a precompiled header. */
#ifndef WW_LENIENT_H
#define WW_LENIENT_H
#pragma clang diagnostic ignored "-Wregister"
#pragma clang diagnostic ignored "-Wc++11-narrowing"
#pragma clang diagnostic ignored "-Wreserved-user-defined-literal"
#pragma clang diagnostic ignored "-Wnon-pod-varargs"
#pragma clang diagnostic ignored "-Waddress-of-temporary"
#endif
