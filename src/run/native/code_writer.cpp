#include "run/native/code_writer.h"

#include <algorithm>
#include <cstddef>

// The function of a nest: loops, and pointers that go along.

namespace hone::native {
namespace {

constexpr int kNearPointers[] = {Xbyak::Operand::RBX, Xbyak::Operand::RBP, Xbyak::Operand::RSI,
                                 Xbyak::Operand::R9,  Xbyak::Operand::R10, Xbyak::Operand::R11,
                                 Xbyak::Operand::R12, Xbyak::Operand::R13, Xbyak::Operand::R14};
constexpr int kSavedRegisters[] = {Xbyak::Operand::RBX, Xbyak::Operand::RBP, Xbyak::Operand::R12,
                                   Xbyak::Operand::R13, Xbyak::Operand::R14, Xbyak::Operand::R15};
/// Sums of long rows are taken in parts of so many columns, so that small elements do not get lost in large sums.
constexpr std::int64_t kColumnsOfAPart = 64;

int offset_of_pointer(std::uint32_t operand) {
  return static_cast<int>(offsetof(CodeFrame, pointers) + operand * sizeof(std::byte*));
}

}  // namespace

CodeWriter::CodeWriter(const CodeRequest& request, const LoopPasses& passes, VectorSet set,
                       std::span<std::uint8_t> buffer)
    : request_(request), passes_(passes), code_(set, buffer) {
  for (std::uint32_t i = 0; i < nest().operands.size(); ++i)
    pointers_.push_back(i < std::size(kNearPointers) ? Xbyak::Reg64(kNearPointers[i]) : code_.rax);
}

bool CodeWriter::write(const CodeChoice& choice) {
  choice_ = choice;
  place();
  open();
  write_planes();
  close();
  return !code_.has_failed();
}

CodeChoice CodeWriter::improved(CodeChoice choice) const {
  struct Reading {
    int uses;
    bool is_row;
    std::uint32_t what;
  };
  std::vector<Reading> readings;
  for (const VectorAssembler::ConstantUse& constant : code_.constant_uses())
    readings.push_back({constant.uses, false, constant.bits});
  const bool has_long_rows = nest().columns() > 2 * code_.places();
  for (std::uint32_t i = 0; i < row_uses_.size() && !lanes_are_rows(); ++i)
    if (row_uses_[i] > 0 && (has_long_rows || nest().code[i].op != LoopOp::load))
      readings.push_back({row_uses_[i], true, i});
  std::ranges::stable_sort(readings, std::greater(), &Reading::uses);
  const int left = code_.register_count() - code_.most_taken();
  for (std::size_t i = 0; i < readings.size() && i < static_cast<std::size_t>(std::max(left, 0)); ++i)
    (readings[i].is_row ? choice.rows : choice.constants).push_back(readings[i].what);
  return choice;
}

/// In elements; operands in scratch lie row after row.
std::int64_t CodeWriter::stride(std::uint32_t operand, std::size_t axis_from_last) const {
  const Dims& strides = nest().operands[operand].strides;
  if (request_.lies_in_scratch[operand] && axis_from_last == 0) return 1;
  return strides[strides.size() - 1 - axis_from_last];
}

int CodeWriter::element_bytes(std::uint32_t operand) const {
  const bool is_byte = nest().operands[operand].element == ElementType::boolean && !request_.lies_in_scratch[operand];
  return is_byte ? 1 : 4;
}

bool CodeWriter::is_spread(std::uint32_t operand) const { return stride(operand, lanes_are_rows() ? 1 : 0) == 0; }

Xbyak::Reg64 CodeWriter::pointer(std::uint32_t operand) {
  if (!is_near(operand)) code_.mov(code_.rax, code_.qword[code_.rdi + offset_of_pointer(operand)]);
  return pointers_[operand];
}

Xbyak::RegExp CodeWriter::element(std::uint32_t operand, int vector, const Piece& piece) {
  const int bytes = element_bytes(operand);
  const Xbyak::RegExp first = pointer(operand);
  if (is_spread(operand)) return first;
  const auto offset = static_cast<std::size_t>(vector * code_.places() * bytes);
  return lanes_are_rows() || piece.by_row ? first + offset : first + code_.rcx * bytes + offset;
}

/// One vector for all that go side by side along a row, or one each.
Xbyak::RegExp CodeWriter::slot(std::uint32_t value, int vector) const {
  const int place = lanes_are_rows() ? slots_[value] * choice_.side_by_side + vector : slots_[value];
  return code_.r15 + static_cast<std::size_t>(place * code_.vector_bytes());
}

Xbyak::RegExp CodeWriter::kept(std::uint32_t value, int vector) const {
  const std::size_t one = kept_bytes() / std::max<std::size_t>(passes_.kept_count(), 1);
  const std::size_t offset = slots_bytes() + static_cast<std::size_t>(kept_[value]) * one +
                             static_cast<std::size_t>(vector * code_.vector_bytes());
  return code_.r15 + code_.rcx * (lanes_are_rows() ? 1 : 4) + offset;
}

std::size_t CodeWriter::slots_bytes() const {
  const auto slots = static_cast<std::size_t>(std::ranges::count_if(slots_, [](int slot) { return slot >= 0; }));
  const int vectors = lanes_are_rows() ? choice_.side_by_side : 1;
  return slots * static_cast<std::size_t>(vectors * code_.vector_bytes());
}

std::size_t CodeWriter::kept_bytes() const {
  const auto line = static_cast<std::size_t>(choice_.side_by_side * code_.vector_bytes());
  const auto columns = static_cast<std::size_t>(nest().columns());
  const std::size_t lines = lanes_are_rows() ? columns : (columns * 4 + line - 1) / line;
  return passes_.kept_count() * lines * line;
}

/// Gives every value that is not in registers all the time its place in scratch.
void CodeWriter::place() {
  const std::size_t count = nest().code.size();
  registers_.assign(count, {-1, -1, -1, -1});
  uses_.assign(count, {});
  pinned_.assign(count, -1);
  slots_.assign(count, -1);
  kept_.assign(count, -1);
  row_uses_.assign(count, 0);
  folded_.assign(count, {});
  leaves_.assign(count, false);
  for (const LoopPasses::Pass& pass : passes_.passes()) {
    for (const std::uint32_t reader : pass.points)
      for (std::size_t k = 0; k < operand_count(nest().code[reader].op); ++k)
        leaves_[passes_.origin(nest().code[reader].values[k])] = true;
    for (const std::uint32_t reader : pass.rows)
      for (std::size_t k = 0; k < operand_count(nest().code[reader].op); ++k) {
        const std::uint32_t read = passes_.origin(nest().code[reader].values[k]);
        if (passes_.pass_of(read) != passes_.pass_of(reader)) leaves_[read] = true;
      }
    for (const std::uint32_t store : pass.spread) leaves_[passes_.origin(nest().stores[store].value)] = true;
  }
  int slots = 0, kept_values = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool is_held = std::ranges::count(choice_.rows, i) > 0 || nest().code[i].op == LoopOp::constant;
    if (passes_.is_by_row(i) && leaves_[i] && !is_held && !is_read_in_place(i)) slots_[i] = slots++;
    if (passes_.is_kept(i)) kept_[i] = kept_values++;
  }
}

