#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace hone {

/// A dense index that cannot be mistaken for an index into another table.
/// Default-constructed ids are "none"; dense ids start at 0.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : index_(static_cast<std::uint32_t>(index)) {}

  constexpr bool valid() const { return index_ != kNone; }
  constexpr std::uint32_t index() const { return index_; }

  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t index_ = kNone;
};

}  // namespace hone

template <class Tag>
struct std::hash<hone::Id<Tag>> {
  std::size_t operator()(hone::Id<Tag> id) const noexcept { return id.index(); }
};
