#include <algorithm>
#include <cmath>

#include "run/native/code_writer.h"

// Values of a nest in registers: where each is found, and when its register is free again.

namespace hone::native {

/// Writes instructions that follow one another; what they define is in registers until the last of them has read it.
void CodeWriter::write_list(const std::vector<std::uint32_t>& list, const Piece& piece) {
  count_uses(list, piece);
  if (!piece.by_row) write_spread_stores(piece);
  for (const std::uint32_t value : list) write_value(value, piece);
}

void CodeWriter::count_uses(const std::vector<std::uint32_t>& list, const Piece& piece) {
  for (const std::uint32_t value : list) uses_[value] = {};
  const auto count = [&](std::uint32_t value) {
    for (int i = 0; i < piece.count; ++i) ++uses_[value][static_cast<std::size_t>(i)];
  };
  for (const std::uint32_t value : list) {
    const LoopInstruction& step = nest().code[value];
    const bool reads = !(piece.by_row && folds_rows(step.op)) && !passes_.is_found_in(value, piece.pass);
    for (std::size_t k = 0; reads && k < operand_count(step.op); ++k) count(passes_.origin(step.values[k]));
    if (folds_rows(step.op) && !piece.by_row) continue;
    for (const LoopStore& store : nest().stores)
      if (is_stored_here(store, value, piece)) count(value);
    if (passes_.is_kept(value) && passes_.pass_of(value) == piece.pass) count(value);
  }
}

bool CodeWriter::is_stored_here(const LoopStore& store, std::uint32_t value, const Piece& piece) const {
  if (passes_.origin(store.value) != value || passes_.pass_of(value) != piece.pass) return false;
  return passes_.is_by_row(value) ? piece.by_row && !passes_.goes_to_points(store) : !piece.by_row;
}

void CodeWriter::write_value(std::uint32_t value, const Piece& piece) {
  const LoopInstruction& step = nest().code[value];
  if (folds_rows(step.op)) return piece.by_row ? take_fold(value, piece) : add_to_fold(value, piece);
  const bool is_found = passes_.is_found_in(value, piece.pass);
  for (int i = 0; i < piece.count; ++i) {
    const bool waits = is_found || (step.op == LoopOp::load && (!piece.by_row || is_read_in_place(value)));
    if (!waits) {
      VectorSource sources[3];
      const Vector to = code_.take();
      if (step.op == LoopOp::load) load_element(to, step.operand, i, piece);
      for (std::size_t k = 0; k < operand_count(step.op); ++k) sources[k] = source(step.values[k], i, piece);
      const LoopType type = operand_count(step.op) == 0 ? step.type : nest().code[step.values[0]].type;
      if (step.op != LoopOp::load) code_.apply(step.op, type, to, sources);
      registers_[value][static_cast<std::size_t>(i)] = to.getIdx();
      for (std::size_t k = 0; k < operand_count(step.op); ++k) release(passes_.origin(step.values[k]), i);
    }
    finish_value(value, i, piece);
  }
}

/// Stores a value and keeps it for other lists, as soon as it is there.
void CodeWriter::finish_value(std::uint32_t value, int vector, const Piece& piece) {
  if (piece.by_row && leaves_[value]) leave_row(value, vector);
  for (const LoopStore& store : nest().stores) {
    if (!is_stored_here(store, value, piece)) continue;
    store_element(store, source(value, vector, piece), vector, piece);
    release(value, vector);
  }
  if (passes_.is_kept(value) && passes_.pass_of(value) == piece.pass) {
    const Vector spare = code_.take();
    const Vector from = code_.held(source(value, vector, piece), spare);
    code_.vmovups(code_.ptr[kept(value, vector)], from);
    code_.give(spare);
    release(value, vector);
  }
  if (uses_[value][static_cast<std::size_t>(vector)] == 0) {
    uses_[value][static_cast<std::size_t>(vector)] = 1;
    release(value, vector);
  }
}

/// Puts a value of a row where the loops over its points find it.
void CodeWriter::leave_row(std::uint32_t value, int vector) {
  const int number = registers_[value][static_cast<std::size_t>(vector)];
  if (number < 0) return;
  const Vector from = code_.vector(number);
  if (pinned_[value] >= 0) code_.vmovaps(code_.vector(pinned_[value]), from);
  else if (code_.is_wide() && !lanes_are_rows()) code_.vmovss(code_.dword[slot(value, vector)], Xbyak::Xmm(number));
  else code_.vmovups(code_.ptr[slot(value, vector)], from);
}

/// One value a row at all its points.
void CodeWriter::write_spread_stores(const Piece& piece) {
  for (const std::uint32_t store : passes_.passes()[piece.pass].spread)
    for (int i = 0; i < piece.count; ++i) {
      const Vector spare = code_.take();
      code_.load(spare, source(nest().stores[store].value, i, piece));
      store_element(nest().stores[store], VectorAssembler::in(spare), i, piece);
      code_.give(spare);
    }
}

void CodeWriter::add_to_fold(std::uint32_t value, const Piece& piece) {
  const LoopInstruction& step = nest().code[value];
  const std::uint32_t read = passes_.origin(step.values[0]);
  if (step.type != LoopType::real) return code_.give_up();
  const bool masks = piece.extent == Extent::masked && !lanes_are_rows();
  for (int i = 0; i < piece.count; ++i) {
    const Vector& into = folded_[value][static_cast<std::size_t>(i)];
    const VectorSource from = source(read, i, piece);
    if (const auto strange = noting_mask(value))
      masks ? code_.fold_noting_masked(step.op, into, from, *strange)
            : code_.fold_noting(step.op, into, from, *strange);
    else masks ? code_.fold_masked(step.op, into, from) : code_.fold(step.op, into, from);
    release(read, i);
  }
}

/// The result of a fold: of all vectors and of their places, or of each place where rows lie side by side.
void CodeWriter::take_fold(std::uint32_t value, const Piece& piece) {
  std::vector<Vector>& parts = folded_[value];
  const LoopOp op = nest().code[value].op;
  if (!lanes_are_rows()) {
    const auto strange = noting_mask(value);
    for (; parts.size() > 1; parts.pop_back()) {
      const Vector& into = parts[(parts.size() - 1) / 2];
      const VectorSource part = VectorAssembler::in(parts.back());
      strange ? code_.fold_plainly(op, into, part) : code_.fold(op, into, part);
      code_.give(parts.back());
    }
    strange ? code_.fold_places_plainly(op, parts[0]) : code_.fold_places(op, parts[0]);
    if (strange) code_.restore_noted(parts[0], *strange);
  }
  for (int i = 0; i < piece.count; ++i) {
    registers_[value][static_cast<std::size_t>(i)] = parts[static_cast<std::size_t>(i)].getIdx();
    finish_value(value, i, piece);
  }
  parts.clear();
}

/// A mask that takes note of what is not a number while a row is folded into its minimum or maximum; nothing where
/// there is none left or no need.
std::optional<Xbyak::Opmask> CodeWriter::noting_mask(std::uint32_t value) const {
  constexpr int kFirst = 3, kLast = 7;
  const auto is_extreme = [&](std::uint32_t other) {
    const LoopOp op = nest().code[other].op;
    return op == LoopOp::row_minimum || op == LoopOp::row_maximum;
  };
  if (!code_.is_wide() || lanes_are_rows() || !is_extreme(value)) return std::nullopt;
  int number = kFirst;
  for (std::uint32_t other = 0; other < value; ++other) number += is_extreme(other) ? 1 : 0;
  return number <= kLast ? std::optional(Xbyak::Opmask(number)) : std::nullopt;
}

bool CodeWriter::is_read_in_place(std::uint32_t value) const {
  const LoopInstruction& step = nest().code[value];
  return step.op == LoopOp::load && step.type == LoopType::real && code_.is_wide() && !lanes_are_rows() &&
         is_near(step.operand) && std::ranges::count(choice_.rows, value) == 0;
}

VectorSource CodeWriter::constant_source(const LoopInstruction& step) {
  if (step.type == LoopType::integer || std::isnan(step.number)) code_.give_up();
  if (step.type == LoopType::truth) return code_.constant_bits(step.number != 0 ? 0xffffffffU : 0);
  return code_.constant(static_cast<float>(step.number));
}

VectorSource CodeWriter::source(std::uint32_t value, int vector, const Piece& piece) {
  value = passes_.origin(value);
  const LoopInstruction& step = nest().code[value];
  int& number = registers_[value][static_cast<std::size_t>(vector)];
  if (step.op == LoopOp::constant) return constant_source(step);
  if (number >= 0) return VectorAssembler::in(code_.vector(number));
  if (passes_.is_by_row(value)) return source_by_row(value, vector, piece);
  if (passes_.is_found_in(value, piece.pass)) return code_.memory(kept(value, vector));
  HONE_CHECK(step.op == LoopOp::load, "a value is read before it is there: {}", name_of(step.op));
  const bool is_read_once = uses_[value][static_cast<std::size_t>(vector)] == 1 && piece.extent == Extent::whole;
  const bool spreads = is_spread(step.operand);
  if (is_read_once && step.type == LoopType::real && is_near(step.operand) && (!spreads || code_.is_wide())) {
    const Xbyak::RegExp address = element(step.operand, vector, piece);
    return spreads ? code_.spread_memory(address) : code_.memory(address);
  }
  const Vector to = code_.take();
  load_element(to, step.operand, vector, piece);
  number = to.getIdx();
  return VectorAssembler::in(to);
}

VectorSource CodeWriter::source_by_row(std::uint32_t value, int vector, const Piece& piece) {
  if (!piece.by_row) ++row_uses_[value];
  if (pinned_[value] >= 0) return VectorAssembler::in(code_.vector(pinned_[value]));
  if (is_read_in_place(value)) return code_.spread_memory(pointer(nest().code[value].operand));
  HONE_CHECK(slots_[value] >= 0, "a value of a row has no place");
  if (lanes_are_rows() || !code_.is_wide()) return code_.memory(slot(value, vector));
  return code_.spread_memory(slot(value, vector));
}

/// Says that a value has been read once more; after the last time its register is free.
void CodeWriter::release(std::uint32_t value, int vector) {
  int& number = registers_[value][static_cast<std::size_t>(vector)];
  int& uses = uses_[value][static_cast<std::size_t>(vector)];
  if (--uses > 0 || number < 0) return;
  code_.give(code_.vector(number));
  number = -1;
}

void CodeWriter::load_element(const Vector& to, std::uint32_t operand, int vector, const Piece& piece) {
  const ElementType type = nest().operands[operand].element;
  const bool is_byte = element_bytes(operand) == 1;
  if (type != ElementType::float32 && type != ElementType::boolean) return code_.give_up();
  if (is_byte) return load_truth(to, operand, vector, piece);
  const Xbyak::RegExp address = element(operand, vector, piece);
  if (is_spread(operand)) code_.vbroadcastss(to, code_.dword[address]);
  else if (piece.extent == Extent::masked) code_.load_masked(to, address);
  else code_.vmovups(to, code_.ptr[address]);
  if (type != ElementType::boolean) return;
  const Vector number = code_.take();
  code_.vmovaps(number, to);
  code_.apply(LoopOp::to_truth, LoopType::real, to, {VectorAssembler::in(number), {}, {}});
  code_.give(number);
}

/// Bytes as truths of vectors.
void CodeWriter::load_truth(const Vector& to, std::uint32_t operand, int vector, const Piece& piece) {
  if (!code_.is_wide()) return code_.give_up();
  const Xbyak::RegExp address = element(operand, vector, piece);
  if (is_spread(operand)) {
    code_.movzx(code_.eax, code_.byte[address]);
    code_.vpbroadcastd(to, code_.eax);
  } else if (piece.extent == Extent::masked) {
    code_.vpmovzxbd(to | code_.mask() | code_.T_z, code_.xword[address]);
  } else {
    code_.vpmovzxbd(to, code_.xword[address]);
  }
  code_.vptestmd(code_.k2, to, to);
  code_.vpmovm2d(to, code_.k2);
}

void CodeWriter::store_element(const LoopStore& store, const VectorSource& from, int vector, const Piece& piece) {
  const LoopType type = nest().code[store.value].type;
  const bool is_byte = element_bytes(store.operand) == 1;
  if (is_byte != (type == LoopType::truth) || type == LoopType::integer) return code_.give_up();
  const Vector spare = code_.take();
  const Vector held = code_.held(from, spare);
  if (is_byte) {
    store_truth(store.operand, held, vector, piece);
  } else {
    const Xbyak::RegExp address = element(store.operand, vector, piece);
    if (is_spread(store.operand)) code_.vmovss(code_.dword[address], Xbyak::Xmm(held.getIdx()));
    else if (piece.extent == Extent::masked) code_.store_masked(address, held);
    else if (request_.stores == StoreKind::streaming) code_.vmovntps(code_.ptr[address], held);
    else code_.vmovups(code_.ptr[address], held);
  }
  code_.give(spare);
}

void CodeWriter::store_truth(std::uint32_t operand, const Vector& from, int vector, const Piece& piece) {
  if (!code_.is_wide()) return code_.give_up();
  const Vector one = code_.take();
  code_.load(one, code_.constant_bits(1));
  code_.vpandd(one, one, from);
  const Xbyak::RegExp address = element(operand, vector, piece);
  if (is_spread(operand)) code_.vpextrb(code_.byte[address], Xbyak::Xmm(one.getIdx()), 0);
  else if (piece.extent == Extent::masked) code_.vpmovdb(code_.xword[address] | code_.mask(), one);
  else code_.vpmovdb(code_.xword[address], one);
  code_.give(one);
}

}  // namespace hone::native
