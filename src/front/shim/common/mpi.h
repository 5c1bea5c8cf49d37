/* mpi.h: for host code to parse where no MPI is installed; a real one further down the include path wins. */
#ifndef WW_MPI_H
#define WW_MPI_H
#if __has_include_next(<mpi.h>)
#include_next <mpi.h>
#else
typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Info, MPI_Group, MPI_Win, MPI_File, MPI_Errhandler;
typedef long MPI_Aint;
typedef long long MPI_Offset;
struct MPI_Status { int MPI_SOURCE, MPI_TAG, MPI_ERROR; };
enum {
  MPI_SUCCESS = 0, MPI_COMM_NULL = 0, MPI_COMM_WORLD = 1, MPI_COMM_SELF = 2, MPI_INFO_NULL = 0, MPI_REQUEST_NULL = 0, MPI_PROC_NULL = -2,
  MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -1, MPI_UNDEFINED = -32766, MPI_COMM_TYPE_SHARED = 1, MPI_MAX_PROCESSOR_NAME = 256, MPI_MAX_ERROR_STRING = 512,
  MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE,
  MPI_DATATYPE_NULL = 0, MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED, MPI_LONG,
  MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_COMPLEX, MPI_DOUBLE_COMPLEX,
  MPI_C_BOOL, MPI_INT8_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT32_T, MPI_UINT64_T, MPI_DOUBLE_INT, MPI_FLOAT_INT, MPI_2INT,
  MPI_OP_NULL = 0, MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_LOR, MPI_BAND, MPI_BOR, MPI_MAXLOC, MPI_MINLOC,
};
#define MPI_IN_PLACE ((void *)-1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
extern "C" double MPI_Wtime(...), MPI_Wtick(...);
extern "C" int
    MPI_Init(...), MPI_Init_thread(...), MPI_Initialized(...), MPI_Finalize(...), MPI_Finalized(...), MPI_Abort(...), MPI_Get_processor_name(...),
    MPI_Comm_rank(...), MPI_Comm_size(...), MPI_Comm_split(...), MPI_Comm_split_type(...), MPI_Comm_dup(...), MPI_Comm_free(...), MPI_Comm_create(...),
    MPI_Comm_group(...), MPI_Group_incl(...), MPI_Group_free(...), MPI_Send(...), MPI_Recv(...), MPI_Isend(...), MPI_Irecv(...), MPI_Ssend(...), MPI_Rsend(...), MPI_Sendrecv(...),
    MPI_Sendrecv_replace(...), MPI_Send_init(...), MPI_Recv_init(...), MPI_Start(...), MPI_Startall(...), MPI_Wait(...), MPI_Waitall(...), MPI_Waitany(...), MPI_Test(...), MPI_Testall(...),
    MPI_Probe(...), MPI_Iprobe(...), MPI_Get_count(...), MPI_Barrier(...), MPI_Bcast(...), MPI_Reduce(...), MPI_Allreduce(...), MPI_Scan(...), MPI_Exscan(...), MPI_Gather(...),
    MPI_Gatherv(...), MPI_Allgather(...), MPI_Allgatherv(...), MPI_Scatter(...), MPI_Scatterv(...), MPI_Alltoall(...), MPI_Alltoallv(...), MPI_Type_contiguous(...),
    MPI_Type_vector(...), MPI_Type_create_struct(...), MPI_Type_commit(...), MPI_Type_free(...), MPI_Type_size(...), MPI_Op_create(...), MPI_Op_free(...), MPI_Error_string(...),
    MPI_Cart_create(...), MPI_Cart_coords(...), MPI_Cart_shift(...), MPI_Cart_rank(...), MPI_Dims_create(...), MPI_Errhandler_set(...), MPI_Request_free(...);
#endif
#endif
