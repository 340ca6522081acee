#include "run/native/register_program.h"

#include <algorithm>

namespace hone::native {
namespace {

constexpr std::int64_t kPointsOfABlock = 4096, kPointsOfACopiedBlock = 2048;
/// Every block ends by waiting for what was written past the caches.
constexpr std::int64_t kPointsOfAStreamedBlock = 1 << 18;
constexpr std::int64_t kRowsSideBySide = 64, kFewestColumns = 8;
constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kMostAxes = 16;
/// Results beyond this many bytes do not stay in a core's part of the last cache until they are read.
constexpr std::size_t kStreamedBytes = std::size_t{32} << 20;

std::int64_t blocks_of(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

bool is_stored(const LoopNest& nest, std::uint32_t operand) {
  return std::ranges::any_of(nest.stores, [&](const LoopStore& store) { return store.operand == operand; });
}

void move_axis_last(LoopNest& nest, std::size_t axis) {
  const auto moved = [&](Dims& dims) {
    std::rotate(dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                dims.end());
  };
  moved(nest.extents);
  for (LoopOperand& operand : nest.operands) moved(operand.strides);
}

/// How many arrays do not lie along an axis; those that are written count twice.
int arrays_across(const LoopNest& nest, std::size_t axis) {
  int across = 0;
  for (std::uint32_t i = 0; i < nest.operands.size(); ++i) {
    const std::int64_t stride = nest.operands[i].strides[axis];
    const bool stores = is_stored(nest, i);
    if (stride != 1 && (stores || stride != 0)) across += stores ? 2 : 1;
  }
  return across;
}

}  // namespace

std::optional<RegisterProgram> RegisterProgram::of(const LoopNest& nest, std::optional<VectorSet> vectors) {
  if (std::ranges::any_of(nest.extents, [](std::int64_t extent) { return extent == 0; })) return std::nullopt;
  const auto fits_a_vector = [](const LoopOperand& operand) {
    return operand.element == ElementType::float32 || operand.element == ElementType::boolean;
  };
  if (!std::ranges::all_of(nest.operands, fits_a_vector)) return std::nullopt;
  RegisterProgram made;
  made.nest_ = nest;
  while (made.nest_.extents.size() < 3) add_first_axis(made.nest_);
  if (made.nest_.extents.size() > kMostAxes || !made.choose_lanes() || !made.choose_copies()) return std::nullopt;
  made.choose_block();
  if (!made.make_code(vectors)) return std::nullopt;
  return made;
}

/// Columns become what most arrays lie along, where no row is folded; else vectors may go along the rows.
bool RegisterProgram::choose_lanes() {
  const std::size_t last = nest_.extents.size() - 1;
  if (!nest_.has_row_values()) {
    std::size_t best = last;
    for (std::size_t axis = 0; axis < last; ++axis)
      if (nest_.extents[axis] >= kFewestColumns &&
          (nest_.extents[best] < kFewestColumns || arrays_across(nest_, axis) < arrays_across(nest_, best)))
        best = axis;
    if (best != last) move_axis_last(nest_, best);
    return nest_.columns() >= kFewestColumns || nest_.rows() == 1;
  }
  const auto lies_along_rows = [&](const LoopOperand& operand) {
    return operand.strides[last - 1] == 0 || operand.strides[last - 1] == 1;
  };
  const auto lies_across = [&](const LoopOperand& operand) { return operand.strides[last] > 1; };
  if (nest_.rows() >= kFewestColumns && std::ranges::all_of(nest_.operands, lies_along_rows) &&
      std::ranges::any_of(nest_.operands, lies_across))
    lanes_ = LaneAxis::rows;
  return true;
}

/// Arrays that vectors do not go along are copied, unless that is what all of the nest would be.
bool RegisterProgram::choose_copies() {
  for (std::uint32_t i = 0; i < nest_.operands.size() && lanes_ == LaneAxis::columns; ++i) {
    const std::int64_t stride = nest_.operands[i].strides.back();
    if (stride == 1 || stride == 0 || nest_.columns() == 1) continue;
    const ElementType element = nest_.operands[i].element;
    const bool stores = is_stored(nest_, i);
    if (element != ElementType::float32 && (stores || element != ElementType::boolean)) return false;
    copies_.push_back({.operand = i,
                       .function = stores ? tile_functions().storing(element) : tile_functions().loading(element),
                       .is_stored = stores});
  }
  return true;
}

void RegisterProgram::choose_block() {
  const bool folds = nest_.has_row_values();
  const std::int64_t points = may_stream()      ? kPointsOfAStreamedBlock
                              : copies_.empty() ? kPointsOfABlock
                                                : kPointsOfACopiedBlock;
  const std::int64_t planes = nest_.extents[nest_.extents.size() - 3];
  columns_ = folds ? nest_.columns() : std::min(nest_.columns(), points);
  const std::int64_t fewest = lanes_ == LaneAxis::rows ? kRowsSideBySide : copies_.empty() ? 1 : 16;
  rows_ = std::min(std::max(points / columns_, folds ? fewest : 1), nest_.rows());
  if (lanes_ == LaneAxis::columns && copies_.empty() && columns_ == nest_.columns() && rows_ == nest_.rows())
    planes_ = std::clamp<std::int64_t>(points / (columns_ * rows_), 1, planes);
  blocks_ = 1;
  for (std::size_t axis = 0; axis < nest_.extents.size(); ++axis)
    blocks_ *= blocks_of(nest_.extents[axis], block_extent(axis));
}

std::int64_t RegisterProgram::block_extent(std::size_t axis) const {
  const std::size_t from_last = nest_.extents.size() - 1 - axis;
  return from_last == 0 ? columns_ : from_last == 1 ? rows_ : from_last == 2 ? planes_ : 1;
}

bool RegisterProgram::make_code(std::optional<VectorSet> vectors) {
  CodeRequest request{.nest = nest_,
                      .lanes = lanes_,
                      .has_whole_rows = columns_ == nest_.columns(),
                      .lies_in_scratch = std::vector<bool>(nest_.operands.size(), false),
                      .vectors = vectors};
  for (const Copy& copied : copies_) request.lies_in_scratch[copied.operand] = true;
  code_ = RegisterCode::of(request);
  if (!code_) return false;
  scratch_bytes_ = (code_->scratch_bytes() + kCacheLine - 1) / kCacheLine * kCacheLine;
  for (Copy& copied : copies_) {
    copied.offset = scratch_bytes_;
    scratch_bytes_ += blocks_of(rows_ * columns_ * 4, kCacheLine) * kCacheLine;
  }
  request.stores = StoreKind::streaming;
  if (may_stream()) streaming_ = RegisterCode::of(request);
  return true;
}

/// Whether results are so large that nothing of them is in a cache when they are read, and begin lines of memory in
/// every block.
bool RegisterProgram::may_stream() const {
  if (!copies_.empty() || lanes_ == LaneAxis::rows || nest_.has_row_values()) return false;
  std::size_t bytes = 0;
  for (const LoopStore& store : nest_.stores) {
    const LoopOperand& operand = nest_.operands[store.operand];
    if (operand.element != ElementType::float32 || operand.strides.back() != 1) return false;
    for (std::size_t axis = 0; axis + 1 < nest_.extents.size(); ++axis)
      if (operand.strides[axis] % 16 != 0) return false;
    std::size_t written = sizeof(float);
    for (const std::int64_t extent : nest_.extents) written *= static_cast<std::size_t>(extent);
    bytes += written;
  }
  return bytes >= kStreamedBytes;
}

RegisterProgram::Place RegisterProgram::place_of(std::int64_t block) const {
  Place place;
  for (std::size_t axis = nest_.extents.size(); axis-- > 0;) {
    const std::int64_t count = blocks_of(nest_.extents[axis], block_extent(axis));
    place.index[axis] = block % count * block_extent(axis);
    block /= count;
  }
  return place;
}

bool RegisterProgram::next(Place& place) const {
  for (std::size_t axis = nest_.extents.size(); axis-- > 0;) {
    place.index[axis] += block_extent(axis);
    if (place.index[axis] < nest_.extents[axis]) return true;
    place.index[axis] = 0;
  }
  return false;
}

void RegisterProgram::copy(const Copy& copied, const CodeFrame& frame, std::byte* array, std::byte* scratch) const {
  const Dims& strides = nest_.operands[copied.operand].strides;
  copied.function({.tile = scratch + copied.offset,
                   .array = array,
                   .rows = frame.rows,
                   .columns = frame.columns,
                   .row_stride = strides[strides.size() - 2],
                   .column_stride = strides[strides.size() - 1]});
}

void RegisterProgram::run_block(const RegisterCode& code, std::span<void* const> arrays, std::byte* scratch,
                                const Place& place) const {
  const std::size_t axes = nest_.extents.size();
  CodeFrame frame;
  frame.planes = std::min(planes_, nest_.extents[axes - 3] - place.index[axes - 3]);
  frame.rows = std::min(rows_, nest_.rows() - place.index[axes - 2]);
  frame.columns = std::min(columns_, nest_.columns() - place.index[axes - 1]);
  frame.scratch_row_bytes = frame.columns * static_cast<std::int64_t>(sizeof(float));
  frame.scratch = scratch;
  for (std::size_t i = 0; i < nest_.operands.size(); ++i) {
    const LoopOperand& operand = nest_.operands[i];
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) offset += place.index[axis] * operand.strides[axis];
    frame.pointers[i] = static_cast<std::byte*>(arrays[i]) + offset * bit_width(operand.element) / 8;
  }
  if (copies_.empty()) return code.run(frame);
  const CodeFrame begin = frame;  // the call moves its pointers
  for (const Copy& copied : copies_) {
    if (!copied.is_stored) copy(copied, begin, begin.pointers[copied.operand], scratch);
    frame.pointers[copied.operand] = scratch + copied.offset;
  }
  code.run(frame);
  for (const Copy& copied : copies_)
    if (copied.is_stored) copy(copied, begin, begin.pointers[copied.operand], scratch);
}

void RegisterProgram::run(std::span<void* const> arrays, std::byte* scratch, std::int64_t first,
                          std::int64_t last) const {
  const auto begins_line = [&](const LoopStore& store) {
    return reinterpret_cast<std::uintptr_t>(arrays[store.operand]) % kCacheLine == 0;
  };
  const bool streams = streaming_ && std::ranges::all_of(nest_.stores, begins_line);
  Place place = place_of(first);
  for (std::int64_t block = first; block < last; ++block) {
    run_block(streams ? *streaming_ : *code_, arrays, scratch, place);
    next(place);
  }
}

}  // namespace hone::native
