#include <cstring>

#include "graph/ops/axes.h"
#include "run/native/direct_step.h"

// Gathering and scattering by an index for every element, or by tuples of indices.

namespace hone::native {
namespace {

bool has_plain_elements(const DirectNode& node) {
  const ElementType element = node.element(0);
  return element != ElementType::string && bit_width(element) % 8 == 0 &&
         (node.element(1) == ElementType::int64 || node.element(1) == ElementType::int32);
}

/// For every element of `indices` the place in the data that it names: its own coordinates, but for one axis.
class ElementPlaces {
 public:
  ElementPlaces(const DirectNode& node)
      : axis_(normalize_axis(node, node.integer("axis"), node.dims(0).size())),
        dims_(node.dims(1)),
        strides_(strides_of(node.dims(0))),
        length_(node.dims(0)[axis_]),
        wide_(node.element(1) == ElementType::int64) {}

  template <class Visit>
  void for_each(const void* indices, Visit visit) const {
    const std::int64_t count = element_count(dims_);
    for (std::int64_t at = 0; at < count; ++at) {
      std::int64_t rest = at, place = 0;
      for (std::size_t axis = dims_.size(); axis-- > 0;) {
        const std::int64_t index = rest % dims_[axis];
        rest /= dims_[axis];
        if (axis != axis_) place += index * strides_[axis];
      }
      visit(at, place + index_at(indices, wide_, at, length_) * strides_[axis_]);
    }
  }

 private:
  std::size_t axis_;
  Dims dims_, strides_;
  std::int64_t length_;
  bool wide_;
};

bool lower_gather_elements(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  if (!has_plain_elements(node) || node.dims(0).empty()) return false;
  node.lower([places = ElementPlaces(node), bytes = node.element_bytes(0)](std::span<void* const> arrays, std::byte*) {
    const auto* from = static_cast<const std::byte*>(arrays[0]);
    auto* to = static_cast<std::byte*>(arrays[2]);
    places.for_each(arrays[1], [&](std::int64_t at, std::int64_t place) {
      std::memcpy(to + static_cast<std::size_t>(at) * bytes, from + static_cast<std::size_t>(place) * bytes, bytes);
    });
  });
  return true;
}

/// For every tuple in the last axis of `indices` where the run of elements lies that it names, in elements.
class TuplePlaces {
 public:
  TuplePlaces(const DirectNode& node, std::size_t batch) : wide_(node.element(1) == ElementType::int64) {
    const Dims data = node.dims(0), indices = node.dims(1), strides = strides_of(data);
    tuple_ = indices[indices.size() - 1];
    for (std::size_t i = 0; i < batch; ++i) batches_ *= indices[i];
    for (std::size_t i = batch; i + 1 < indices.size(); ++i) tuples_ *= indices[i];
    for (std::size_t i = 0; i < static_cast<std::size_t>(tuple_); ++i) {
      lengths_.push_back(data[batch + i]);
      strides_.push_back(strides[batch + i]);
    }
    batch_stride_ = batch > 0 ? strides[batch - 1] : 0;
    for (std::size_t i = batch + static_cast<std::size_t>(tuple_); i < data.size(); ++i) run_ *= data[i];
  }

  std::int64_t run() const { return run_; }

  template <class Visit>
  void for_each(const void* indices, Visit visit) const {
    for (std::int64_t at = 0; at < batches_ * tuples_; ++at) {
      std::int64_t place = at / tuples_ * batch_stride_;
      for (std::int64_t k = 0; k < tuple_; ++k)
        place += index_at(indices, wide_, at * tuple_ + k, lengths_[static_cast<std::size_t>(k)]) *
                 strides_[static_cast<std::size_t>(k)];
      visit(at, place);
    }
  }

