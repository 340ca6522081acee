#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "graph/ir/element_type.h"
#include "graph/ir/lexer.h"

namespace hone {

/// Type of the numbers an element is written as: a complex element is written as two reals, any other as itself.
ElementType written_type(ElementType type);
/// How many numbers one element is written as.
std::size_t written_per_element(ElementType type);

/// The stored bits of the element at `index` of packed elements of that many bits each.
std::uint64_t stored_bits(std::span<const std::byte> bytes, int bit_width, std::size_t index);
void store_bits(std::span<std::byte> bytes, int bit_width, std::size_t index, std::uint64_t bits);

/// An element with these stored bits as the text form writes it: exact to the bit. float and double read as numbers, or
/// `nan`, or `0x...` for other not-a-numbers; the narrower floats are the number of their bits, as ONNX prints them.
std::string element_text(ElementType type, std::uint64_t bits);

/// The stored bits of an element written by that word; nullopt when the word is not an element of the type.
/// Hexadecimal numbers are stored bits in every type.
std::optional<std::uint64_t> element_bits(ElementType type, const Token& token);

/// True for `inf`, `infinity` and `nan`, which are numbers where a number is expected.
bool is_special_number(std::string_view word);

}  // namespace hone
