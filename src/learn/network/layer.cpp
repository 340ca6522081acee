#include "learn/network/layer.h"

#include <cmath>

namespace hone {

LayerArrays::LayerArrays(const Safetensors& contents, const std::string& prefix, const LayerSpec& spec,
                         std::string_view source) {
  for (const ArraySpec& array : spec.kind->arrays(spec))
    arrays_[array.name] = &array_of(contents, prefix + spec.name + "." + array.name, array.shape, source);
}

ArraySpec matrix(std::string name, std::size_t rows, std::size_t columns, const LayerSpec& spec) {
  return {std::move(name), {rows, columns}, spec.gain / std::sqrt(static_cast<double>(columns))};
}

ArraySpec zeros(std::string name, std::size_t count) { return {std::move(name), {count}}; }

}  // namespace hone
