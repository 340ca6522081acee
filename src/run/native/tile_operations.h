#pragma once

// What single operations do to elements; included by tile_code.h as tile_math.h is.

using Integer = std::int64_t;

// Functions of one value.
struct Negate {
  template <class T>
  static T of(T x) {
    return T(0) - x;
  }
  static float of(float x) { return -x; }
};
struct Absolute {
  static float of(float x) { return absolute_of(x); }
  static Integer of(Integer x) { return x < 0 ? static_cast<Integer>(0 - static_cast<std::uint64_t>(x)) : x; }
};
struct Exp {
  static float of(float x) { return exp_of(x); }
};
struct Log {
  static float of(float x) { return log_of(x); }
};
struct LogPlusOne {
  static float of(float x) { return log_plus_one_of(x); }
};
struct Sqrt {
  static float of(float x) { return __builtin_sqrtf(x); }
};
struct Reciprocal {
  static float of(float x) { return 1.0F / x; }
};
struct Tanh {
  static float of(float x) { return tanh_of(x); }
};
struct Sigmoid {
  static float of(float x) { return sigmoid_of(x); }
};
struct Erf {
  static float of(float x) { return erf_of(x); }
};
struct Sine {
  static float of(float x) { return __builtin_sinf(x); }
};
struct Cosine {
  static float of(float x) { return __builtin_cosf(x); }
};
struct Floor {
  static float of(float x) { return __builtin_floorf(x); }
};
struct Ceiling {
  static float of(float x) { return __builtin_ceilf(x); }
};
struct Round {
  static float of(float x) { return __builtin_rintf(x); }
};
struct Sign {
  static float of(float x) { return x != x ? x : static_cast<float>(x > 0) - static_cast<float>(x < 0); }
  static Integer of(Integer x) { return (x > 0) - (x < 0); }
};
struct Inverse {
  static float of(float x) { return x == 0.0F ? 1.0F : 0.0F; }
};
struct IsNaN {
  static float of(float x) { return x != x ? 1.0F : 0.0F; }
};
struct IntegerToReal {
  static float of(Integer x) { return static_cast<float>(x); }
};
struct RealToInteger {
  static Integer of(float x) {
    return x != x ? 0 : x >= 9.2233720e18F ? INT64_MAX : x <= -9.2233720e18F ? INT64_MIN : static_cast<Integer>(x);
  }
};
struct Same {
  static float of(float x) { return x; }
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
};
struct Subtract {
  template <class T>
  static T of(T a, T b) {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b) {
    return a * b;
  }
};
struct Divide {
  static float of(float a, float b) { return a / b; }
  static Integer of(Integer a, Integer b) {
    return b == 0 ? 0 : b == -1 ? static_cast<Integer>(0 - static_cast<std::uint64_t>(a)) : a / b;
  }
};
struct Modulo {
  static float of(float a, float b) { return __builtin_fmodf(a, b); }
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
