#include "run/native/vector_assembler.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace hone::native {
namespace {

constexpr std::uint8_t kNearest = 8, kDown = 9, kUp = 10;  // without raising the flag of inexact results
constexpr std::uint32_t kSignBit = 0x80000000U, kAllBits = 0xffffffffU;

bool commutes(LoopOp op) { return op == LoopOp::add || op == LoopOp::multiply; }

}  // namespace

VectorAssembler::VectorAssembler(VectorSet set, std::span<std::uint8_t> buffer)
    : CodeGenerator(buffer.size(), buffer.data()), set_(set) {
  if (!is_wide()) mask_register_ = 15;
  for (int i = register_count(); i-- > 0;)
    if (i != mask_register_) free_.push_back(i);
}

Vector VectorAssembler::take() {
  if (free_.empty()) {
    give_up();
    return vector(0);
  }
  const int number = free_.back();
  free_.pop_back();
  most_taken_ = std::max(most_taken_, register_count() - static_cast<int>(free_.size()));
  return vector(number);
}

VectorSource VectorAssembler::constant(float value) { return constant_bits(std::bit_cast<std::uint32_t>(value)); }

VectorSource VectorAssembler::constant_bits(std::uint32_t bits) {
  auto known = std::ranges::find(constants_, bits, &ConstantUse::bits);
  if (known == constants_.end()) {
    constants_.push_back({.bits = bits});
    constant_registers_.push_back(-1);
    known = constants_.end() - 1;
  }
  ++known->uses;
  const auto at = static_cast<std::size_t>(known - constants_.begin());
  if (constant_registers_[at] >= 0)
    return {
        .kind = VectorSource::Kind::in_register, .number = constant_registers_[at], .address = {}, .is_constant = true};
  return {.kind = is_wide() ? VectorSource::Kind::one_for_all : VectorSource::Kind::vector,
          .address = {},
          .is_constant = true,
          .pool_offset = at * static_cast<std::size_t>(is_wide() ? 4 : vector_bytes())};
}

void VectorAssembler::pin_constant(std::uint32_t bits) {
  const VectorSource source = constant_bits(bits);
  const Vector reg = take();
  load(reg, source);
  constant_registers_.back() = reg.getIdx();
}

void VectorAssembler::write_constants() {
  align(64);
  L(pool_);
  for (const ConstantUse& constant : constants_)
    for (int i = 0; i < (is_wide() ? 1 : places()); ++i) dd(constant.bits);
  L(indices_);
  for (int i = 0; i < places(); ++i) dd(static_cast<std::uint32_t>(i));
}

Xbyak::Address VectorAssembler::address_of(const VectorSource& source) {
  const bool spreads = source.kind == VectorSource::Kind::one_for_all;
  const Xbyak::AddressFrame& frame = spreads ? (is_wide() ? zword_b : yword_b) : (is_wide() ? zword : yword);
  if (source.is_constant) return frame[rip + pool_ + static_cast<int>(source.pool_offset)];
  return frame[source.address];
}

void VectorAssembler::load(const Vector& to, const VectorSource& source) {
  if (source.kind == VectorSource::Kind::in_register) {
    if (source.number != to.getIdx()) vmovaps(to, vector(source.number));
  } else if (source.kind == VectorSource::Kind::one_for_all) {
    if (source.is_constant) vbroadcastss(to, dword[rip + pool_ + static_cast<int>(source.pool_offset)]);
    else vbroadcastss(to, dword[source.address]);
  } else {
    vmovups(to, address_of(source));
  }
}

Vector VectorAssembler::held(const VectorSource& source, const Vector& spare) {
  if (source.kind == VectorSource::Kind::in_register) return vector(source.number);
  load(spare, source);
  return spare;
}

void VectorAssembler::binary(void (Xbyak::CodeGenerator::*instruction)(const Xbyak::Xmm&, const Xbyak::Operand&,
                                                                       const Xbyak::Operand&),
                             const Vector& to, const VectorSource& a, const VectorSource& b) {
  const Vector first = held(a, to);
  with(b, [&](const Xbyak::Operand& second) { (this->*instruction)(to, first, second); });
}

void VectorAssembler::bitwise(LoopOp op, const Vector& to, const VectorSource& a, const VectorSource& b) {
  const auto instruction = op == LoopOp::both     ? &Xbyak::CodeGenerator::vandps
                           : op == LoopOp::either ? &Xbyak::CodeGenerator::vorps
                                                  : &Xbyak::CodeGenerator::vxorps;
  binary(instruction, to, a, b);
}

