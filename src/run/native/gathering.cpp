#include <cstring>

#include "graph/ops/axes.h"
#include "graph/ops/evaluate.h"
#include "run/native/lowering.h"
#include "run/native/threads.h"

// Gather with indices that are known when it runs: rows of a table.

namespace hone::native {
namespace {

/// Copies pieces of a table to where indices ask for them.
class GatherStep final : public Step {
 public:
  struct Shape {
    std::int64_t outer = 1, entries = 1, count = 1;
    std::size_t piece_bytes = 0;
    bool wide = true;  // indices are int64, else int32
  };
  GatherStep(Shape shape, ArrayPlace table, ArrayPlace indices, ArrayPlace result)
      : shape_(shape), table_(table), indices_(indices), result_(result) {
    const std::int64_t pieces = shape_.outer * shape_.count;
    shares_ = shares_of(static_cast<double>(pieces) * static_cast<double>(shape_.piece_bytes) * kCopiedByteNanoseconds,
                        pieces);
  }

  void run(const RunMemory& memory) const override {
    const auto* table = static_cast<const std::byte*>(memory.at(table_));
    auto* result = static_cast<std::byte*>(memory.at(result_));
    const void* indices = memory.at(indices_);
    for (std::int64_t i = 0; i < shape_.count; ++i)
      if (index_at(indices, i) < 0 || index_at(indices, i) >= shape_.entries)
        fail("{}: index {} is outside of {} entries", name, index_at(indices, i), shape_.entries);
    on_threads(shares_, [&](std::size_t share) {
      const PartRange pieces = range_of(shape_.outer * shape_.count, share, shares_);
      for (std::int64_t piece = pieces.first; piece < pieces.last; ++piece) {
        const std::int64_t entry = piece / shape_.count * shape_.entries + index_at(indices, piece % shape_.count);
        std::memcpy(result + static_cast<std::size_t>(piece) * shape_.piece_bytes,
                    table + static_cast<std::size_t>(entry) * shape_.piece_bytes, shape_.piece_bytes);
      }
    });
  }
  std::vector<ArrayId> reads() const override { return {table_.array, indices_.array}; }
  std::vector<ArrayId> writes() const override { return {result_.array}; }

 private:
  /// Counted from the beginning, where it is inside.
  std::int64_t index_at(const void* indices, std::int64_t i) const {
    const std::int64_t index =
        shape_.wide ? static_cast<const std::int64_t*>(indices)[i] : static_cast<const std::int32_t*>(indices)[i];
    return index < 0 ? index + shape_.entries : index;
  }

  Shape shape_;
  ArrayPlace table_, indices_, result_;
  std::size_t shares_ = 1;
};

bool lower_gather(Lowering& lowering, NodeId id) {
  const Node& node = lowering.graph().node(id);
  const Definition definition = definition_of(node, lowering.model().opsets);
  const NodeReader reader(*definition.entry, node, definition.version);
  const Dims table = lowering.dims(node.inputs[0]);
  const Type& type = lowering.graph().value(node.inputs[0]).type;
  const ElementType index_type = lowering.graph().value(node.inputs[1]).type.element;
  if (type.element == ElementType::string || bit_width(type.element) % 8 != 0) return false;
  const std::size_t axis = normalize_axis(reader, reader.integer("axis"), table.size());
  GatherStep::Shape shape{.entries = table[axis],
                          .count = element_count(lowering.dims(node.inputs[1])),
                          .piece_bytes = static_cast<std::size_t>(bit_width(type.element)) / 8,
                          .wide = index_type == ElementType::int64};
  for (std::size_t i = 0; i < axis; ++i) shape.outer *= table[i];
  for (std::size_t i = axis + 1; i < table.size(); ++i) shape.piece_bytes *= static_cast<std::size_t>(table[i]);
  const Stored from = lowering.laid_out(node.inputs[0], dense_view(type.element, table));
  const Stored indices = lowering.laid_out(node.inputs[1], dense_view(index_type, lowering.dims(node.inputs[1])));
  const Stored to = lowering.allocate(node.outputs[0], dense_view(type.element, lowering.dims(node.outputs[0])));
  lowering.add_step(std::make_unique<GatherStep>(shape, from.place(), indices.place(), to.place()), id, "gather");
  return true;
}

const LoweringTable gatherings({{"Gather", lower_gather}});

}  // namespace
}  // namespace hone::native
