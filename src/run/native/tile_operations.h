#pragma once

// What single operations do to elements; included by tile_code.h as tile_math.h is.

using Integer = std::int64_t;

// Functions of one value.
struct Negate {
  static Integer of(Integer x) { return static_cast<Integer>(0 - static_cast<std::uint64_t>(x)); }
  static float of(float x) { return -x; }
  static double of(double x) { return -x; }
};
struct Absolute {
  static float of(float x) { return absolute_of(x); }
  static double of(double x) { return __builtin_fabs(x); }
  static Integer of(Integer x) { return x < 0 ? static_cast<Integer>(0 - static_cast<std::uint64_t>(x)) : x; }
};
struct Exp {
  static float of(float x) { return exp_of(x); }
  static double of(double x) { return __builtin_exp(x); }
};
struct Log {
  static float of(float x) { return log_of(x); }
  static double of(double x) { return __builtin_log(x); }
};
struct LogPlusOne {
  static float of(float x) { return log_plus_one_of(x); }
  static double of(double x) { return __builtin_log1p(x); }
};
struct Sqrt {
  static float of(float x) { return __builtin_sqrtf(x); }
  static double of(double x) { return __builtin_sqrt(x); }
};
struct Reciprocal {
  static float of(float x) { return 1.0F / x; }
  static double of(double x) { return 1.0 / x; }
};
struct Tanh {
  static float of(float x) { return tanh_of(x); }
  static double of(double x) { return __builtin_tanh(x); }
};
struct Sigmoid {
  static float of(float x) { return sigmoid_of(x); }
  static double of(double x) { return 1.0 / (1.0 + __builtin_exp(-x)); }
};
struct Erf {
  static float of(float x) { return erf_of(x); }
  static double of(double x) { return __builtin_erf(x); }
};
struct Sine {
  static float of(float x) { return __builtin_sinf(x); }
  static double of(double x) { return __builtin_sin(x); }
};
struct Cosine {
  static float of(float x) { return __builtin_cosf(x); }
  static double of(double x) { return __builtin_cos(x); }
};
struct Floor {
  static float of(float x) { return __builtin_floorf(x); }
  static double of(double x) { return __builtin_floor(x); }
};
struct Ceiling {
  static float of(float x) { return __builtin_ceilf(x); }
  static double of(double x) { return __builtin_ceil(x); }
};
struct Round {
  static float of(float x) { return __builtin_rintf(x); }
  static double of(double x) { return __builtin_rint(x); }
};
struct Sign {
  template <class T>
  static T of(T x) {
    return x != x ? x : static_cast<T>(x > 0) - static_cast<T>(x < 0);
  }
  static Integer of(Integer x) { return (x > 0) - (x < 0); }
};
struct Inverse {
  static float of(float x) { return x == 0.0F ? 1.0F : 0.0F; }
};
struct IsNaN {
  template <class T>
  static float of(T x) {
    return x != x ? 1.0F : 0.0F;
  }
};
template <class T>
struct To {
  template <class From>
  static T of(From x) {
    return static_cast<T>(x);
  }
};
struct ToInteger {
  template <class T>
  static Integer of(T x) {
    constexpr T kEnd = 0x1.0p63;
    if (x >= kEnd) return x < 2 * kEnd ? static_cast<Integer>(static_cast<std::uint64_t>(x)) : INT64_MAX;
    return x != x ? 0 : x < -kEnd ? INT64_MIN : static_cast<Integer>(x);
  }
  static Integer of(Integer x) { return x; }
};
struct NotZero {
  template <class T>
  static float of(T x) {
    return x != T(0) ? 1.0F : 0.0F;
  }
};

// Functions of two.
struct Add {
  template <class T>
  static T of(T a, T b) {
    return a + b;
  }
  static Integer of(Integer a, Integer b) {
    return static_cast<Integer>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};
struct Subtract {
  template <class T>
  static T of(T a, T b) {
    return a - b;
  }
  static Integer of(Integer a, Integer b) {
    return static_cast<Integer>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b) {
    return a * b;
  }
  static Integer of(Integer a, Integer b) {
    return static_cast<Integer>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};
struct Divide {
  static float of(float a, float b) { return a / b; }
  static double of(double a, double b) { return a / b; }
  static Integer of(Integer a, Integer b) {
    return b == 0 ? 0 : b == -1 ? static_cast<Integer>(0 - static_cast<std::uint64_t>(a)) : a / b;
  }
};
struct Modulo {
  static float of(float a, float b) { return __builtin_fmodf(a, b); }
  static double of(double a, double b) { return __builtin_fmod(a, b); }
  static Integer of(Integer a, Integer b) { return b == 0 || b == -1 ? 0 : a % b; }
};
struct Minimum {
  template <class T>
  static T of(T a, T b) {
    return smaller_of(a, b);
  }
};
struct Maximum {
  template <class T>
  static T of(T a, T b) {
    return larger_of(a, b);
  }
};
struct Power {
  static float of(float a, float b) { return __builtin_powf(a, b); }
  static double of(double a, double b) { return __builtin_pow(a, b); }
};
struct Less {
  template <class T>
  static float of(T a, T b) {
    return a < b ? 1.0F : 0.0F;
  }
};
struct LessEqual {
  template <class T>
  static float of(T a, T b) {
    return a <= b ? 1.0F : 0.0F;
  }
};
struct Equal {
  template <class T>
  static float of(T a, T b) {
    return a == b ? 1.0F : 0.0F;
  }
};
struct Both {
  static float of(float a, float b) { return a * b; }
};
struct Either {
  static float of(float a, float b) { return a > b ? a : b; }
};
struct Unlike {
  static float of(float a, float b) { return a != b ? 1.0F : 0.0F; }
};
struct BitAnd {
  static Integer of(Integer a, Integer b) { return a & b; }
};
struct ShiftLeft {
  static Integer of(Integer a, Integer b) { return static_cast<Integer>(static_cast<std::uint64_t>(a) << (b & 63)); }
};
struct ShiftRight {
  static Integer of(Integer a, Integer b) { return a >> (b & 63); }
};