 private:
  bool wide_;
  std::int64_t tuple_ = 0, batches_ = 1, tuples_ = 1, batch_stride_ = 0, run_ = 1;
  Dims lengths_, strides_;
};

bool lower_gather_tuples(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  if (!has_plain_elements(node)) return false;
  const auto batch = static_cast<std::size_t>(node.version() >= 12 ? node.integer("batch_dims") : 0);
  const TuplePlaces places(node, batch);
  const std::size_t bytes = node.element_bytes(0);
  node.lower([places, bytes](std::span<void* const> arrays, std::byte*) {
    const auto* from = static_cast<const std::byte*>(arrays[0]);
    auto* to = static_cast<std::byte*>(arrays[2]);
    const std::size_t run = static_cast<std::size_t>(places.run()) * bytes;
    places.for_each(arrays[1], [&](std::int64_t at, std::int64_t place) {
      std::memcpy(to + static_cast<std::size_t>(at) * run, from + static_cast<std::size_t>(place) * bytes, run);
    });
  });
  return true;
}

enum class Combining { replace, add, multiply, largest, smallest };

std::optional<Combining> combining_of(const DirectNode& node, int since) {
  if (node.version() < since) return Combining::replace;
  const std::string& name = node.text("reduction");
  if (name == "add") return Combining::add;
  if (name == "mul") return Combining::multiply;
  if (name == "max") return Combining::largest;
  if (name == "min") return Combining::smallest;
  return name == "none" ? std::optional(Combining::replace) : std::nullopt;
}

template <class T>
T combined(Combining how, T a, T b) {
  switch (how) {
    case Combining::add: return static_cast<T>(a + b);
    case Combining::multiply: return static_cast<T>(a * b);
    case Combining::largest: return a < b ? b : a;
    case Combining::smallest: return b < a ? b : a;
    default: return b;
  }
}

/// Code that copies the data, then puts or adds the updates of runs of elements where `places` says.
template <class Places>
DirectStep::Code scattering(const DirectNode& node, Places places, std::int64_t run, Combining how) {
  const auto bytes = static_cast<std::size_t>(element_count(node.dims(0))) * node.element_bytes(0);
  return dispatch_number(node.element(0), [&](auto sample) -> DirectStep::Code {
    using T = decltype(sample);
    return [places, run, how, bytes](std::span<void* const> arrays, std::byte*) {
      auto* to = static_cast<T*>(arrays[3]);
      const auto* updates = static_cast<const T*>(arrays[2]);
      std::memcpy(to, arrays[0], bytes);
      places.for_each(arrays[1], [&](std::int64_t at, std::int64_t place) {
        for (std::int64_t i = 0; i < run; ++i) to[place + i] = combined(how, to[place + i], updates[at * run + i]);
      });
    };
  });
}

/// Numbers in their own arithmetic; halves would be rounded with every sum.
bool can_scatter(const DirectNode& node, std::optional<Combining> how) {
  if (!how || !has_plain_elements(node) || !has_loop_type(node.element(0))) return false;
  const ElementType element = node.element(0);
  return *how == Combining::replace || !(bit_width(element) == 16 && is_floating(element));
}

bool lower_scatter_elements(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  const auto how = node.entry().name == "Scatter" ? Combining::replace : combining_of(node, 16);
  if (!can_scatter(node, how) || node.dims(0).empty()) return false;
  node.lower(scattering(node, ElementPlaces(node), 1, *how));
  return true;
}

bool lower_scatter_tuples(Lowering& lowering, NodeId id) {
  DirectNode node(lowering, id);
  const auto how = combining_of(node, 16);
  if (!can_scatter(node, how)) return false;
  const TuplePlaces places(node, 0);
  node.lower(scattering(node, places, places.run(), *how));
  return true;
}

const LoweringTable element_gatherings({{"GatherElements", lower_gather_elements},
                                        {"GatherND", lower_gather_tuples},
                                        {"ScatterElements", lower_scatter_elements},
                                        {"Scatter", lower_scatter_elements},
                                        {"ScatterND", lower_scatter_tuples}});

}  // namespace
}  // namespace hone::native
