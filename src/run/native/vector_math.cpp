#include <numbers>

#include "run/native/vector_assembler.h"

// Functions of floats in registers: the sequences of tile_math.h.

namespace hone::native {

/// sum = ((c0 * x + c1) * x + c2) ...
void VectorAssembler::polynomial(const Vector& sum, const Vector& x, std::initializer_list<float> coefficients) {
  bool is_first = true;
  for (const float coefficient : coefficients) {
    const VectorSource source = constant(coefficient);
    if (is_first) load(sum, source);
    else with(source, [&](const Xbyak::Operand& next) { vfmadd213ps(sum, x, next); });
    is_first = false;
  }
}

/// What is not a number stays what it is.
void VectorAssembler::clamp(const Vector& to, const VectorSource& x, float low, float high) {
  const Vector bound = take();
  const Vector most = held(constant(high), bound);
  with(x, [&](const Xbyak::Operand& operand) { vminps(to, most, operand); });
  const Vector least = held(constant(low), bound);
  vmaxps(to, least, to);
  give(bound);
}

/// to = mantissa * 2^exponent, for exponents as far as -150 to 128.
void VectorAssembler::scale_by_power(const Vector& to, const Vector& mantissa, const Vector& exponent) {
  if (is_wide()) return vscalefps(to, mantissa, exponent);
  const Vector half = take();
  const VectorSource bias = constant_bits(127);
  vcvtps2dq(exponent, exponent);
  vpsrad(half, exponent, 1);
  vpsubd(exponent, exponent, half);
  for (const Vector& part : {half, exponent}) {
    with(bias, [&](const Xbyak::Operand& operand) { vpaddd(part, part, operand); });
    vpslld(part, part, 23);
  }
  vmulps(to, mantissa, half);
  vmulps(to, to, exponent);
  give(half);
}

void VectorAssembler::exp(const Vector& to, const VectorSource& x) {
  const Vector n = take(), sum = take(), square = take();
  clamp(to, x, -104.0F, 88.8F);
  with(constant(1.44269504088896341F), [&](const Xbyak::Operand& factor) { vmulps(n, to, factor); });
  round(n, in(n), 8);
  with(constant(0.693359375F), [&](const Xbyak::Operand& high) { vfnmadd231ps(to, n, high); });
  with(constant(-2.12194440e-4F), [&](const Xbyak::Operand& low) { vfnmadd231ps(to, n, low); });
  polynomial(
      sum, to,
      {1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F});
  vmulps(square, to, to);
  vfmadd213ps(sum, square, to);
  with(constant(1), [&](const Xbyak::Operand& one) { vaddps(sum, sum, one); });
  scale_by_power(to, sum, n);
  for (const Vector& taken : {n, sum, square}) give(taken);
}

void VectorAssembler::log(const Vector& to, const VectorSource& source) {
  const Vector x = take(), exponent = take(), m = take(), truth = take();
  load(x, source);
  // Denormals are made larger by 2^23.
  compare(truth, in(x), constant(1.17549435e-38F), Comparison::less);
  with(constant(8388608.0F), [&](const Xbyak::Operand& factor) { vmulps(to, x, factor); });
  blend(m, in(truth), in(to), in(x));
  vpsrad(exponent, m, 23);
  with(constant_bits(126), [&](const Xbyak::Operand& bias) { vpsubd(exponent, exponent, bias); });
  vcvtdq2ps(exponent, exponent);
  bitwise(LoopOp::both, truth, in(truth), constant(23));
  vsubps(exponent, exponent, truth);
  bitwise(LoopOp::both, m, in(m), constant_bits(0x007fffff));
  bitwise(LoopOp::either, m, in(m), constant_bits(0x3f000000));
  // A mantissa below the root of one half is doubled.
  compare(truth, in(m), constant(std::numbers::sqrt2_v<float> / 2), Comparison::less);
  bitwise(LoopOp::both, to, in(truth), in(m));
  vaddps(m, m, to);
  bitwise(LoopOp::both, truth, in(truth), constant(1));
  vsubps(exponent, exponent, truth);
  with(constant(1), [&](const Xbyak::Operand& one) { vsubps(m, m, one); });
  polynomial(to, m,
             {7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
              -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F});
  vmulps(truth, m, m);
  vmulps(to, to, m);
  vmulps(to, to, truth);
  with(constant(-2.12194440e-4F), [&](const Xbyak::Operand& low) { vfmadd231ps(to, exponent, low); });
  with(constant(-0.5F), [&](const Xbyak::Operand& half) { vfmadd231ps(to, truth, half); });
  vaddps(to, to, m);
  with(constant(0.693359375F), [&](const Xbyak::Operand& high) { vfmadd231ps(to, exponent, high); });
  // Infinity stays, zero is infinity below, what is negative or no number is no number.
  const auto put = [&](const VectorSource& where, std::uint32_t bits) {
    blend(m, where, constant_bits(bits), in(to));
    vmovaps(to, m);
  };
  compare(truth, in(x), constant_bits(0x7f800000), Comparison::equal);
  put(in(truth), 0x7f800000);
  compare(truth, in(x), constant(0), Comparison::equal);
  put(in(truth), 0xff800000);
  compare(truth, in(x), constant(0), Comparison::not_at_least);
  put(in(truth), 0x7fc00000);
  for (const Vector& taken : {x, exponent, m, truth}) give(taken);
}

/// log(1 + x), exact where x is tiny.
void VectorAssembler::log_plus_one(const Vector& to, const VectorSource& source) {
  const Vector x = take(), sum = take(), ratio = take(), logarithm = take();
  load(x, source);
  const VectorSource one = constant(1);
  with(one, [&](const Xbyak::Operand& operand) {
    vaddps(sum, x, operand);
    vsubps(ratio, sum, operand);
  });
  vdivps(ratio, x, ratio);
  log(logarithm, in(sum));
  vmulps(ratio, ratio, logarithm);
  compare(to, in(sum), one, Comparison::equal);
  compare(logarithm, in(x), constant_bits(0x7f800000), Comparison::equal);
  vorps(logarithm, logarithm, to);
  blend(to, in(logarithm), in(x), in(ratio));
  for (const Vector& taken : {x, sum, ratio, logarithm}) give(taken);
}

void VectorAssembler::sigmoid(const Vector& to, const VectorSource& x) {
  const Vector power = take();
  bitwise(LoopOp::unlike, to, x, constant_bits(0x80000000U));
  exp(power, in(to));
  const VectorSource one = constant(1);
  with(one, [&](const Xbyak::Operand& operand) { vaddps(power, power, operand); });
  vdivps(to, held(one, to), power);
  give(power);
}

void VectorAssembler::tanh(const Vector& to, const VectorSource& x) {
  const Vector bounded = take(), square = take(), below = take();
  clamp(bounded, x, -7.90531110763549805F, 7.90531110763549805F);
  vmulps(square, bounded, bounded);
  polynomial(to, square,
             {-2.76076847742355e-16F, 2.00018790482477e-13F, -8.60467152213735e-11F, 5.12229709037114e-08F,
              1.48572235717979e-05F, 6.37261928875436e-04F, 4.89352455891786e-03F});
  polynomial(below, square,
             {1.19825839466702e-06F, 1.18534705686654e-04F, 2.26843463243900e-03F, 4.89352518554385e-03F});
  vmulps(to, to, bounded);
  vdivps(to, to, below);
  for (const Vector& taken : {bounded, square, below}) give(taken);
}

void VectorAssembler::erf(const Vector& to, const VectorSource& x) {
  const Vector bounded = take(), square = take(), below = take();
  clamp(bounded, x, -4.0F, 4.0F);
  vmulps(square, bounded, bounded);
  polynomial(to, square,
             {-2.72614225801306e-10F, 2.77068142495902e-08F, -2.10102402082508e-06F, -5.69250639462346e-05F,
              -7.34990630326855e-04F, -2.95459980854025e-03F, -1.60960333262415e-02F});
  polynomial(below, square,
             {-1.45660718464996e-05F, -2.13374055278905e-04F, -1.68282697438203e-03F, -7.37332916720468e-03F,
              -1.42647390514189e-02F});
  vmulps(to, to, bounded);
  vdivps(to, to, below);
  for (const Vector& taken : {bounded, square, below}) give(taken);
}

}  // namespace hone::native