void VectorAssembler::compare(const Vector& to, const VectorSource& a, const VectorSource& b, Comparison how) {
  const Vector first = held(a, to);
  with(b, [&](const Xbyak::Operand& second) {
    if (is_wide()) {
      vcmpps(k2, first, second, static_cast<std::uint8_t>(how));
      vpmovm2d(to, k2);
    } else {
      vcmpps(to, first, second, static_cast<std::uint8_t>(how));
    }
  });
}

void VectorAssembler::blend(const Vector& to, const VectorSource& truth, const VectorSource& yes,
                            const VectorSource& no) {
  if (is_wide()) {
    vpmovd2m(k2, held(truth, to));
    const Vector otherwise = held(no, to);
    with(yes, [&](const Xbyak::Operand& chosen) { vblendmps(to | k2, otherwise, chosen); });
    return;
  }
  const Vector spare = take();
  const Vector mask = held(truth, spare), otherwise = held(no, to);
  with(yes, [&](const Xbyak::Operand& chosen) { vblendvps(to, otherwise, chosen, mask); });
  give(spare);
}

void VectorAssembler::round(const Vector& to, const VectorSource& a, std::uint8_t how) {
  with(a,
       [&](const Xbyak::Operand& operand) { is_wide() ? vrndscaleps(to, operand, how) : vroundps(to, operand, how); });
}

/// The processor's minimum and maximum give the second operand where either is not a number.
void VectorAssembler::extreme(LoopOp op, const Vector& to, const VectorSource& a, const VectorSource& b) {
  const auto instruction = op == LoopOp::maximum ? &Xbyak::CodeGenerator::vmaxps : &Xbyak::CodeGenerator::vminps;
  if (a.is_constant || b.is_constant) return binary(instruction, to, a.is_constant ? a : b, a.is_constant ? b : a);
  if (is_wide()) {
    load(to, a);
    return fold(op, to, b);
  }
  const Vector spare = take(), first = held(a, spare), unordered = take();
  compare(unordered, in(first), in(first), Comparison::unordered);
  with(b, [&](const Xbyak::Operand& second) { (this->*instruction)(to, first, second); });
  vblendvps(to, to, first, unordered);
  give(spare);
  give(unordered);
}

/// One for positive, less one for negative, and what is not a number as it is.
void VectorAssembler::sign(const Vector& to, const VectorSource& a) {
  const Vector x = take(), negative = take();
  load(x, a);
  const VectorSource zero = constant(0), one = constant(1);
  compare(to, in(x), zero, Comparison::greater);
  bitwise(LoopOp::both, to, in(to), one);
  compare(negative, in(x), zero, Comparison::less);
  bitwise(LoopOp::both, negative, in(negative), one);
  vsubps(to, to, negative);
  compare(negative, in(x), in(x), Comparison::unordered);
  const Vector result = take();
  blend(result, in(negative), in(x), in(to));
  vmovaps(to, result);
  for (const Vector& taken : {x, negative, result}) give(taken);
}

bool VectorAssembler::apply_to_truths(LoopOp op, const Vector& to, const VectorSource (&sources)[3]) {
  switch (op) {
    case LoopOp::inverse: bitwise(LoopOp::unlike, to, sources[0], constant_bits(kAllBits)); return true;
    case LoopOp::to_real: bitwise(LoopOp::both, to, sources[0], constant(1)); return true;
    case LoopOp::to_truth: load(to, sources[0]); return true;
    case LoopOp::both:
    case LoopOp::either:
    case LoopOp::unlike: bitwise(op, to, sources[0], sources[1]); return true;
    case LoopOp::equal:
      bitwise(LoopOp::unlike, to, sources[0], sources[1]);
      bitwise(LoopOp::unlike, to, in(to), constant_bits(kAllBits));
      return true;
    default: return false;
  }
}

