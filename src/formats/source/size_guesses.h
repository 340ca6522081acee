#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// A refusal without its numbers: what is refused in other words is refused for another reason.
std::string words_of(std::string_view refusal);

/// The sizes that a refusal tells, the largest first: its numbers, and the products of its lists, as in `cannot reshape
/// [10,20,30] to [1,200,16]`. Names in quotes are left out.
std::vector<std::int64_t> sizes_told(std::string_view refusal);

/// What a size that is `now` would have to be for one of the told ones to become another: each of them, and what is as
/// much larger or as many times as large. One comes last, as it fits many things by broadcasting alone.
std::vector<std::int64_t> sizes_suggested(std::span<const std::int64_t> told, std::int64_t now);

/// Sizes worth trying when nothing suggests one: halves, doubles, powers of two, usual channels.
std::vector<std::int64_t> sizes_usual(std::int64_t now);

}  // namespace hone
