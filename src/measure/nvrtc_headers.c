/* nvrtc_headers.c - stand-ins for the standard headers that NVRTC has no files of.
 *
 * nvcc's device code sees the C and C++ headers of the host; NVRTC sees none. Most are about the
 * host alone and are taken out with its code (device_code.c); what device code uses of the rest is
 * small and stands in one prelude, which every program gets. 64-bit integers are long long, as
 * NVIDIA's own headers have them under NVRTC. */
#include "compile_int.h"

static const char prelude[] =
    "#pragma once\n"
    "namespace std { using ::size_t; using ptrdiff_t = decltype((char *)0 - (char *)0); }\n"
    "using std::ptrdiff_t;\n"
    "using int8_t = signed char; using int16_t = short; using int32_t = int; using int64_t = long "
    "long;\n"
    "using uint8_t = unsigned char; using uint16_t = unsigned short; using uint32_t = unsigned "
    "int;\n"
    "using uint64_t = unsigned long long; using intptr_t = long long; using uintptr_t = unsigned "
    "long long;\n"
    "using intmax_t = long long; using uintmax_t = unsigned long long; using ssize_t = long;\n"
    "using uint = unsigned int; using ulong = unsigned long; using ushort = unsigned short;\n"
    "using u_char = unsigned char; using u_int = unsigned int;\n"
    "namespace std { using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using "
    "::uint8_t;\n"
    "using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t; }\n"
    "#define INT8_MIN (-128)\n#define INT16_MIN (-32768)\n#define INT32_MIN (-2147483647-1)\n"
    "#define INT64_MIN (-9223372036854775807LL-1)\n#define INT8_MAX 127\n#define INT16_MAX 32767\n"
    "#define INT32_MAX 2147483647\n#define INT64_MAX 9223372036854775807LL\n#define UINT8_MAX 255\n"
    "#define UINT16_MAX 65535\n#define UINT32_MAX 4294967295U\n#define UINT64_MAX "
    "18446744073709551615ULL\n"
    "#define SIZE_MAX 18446744073709551615UL\n"
    "#define CHAR_BIT 8\n#define SCHAR_MIN (-128)\n#define SCHAR_MAX 127\n#define UCHAR_MAX 255\n"
    "#define CHAR_MIN (-128)\n#define CHAR_MAX 127\n#define SHRT_MIN (-32768)\n#define SHRT_MAX "
    "32767\n"
    "#define USHRT_MAX 65535\n#define INT_MIN (-2147483647-1)\n#define INT_MAX 2147483647\n"
    "#define UINT_MAX 4294967295U\n#define LONG_MIN (-9223372036854775807L-1)\n"
    "#define LONG_MAX 9223372036854775807L\n#define ULONG_MAX 18446744073709551615UL\n"
    "#define LLONG_MIN (-9223372036854775807LL-1)\n#define LLONG_MAX 9223372036854775807LL\n"
    "#define ULLONG_MAX 18446744073709551615ULL\n#define RAND_MAX 2147483647\n"
    "#define FLT_RADIX 2\n#define FLT_MANT_DIG 24\n#define FLT_DIG 6\n#define FLT_EPSILON "
    "1.19209290e-7F\n"
    "#define FLT_MIN 1.17549435e-38F\n#define FLT_MAX 3.40282347e+38F\n#define FLT_MAX_EXP 128\n"
    "#define FLT_MIN_EXP (-125)\n#define DBL_MANT_DIG 53\n#define DBL_DIG 15\n"
    "#define DBL_EPSILON 2.2204460492503131e-16\n#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_MAX 1.7976931348623157e+308\n#define DBL_MAX_EXP 1024\n#define DBL_MIN_EXP "
    "(-1021)\n"
    "#define M_E 2.7182818284590452354\n#define M_LOG2E 1.4426950408889634074\n"
    "#define M_LOG10E 0.43429448190325182765\n#define M_LN2 0.69314718055994530942\n"
    "#define M_LN10 2.30258509299404568402\n#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.78539816339744830962\n"
    "#define M_1_PI 0.31830988618379067154\n#define M_2_PI 0.63661977236758134308\n"
    "#define M_2_SQRTPI 1.12837916709551257390\n#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n#define HUGE_VAL "
    "__longlong_as_double(0x7ff0000000000000LL)\n"
    "#define HUGE_VALF __int_as_float(0x7f800000)\n#define INFINITY __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fffffff)\n"
    "#define __const__ const\n#define __const const\n#define EXIT_SUCCESS 0\n#define EXIT_FAILURE "
    "1\n"
    "#ifndef NULL\n#define NULL 0\n#endif\n"
    "#ifndef assert\n#define assert(...) ((__VA_ARGS__) ? (void)0 : __trap())\n#endif\n";