void CodeWriter::open() {
  for (const int saved : kSavedRegisters) code_.push(Xbyak::Reg64(saved));
  for (std::uint32_t i = 0; i < nest().operands.size(); ++i)
    if (is_near(i)) code_.mov(pointers_[i], code_.qword[code_.rdi + offset_of_pointer(i)]);
  code_.mov(code_.r15, code_.qword[code_.rdi + static_cast<int>(offsetof(CodeFrame, scratch))]);
  for (const std::uint32_t bits : choice_.constants) code_.pin_constant(bits);
  for (const std::uint32_t value : choice_.rows) pinned_[value] = code_.take().getIdx();
  const auto left = static_cast<int>(nest().columns() % code_.places());
  if (!lanes_are_rows() && request_.has_whole_rows && left > 0) code_.set_mask(left);
}

void CodeWriter::close() {
  if (request_.stores == StoreKind::streaming) code_.sfence();
  for (std::size_t i = std::size(kSavedRegisters); i-- > 0;) code_.pop(Xbyak::Reg64(kSavedRegisters[i]));
  code_.vzeroupper();
  code_.ret();
  code_.write_constants();
}

void CodeWriter::advance(std::uint32_t operand, std::int64_t bytes) {
  if (bytes == 0) return;
  if (bytes != static_cast<std::int32_t>(bytes)) return code_.give_up();
  if (is_near(operand)) code_.add(pointers_[operand], static_cast<int>(bytes));
  else code_.add(code_.qword[code_.rdi + offset_of_pointer(operand)], static_cast<int>(bytes));
}

void CodeWriter::write_planes() {
  if (lanes_are_rows()) return write_row_blocks();
  Xbyak::Label plane;
  code_.L(plane);
  write_rows();
  if (nest().extents[nest().extents.size() - 3] == 1) return;
  for (std::uint32_t i = 0; i < nest().operands.size(); ++i)
    advance(i, (stride(i, 2) - nest().rows() * stride(i, 1)) * element_bytes(i));
  code_.dec(code_.qword[code_.rdi + static_cast<int>(offsetof(CodeFrame, planes))]);
  code_.jnz(plane, Xbyak::CodeGenerator::T_NEAR);
}

