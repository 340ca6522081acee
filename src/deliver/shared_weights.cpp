#include "deliver/shared_weights.h"

#include <fmt/format.h>

#include <optional>

#include "base/output_file.h"

namespace hone {
namespace {

constexpr std::size_t kLargeBytes = 64 * 1024;   // below that a weight stays in its model
constexpr std::uint64_t kAlignment = 64 * 1024;  // which can be mapped directly, on any system

}  // namespace

SharedWeights::SharedWeights(std::filesystem::path folder)
    : folder_(std::filesystem::absolute(folder).lexically_normal()) {}

Model SharedWeights::refer(const Model& model) {
  Model referring = model;
  const std::filesystem::path file = folder_ / fmt::format("{}.weights", files_);
  std::optional<OutputFile> added;
  for (const ValueId id : model.graph.initializers()) {
    const Tensor& tensor = *model.graph.value(id).constant;
    if (tensor.byte_count() < kLargeBytes) continue;
    const auto [place, is_new] = places_.try_emplace(tensor.bytes().data());
    if (is_new) {
      if (!added) added.emplace(file);
      added->write(std::string((kAlignment - added->position() % kAlignment) % kAlignment, '\0'));
      place->second = {.file = file, .offset = added->position()};
      added->write(tensor.bytes());
      kept_.push_back(tensor);
    }
    auto origin = std::make_shared<TensorOrigin>();
    origin->encoding = TensorOrigin::Encoding::external;
    origin->external_file = place->second.file;
    origin->external_offset = place->second.offset;
    referring.graph.set_constant(id, tensor.with_origin(std::move(origin)));
  }
  if (added) {
    added->commit();
    ++files_;
  }
  return referring;
}

}  // namespace hone
