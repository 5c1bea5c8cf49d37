#pragma once
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::exp; using ::exp2; using ::expm1; using ::log;
using ::log2; using ::log10; using ::log1p; using ::pow; using ::sin; using ::cos; using ::tan; using ::asin;
using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::floor; using ::ceil;
using ::round; using ::trunc; using ::rint; using ::fmod; using ::fmin; using ::fmax; using ::fma; using ::hypot;
using ::erf; using ::erfc; using ::isnan; using ::isinf; using ::isfinite; using ::copysign; using ::fabsf;
using ::sqrtf; using ::expf; using ::logf; using ::powf; using ::ldexp; using ::frexp; using ::signbit;
}