void CodeWriter::write_rows() {
  Xbyak::Label row;
  code_.mov(code_.r8, code_.qword[code_.rdi + static_cast<int>(offsetof(CodeFrame, rows))]);
  code_.mov(code_.rdx, code_.qword[code_.rdi + static_cast<int>(offsetof(CodeFrame, columns))]);
  code_.L(row);
  write_row();
  for (std::uint32_t i = 0; i < nest().operands.size(); ++i) {
    if (!request_.lies_in_scratch[i]) {
      advance(i, stride(i, 1) * element_bytes(i));
      continue;
    }
    code_.mov(code_.rax, code_.qword[code_.rdi + static_cast<int>(offsetof(CodeFrame, scratch_row_bytes))]);
    if (is_near(i)) code_.add(pointers_[i], code_.rax);
    else code_.add(code_.qword[code_.rdi + offset_of_pointer(i)], code_.rax);
  }
  code_.dec(code_.r8);
  code_.jnz(row, Xbyak::CodeGenerator::T_NEAR);
}

void CodeWriter::write_row() {
  for (std::size_t pass = 0; pass < passes_.passes().size(); ++pass) {
    write_list(passes_.passes()[pass].rows, {.pass = pass, .by_row = true});
    if (passes_.passes()[pass].points.empty() && passes_.passes()[pass].spread.empty()) continue;
    request_.has_whole_rows ? write_whole_row(pass) : write_cut_row(pass);
  }
}

/// A row whose columns are known: no more than is needed.
void CodeWriter::write_whole_row(std::size_t pass) {
  const auto& points = passes_.passes()[pass].points;
  const int vectors = static_cast<int>(std::min<std::int64_t>(nest().columns() / code_.places(), 1 << 30));
  const int many = choice_.side_by_side, blocks = vectors / many, rest = vectors % many;
  const bool has_tail = nest().columns() % code_.places() > 0;
  start_folds(pass, std::clamp(vectors, 1, many));
  code_.xor_(code_.ecx, code_.ecx);
  Xbyak::Label block;
  code_.L(block);
  if (blocks > 0) {
    write_list(points, {.count = many, .pass = pass});
    if (blocks > 1 || rest > 0 || has_tail) code_.add(code_.rcx, many * code_.places());
  }
  if (blocks > 1) {
    code_.cmp(code_.rcx, blocks * many * code_.places());
    code_.jl(block, Xbyak::CodeGenerator::T_NEAR);
  }
  if (rest > 0) {
    write_list(points, {.count = rest, .pass = pass});
    if (has_tail) code_.add(code_.rcx, rest * code_.places());
  }
  if (has_tail) write_list(points, {.extent = Extent::masked, .pass = pass});
}

std::vector<int> CodeWriter::side_by_side_then_one() const {
  return choice_.side_by_side > 1 ? std::vector<int>{choice_.side_by_side, 1} : std::vector<int>{1};
}

/// A row whose columns are told by the call; there are no folds.
void CodeWriter::write_cut_row(std::size_t pass) {
  const auto& points = passes_.passes()[pass].points;
  code_.xor_(code_.ecx, code_.ecx);
  for (const int count : side_by_side_then_one()) {
    Xbyak::Label block, end;
    code_.L(block);
    code_.lea(code_.rax, code_.ptr[code_.rcx + count * code_.places()]);
    code_.cmp(code_.rax, code_.rdx);
    code_.jg(end, Xbyak::CodeGenerator::T_NEAR);
    write_list(points, {.count = count, .pass = pass});
    code_.add(code_.rcx, count * code_.places());
    code_.jmp(block, Xbyak::CodeGenerator::T_NEAR);
    code_.L(end);
  }
  Xbyak::Label done;
  code_.cmp(code_.rcx, code_.rdx);
  code_.jge(done, Xbyak::CodeGenerator::T_NEAR);
  code_.sub(code_.rdx, code_.rcx);
  code_.set_mask_of_left(code_.rdx);
  code_.add(code_.rdx, code_.rcx);
  write_list(points, {.extent = Extent::masked, .pass = pass});
  code_.L(done);
}

