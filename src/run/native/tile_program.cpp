#include "run/native/tile_program.h"

#include <algorithm>
#include <numeric>

namespace hone::native {
namespace {

constexpr std::size_t kFirstCacheBytes = 24 * 1024;
constexpr std::int64_t kLeastPoints = 512, kMostPoints = 4096;
constexpr std::size_t kTileAlignment = 64;

std::size_t rounded_up(std::size_t bytes) { return (bytes + kTileAlignment - 1) / kTileAlignment * kTileAlignment; }

std::int64_t parts(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

std::size_t element_bytes(ElementType element) { return static_cast<std::size_t>(bit_width(element)) / 8; }

/// As what elements of a tile lie in scratch.
ElementType stored_element(LoopType type) {
  switch (type) {
    case LoopType::integer: return ElementType::int64;
    case LoopType::wide: return ElementType::float64;
    default: return ElementType::float32;
  }
}

/// Whether an array has elements of a column, not of a row, side by side.
bool lies_across(const LoopNest& nest) {
  return std::ranges::any_of(nest.operands, [](const LoopOperand& operand) {
    return operand.strides[operand.strides.size() - 2] == 1 && operand.strides[operand.strides.size() - 1] > 1;
  });
}

/// By value: the last instruction that reads it; stores come after all instructions.
std::vector<std::uint32_t> last_reads(const LoopNest& nest) {
  std::vector<std::uint32_t> last(nest.code.size(), 0);
  for (std::uint32_t i = 0; i < nest.code.size(); ++i)
    for (std::size_t k = 0; k < operand_count(nest.code[i].op); ++k) last[nest.code[i].values[k]] = i;
  for (const LoopStore& store : nest.stores) last[store.value] = static_cast<std::uint32_t>(nest.code.size());
  return last;
}

}  // namespace

TileProgram::TileProgram(LoopNest nest) : nest_(std::move(nest)) {
  HONE_CHECK(nest_.operands.size() <= std::size(Tile().pointers), "a loop of {} arrays", nest_.operands.size());
  choose_tile();
  place_values();
  write_steps();
}

/// Rows with values of their own stay whole; others are cut into as many points as leave room for a few values in the
/// first cache.
void TileProgram::choose_tile() {
  const auto values = static_cast<std::int64_t>(std::clamp<std::size_t>(nest_.code.size(), 2, 8));
  const std::int64_t fitting = static_cast<std::int64_t>(kFirstCacheBytes / sizeof(float)) / values / 64 * 64;
  const std::int64_t points = std::clamp(fitting, kLeastPoints, kMostPoints);
  const std::int64_t columns = nest_.columns();
  tile_columns_ = std::max<std::int64_t>(nest_.has_row_values() ? columns : std::min(columns, points), 1);
  tile_rows_ = std::clamp<std::int64_t>(points / tile_columns_, 1, std::max<std::int64_t>(nest_.rows(), 1));
  // Rows that lie across are loaded several at a time, a line of memory each.
  if (nest_.has_row_values() && lies_across(nest_))
    tile_rows_ = std::clamp<std::int64_t>(16, tile_rows_, std::max<std::int64_t>(nest_.rows(), tile_rows_));
  row_tiles_ = parts(nest_.rows(), tile_rows_);
  column_tiles_ = nest_.has_row_values() ? 1 : parts(columns, tile_columns_);
  tiles_ = row_tiles_ * column_tiles_;
  for (std::size_t axis = 0; axis + 2 < nest_.extents.size(); ++axis) tiles_ *= nest_.extents[axis];
}

/// Whether the elements of a tile follow one another in the array as they do in scratch.
bool TileProgram::is_contiguous(std::uint32_t operand, bool per_row) const {
  const Dims& strides = nest_.operands[operand].strides;
  const std::int64_t row = strides[strides.size() - 2], column = strides[strides.size() - 1];
  if (per_row) return row == 1 || tile_rows_ == 1;
  return (column == 1 || tile_columns_ == 1) && (tile_rows_ == 1 || row == tile_columns_);
}

bool TileProgram::is_direct_load(const LoopInstruction& step) const {
  const ElementType element = nest_.operands[step.operand].element;
  if (element != stored_element(step.type) && element != ElementType::uint64) return false;
  return is_contiguous(step.operand, step.per_row);
}

bool TileProgram::is_the_same_everywhere(const LoopInstruction& step) const {
  if (step.op == LoopOp::constant) return true;
  if (step.op != LoopOp::load || column_tiles_ > 1 || is_direct_load(step)) return false;
  const Dims& strides = nest_.operands[step.operand].strides;
  return std::all_of(strides.begin(), strides.end() - 1, [](std::int64_t stride) { return stride == 0; });
}

bool TileProgram::is_the_same_for_rows(const LoopInstruction& step) const {
  if (step.op != LoopOp::load || step.per_row || column_tiles_ > 1 || is_direct_load(step)) return false;
  const Dims& strides = nest_.operands[step.operand].strides;
  return strides[strides.size() - 2] == 0;
}

std::size_t TileProgram::slot_bytes(const LoopInstruction& step) const {
  const std::int64_t points = step.per_row ? tile_rows_ : tile_rows_ * tile_columns_;
  return rounded_up(static_cast<std::size_t>(points) * element_bytes(stored_element(step.type)));
}

/// Values lie in the arrays where they come from or go to, if they lie there as in a tile, else in scratch.
void TileProgram::place_values() {
  places_.resize(nest_.code.size());
  for (std::uint32_t i = 0; i < nest_.code.size(); ++i)
    if (nest_.code[i].op == LoopOp::load && is_direct_load(nest_.code[i]))
      places_[i] = {.in_array = true, .operand = nest_.code[i].operand};
  for (const LoopStore& store : nest_.stores) {
    const LoopInstruction& step = nest_.code[store.value];
    const ElementType element = nest_.operands[store.operand].element;
    const bool as_stored = element == stored_element(step.type);
    if (places_[store.value].in_array || !as_stored || step.type == LoopType::truth || is_the_same_everywhere(step))
      continue;
    if (is_contiguous(store.operand, step.per_row)) places_[store.value] = {.in_array = true, .operand = store.operand};
  }
  std::size_t offset = 0;
  for (std::uint32_t i = 0; i < nest_.code.size(); ++i) {
    if (places_[i].in_array || !is_the_same_everywhere(nest_.code[i])) continue;
    standing_.push_back(i);
    places_[i].offset = offset;
    offset += slot_bytes(nest_.code[i]);
  }
  place_by_lifetime(offset);
}

/// What is not read any more makes room for what comes after.
void TileProgram::place_by_lifetime(std::size_t first_free) {
  struct Slot {
    std::size_t offset, bytes;
    std::uint32_t free_after;
  };
  std::vector<Slot> slots;
  const std::vector<std::uint32_t> last = last_reads(nest_);
  scratch_bytes_ = first_free;
  for (std::uint32_t i = 0; i < nest_.code.size(); ++i) {
    if (places_[i].in_array || std::ranges::count(standing_, i) > 0) continue;
    const std::size_t bytes = slot_bytes(nest_.code[i]);
    const auto fits = [&](const Slot& slot) { return slot.bytes == bytes && slot.free_after < i; };
    auto slot = std::ranges::find_if(slots, fits);
    if (slot == slots.end()) {
      slots.push_back({.offset = scratch_bytes_, .bytes = bytes, .free_after = 0});
      scratch_bytes_ += bytes;
      slot = slots.end() - 1;
    }
    slot->free_after = is_the_same_for_rows(nest_.code[i]) ? UINT32_MAX : std::max(last[i], i);
    places_[i].offset = slot->offset;
  }
}

TileProgram::Step TileProgram::step_of(std::uint32_t value) const {
  const LoopInstruction& instruction = nest_.code[value];
  Step step{.result = value, .per_row = instruction.per_row && !folds_rows(instruction.op)};
  if (instruction.op == LoopOp::load) {
    step.operand = instruction.operand;
    step.kept = is_the_same_for_rows(instruction) && !places_[value].in_array;
    step.copy = tile_functions().loading(nest_.operands[instruction.operand].element);
    return step;
  }
  TileTask task{.op = instruction.op, .type = nest_.code[instruction.values[0]].type};
  if (instruction.op == LoopOp::select) task.type = instruction.type;
  bool differs_by_row = folds_rows(instruction.op) || instruction.op == LoopOp::spread;
  for (std::size_t k = 0; k < operand_count(instruction.op); ++k) {
    const LoopInstruction& read = nest_.code[instruction.values[k]];
    step.values[k] = instruction.values[k];
    if (!read.per_row || step.per_row) continue;
    task.by_row |= 1U << k;
    differs_by_row |= read.op != LoopOp::constant;
  }
  step.flat = !differs_by_row;
  step.function = tile_functions().find(task);
  HONE_CHECK(step.function != nullptr, "no code for {}", name_of(instruction.op));
  return step;
}

void TileProgram::write_steps() {
  for (std::uint32_t i = 0; i < nest_.code.size(); ++i) {
    const LoopInstruction& step = nest_.code[i];
    const bool is_there = step.op == LoopOp::load && is_direct_load(step);
    if (!is_there && std::ranges::count(standing_, i) == 0) steps_.push_back(step_of(i));
  }
  for (const LoopStore& store : nest_.stores) {
    const Place& place = places_[store.value];
    if (place.in_array && place.operand == store.operand) continue;
    steps_.push_back({.copy = tile_functions().storing(nest_.operands[store.operand].element),
                      .operand = store.operand,
                      .result = store.value,
                      .per_row = nest_.code[store.value].per_row});
  }
}

void* TileProgram::pointer(const Tile& tile, std::byte* scratch, std::uint32_t value) const {
  const Place& place = places_[value];
  return place.in_array ? tile.pointers[place.operand] : scratch + place.offset;
}

void TileProgram::copy(const Tile& tile, std::byte* scratch, const Step& step) const {
  const Dims& strides = nest_.operands[step.operand].strides;
  TileCopy copy{.tile = pointer(tile, scratch, step.result),
                .array = tile.pointers[step.operand],
                .rows = tile.rows,
                .columns = tile.columns,
                .row_stride = strides[strides.size() - 2],
                .column_stride = strides[strides.size() - 1]};
  if (step.per_row)
    copy = {.tile = copy.tile, .array = copy.array, .rows = 1, .columns = tile.rows, .column_stride = copy.row_stride};
  step.copy(copy);
}

void TileProgram::run_tile(const Tile& tile, std::byte* scratch, const void** loaded) const {
  for (const Step& step : steps_) {
    if (step.kept) {
      if (loaded[step.operand] == tile.pointers[step.operand]) continue;
      loaded[step.operand] = tile.pointers[step.operand];
      Tile whole = tile;
      whole.rows = tile_rows_;
      copy(whole, scratch, step);
      continue;
    }
    if (step.function == nullptr) {
      copy(tile, scratch, step);
      continue;
    }
    TileCall call{.result = pointer(tile, scratch, step.result), .rows = tile.rows, .columns = tile.columns};
    if (step.per_row) call.rows = 1, call.columns = tile.rows;
    else if (step.flat) call.rows = 1, call.columns = tile.rows * tile.columns;
    for (std::size_t k = 0; k < 3; ++k) call.values[k] = pointer(tile, scratch, step.values[k]);
    step.function(call);
  }
}

void TileProgram::fill_constants(std::span<void* const> arrays, std::byte* scratch) const {
  Tile whole{.rows = tile_rows_, .columns = tile_columns_};
  std::ranges::copy(arrays, whole.pointers);
  for (const std::uint32_t value : standing_) {
    const LoopInstruction& step = nest_.code[value];
    if (step.op == LoopOp::load) {
      // Rows without points have nothing to load but what each has once.
      if (step.per_row || nest_.columns() > 0) copy(whole, scratch, step_of(value));
    } else if (step.type == LoopType::integer) {
      std::fill_n(reinterpret_cast<std::int64_t*>(scratch + places_[value].offset), tile_rows_,
                  static_cast<std::int64_t>(step.number));
    } else if (step.type == LoopType::wide) {
      std::fill_n(reinterpret_cast<double*>(scratch + places_[value].offset), tile_rows_, step.number);
    } else {
      std::fill_n(reinterpret_cast<float*>(scratch + places_[value].offset), tile_rows_,
                  static_cast<float>(step.number));
    }
  }
}

TileProgram::Tile TileProgram::tile_at(std::span<void* const> arrays, std::int64_t index) const {
  const std::size_t axes = nest_.extents.size();
  std::int64_t place[16];
  place[axes - 1] = index % column_tiles_ * tile_columns_;
  index /= column_tiles_;
  place[axes - 2] = index % row_tiles_ * tile_rows_;
  index /= row_tiles_;
  for (std::size_t axis = axes - 2; axis-- > 0;) {
    place[axis] = index % nest_.extents[axis];
    index /= nest_.extents[axis];
  }
  Tile tile{.rows = std::min(tile_rows_, nest_.rows() - place[axes - 2]),
            .columns = std::min(tile_columns_, nest_.columns() - place[axes - 1])};
  for (std::size_t i = 0; i < nest_.operands.size(); ++i) {
    const LoopOperand& operand = nest_.operands[i];
    const std::int64_t at = std::inner_product(operand.strides.begin(), operand.strides.end(), place, std::int64_t{0});
    tile.pointers[i] =
        static_cast<std::byte*>(arrays[i]) + at * static_cast<std::int64_t>(element_bytes(operand.element));
  }
  return tile;
}

void TileProgram::run(std::span<void* const> arrays, std::byte* scratch, std::int64_t first, std::int64_t last) const {
  if (first >= last) return;
  fill_constants(arrays, scratch);
  const void* loaded[std::size(Tile().pointers)] = {};
  for (std::int64_t index = first; index < last; ++index) run_tile(tile_at(arrays, index), scratch, loaded);
}

}  // namespace hone::native
