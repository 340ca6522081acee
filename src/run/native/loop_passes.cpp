#include "run/native/loop_passes.h"

#include <algorithm>

namespace hone::native {
namespace {

/// What it costs to compute a value again, in additions; up to `kCheap` it is not worth being kept.
constexpr unsigned kCheap = 4, kFunctionCost = 10;

unsigned cost_of(LoopOp op) {
  switch (op) {
    case LoopOp::exp:
    case LoopOp::log:
    case LoopOp::log_plus_one:
    case LoopOp::sqrt:
    case LoopOp::reciprocal:
    case LoopOp::tanh:
    case LoopOp::sigmoid:
    case LoopOp::erf:
    case LoopOp::divide: return kFunctionCost;
    default: return 1;
  }
}

}  // namespace

LoopPasses::LoopPasses(const LoopNest& nest) : nest_(nest) {
  classify();
  choose_kept();
  need_rows();
  passes_.resize(*std::ranges::max_element(pass_of_) + 1);
  for (std::size_t pass = 0; pass < passes_.size(); ++pass) write_pass(pass);
}

std::uint32_t LoopPasses::origin(std::uint32_t value) const {
  while (nest_.code[value].op == LoopOp::spread) value = nest_.code[value].values[0];
  return value;
}

std::size_t LoopPasses::kept_count() const { return static_cast<std::size_t>(std::ranges::count(kept_, true)); }

void LoopPasses::classify() {
  for (const LoopInstruction& step : nest_.code) {
    std::uint32_t pass = 0;
    bool by_row = step.op != LoopOp::load || nest_.operands[step.operand].strides.back() == 0;
    for (std::size_t k = 0; k < operand_count(step.op); ++k) {
      pass = std::max(pass, pass_of_[step.values[k]]);
      by_row = by_row && by_row_[step.values[k]];
    }
    pass_of_.push_back(pass + (folds_rows(step.op) ? 1 : 0));
    by_row_.push_back(by_row || folds_rows(step.op));
  }
}

/// Keeps what later passes read, unless it is computed again as fast as it is read.
void LoopPasses::choose_kept() {
  kept_.assign(nest_.code.size(), false);
  std::vector<bool> read_later(nest_.code.size(), false);
  for (std::uint32_t i = 0; i < nest_.code.size(); ++i)
    for (std::size_t k = 0; k < operand_count(nest_.code[i].op); ++k)
      if (!folds_rows(nest_.code[i].op) && pass_of_[operand(i, k)] < pass_of_[i]) read_later[operand(i, k)] = true;
  std::vector<unsigned> again(nest_.code.size(), 0);
  for (std::uint32_t i = 0; i < nest_.code.size(); ++i) {
    if (by_row_[i]) continue;
    again[i] = cost_of(nest_.code[i].op);
    for (std::size_t k = 0; k < operand_count(nest_.code[i].op); ++k) again[i] += again[operand(i, k)];
    kept_[i] = read_later[i] && again[i] > kCheap;
    if (kept_[i]) again[i] = 1;
  }
}

/// Marks what something is stored of.
void LoopPasses::need_rows() {
  needed_.assign(nest_.code.size(), false);
  for (const LoopStore& store : nest_.stores) needed_[origin(store.value)] = true;
  for (std::uint32_t i = static_cast<std::uint32_t>(nest_.code.size()); i-- > 0;)
    for (std::size_t k = 0; needed_[i] && k < operand_count(nest_.code[i].op); ++k) needed_[operand(i, k)] = true;
}

void LoopPasses::write_pass(std::size_t pass) {
  for (std::uint32_t i = 0; i < nest_.code.size(); ++i)
    if (needed_[i] && by_row_[i] && pass_of_[i] == pass && nest_.code[i].op != LoopOp::constant)
      passes_[pass].rows.push_back(i);
  for (std::uint32_t i = 0; i < nest_.stores.size(); ++i) {
    const std::uint32_t value = origin(nest_.stores[i].value);
    if (by_row_[value] && pass_of_[value] == pass && goes_to_points(nest_.stores[i])) passes_[pass].spread.push_back(i);
  }
  std::vector<bool> listed(nest_.code.size(), false);
  for (std::uint32_t i = 0; i < nest_.code.size(); ++i) {
    if (!needed_[i]) continue;
    if (folds_rows(nest_.code[i].op) && pass_of_[i] == pass + 1) {
      add_points(operand(i, 0), pass, listed);
      passes_[pass].points.push_back(i);
    }
    if (by_row_[i] || pass_of_[i] != pass) continue;
    const bool is_stored =
        std::ranges::any_of(nest_.stores, [&](const LoopStore& store) { return origin(store.value) == i; });
    if (is_stored || kept_[i]) add_points(i, pass, listed);
  }
}

/// Lists a value of points after all that it is computed from.
void LoopPasses::add_points(std::uint32_t value, std::size_t pass, std::vector<bool>& listed) {
  if (by_row_[value] || listed[value]) return;
  listed[value] = true;
  if (!is_found_in(value, pass))
    for (std::size_t k = 0; k < operand_count(nest_.code[value].op); ++k) add_points(operand(value, k), pass, listed);
  passes_[pass].points.push_back(value);
}

}  // namespace hone::native
