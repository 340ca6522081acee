#pragma once

// Functions of one float without branches, so that a compiler makes vector code of loops over them. Included once by
// each file that compiles tiles for one kind of processor, inside a namespace of its own. Nothing of the standard
// library is used that a linker might share with code for other processors.

inline float bits_to_float(std::int32_t bits) { return __builtin_bit_cast(float, bits); }
inline std::int32_t float_to_bits(float x) { return __builtin_bit_cast(std::int32_t, x); }

/// Within 1 unit in the last place or two; infinite above 88.7, denormal below -87.3.
inline float exp_of(float x) {
  x = x > 88.8F ? 88.8F : x;
  x = x < -104.0F ? -104.0F : x;
  const float n = __builtin_rintf(x * 1.44269504088896341F);
  float r = x - n * 0.693359375F;
  r = r - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  const auto exponent = static_cast<std::int32_t>(n);
  const std::int32_t half = exponent >> 1;
  return p * bits_to_float((half + 127) << 23) * bits_to_float((exponent - half + 127) << 23);
}

/// The logarithm of a positive float, denormals included; NaN below 0.
inline float log_of(float x) {
  const bool tiny = x < 1.17549435e-38F;
  const float scaled = tiny ? x * 8388608.0F : x;
  const std::int32_t bits = float_to_bits(scaled);
  float exponent = static_cast<float>((bits >> 23) - 126) - (tiny ? 23.0F : 0.0F);
  float m = bits_to_float((bits & 0x007fffff) | 0x3f000000);
  const bool low = m < 0.707106781186547524F;
  exponent -= low ? 1.0F : 0.0F;
  m = low ? m + m - 1.0F : m - 1.0F;
  float p = 7.0376836292e-2F;
  p = p * m - 1.1514610310e-1F;
  p = p * m + 1.1676998740e-1F;
  p = p * m - 1.2420140846e-1F;
  p = p * m + 1.4249322787e-1F;
  p = p * m - 1.6668057665e-1F;
  p = p * m + 2.0000714765e-1F;
  p = p * m - 2.4999993993e-1F;
  p = p * m + 3.3333331174e-1F;
  const float square = m * m;
  float result = p * m * square;
  result += exponent * -2.12194440e-4F;
  result += square * -0.5F;
  result = m + result;
  result += exponent * 0.693359375F;
  result = x == __builtin_inff() ? x : result;
  result = x == 0.0F ? -__builtin_inff() : result;
  return x < 0.0F || x != x ? __builtin_nanf("") : result;
}

/// log(1 + x), exact where x is tiny.
inline float log_plus_one_of(float x) {
  const float sum = 1.0F + x;
  const float ratio = x / (sum - 1.0F);
  return sum == 1.0F || x == __builtin_inff() ? x : log_of(sum) * ratio;
}

inline float sigmoid_of(float x) { return 1.0F / (1.0F + exp_of(-x)); }

inline float absolute_of(float x) { return __builtin_fabsf(x); }

/// A quotient of polynomials; beyond 7.9 the result is 1 in all digits.
inline float tanh_of(float x) {
  const float bounded = x > 7.90531110763549805F    ? 7.90531110763549805F
                        : x < -7.90531110763549805F ? -7.90531110763549805F
                                                    : x;
  const float s = bounded * bounded;
  float p = -2.76076847742355e-16F;
  p = p * s + 2.00018790482477e-13F;
  p = p * s - 8.60467152213735e-11F;
  p = p * s + 5.12229709037114e-08F;
  p = p * s + 1.48572235717979e-05F;
  p = p * s + 6.37261928875436e-04F;
  p = p * s + 4.89352455891786e-03F;
  float q = 1.19825839466702e-06F;
  q = q * s + 1.18534705686654e-04F;
  q = q * s + 2.26843463243900e-03F;
  q = q * s + 4.89352518554385e-03F;
  return bounded * p / q;
}

/// The same; beyond 4 the result is 1 but for the last digit.
inline float erf_of(float x) {
  const float bounded = x > 4.0F ? 4.0F : x < -4.0F ? -4.0F : x;
  const float s = bounded * bounded;
  float p = -2.72614225801306e-10F;
  p = p * s + 2.77068142495902e-08F;
  p = p * s - 2.10102402082508e-06F;
  p = p * s - 5.69250639462346e-05F;
  p = p * s - 7.34990630326855e-04F;
  p = p * s - 2.95459980854025e-03F;
  p = p * s - 1.60960333262415e-02F;
  float q = -1.45660718464996e-05F;
  q = q * s - 2.13374055278905e-04F;
  q = q * s - 1.68282697438203e-03F;
  q = q * s - 7.37332916720468e-03F;
  q = q * s - 1.42647390514189e-02F;
  return bounded * p / q;
}

inline float larger_of(float a, float b) { return a > b || a != a ? a : b; }
inline float smaller_of(float a, float b) { return a < b || a != a ? a : b; }
inline double larger_of(double a, double b) { return a > b || a != a ? a : b; }
inline double smaller_of(double a, double b) { return a < b || a != a ? a : b; }
inline std::int64_t larger_of(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
inline std::int64_t smaller_of(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// Floats of 16 bits: half precision, and the upper half of a float. Nearest, ties to even.
inline float half_to_float(std::uint16_t half) {
  const std::int32_t sign = (half & 0x8000) << 16, magnitude = half & 0x7fff;
  const float normal = bits_to_float((magnitude << 13) + 0x38000000);
  const float tiny = static_cast<float>(magnitude) * 5.9604644775390625e-8F;
  const float special = bits_to_float(0x7f800000 | ((magnitude & 0x3ff) << 13));
  const float x = magnitude >= 0x7c00 ? special : magnitude < 0x400 ? tiny : normal;
  return bits_to_float(float_to_bits(x) | sign);
}
inline std::uint16_t float_to_half(float x) {
  const std::int32_t bits = float_to_bits(x), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  const std::int32_t normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const std::int32_t tiny = float_to_bits(bits_to_float(magnitude) + 0.5F) - 0x3f000000;
  const std::int32_t finite = magnitude < 0x38800000 ? tiny : normal;
  const std::int32_t code = magnitude > 0x7f800000 ? 0x7e00 : magnitude >= 0x477ff000 ? 0x7c00 : finite;
  return static_cast<std::uint16_t>(sign | code);
}
inline float upper_half_to_float(std::uint16_t half) { return bits_to_float(static_cast<std::int32_t>(half) << 16); }
inline std::uint16_t float_to_upper_half(float x) {
  const auto bits = static_cast<std::uint32_t>(float_to_bits(x));
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return static_cast<std::uint16_t>(x != x ? (bits >> 16) | 0x40 : rounded);
}