bool VectorAssembler::apply_function(LoopOp op, const Vector& to, const VectorSource& a) {
  switch (op) {
    case LoopOp::exp: exp(to, a); return true;
    case LoopOp::log: log(to, a); return true;
    case LoopOp::log_plus_one: log_plus_one(to, a); return true;
    case LoopOp::tanh: tanh(to, a); return true;
    case LoopOp::sigmoid: sigmoid(to, a); return true;
    case LoopOp::erf: erf(to, a); return true;
    case LoopOp::sign: sign(to, a); return true;
    case LoopOp::floor: round(to, a, kDown); return true;
    case LoopOp::ceiling: round(to, a, kUp); return true;
    case LoopOp::round: round(to, a, kNearest); return true;
    case LoopOp::is_nan: {
      const Vector x = held(a, to);
      compare(to, in(x), in(x), Comparison::unordered);
      return true;
    }
    case LoopOp::to_truth: compare(to, a, constant(0), Comparison::not_equal); return true;
    case LoopOp::negate: bitwise(LoopOp::unlike, to, a, constant_bits(kSignBit)); return true;
    case LoopOp::absolute: bitwise(LoopOp::both, to, a, constant_bits(~kSignBit)); return true;
    case LoopOp::sqrt: with(a, [&](const Xbyak::Operand& x) { vsqrtps(to, x); }); return true;
    case LoopOp::reciprocal: binary(&Xbyak::CodeGenerator::vdivps, to, constant(1), a); return true;
    case LoopOp::to_real:
    case LoopOp::spread:
    case LoopOp::load: load(to, a); return true;
    default: return false;
  }
}

bool VectorAssembler::apply_simple(LoopOp op, const Vector& to, const VectorSource (&sources)[3]) {
  const bool swaps = commutes(op) && sources[1].kind == VectorSource::Kind::in_register;
  const VectorSource &a = sources[swaps ? 1 : 0], &b = sources[swaps ? 0 : 1];
  switch (op) {
    case LoopOp::add: binary(&Xbyak::CodeGenerator::vaddps, to, a, b); return true;
    case LoopOp::subtract: binary(&Xbyak::CodeGenerator::vsubps, to, a, b); return true;
    case LoopOp::multiply: binary(&Xbyak::CodeGenerator::vmulps, to, a, b); return true;
    case LoopOp::divide: binary(&Xbyak::CodeGenerator::vdivps, to, a, b); return true;
    case LoopOp::minimum:
    case LoopOp::maximum: extreme(op, to, a, b); return true;
    case LoopOp::less: compare(to, a, b, Comparison::less); return true;
    case LoopOp::less_equal: compare(to, a, b, Comparison::less_equal); return true;
    case LoopOp::equal: compare(to, a, b, Comparison::equal); return true;
    default: return false;
  }
}

void VectorAssembler::apply(LoopOp op, LoopType type, const Vector& to, const VectorSource (&sources)[3]) {
  if (op == LoopOp::select) return blend(to, sources[0], sources[1], sources[2]);
  const bool done = type == LoopType::truth ? apply_to_truths(op, to, sources)
                                            : apply_simple(op, to, sources) || apply_function(op, to, sources[0]);
  if (!done) give_up();
}

float VectorAssembler::start_of(LoopOp op) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (op) {
    case LoopOp::row_product: return 1;
    case LoopOp::row_minimum: return kInfinity;
    case LoopOp::row_maximum: return -kInfinity;
    default: return 0;
  }
}

void VectorAssembler::fold(LoopOp op, const Vector& into, const VectorSource& source) {
  if (op == LoopOp::row_sum || op == LoopOp::row_product) return fold_plainly(op, into, source);
  const bool rises = op == LoopOp::row_maximum || op == LoopOp::maximum;
  if (!is_wide()) {
    const Vector x = take();
    load(x, source);
    const Vector before = take();
    vmovaps(before, into);
    extreme(rises ? LoopOp::maximum : LoopOp::minimum, into, in(before), in(x));
    give(x);
    return give(before);
  }
  vcmpps(k2, into, into, static_cast<std::uint8_t>(Comparison::ordered));
  with(source, [&](const Xbyak::Operand& x) { rises ? vmaxps(into | k2, into, x) : vminps(into | k2, into, x); });
}

void VectorAssembler::fold_masked(LoopOp op, const Vector& into, const VectorSource& source) {
  const Vector x = take(), neutral = take();
  load(neutral, constant(start_of(op)));
  const Vector loaded = held(source, x);
  if (is_wide()) vblendmps(x | mask(), neutral, loaded);
  else vblendvps(x, neutral, loaded, vector(mask_register_));
  fold(op, into, in(x));
  give(x);
  give(neutral);
}

