#pragma once

#include <xbyak/xbyak.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "graph/loops/loop_nest.h"
#include "run/native/register_code.h"

namespace hone::native {

/// How two floats are compared, by the code that instructions have for it; what is not a number is unequal to anything,
/// and nothing but `not_at_least` and `unordered` is true of it.
enum class Comparison : std::uint8_t {
  equal = 0,
  unordered = 3,
  not_equal = 4,
  ordered = 7,
  less = 17,
  less_equal = 18,
  not_at_least = 25,
  greater = 30,
};

/// A vector register of the width at hand.
using Vector = Xbyak::Xmm;

/// What an instruction reads: a register, or memory that it can read as it does a register.
struct VectorSource {
  enum class Kind : std::uint8_t { none, in_register, vector, one_for_all };

  Kind kind = Kind::none;
  int number = 0;            // of the register
  Xbyak::RegExp address;     // in memory
  bool is_constant = false;  // in memory it lies in the pool, at `pool_offset`
  std::size_t pool_offset = 0;
};

/// Writes machine code for vectors of floats: registers that are taken and given back, constants beside the code, and
/// the operations of loops as sequences of instructions. Truths are all bits of a place or none.
class VectorAssembler : public Xbyak::CodeGenerator {
 public:
  VectorAssembler(VectorSet set, std::span<std::uint8_t> buffer);

  bool is_wide() const { return set_ == VectorSet::avx512; }
  int places() const { return is_wide() ? 16 : 8; }
  int vector_bytes() const { return places() * 4; }
  /// Whether code was wanted that there is no way to write, or registers that there are not.
  bool has_failed() const { return failed_; }
  void give_up() { failed_ = true; }

  // Registers.
  Vector vector(int number) const { return {is_wide() ? Xbyak::Operand::ZMM : Xbyak::Operand::YMM, number}; }
  Vector take();
  void give(const Vector& taken) { free_.push_back(taken.getIdx()); }
  /// The most registers that were taken at the same time.
  int most_taken() const { return most_taken_; }
  int register_count() const { return is_wide() ? 32 : 16; }

  // Constants: some are held in registers, the others lie behind the code.
  VectorSource constant(float value);
  VectorSource constant_bits(std::uint32_t bits);
  struct ConstantUse {
    std::uint32_t bits = 0;
    int uses = 0;
  };
  const std::vector<ConstantUse>& constant_uses() const { return constants_; }
  /// Holds a constant in a register from here on.
  void pin_constant(std::uint32_t bits);
  void write_constants();

  // Sources.
  static VectorSource in(const Vector& reg) {
    return {.kind = VectorSource::Kind::in_register, .number = reg.getIdx(), .address = {}};
  }
  VectorSource memory(const Xbyak::RegExp& address) const {
    return {.kind = VectorSource::Kind::vector, .address = address};
  }
  /// One element, at all places of a vector; only where the processor can read it so.
  VectorSource spread_memory(const Xbyak::RegExp& address) const {
    return {.kind = VectorSource::Kind::one_for_all, .address = address};
  }
  /// The source in a register: its own, or `spare`, which it is loaded into.
  Vector held(const VectorSource& source, const Vector& spare);
  void load(const Vector& to, const VectorSource& source);

  /// to = op(sources); `to` is none of the registers that are read.
  void apply(LoopOp op, LoopType type, const Vector& to, const VectorSource (&sources)[3]);
  /// into = op(into, source) at all places, or at those of the mask alone.
  void fold(LoopOp op, const Vector& into, const VectorSource& source);
  void fold_masked(LoopOp op, const Vector& into, const VectorSource& source);
  /// Minimum and maximum without care for what is not a number, which a mask takes note of instead: quicker, as a fold
  /// waits for the one before it.
  void fold_noting(LoopOp op, const Vector& into, const VectorSource& source, const Xbyak::Opmask& strange);
  void fold_noting_masked(LoopOp op, const Vector& into, const VectorSource& source, const Xbyak::Opmask& strange);
  /// What is not a number at all places, where something was noted at any.
  void restore_noted(const Vector& folded, const Xbyak::Opmask& strange);
  /// Folds the places of a vector; all of them have the result.
  void fold_places(LoopOp op, const Vector& folded);
  void fold_places_plainly(LoopOp op, const Vector& folded);
  /// into = op(into, source) as the processor's instruction does it.
  void fold_plainly(LoopOp op, const Vector& into, const VectorSource& source);
  static float start_of(LoopOp op);

  // The mask of the places at the end of a row: opmask k1, or a register.
  void set_mask(int places_left);
  void set_mask_of_left(const Xbyak::Reg64& left);
  Xbyak::Opmask mask() const { return k1; }
  void load_masked(const Vector& to, const Xbyak::RegExp& address);
  void store_masked(const Xbyak::RegExp& address, const Vector& from);

  /// Instructions whose last operand may be memory.
  template <class Emit>
  void with(const VectorSource& source, Emit emit) {
    if (source.kind == VectorSource::Kind::in_register) emit(static_cast<const Xbyak::Operand&>(vector(source.number)));
    else emit(static_cast<const Xbyak::Operand&>(address_of(source)));
  }

 private:
  template <class Fold>
  void fold_other_places(const Vector& folded, Fold fold_other);
  Xbyak::Address address_of(const VectorSource& source);
  void set_mask_register();
  void binary(void (Xbyak::CodeGenerator::*instruction)(const Xbyak::Xmm&, const Xbyak::Operand&,
                                                        const Xbyak::Operand&),
              const Vector& to, const VectorSource& a, const VectorSource& b);
  void bitwise(LoopOp op, const Vector& to, const VectorSource& a, const VectorSource& b);
  void compare(const Vector& to, const VectorSource& a, const VectorSource& b, Comparison how);
  void blend(const Vector& to, const VectorSource& truth, const VectorSource& yes, const VectorSource& no);
  void round(const Vector& to, const VectorSource& a, std::uint8_t how);
  void extreme(LoopOp op, const Vector& to, const VectorSource& a, const VectorSource& b);
  void sign(const Vector& to, const VectorSource& a);
  bool apply_to_truths(LoopOp op, const Vector& to, const VectorSource (&sources)[3]);
  bool apply_function(LoopOp op, const Vector& to, const VectorSource& a);
  bool apply_simple(LoopOp op, const Vector& to, const VectorSource (&sources)[3]);

  // vector_math.cpp
  void polynomial(const Vector& sum, const Vector& x, std::initializer_list<float> coefficients);
  void clamp(const Vector& to, const VectorSource& x, float low, float high);
  void exp(const Vector& to, const VectorSource& x);
  void scale_by_power(const Vector& to, const Vector& mantissa, const Vector& exponent);
  void log(const Vector& to, const VectorSource& x);
  void log_plus_one(const Vector& to, const VectorSource& x);
  void sigmoid(const Vector& to, const VectorSource& x);
  void tanh(const Vector& to, const VectorSource& x);
  void erf(const Vector& to, const VectorSource& x);

  VectorSet set_;
  bool failed_ = false;
  std::vector<int> free_;
  int most_taken_ = 0;
  std::vector<ConstantUse> constants_;
  std::vector<int> constant_registers_;  // by constant: -1 where it lies in memory
  Xbyak::Label pool_;
  Xbyak::Label indices_;  // 0, 1, 2, ... behind the code
  int mask_register_ = -1;
};

}  // namespace hone::native