/// Rows side by side in vectors; what is left in a vector of its own.
void CodeWriter::write_row_blocks() {
  code_.mov(code_.r8, code_.qword[code_.rdi + static_cast<int>(offsetof(CodeFrame, rows))]);
  for (const int count : side_by_side_then_one()) {
    Xbyak::Label block, end;
    const int rows = count * code_.places();
    code_.L(block);
    code_.cmp(code_.r8, rows);
    code_.jl(end, Xbyak::CodeGenerator::T_NEAR);
    write_row_block(count, Extent::whole);
    for (std::uint32_t i = 0; i < nest().operands.size(); ++i) advance(i, rows * stride(i, 1) * element_bytes(i));
    code_.sub(code_.r8, rows);
    code_.jmp(block, Xbyak::CodeGenerator::T_NEAR);
    code_.L(end);
  }
  Xbyak::Label done;
  code_.test(code_.r8, code_.r8);
  code_.jz(done, Xbyak::CodeGenerator::T_NEAR);
  code_.set_mask_of_left(code_.r8);
  write_row_block(1, Extent::masked);
  code_.L(done);
}

void CodeWriter::write_row_block(int count, Extent extent) {
  for (std::size_t pass = 0; pass < passes_.passes().size(); ++pass) {
    write_list(passes_.passes()[pass].rows, {.count = count, .extent = extent, .pass = pass, .by_row = true});
    if (passes_.passes()[pass].points.empty() && passes_.passes()[pass].spread.empty()) continue;
    start_folds(pass, count);
    write_column_loop(pass, count, extent);
  }
}

/// Column after column, rows in vectors. What is folded over parts of the columns is folded into a total.
void CodeWriter::write_column_loop(std::size_t pass, int count, Extent extent) {
  const int line = count * code_.vector_bytes();
  const std::int64_t end = nest().columns() * line;
  if (end != static_cast<std::int32_t>(end)) return code_.give_up();
  const auto part = static_cast<int>(kColumnsOfAPart * line);
  std::vector<std::pair<std::uint32_t, std::vector<Vector>>> totals;
  for (const std::uint32_t value : passes_.passes()[pass].points)
    if (folds_rows(nest().code[value].op)) totals.emplace_back(value, folded_[value]);
  if (!totals.empty()) start_folds(pass, count);
  Xbyak::Label outer, inner;
  code_.xor_(code_.ecx, code_.ecx);
  code_.L(outer);
  code_.lea(code_.rdx, code_.ptr[code_.rcx + part]);
  code_.mov(code_.eax, static_cast<int>(end));
  code_.cmp(code_.rdx, code_.rax);
  code_.cmovg(code_.rdx, code_.rax);
  code_.L(inner);
  write_list(passes_.passes()[pass].points, {.count = count, .extent = extent, .pass = pass});
  step_columns(pass, 1);
  code_.add(code_.rcx, line);
  code_.cmp(code_.rcx, code_.rdx);
  code_.jl(inner, Xbyak::CodeGenerator::T_NEAR);
  for (auto& [value, total] : totals) {
    const LoopOp op = nest().code[value].op;
    for (std::size_t i = 0; i < total.size(); ++i) {
      code_.fold(op, total[i], VectorAssembler::in(folded_[value][i]));
      code_.load(folded_[value][i], code_.constant(VectorAssembler::start_of(op)));
    }
  }
  code_.cmp(code_.rcx, static_cast<int>(end));
  code_.jl(outer, Xbyak::CodeGenerator::T_NEAR);
  step_columns(pass, -static_cast<int>(nest().columns()));
  for (auto& [value, total] : totals) {
    for (const Vector& part_of_it : folded_[value]) code_.give(part_of_it);
    folded_[value] = total;
  }
}

/// Moves the pointers that a pass uses along the columns.
void CodeWriter::step_columns(std::size_t pass, int columns) {
  for (std::uint32_t i = 0; i < nest().operands.size(); ++i) {
    const auto loads = [&](std::uint32_t value) {
      return nest().code[value].op == LoopOp::load && nest().code[value].operand == i;
    };
    const auto stores = [&](const LoopStore& store) { return store.operand == i; };
    const bool is_used =
        std::ranges::any_of(passes_.passes()[pass].points, loads) || std::ranges::any_of(nest().stores, stores);
    if (is_used) advance(i, columns * stride(i, 0) * element_bytes(i));
  }
}

void CodeWriter::start_folds(std::size_t pass, int count) {
  for (const std::uint32_t value : passes_.passes()[pass].points) {
    if (!folds_rows(nest().code[value].op)) continue;
    folded_[value].clear();
    if (const auto strange = noting_mask(value)) code_.kxorw(*strange, *strange, *strange);
    for (int i = 0; i < count; ++i) {
      folded_[value].push_back(code_.take());
      code_.load(folded_[value].back(), code_.constant(VectorAssembler::start_of(nest().code[value].op)));
    }
  }
}

}  // namespace hone::native