void VectorAssembler::fold_plainly(LoopOp op, const Vector& into, const VectorSource& source) {
  const auto instruction = op == LoopOp::row_sum       ? &Xbyak::CodeGenerator::vaddps
                           : op == LoopOp::row_product ? &Xbyak::CodeGenerator::vmulps
                           : op == LoopOp::row_maximum ? &Xbyak::CodeGenerator::vmaxps
                                                       : &Xbyak::CodeGenerator::vminps;
  binary(instruction, into, in(into), source);
}

void VectorAssembler::fold_noting(LoopOp op, const Vector& into, const VectorSource& source,
                                  const Xbyak::Opmask& strange) {
  const Vector spare = take(), x = held(source, spare);
  vcmpps(k2, x, x, static_cast<std::uint8_t>(Comparison::unordered));
  korw(strange, strange, k2);
  fold_plainly(op, into, in(x));
  give(spare);
}

void VectorAssembler::fold_noting_masked(LoopOp op, const Vector& into, const VectorSource& source,
                                         const Xbyak::Opmask& strange) {
  const Vector spare = take(), x = held(source, spare);
  vcmpps(k2 | mask(), x, x, static_cast<std::uint8_t>(Comparison::unordered));
  korw(strange, strange, k2);
  fold_plainly(op, into | mask(), in(x));
  give(spare);
}

void VectorAssembler::restore_noted(const Vector& folded, const Xbyak::Opmask& strange) {
  kmovw(eax, strange);
  neg(eax);
  sbb(eax, eax);
  kmovw(k2, eax);
  const Vector none = take();
  load(none, constant_bits(0x7fc00000));
  vmovaps(folded | k2, none);
  give(none);
}

template <class Fold>
void VectorAssembler::fold_other_places(const Vector& folded, Fold fold_other) {
  const Vector other = take();
  if (is_wide()) {
    const Xbyak::Zmm wide(folded.getIdx()), wide_other(other.getIdx());
    vshuff32x4(wide_other, wide, wide, 0x4e);
    fold_other(other);
    vshuff32x4(wide_other, wide, wide, 0xb1);
  } else {
    vperm2f128(Xbyak::Ymm(other.getIdx()), Xbyak::Ymm(folded.getIdx()), Xbyak::Ymm(folded.getIdx()), 1);
  }
  fold_other(other);
  vpermilps(other, folded, 0x4e);
  fold_other(other);
  vpermilps(other, folded, 0xb1);
  fold_other(other);
  give(other);
}

void VectorAssembler::fold_places(LoopOp op, const Vector& folded) {
  fold_other_places(folded, [&](const Vector& other) { fold(op, folded, in(other)); });
}

void VectorAssembler::fold_places_plainly(LoopOp op, const Vector& folded) {
  fold_other_places(folded, [&](const Vector& other) { fold_plainly(op, folded, in(other)); });
}

void VectorAssembler::set_mask(int places_left) {
  mov(eax, is_wide() ? (1 << places_left) - 1 : places_left);
  if (is_wide()) kmovw(mask(), eax);
  else set_mask_register();
}

void VectorAssembler::set_mask_of_left(const Xbyak::Reg64& left) {
  if (!is_wide()) {
    mov(eax, left.cvt32());
    return set_mask_register();
  }
  mov(eax, 1);
  shlx(eax, eax, left.cvt32());
  sub(eax, 1);
  kmovw(mask(), eax);
}

/// As many places as eax says.
void VectorAssembler::set_mask_register() {
  const Vector count = take();
  vmovd(Xbyak::Xmm(count.getIdx()), eax);
  vpbroadcastd(count, Xbyak::Xmm(count.getIdx()));
  vpcmpgtd(Xbyak::Ymm(mask_register_), Xbyak::Ymm(count.getIdx()), yword[rip + indices_]);
  give(count);
}

void VectorAssembler::load_masked(const Vector& to, const Xbyak::RegExp& address) {
  if (is_wide()) vmovups(to | mask() | T_z, zword[address]);
  else vmaskmovps(to, vector(mask_register_), yword[address]);
}

void VectorAssembler::store_masked(const Xbyak::RegExp& address, const Vector& from) {
  if (is_wide()) vmovups(zword[address] | mask(), from);
  else vmaskmovps(yword[address], vector(mask_register_), from);
}

}  // namespace hone::native