static const char math[] = "#pragma once\n"
                           "namespace std {\n"
                           "using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::exp; "
                           "using ::exp2; using ::expm1; using ::log;\n"
                           "using ::log2; using ::log10; using ::log1p; using ::pow; using ::sin; "
                           "using ::cos; using ::tan; using ::asin;\n"
                           "using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; "
                           "using ::tanh; using ::floor; using ::ceil;\n"
                           "using ::round; using ::trunc; using ::rint; using ::fmod; using "
                           "::fmin; using ::fmax; using ::fma; using ::hypot;\n"
                           "using ::erf; using ::erfc; using ::isnan; using ::isinf; using "
                           "::isfinite; using ::copysign; using ::fabsf;\n"
                           "using ::sqrtf; using ::expf; using ::logf; using ::powf; using "
                           "::ldexp; using ::frexp; using ::signbit;\n"
                           "}\n";

static const char algorithm[] =
    "#pragma once\n"
    "namespace std {\n"
    "template <class T> __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? "
    "b : a; }\n"
    "template <class T> __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? "
    "b : a; }\n"
    "template <class T> __device__ constexpr void swap(T &a, T &b) { T c = a; a = b; b = c; }\n"
    "}\n";

/* What of CUB runs inside a kernel; the rest of it launches kernels. */
static const char cub[] =
    "#pragma once\n"
    "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_scan.cuh>\n"
    "#include <cub/block/block_load.cuh>\n#include <cub/block/block_store.cuh>\n"
    "#include <cub/block/block_radix_sort.cuh>\n#include <cub/block/block_exchange.cuh>\n"
    "#include <cub/block/block_histogram.cuh>\n#include <cub/block/block_discontinuity.cuh>\n"
    "#include <cub/warp/warp_reduce.cuh>\n#include <cub/warp/warp_scan.cuh>\n";

#define FROM_CUDA_STD(name)                                     \
  {                                                             \
    name, "#pragma once\n#include <cuda/std/" name              \
          ">\nnamespace std { using namespace ::cuda::std; }\n" \
  }
#define NOTHING(name) \
  { name, "#pragma once\n" }

const char *const ww_nvrtc_headers[][2] = {
    {"ww_nvrtc.h", prelude},      {"math.h", math},         {"cmath", math},
    {"algorithm", algorithm},     {"cub/cub.cuh", cub},     FROM_CUDA_STD("limits"),
    FROM_CUDA_STD("type_traits"), FROM_CUDA_STD("utility"), FROM_CUDA_STD("tuple"),
    FROM_CUDA_STD("array"),       FROM_CUDA_STD("complex"), FROM_CUDA_STD("initializer_list"),
    NOTHING("stdint.h"),          NOTHING("cstdint"),       NOTHING("inttypes.h"),
    NOTHING("cinttypes"),         NOTHING("stddef.h"),      NOTHING("cstddef"),
    NOTHING("stdbool.h"),         NOTHING("float.h"),       NOTHING("cfloat"),
    NOTHING("limits.h"),          NOTHING("climits"),       NOTHING("assert.h"),
    NOTHING("cassert"),           NOTHING("values.h"),      {NULL, NULL},
};
