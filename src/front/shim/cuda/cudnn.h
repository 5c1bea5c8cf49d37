/* cudnn.h: names for host code to type-check; `f(...)` accepts every call and nothing is run. */
#ifndef WW_CUDNN_H
#define WW_CUDNN_H
#include "ww_cuda.h"
#define CUDNN_MAJOR 9
#define CUDNN_MINOR 0
#define CUDNN_VERSION 90000
typedef struct cudnnContext *cudnnHandle_t;
typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;
typedef struct cudnnLRNStruct *cudnnLRNDescriptor_t;
typedef struct cudnnSpatialTransformerStruct *cudnnSpatialTransformerDescriptor_t;
typedef struct cudnnCTCLossStruct *cudnnCTCLossDescriptor_t;
typedef struct cudnnDropoutStruct *cudnnDropoutDescriptor_t;
typedef struct cudnnRNNStruct *cudnnRNNDescriptor_t;
typedef struct cudnnRNNDataStruct *cudnnRNNDataDescriptor_t;
enum cudnnStatus_t {
  CUDNN_STATUS_SUCCESS = 0, CUDNN_STATUS_NOT_INITIALIZED = 1001, CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH = 1002,
  CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH = 1003, CUDNN_STATUS_DEPRECATED = 1004,
  CUDNN_STATUS_LICENSE_ERROR = 1005, CUDNN_STATUS_RUNTIME_IN_PROGRESS = 1006,
  CUDNN_STATUS_RUNTIME_FP_OVERFLOW = 1007, CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED = 1008,
  CUDNN_STATUS_BAD_PARAM = 2000, CUDNN_STATUS_BAD_PARAM_NULL_POINTER = 2002,
  CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER = 2003, CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED = 2004,
  CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND = 2005, CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT = 2006,
  CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH = 2007, CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH = 2008,
  CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES = 2009, CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE = 2010,
  CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH = 2011, CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE = 2012,
  CUDNN_STATUS_NOT_SUPPORTED = 3000, CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN = 3001,
  CUDNN_STATUS_NOT_SUPPORTED_SHAPE = 3002, CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE = 3003,
  CUDNN_STATUS_NOT_SUPPORTED_LAYOUT = 3004, CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER = 3005,
  CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART = 3006, CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH = 3007,
  CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING = 3008,
  CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE = 3009,
  CUDNN_STATUS_NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT = 3010, CUDNN_STATUS_NOT_SUPPORTED_PADDING = 3011,
  CUDNN_STATUS_NOT_SUPPORTED_BAD_LAUNCH_PARAM = 3012, CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API = 3013,
  CUDNN_STATUS_NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE = 3014, CUDNN_STATUS_INTERNAL_ERROR = 4000,
  CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED = 4001, CUDNN_STATUS_INTERNAL_ERROR_UNEXPECTED_VALUE = 4002,
  CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED = 4003,
  CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED = 4004, CUDNN_STATUS_INTERNAL_ERROR_BAD_LAUNCH_PARAM = 4005,
  CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED = 4006, CUDNN_STATUS_EXECUTION_FAILED = 5000,
  CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER = 5001, CUDNN_STATUS_EXECUTION_FAILED_CUBLAS = 5002,
  CUDNN_STATUS_EXECUTION_FAILED_CUDART = 5003, CUDNN_STATUS_EXECUTION_FAILED_CURAND = 5004,
  CUDNN_STATUS_ALLOC_FAILED = CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, CUDNN_STATUS_INVALID_VALUE = 2001,
  CUDNN_STATUS_ARCH_MISMATCH = CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH,
  CUDNN_STATUS_MAPPING_ERROR = CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED,
  CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING = CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING,
  CUDNN_STATUS_VERSION_MISMATCH = CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH
};
enum cudnnDataType_t {
  CUDNN_DATA_FLOAT = 0, CUDNN_DATA_DOUBLE = 1, CUDNN_DATA_HALF = 2, CUDNN_DATA_INT8 = 3, CUDNN_DATA_INT32 = 4,
  CUDNN_DATA_INT8x4 = 5, CUDNN_DATA_UINT8 = 6, CUDNN_DATA_UINT8x4 = 7, CUDNN_DATA_INT8x32 = 8,
  CUDNN_DATA_BFLOAT16 = 9, CUDNN_DATA_INT64 = 10, CUDNN_DATA_BOOLEAN = 11, CUDNN_DATA_FP8_E4M3 = 12,
  CUDNN_DATA_FP8_E5M2 = 13, CUDNN_DATA_FAST_FLOAT_FOR_FP8 = 14, CUDNN_DATA_FP8_E8M0 = 15, CUDNN_DATA_FP4_E2M1 = 16,
  CUDNN_DATA_INT4 = 17, CUDNN_DATA_UINT4 = 18, CUDNN_DATA_UINT32 = 19, CUDNN_DATA_COMPLEX_FP32 = 20,
  CUDNN_DATA_COMPLEX_FP64 = 21
};
enum cudnnMathType_t {
  CUDNN_DEFAULT_MATH = 0, CUDNN_TENSOR_OP_MATH = 1, CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2, CUDNN_FMA_MATH = 3
};
enum cudnnNanPropagation_t {
  CUDNN_NOT_PROPAGATE_NAN = 0, CUDNN_PROPAGATE_NAN = 1
};
enum cudnnTensorFormat_t {
  CUDNN_TENSOR_NCHW = 0, CUDNN_TENSOR_NHWC = 1, CUDNN_TENSOR_NCHW_VECT_C = 2
};
enum cudnnReduceTensorOp_t {
  CUDNN_REDUCE_TENSOR_ADD = 0, CUDNN_REDUCE_TENSOR_MUL = 1, CUDNN_REDUCE_TENSOR_MIN = 2, CUDNN_REDUCE_TENSOR_MAX = 3,
  CUDNN_REDUCE_TENSOR_AMAX = 4, CUDNN_REDUCE_TENSOR_AVG = 5, CUDNN_REDUCE_TENSOR_NORM1 = 6,
  CUDNN_REDUCE_TENSOR_NORM2 = 7, CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS = 8
};
enum cudnnConvolutionMode_t {
  CUDNN_CONVOLUTION = 0, CUDNN_CROSS_CORRELATION = 1
};
enum cudnnDeterminism_t {
  CUDNN_NON_DETERMINISTIC = 0, CUDNN_DETERMINISTIC = 1
};
enum cudnnOpTensorOp_t {
  CUDNN_OP_TENSOR_ADD = 0, CUDNN_OP_TENSOR_MUL = 1, CUDNN_OP_TENSOR_MIN = 2, CUDNN_OP_TENSOR_MAX = 3,
  CUDNN_OP_TENSOR_SQRT = 4, CUDNN_OP_TENSOR_NOT = 5
};
enum cudnnSoftmaxAlgorithm_t {
  CUDNN_SOFTMAX_FAST = 0, CUDNN_SOFTMAX_ACCURATE = 1, CUDNN_SOFTMAX_LOG = 2
};
enum cudnnSoftmaxMode_t {
  CUDNN_SOFTMAX_MODE_INSTANCE = 0, CUDNN_SOFTMAX_MODE_CHANNEL = 1
};
enum cudnnLRNMode_t {
  CUDNN_LRN_CROSS_CHANNEL_DIM1 = 0
};
enum cudnnConvolutionFwdAlgo_t {
  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM = 0, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1,
  CUDNN_CONVOLUTION_FWD_ALGO_GEMM = 2, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT = 3, CUDNN_CONVOLUTION_FWD_ALGO_FFT = 4,
  CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING = 5, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD = 6,
  CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED = 7, CUDNN_CONVOLUTION_FWD_ALGO_COUNT = 8
};
enum cudnnConvolutionBwdFilterAlgo_t {
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 = 0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 = 1,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT = 2, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3 = 3,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD = 4, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED = 5,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING = 6, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT = 7
};
enum cudnnConvolutionBwdDataAlgo_t {
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 = 0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 = 1,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT = 2, CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING = 3,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD = 4, CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED = 5,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT = 6
};
enum cudnnRNNAlgo_t {
  CUDNN_RNN_ALGO_STANDARD = 0, CUDNN_RNN_ALGO_PERSIST_STATIC = 1, CUDNN_RNN_ALGO_PERSIST_DYNAMIC = 2,
  CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H = 3, CUDNN_RNN_ALGO_COUNT = 4
};
enum cudnnRNNMode_t {
  CUDNN_RNN_RELU = 0, CUDNN_RNN_TANH = 1, CUDNN_LSTM = 2, CUDNN_GRU = 3
};
enum cudnnRNNBiasMode_t {
  CUDNN_RNN_NO_BIAS = 0, CUDNN_RNN_SINGLE_INP_BIAS = 1, CUDNN_RNN_DOUBLE_BIAS = 2, CUDNN_RNN_SINGLE_REC_BIAS = 3
};
enum cudnnDirectionMode_t {
  CUDNN_UNIDIRECTIONAL = 0, CUDNN_BIDIRECTIONAL = 1
};
enum cudnnRNNInputMode_t {
  CUDNN_LINEAR_INPUT = 0, CUDNN_SKIP_INPUT = 1
};
enum cudnnRNNClipMode_t {
  CUDNN_RNN_CLIP_NONE = 0, CUDNN_RNN_CLIP_MINMAX = 1
};
enum cudnnRNNDataLayout_t {
  CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED = 0, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED = 1,
  CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED = 2
};
extern "C" const char *cudnnGetErrorString(...);
extern "C" cudnnStatus_t
    cudnnActivationBackward(...), cudnnActivationForward(...), cudnnAddTensor(...), cudnnAdvVersionCheck(...),
    cudnnBackendCreateDescriptor(...), cudnnBackendDestroyDescriptor(...), cudnnBackendExecute(...),
    cudnnBackendFinalize(...), cudnnBackendGetAttribute(...), cudnnBackendInitialize(...),
    cudnnBackendPopulateCudaGraph(...), cudnnBackendSetAttribute(...), cudnnBackendUpdateCudaGraph(...),
    cudnnBatchNormalizationBackward(...), cudnnBatchNormalizationBackwardEx(...),
    cudnnBatchNormalizationForwardInference(...), cudnnBatchNormalizationForwardTraining(...),
    cudnnBatchNormalizationForwardTrainingEx(...), cudnnBuildRNNDynamic(...), cudnnCTCLoss(...),
    cudnnCTCLoss_v8(...), cudnnCnnVersionCheck(...), cudnnConvolutionBackwardBias(...),
    cudnnConvolutionBackwardData(...), cudnnConvolutionBackwardFilter(...),
    cudnnConvolutionBiasActivationForward(...), cudnnConvolutionForward(...), cudnnCreate(...),
    cudnnCreateActivationDescriptor(...), cudnnCreateAttnDescriptor(...), cudnnCreateCTCLossDescriptor(...),
    cudnnCreateConvolutionDescriptor(...), cudnnCreateDropoutDescriptor(...), cudnnCreateFilterDescriptor(...),
    cudnnCreateFusedOpsConstParamPack(...), cudnnCreateFusedOpsPlan(...), cudnnCreateFusedOpsVariantParamPack(...),
    cudnnCreateLRNDescriptor(...), cudnnCreateOpTensorDescriptor(...), cudnnCreatePoolingDescriptor(...),
    cudnnCreateRNNDataDescriptor(...), cudnnCreateRNNDescriptor(...), cudnnCreateReduceTensorDescriptor(...),
    cudnnCreateSeqDataDescriptor(...), cudnnCreateSpatialTransformerDescriptor(...),
    cudnnCreateTensorDescriptor(...), cudnnCreateTensorTransformDescriptor(...), cudnnDeriveBNTensorDescriptor(...),
    cudnnDeriveNormTensorDescriptor(...), cudnnDestroy(...), cudnnDestroyActivationDescriptor(...),
    cudnnDestroyAttnDescriptor(...), cudnnDestroyCTCLossDescriptor(...), cudnnDestroyConvolutionDescriptor(...),
    cudnnDestroyDropoutDescriptor(...), cudnnDestroyFilterDescriptor(...), cudnnDestroyFusedOpsConstParamPack(...),
    cudnnDestroyFusedOpsPlan(...), cudnnDestroyFusedOpsVariantParamPack(...), cudnnDestroyLRNDescriptor(...),
    cudnnDestroyOpTensorDescriptor(...), cudnnDestroyPoolingDescriptor(...), cudnnDestroyRNNDataDescriptor(...),
    cudnnDestroyRNNDescriptor(...), cudnnDestroyReduceTensorDescriptor(...), cudnnDestroySeqDataDescriptor(...),
    cudnnDestroySpatialTransformerDescriptor(...), cudnnDestroyTensorDescriptor(...),
    cudnnDestroyTensorTransformDescriptor(...), cudnnDivisiveNormalizationBackward(...),
    cudnnDivisiveNormalizationForward(...), cudnnDropoutBackward(...), cudnnDropoutForward(...),
    cudnnDropoutGetReserveSpaceSize(...), cudnnDropoutGetStatesSize(...),
    cudnnFindConvolutionBackwardDataAlgorithm(...), cudnnFindConvolutionBackwardDataAlgorithmEx(...),
    cudnnFindConvolutionBackwardFilterAlgorithm(...), cudnnFindConvolutionBackwardFilterAlgorithmEx(...),
    cudnnFindConvolutionForwardAlgorithm(...), cudnnFindConvolutionForwardAlgorithmEx(...),
    cudnnFusedOpsExecute(...), cudnnGetActivationDescriptor(...), cudnnGetActivationDescriptorSwishBeta(...),
    cudnnGetAttnDescriptor(...), cudnnGetBatchNormalizationBackwardExWorkspaceSize(...),
    cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(...),
    cudnnGetBatchNormalizationTrainingExReserveSpaceSize(...), cudnnGetCTCLossDescriptor(...),
    cudnnGetCTCLossDescriptorEx(...), cudnnGetCTCLossDescriptor_v8(...), cudnnGetCTCLossDescriptor_v9(...),
    cudnnGetCTCLossWorkspaceSize(...), cudnnGetCTCLossWorkspaceSize_v8(...), cudnnGetConvolution2dDescriptor(...),
    cudnnGetConvolution2dForwardOutputDim(...), cudnnGetConvolutionBackwardDataAlgorithmMaxCount(...),
    cudnnGetConvolutionBackwardDataAlgorithm_v7(...), cudnnGetConvolutionBackwardDataWorkspaceSize(...),
    cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(...), cudnnGetConvolutionBackwardFilterAlgorithm_v7(...),
    cudnnGetConvolutionBackwardFilterWorkspaceSize(...), cudnnGetConvolutionForwardAlgorithmMaxCount(...),
    cudnnGetConvolutionForwardAlgorithm_v7(...), cudnnGetConvolutionForwardWorkspaceSize(...),
    cudnnGetConvolutionGroupCount(...), cudnnGetConvolutionMathType(...), cudnnGetConvolutionNdDescriptor(...),
    cudnnGetConvolutionNdForwardOutputDim(...), cudnnGetConvolutionReorderType(...), cudnnGetCudartVersion(...),
    cudnnGetDropoutDescriptor(...), cudnnGetFilter4dDescriptor(...), cudnnGetFilterNdDescriptor(...),
    cudnnGetFilterSizeInBytes(...), cudnnGetFoldedConvBackwardDataDescriptors(...),
    cudnnGetFusedOpsConstParamPackAttribute(...), cudnnGetFusedOpsVariantParamPackAttribute(...),
    cudnnGetLRNDescriptor(...), cudnnGetLastErrorString(...), cudnnGetMaxDeviceVersion(...),
    cudnnGetMultiHeadAttnBuffers(...), cudnnGetMultiHeadAttnWeights(...),
    cudnnGetNormalizationBackwardWorkspaceSize(...), cudnnGetNormalizationForwardTrainingWorkspaceSize(...),
    cudnnGetNormalizationTrainingReserveSpaceSize(...), cudnnGetOpTensorDescriptor(...),
    cudnnGetPooling2dDescriptor(...), cudnnGetPooling2dForwardOutputDim(...), cudnnGetPoolingNdDescriptor(...),
    cudnnGetPoolingNdForwardOutputDim(...), cudnnGetProperty(...), cudnnGetRNNDataDescriptor(...),
    cudnnGetRNNDescriptor_v8(...), cudnnGetRNNTempSpaceSizes(...), cudnnGetRNNWeightParams(...),
    cudnnGetRNNWeightSpaceSize(...), cudnnGetReduceTensorDescriptor(...), cudnnGetReductionIndicesSize(...),
    cudnnGetReductionWorkspaceSize(...), cudnnGetSeqDataDescriptor(...), cudnnGetStream(...),
    cudnnGetTensor4dDescriptor(...), cudnnGetTensorNdDescriptor(...), cudnnGetTensorSizeInBytes(...),
    cudnnGetTensorTransformDescriptor(...), cudnnGetVersion(...), cudnnGraphVersionCheck(...), cudnnIm2Col(...),
    cudnnInitTransformDest(...), cudnnLRNCrossChannelBackward(...), cudnnLRNCrossChannelForward(...),
    cudnnMakeFusedOpsPlan(...), cudnnMultiHeadAttnBackwardData(...), cudnnMultiHeadAttnBackwardWeights(...),
    cudnnMultiHeadAttnForward(...), cudnnNormalizationBackward(...), cudnnNormalizationForwardInference(...),
    cudnnNormalizationForwardTraining(...), cudnnOpTensor(...), cudnnOpsVersionCheck(...), cudnnPoolingBackward(...),
    cudnnPoolingForward(...), cudnnQueryRuntimeError(...), cudnnRNNBackwardData_v8(...),
    cudnnRNNBackwardWeights_v8(...), cudnnRNNForward(...), cudnnRNNGetClip_v8(...), cudnnRNNGetClip_v9(...),
    cudnnRNNSetClip_v8(...), cudnnRNNSetClip_v9(...), cudnnReduceTensor(...), cudnnReorderFilterAndBias(...),
    cudnnRestoreDropoutDescriptor(...), cudnnScaleTensor(...), cudnnSetActivationDescriptor(...),
    cudnnSetActivationDescriptorSwishBeta(...), cudnnSetAttnDescriptor(...), cudnnSetCTCLossDescriptor(...),
    cudnnSetCTCLossDescriptorEx(...), cudnnSetCTCLossDescriptor_v8(...), cudnnSetCTCLossDescriptor_v9(...),
    cudnnSetConvolution2dDescriptor(...), cudnnSetConvolutionGroupCount(...), cudnnSetConvolutionMathType(...),
    cudnnSetConvolutionNdDescriptor(...), cudnnSetConvolutionReorderType(...), cudnnSetDropoutDescriptor(...),
    cudnnSetFilter4dDescriptor(...), cudnnSetFilterNdDescriptor(...), cudnnSetFusedOpsConstParamPackAttribute(...),
    cudnnSetFusedOpsVariantParamPackAttribute(...), cudnnSetLRNDescriptor(...), cudnnSetOpTensorDescriptor(...),
    cudnnSetPooling2dDescriptor(...), cudnnSetPoolingNdDescriptor(...), cudnnSetRNNDataDescriptor(...),
    cudnnSetRNNDescriptor_v8(...), cudnnSetReduceTensorDescriptor(...), cudnnSetSeqDataDescriptor(...),
    cudnnSetSpatialTransformerNdDescriptor(...), cudnnSetStream(...), cudnnSetTensor(...),
    cudnnSetTensor4dDescriptor(...), cudnnSetTensor4dDescriptorEx(...), cudnnSetTensorNdDescriptor(...),
    cudnnSetTensorNdDescriptorEx(...), cudnnSetTensorTransformDescriptor(...), cudnnSoftmaxBackward(...),
    cudnnSoftmaxForward(...), cudnnSpatialTfGridGeneratorBackward(...), cudnnSpatialTfGridGeneratorForward(...),
    cudnnSpatialTfSamplerBackward(...), cudnnSpatialTfSamplerForward(...), cudnnTransformFilter(...),
    cudnnTransformTensor(...), cudnnTransformTensorEx(...);
#endif
