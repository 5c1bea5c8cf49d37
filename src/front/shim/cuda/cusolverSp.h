/* cusolverSp.h: names for host code to type-check; `f(...)` accepts every call and nothing is run. */
#ifndef WW_CUSOLVERSP_H
#define WW_CUSOLVERSP_H
#include "cusolverDn.h"
#include "cusparse.h"
typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef struct csrqrInfo *csrqrInfo_t;
extern "C" cusolverStatus_t
    cusolverSpCcsreigsHost(...), cusolverSpCcsreigvsi(...), cusolverSpCcsreigvsiHost(...),
    cusolverSpCcsrlsqvqrHost(...), cusolverSpCcsrlsvchol(...), cusolverSpCcsrlsvcholHost(...),
    cusolverSpCcsrlsvluHost(...), cusolverSpCcsrlsvqr(...), cusolverSpCcsrlsvqrHost(...),
    cusolverSpCcsrqrBufferInfoBatched(...), cusolverSpCcsrqrsvBatched(...), cusolverSpCcsrzfdHost(...),
    cusolverSpCreate(...), cusolverSpCreateCsrqrInfo(...), cusolverSpDcsreigsHost(...), cusolverSpDcsreigvsi(...),
    cusolverSpDcsreigvsiHost(...), cusolverSpDcsrlsqvqrHost(...), cusolverSpDcsrlsvchol(...),
    cusolverSpDcsrlsvcholHost(...), cusolverSpDcsrlsvluHost(...), cusolverSpDcsrlsvqr(...),
    cusolverSpDcsrlsvqrHost(...), cusolverSpDcsrqrBufferInfoBatched(...), cusolverSpDcsrqrsvBatched(...),
    cusolverSpDcsrzfdHost(...), cusolverSpDestroy(...), cusolverSpDestroyCsrqrInfo(...), cusolverSpGetStream(...),
    cusolverSpScsreigsHost(...), cusolverSpScsreigvsi(...), cusolverSpScsreigvsiHost(...),
    cusolverSpScsrlsqvqrHost(...), cusolverSpScsrlsvchol(...), cusolverSpScsrlsvcholHost(...),
    cusolverSpScsrlsvluHost(...), cusolverSpScsrlsvqr(...), cusolverSpScsrlsvqrHost(...),
    cusolverSpScsrqrBufferInfoBatched(...), cusolverSpScsrqrsvBatched(...), cusolverSpScsrzfdHost(...),
    cusolverSpSetStream(...), cusolverSpXcsrissymHost(...), cusolverSpXcsrmetisndHost(...),
    cusolverSpXcsrpermHost(...), cusolverSpXcsrperm_bufferSizeHost(...), cusolverSpXcsrqrAnalysisBatched(...),
    cusolverSpXcsrsymamdHost(...), cusolverSpXcsrsymmdqHost(...), cusolverSpXcsrsymrcmHost(...),
    cusolverSpZcsreigsHost(...), cusolverSpZcsreigvsi(...), cusolverSpZcsreigvsiHost(...),
    cusolverSpZcsrlsqvqrHost(...), cusolverSpZcsrlsvchol(...), cusolverSpZcsrlsvcholHost(...),
    cusolverSpZcsrlsvluHost(...), cusolverSpZcsrlsvqr(...), cusolverSpZcsrlsvqrHost(...),
    cusolverSpZcsrqrBufferInfoBatched(...), cusolverSpZcsrqrsvBatched(...), cusolverSpZcsrzfdHost(...);
#endif
