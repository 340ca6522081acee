#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hone {

/// How far instances of rules go: every number is the largest that is chosen where a rule leaves it open.
struct Scope {
  std::string_view name;
  std::size_t rank = 4;     // axes of a tensor that no operator asks more of
  std::int64_t size = 3;    // of an axis
  std::size_t spatial = 2;  // axes that a window moves over
  std::int64_t image = 5;   // size of such an axis, from 3
  std::int64_t kernel = 3;  // size of a window along an axis
  std::int64_t stride = 2;  // steps and dilations
  std::int64_t pad = 2;     // elements of padding on one side
  std::int64_t group = 3;   // groups of a convolution
  std::size_t list = 3;     // tensors in a list
  /// Lists of strides, dilations and paddings: all there are, or only those that differ from the plain list in one
  /// place or everywhere alike.
  enum class Lists { any, plain_but_one } lists = Lists::any;
};

/// Scopes that proofs go through, each larger than the one before; a proof is complete up to the last that it finished.
inline constexpr std::array<Scope, 4> kScopes = {{
    {.name = "tiny",
     .rank = 2,
     .size = 2,
     .spatial = 1,
     .image = 3,
     .kernel = 2,
     .stride = 2,
     .pad = 1,
     .group = 2,
     .list = 2,
     .lists = Scope::Lists::any},
    {.name = "small",
     .rank = 3,
     .size = 2,
     .spatial = 1,
     .image = 4,
     .kernel = 3,
     .stride = 2,
     .pad = 1,
     .group = 2,
     .list = 2,
     .lists = Scope::Lists::any},
    {.name = "medium",
     .rank = 3,
     .size = 3,
     .spatial = 2,
     .image = 4,
     .kernel = 3,
     .stride = 2,
     .pad = 1,
     .group = 2,
     .list = 3,
     .lists = Scope::Lists::plain_but_one},
    {.name = "large",
     .rank = 4,
     .size = 3,
     .spatial = 2,
     .image = 5,
     .kernel = 3,
     .stride = 2,
     .pad = 2,
     .group = 3,
     .list = 3,
     .lists = Scope::Lists::plain_but_one},
}};

}  // namespace hone
