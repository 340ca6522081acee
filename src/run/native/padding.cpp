#include <algorithm>
#include <cstring>

#include "graph/ops/evaluate.h"
#include "run/native/copy_step.h"
#include "run/native/lowering.h"
#include "run/native/threads.h"

// Pad with a constant: a fill, and a copy into the middle.

namespace hone::native {
namespace {

/// Sets all elements of an array.
class FillStep final : public Step {
 public:
  FillStep(ArrayPlace place, std::size_t bytes, Tensor element)
      : place_(place), count_(bytes / element.bytes().size()), element_(std::move(element)) {
    shares_ = shares_of(static_cast<double>(bytes) * kCopiedByteNanoseconds, static_cast<std::int64_t>(count_));
  }

  void run(const RunMemory& memory) const override {
    auto* to = static_cast<std::byte*>(memory.at(place_));
    const std::size_t size = element_.bytes().size();
    on_threads(shares_, [&](std::size_t share) {
      const PartRange elements = range_of(static_cast<std::int64_t>(count_), share, shares_);
      fill(to + static_cast<std::size_t>(elements.first) * size,
           static_cast<std::size_t>(elements.last - elements.first));
    });
  }
  std::vector<ArrayId> reads() const override { return {}; }
  std::vector<ArrayId> writes() const override { return {place_.array}; }

 private:
  void fill(std::byte* to, std::size_t count) const {
    const auto element = element_.bytes();
    if (std::ranges::all_of(element, [](std::byte byte) { return byte == std::byte{0}; })) {
      std::memset(to, 0, count * element.size());
      return;
    }
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * element.size(), element.data(), element.size());
  }

  ArrayPlace place_;
  std::size_t count_;
  Tensor element_;
  std::size_t shares_ = 1;
};

/// Elements before each axis begins; negative ones cut. Nothing where they are not known or not constants are padded.
std::optional<std::vector<std::int64_t>> begins_of(const Lowering& lowering, const NodeReader& reader,
                                                   std::size_t rank) {
  if (reader.text("mode") != "constant" || reader.version() < 11 || reader.has_input(3)) return std::nullopt;
  const Tensor* pads = lowering.constant(reader.node().inputs[1]);
  if (pads == nullptr || pads->count() != 2 * rank) return std::nullopt;
  std::vector<std::int64_t> begins = pads->integers();
  if (std::ranges::any_of(begins, [](std::int64_t pad) { return pad < 0; })) return std::nullopt;
  begins.resize(rank);
  return begins;
}

bool lower_pad(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Definition definition = definition_of(node, lowering.model().opsets);
  const NodeReader reader(*definition.entry, node, definition.version);
  const Dims dims = lowering.dims(node.outputs[0]);
  const ElementType element = lowering.graph().value(node.outputs[0]).type.element;
  const auto begins = begins_of(lowering, reader, dims.size());
  if (!begins || !has_loop_type(element)) return false;
  Tensor value = Tensor::zeros(element, {});
  if (reader.has_input(2)) {
    const Tensor* given = lowering.constant(node.inputs[2]);
    if (given == nullptr || given->count() != 1) return false;
    value = given->aligned();
  }
  const Stored to = lowering.allocate(node.outputs[0], dense_view(element, dims));
  const std::size_t bytes =
      static_cast<std::size_t>(span_of(to.view)) * static_cast<std::size_t>(bit_width(element)) / 8;
  lowering.add_step(std::make_unique<FillStep>(to.place(), bytes, value), id, "fill Pad");
  const Stored from = lowering.stored(node.inputs[0]);
  if (element_count(from.view.dims) == 0) return true;
  Stored middle = to;
  middle.view.dims = from.view.dims;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) middle.view.offset += (*begins)[axis] * to.view.strides[axis];
  lowering.add_step(copy_step(from, middle), id, "copy Pad");
  return true;
}

const LoweringTable paddings({{"Pad", lower_pad}});

}  // namespace
}  // namespace hone::native
